"""The corpus: every rule of the shell contract, in many spellings, and what must stay allowed."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from assent.config import SandboxPath
from assent.tools.shell import Machine, environment_for, judge
from tests.tools.shell.cases import Case, build_machine, explained, judged, read_cases, rules_of

CORPUS = read_cases("corpus.jsonl")
READ_ONLY = read_cases("corpus_readonly.jsonl")

RULES = rules_of(
    rules=[{"pattern": name, "approval": False} for name in ("ls", "echo", "git status")]
    + [{"pattern": "rm", "allowed": False}],
    default="ask",
)

DEEP = 60
LONG = 3000


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    return build_machine(tmp_path_factory.mktemp("machine"))


@pytest.mark.parametrize("case", [*CORPUS, *READ_ONLY], ids=lambda case: case.id)
def test_a_case_gets_one_of_its_answers(case: Case, machine: Machine) -> None:
    judgement = judged(case, machine)
    assert judgement.verdict in case.answers, f"{case.command!r}\n{explained(judgement)}"


def test_every_answer_names_a_part_a_rule_and_a_reason(machine: Machine) -> None:
    for case in CORPUS:
        judgement = judged(case, machine)
        assert judgement.reason, case.id
        assert any(part.verdict == judgement.verdict for part in judgement.parts), case.id
        assert all(part.rule and part.why for part in judgement.parts), case.id


def test_the_corpus_is_as_large_as_it_says_and_never_excuses_an_escape() -> None:
    assert len(CORPUS) >= 330
    assert sum(case.answers == {"allow"} for case in CORPUS) >= 90
    assert sum(case.expect == "allow" for case in READ_ONLY) >= 60
    assert sum("allow" not in case.answers for case in READ_ONLY) >= 80
    assert [name for name, times in Counter(case.id for case in [*CORPUS, *READ_ONLY]).items() if times > 1] == []
    assert [case.id for case in CORPUS if case.expect == "deny" and "allow" in case.ok] == []


@pytest.mark.parametrize("separator", [" && ", "\n", " | "])
def test_a_denied_command_after_three_thousand_others_is_found(separator: str, machine: Machine) -> None:
    many = separator.join(["ls"] * LONG)
    assert judge(f"{many}{separator}rm x", RULES, machine).verdict == "deny"
    assert judge(f"rm x{separator}{many}", RULES, machine).verdict == "deny"
    assert judge(f"{many}{separator}frobnicate", RULES, machine).verdict == "ask"
    assert judge(many, RULES, machine).verdict == "allow"


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("(", ")"), ("echo $(", ")"), ("{ ", "; }"), ('echo "$(', ')"'), ("if ls; then ", "; fi"), ("cat <(", ")")],
)
@pytest.mark.parametrize("depth", [1, DEEP, 300])
def test_a_denied_command_is_found_however_deep_it_lies(
    opening: str, closing: str, depth: int, machine: Machine
) -> None:
    command = opening * depth + "rm x" + closing * depth
    assert judge(command, RULES, machine).verdict == "deny"
    assert judge(command.replace("rm", "frobnicate"), RULES, machine).verdict == "ask"


@pytest.mark.parametrize("wrapper", ["env ", "command ", "nice -n 5 ", "timeout 5 ", "eval "])
@pytest.mark.parametrize("depth", [1, DEEP, 300])
def test_a_denied_command_is_found_behind_any_number_of_wrappers(wrapper: str, depth: int, machine: Machine) -> None:
    assert judge(wrapper * depth + "rm x", RULES, machine).verdict == "deny"
    assert judge(wrapper * depth + "frobnicate", RULES, machine).verdict == "ask"


@pytest.mark.parametrize("depth", [1, 2, 3, 6])
def test_a_denied_command_is_found_in_shells_within_shells(depth: int, machine: Machine) -> None:
    command = "rm x"
    for _ in range(depth):
        command = "bash -c '" + command.replace("'", "'\\''") + "'"
    assert judge(command, RULES, machine).verdict == "deny"


@pytest.mark.parametrize("size", [1_000, 100_000, 1_000_000])
def test_a_large_argument_weakens_no_answer(size: int, machine: Machine) -> None:
    large = "a" * size
    assert judge(f"echo {large}; rm x", RULES, machine).verdict == "deny"
    assert judge(f"echo '{large}'\nrm x", RULES, machine).verdict == "deny"
    assert judge(f"echo {large}; frobnicate", RULES, machine).verdict == "ask"


HOSTILE = {
    "core.fsmonitor": "git status",
    "core.pager": "git log",
    "diff.external": "git diff",
    "diff.x.command": "git diff",
    "diff.x.textconv": "git diff",
    "filter.x.clean": "git status",
    "filter.x.process": "git status",
    "pager.status": "git status",
}
GIT = rules_of(
    rules=[{"pattern": f"git {verb}", "approval": False} for verb in ("status", "log", "diff")], default="ask"
)


@pytest.mark.parametrize("setting", HOSTILE)
def test_a_repository_that_names_programs_runs_none_of_them(setting: str, tmp_path: Path) -> None:
    repository, ran = hostile_repository(tmp_path, setting)
    command = HOSTILE[setting]
    plain = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    judgement = judge(command, GIT, Machine(cwd=repository, path="/usr/bin:/bin"))
    if judgement.verdict == "allow":
        subprocess.run(
            judgement.argv or ["bash", "-c", command],
            cwd=repository,
            env={**plain, **environment_for(judgement)},
            check=False,
            capture_output=True,
        )
    assert judgement.verdict in {"allow", "ask"}
    assert not ran.exists(), explained(judgement)


def hostile_repository(folder: Path, setting: str) -> tuple[Path, Path]:
    """A repository with a changed file whose configuration names a program, and what that program leaves behind."""
    ran, program, repository = folder / "ran", folder / "program", folder / "repository"
    program.write_text(f"#!/bin/sh\necho ran >> {ran}\ncat\n")
    program.chmod(0o755)
    git = ["git", "-C", str(repository), "-c", "user.name=a", "-c", "user.email=a@example.com"]
    subprocess.run(["git", "init", "--quiet", str(repository)], check=True)
    (repository / "f").write_text("x\n")
    (repository / ".gitattributes").write_text("f filter=x diff=x\n")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "-m", "x"], check=True)
    (repository / "f").write_text("y\n")
    subprocess.run([*git, "config", setting, str(program)], check=True)
    return repository, ran


READING = rules_of(
    rules=[{"pattern": name, "approval": False} for name in ("cat", "grep", "ls", "echo")], default="allow"
)


@pytest.mark.parametrize(
    "command",
    [
        *(
            "cat private/a",
            "cat ./private/a",
            "cat open/../private/a",
            "cat 'private/a'",
            "grep x private/a",
            "ls private",
        ),
        *("cat open/a private/a", "cat open/link", "cat < private/a", "cat priv*/a", "cat {open,private}/a", "cat $x"),
        *("echo a; cat private/a", "cat <(cat private/a)", "bash -c 'cat private/a'", "grep -r x .", "cat */a"),
        *("cat pri\\vate/a", "grep --file=private/a open/a", "grep -fprivate/a open/a", "frobnicate private/a"),
    ],
)
def test_a_command_that_names_a_path_with_read_approval_asks(command: str, tmp_path: Path) -> None:
    judgement = judge(command, READING, guarded(tmp_path))
    assert judgement.verdict == "ask", explained(judgement)


@pytest.mark.parametrize(
    "command", ["cat open/a", "cat open/../open/a", "echo private/a", "cat other", "cat privates/a"]
)
def test_other_paths_do_not_ask_because_one_does(command: str, tmp_path: Path) -> None:
    judgement = judge(command, READING, guarded(tmp_path))
    assert judgement.verdict == "allow", explained(judgement)


def guarded(folder: Path) -> Machine:
    """A machine where reading `private` asks, and a link leads there."""
    for part in ("open", "private", "privates"):
        (folder / part).mkdir()
        (folder / part / "a").write_text("x\n")
    (folder / "open" / "link").symlink_to("../private/a")
    paths = {
        "open": SandboxPath(root=folder / "open"),
        "private": SandboxPath(root=folder / "private", read_approval=True),
    }
    return Machine(cwd=folder, paths=paths, path="/usr/bin:/bin")


def test_a_rule_does_not_allow_a_program_inside_a_writable_root(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "ls").write_text("#!/bin/sh\n")
    (programs / "ls").chmod(0o755)
    paths = {"bin": SandboxPath(root=programs, mode="rw")}
    planted = Machine(cwd=tmp_path, paths=paths, path=f"{programs}:/usr/bin:/bin")
    assert judge("ls", RULES, planted).verdict == "ask"
    assert judge("ls | ls", RULES, planted).verdict == "ask"
    assert judge("ls", RULES, Machine(cwd=tmp_path, paths=paths, path="/usr/bin:/bin")).verdict == "allow"
