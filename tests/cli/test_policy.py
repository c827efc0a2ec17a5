from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.cli.test_check import at_a_terminal
from tests.cli.within import within
from tests.tools.shell.cases import HERE, build_machine

CONFIGURED = "shell: {rules: [{pattern: ls, approval: false}, {pattern: rm, allowed: false}]}\n"


def case(id: str = "a", command: object = "ls", expect: str = "allow", **more: object) -> dict[str, object]:  # noqa: A002
    return {"id": id, "command": command, "expect": expect, **more}


def tried(folder: Path, *cases: object, arguments: tuple[str, ...] = ()) -> tuple[int, str, str]:
    lines = [each if isinstance(each, str) else json.dumps(each) for each in cases]
    (folder / "cases.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = within(folder, "policy", "test", "cases.jsonl", *arguments)
    return done.returncode, re.sub(r"\(\d+\.\d s\)", "(SECONDS)", done.stdout), done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "assent.yaml").write_text(CONFIGURED)
    return tmp_path


def test_cases_that_hold_are_counted(folder: Path) -> None:
    cases = [case("1"), case("2", "rm x", "deny"), "", case("3", "touch", "deny", ok=["ask"])]
    assert tried(folder, *cases) == (0, "3 cases: 3 passed, 0 failed (SECONDS)\n", "")


def test_each_failure_is_explained_with_its_place(folder: Path) -> None:
    code, told, _ = tried(folder, case("1"), case("2", "ls; touch x", "allow", ok=["deny"]))
    assert code == 1
    assert told == snapshot("""\
2 (cases.jsonl:2): expected allow or deny, got ask
  ls; touch x
  ──  ???????

  allow  ls       ls is allowed · assent.yaml:1
  ask    touch x  no rule names touch · default

2 cases: 1 passed, 1 failed (SECONDS)
""")


def test_what_a_case_does_not_say_the_configuration_does(folder: Path) -> None:
    cases = [
        case("configured", "rm x", "deny"),
        case("own rules", "rm x", "allow", rules=[{"pattern": "rm", "approval": False}]),
        case("own rules only", "ls", "ask", rules=[]),
        case("own default", "touch x", "deny", default="deny"),
        case("rules stay with an own default", "ls", "allow", default="deny"),
        case("own preset", "wc x", "allow", preset="read-only"),
        case("words as a list", "a 'b c' d", "allow", rules=[{"pattern": ["a", "b c"], "approval": False}]),
        case("a folder", "cat out/a", "allow", rules=[{"pattern": "cat", "approval": False, "sandbox_paths": ["out"]}]),
        case("no folder", "cat /a", "ask", rules=[{"pattern": "cat", "approval": False, "sandbox_paths": ["out"]}]),
    ]
    assert tried(folder, *cases)[:2] == (0, f"{len(cases)} cases: {len(cases)} passed, 0 failed (SECONDS)\n")


def test_programs_get_one_line_per_case(folder: Path) -> None:
    code, told, _ = tried(folder, case("1"), case("2", "rm x"), arguments=("--json",))
    assert code == 1
    assert [json.loads(line) for line in told.splitlines()] == [
        {"id": "1", "got": "allow", "pass": True, "reason": "every part of it is allowed"},
        {"id": "2", "got": "deny", "pass": False, "reason": "rm x: a rule denies rm"},
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "this is no JSON, at column 2: "),
        ("[" * 100_000, "this is no JSON"),
        ("3", "this is no object"),
        (case(expct="x"), "unknown key 'expct'; allowed: id, command, expect, ok, rules, default, preset"),
        (case(expect="maybe"), "expect is 'maybe'; allowed: 'allow', 'ask' or 'deny'"),
        (case(ok=["yes"]), "ok.0 is 'yes'; allowed: 'allow', 'ask' or 'deny'"),
        (case(default="yes"), "default is 'yes'; allowed: 'allow', 'ask' or 'deny'"),
        ({"id": "a", "command": "ls"}, "expect is missing"),
        (case(command=3), "command: "),
        (
            case(rules=[{"pattren": "ls"}]),
            "rules.0.pattern is missing\ncases.jsonl:3: unknown key 'rules.0.pattren'; allowed: pattern, ",
        ),
        (case(rules=[{"pattern": "ls '"}]), "rules.0.pattern: "),
        (case(rules=[{"pattern": "ls", "approval": "no"}]), "rules.0.approval: allowed: true or false"),
        (case(rules=[{"pattern": "ls", "match": ["rm"]}]), "shell.rules.0.match: the rule does not match 'rm'"),
    ],
)
def test_what_is_wrong_in_the_file_is_named_with_its_line(line: object, said: str, folder: Path) -> None:
    code, told, complaint = tried(folder, case(), "", line, case())
    assert (code, told) == (2, "")
    assert complaint.startswith(f"assent: cases.jsonl:3: {said}")
    assert "Traceback" not in complaint


def test_everything_that_is_wrong_is_named_at_once(folder: Path) -> None:
    complaint = tried(folder, "{", case(expect=""), case(), "}")[2]
    assert re.findall(r"cases\.jsonl:(\d+): ", complaint) == ["1", "2", "4"]


@pytest.mark.parametrize("content", [b"", b"\n\n", b'{"id": "\xff"}\n'])
def test_a_file_without_cases_or_that_is_no_text_is_an_error(content: bytes, folder: Path) -> None:
    (folder / "cases.jsonl").write_bytes(content)
    done = within(folder, "policy", "test", "cases.jsonl")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("assent: cases.jsonl")
    assert within(folder, "policy", "test", "nowhere.jsonl").returncode == 2


def test_nothing_in_a_case_acts_on_the_terminal(folder: Path) -> None:
    trick = "x\x1b[2K\u202e"
    code, told, _ = tried(folder, case(trick, f"touch '{trick}'"))
    assert code == 1
    assert {char for char in told if not char.isprintable()} == {"\n"}


def test_a_thousand_cases_take_seconds_and_the_whole_corpus_passes(tmp_path: Path) -> None:
    build_machine(tmp_path)
    done = within(tmp_path, "policy", "test", str(HERE / "corpus.jsonl"))
    assert (done.returncode, done.stderr) == (0, "")
    found = re.fullmatch(r"(\d+) cases: (\d+) passed, 0 failed \((\d+\.\d) s\)\n", done.stdout)
    assert found
    assert int(found[1]) >= 2000
    assert float(found[3]) < 30


def test_on_a_terminal_a_long_run_says_how_far_it_is_and_leaves_no_trace_of_it(folder: Path) -> None:
    many = "\n".join(json.dumps(case(str(number), f"bash -c 'ls {number}' | ls")) for number in range(150))
    (folder / "cases.jsonl").write_text(many)
    seen = at_a_terminal(folder, "policy", "test", "cases.jsonl")
    assert re.search(r"\r\d+ of 150 …", seen)
    assert seen.rpartition("\r\x1b[K")[2].startswith("150 cases: ")
