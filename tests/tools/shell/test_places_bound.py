"""A rule that is bound to places does not hold for a command that may read elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from assent.config import SandboxPath
from assent.tools.shell import Judgement, Machine, judge
from tests.tools.shell.cases import explained, rules_of

PROGRAMS = ("tac", "ls", "date", "dd", "sort", "grep", "pytest", "strings", "x86_64-linux-gnu-strings-12", "ld")
FREE = [{"pattern": name, "approval": False} for name in (*PROGRAMS, "cat", "true", "find")]
BOUND = [{**rule, "sandbox_paths": ["out"]} if rule["pattern"] in PROGRAMS else rule for rule in FREE]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    (tmp_path / "out/sub").mkdir(parents=True)
    for name in ("s", "out/in", "out/sub/x"):
        (tmp_path / name).write_text("x\n")
    return tmp_path / "out"


def judged(command: str, out: Path, by: Sequence[Mapping[str, object]] = BOUND) -> Judgement:
    paths = {"out": SandboxPath(root=out, mode="rw"), "all": SandboxPath(root=out.parent)}
    return judge(command, rules_of(rules=by, default="ask"), Machine(cwd=out, paths=paths, path="/usr/bin:/bin"))


@pytest.mark.parametrize(
    "command",
    [
        *("tac ../s", "tac < ../s", "{ tac; } < ../s", "(tac) <../s", "if true; then tac; fi < ../s"),
        *("for i in 1; do tac; done < ../s", "{ (tac); } < ../s", "sh -c tac < ../s", "{ sh -c 'sh -c tac'; } < ../s"),
        *("timeout 5 tac < ../s", "{ timeout 5 tac; } < ../s", "(tac) < in < ../s", "tac /proc/self/cwd/../s"),
        *("(tac) < /proc/self/cwd/in", "dd if=~/s status=none | cat", "dd if=~root/s", "dd if=in:~/s", "dd if+=~/s"),
        *("strings @../s", "strings @in", "ld -a,@in", "x86_64-linux-gnu-strings-12 @in", "pytest @in", "tac @../s"),
        *("sort --files0-from=in", "sort --files0-from in", "grep -nf../s in", "grep -nf/etc/hosts in"),
        *("find sub -execdir tac ../s ';'", "find sub -execdir tac x ';'", "tac ~/s", "tac {../s,in}", "tac $x"),
    ],
)
def test_a_bound_rule_does_not_hold_where_a_path_may_lead_out(command: str, out: Path) -> None:
    assert judged(command, out, FREE).verdict == "allow"
    assert judged(command, out).verdict == "ask"


@pytest.mark.parametrize(
    "command",
    [
        *("tac in", "tac < in", "{ tac; } < in", "(tac) < in", "sh -c tac < in", "dd if=in status=none | cat"),
        *("strings -a in", "sort -u in", "grep -nv x in", "grep -fin in", "pytest -xvs"),
        *("[[ -f ../s ]] && tac in", "true < ../s; tac in"),
    ],
)
def test_a_bound_rule_holds_where_every_path_lies_inside(command: str, out: Path) -> None:
    judgement = judged(command, out)
    assert judgement.verdict == "allow", explained(judgement)


def test_which_command_a_compound_one_lets_read_is_not_guessed(out: Path) -> None:
    assert judged("(cat) < ../s; tac in", out).verdict == "ask"
    assert judged("cat < ../s; tac in", out).verdict == "allow"


def test_many_inputs_around_many_commands_are_answered_in_time(out: Path) -> None:
    many = "; ".join(f"(tac) < in{number}" for number in range(2000))
    assert judged(many, out).verdict == "ask"
    assert judged("; ".join(["(tac) < in"] * 2000), out).verdict == "allow"


@pytest.fixture
def beside(out: Path) -> Path:
    """The folder that holds `out`, with files of any name in it."""
    for name in ("5", "key", "2026", "y"):
        (out.parent / name).write_text("x\n")
    return out.parent


def judged_beside(command: str, beside: Path) -> Judgement:
    machine = Machine(cwd=beside, paths={"out": SandboxPath(root=beside / "out", mode="rw")}, path="/usr/bin:/bin")
    return judge(command, rules_of(rules=BOUND, default="ask"), machine)


@pytest.mark.parametrize(
    "command",
    [
        *("tac 5", "tac 5 out/in", "tac -- 5", "ls 2026", "tac < 5", "date -fkey", "date -f key", "date -ufkey"),
        *("grep -fkey out/in", "grep -nfkey out/in", "grep -f5 out/in", "grep -r -eCON", "grep -r -e out/in"),
        *(
            "grep -rhe out/in",
            "grep --recurs -e out/in",
            "ls",
            "ls -la",
            "ls -l 7",
            "pytest",
            "pytest -x",
            "pytest -ckey out",
        ),
    ],
)
def test_a_bound_rule_does_not_cover_the_folder_beside(command: str, beside: Path) -> None:
    judgement = judged_beside(command, beside)
    assert judgement.verdict == "ask", explained(judgement)


@pytest.mark.parametrize(
    "command",
    [
        *("tac out/in", "tac -s7 out/in", "ls -la out", "ls out -w 80", "pytest -xvq out/sub", "pytest out -n 4"),
        *("tac < out/in", "tac out/in | sort -k2,2n", "sort -rn out/in", "date -u"),
    ],
)
def test_it_holds_beside_for_paths_inside_and_words_that_name_nothing(command: str, beside: Path) -> None:
    judgement = judged_beside(command, beside)
    assert judgement.verdict == "allow", explained(judgement)


def test_git_in_a_folder_inside_shows_the_repository_around_it(out: Path) -> None:
    rules = rules_of(rules=[{"pattern": "git log", "approval": False, "sandbox_paths": ["out"]}], default="ask")
    machine = Machine(cwd=out / "sub", paths={"out": SandboxPath(root=out, mode="rw")}, path="/usr/bin:/bin")
    (out / ".git").mkdir()
    assert judge("git log -p", rules, machine).verdict == "allow"
    (out.parent / ".git").mkdir()
    assert judge("git log -p", rules, machine).verdict == "ask"
