from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from assent.config import SandboxPath
from assent.tools.shell import Judgement, Machine, environment_for, judge
from tests.tools.shell.worlds import rules

GIT = {"GIT_CONFIG_GLOBAL": "/dev/null", "HOME": "/nonexistent", "PATH": os.environ["PATH"]}


def git(folder: Path, *words: str, environment: Mapping[str, str] | None = None) -> str:
    command = ["git", *words]
    done = subprocess.run(
        command, cwd=folder, env={**GIT, **(environment or {})}, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "f").write_text("a\n")
    git(folder, "add", "f")
    git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x")
    return folder


def judged(command: str, machine: Machine) -> Judgement:
    return judge(command, rules(allow="git,ls,cat,tool,pytest"), machine)


@pytest.mark.parametrize(
    ("script", "good"), [("ls | cat", True), ("ls (", False), ("if ls", False), ("ls\0", False), ("ls <<E", False)]
)
def test_bash_says_what_it_can_read(tmp_path: Path, script: str, *, good: bool) -> None:
    assert Machine(cwd=tmp_path).accepts(script) is good


def test_reading_a_script_runs_nothing_of_it(tmp_path: Path) -> None:
    assert Machine(cwd=tmp_path).accepts(f"touch {tmp_path}/made; echo $(touch {tmp_path}/made)")
    assert not (tmp_path / "made").exists()


def test_a_script_too_long_for_an_argument_is_not_accepted(tmp_path: Path) -> None:
    assert not Machine(cwd=tmp_path).accepts("ls;" * 100_000)


def test_a_bash_that_an_agent_could_have_written_is_not_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    for folder in (root, elsewhere):
        folder.mkdir()
    (root / "bash").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (root / "bash").chmod(0o755)
    (elsewhere / "bash").symlink_to(root / "bash")
    monkeypatch.setattr("assent.tools.shell._world._SYSTEM", ())
    paths = {"work": SandboxPath(root=root, mode="rw")}
    for path in (root, elsewhere):
        assert not Machine(cwd=root, paths=paths, path=str(path)).accepts("ls | cat")
        assert not (tmp_path / "ran").exists()
    monkeypatch.undo()
    assert Machine(cwd=root, path=str(root)).accepts("ls | cat")
    assert not (tmp_path / "ran").exists()


def test_programs_are_looked_for_in_absolute_folders_only(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    assert Machine(cwd=tmp_path, path=f"{tmp_path}").program("tool") == str(tool)
    assert Machine(cwd=tmp_path, path=":.:bin").program("tool") is None


def test_a_program_in_a_writable_root_is_not_allowed_by_its_name(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    link = tmp_path.parent / f"{tmp_path.name}-link"
    link.mkdir()
    (link / "tool").symlink_to(tool)
    writable = {"w": SandboxPath(root=tmp_path, mode="rw")}
    for path in (tmp_path, link):
        assert judged("tool", Machine(cwd=tmp_path, paths=writable, path=str(path))).verdict == "ask"
        assert judged("tool", Machine(cwd=tmp_path, path=str(path))).verdict == "allow"


def test_a_path_is_inside_only_where_its_links_lead_inside(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "link").symlink_to(tmp_path)
    machine = Machine(cwd=tmp_path, paths={"out": SandboxPath(root=tmp_path / "out", mode="rw")})
    inside = ["out", "out/x", "out/a/../b", str(tmp_path / "out/x")]
    outside = [".", "x", "out/..", "out/../x", "out/link/x", "/etc", "../out", str(tmp_path / "outer")]
    assert [path for path in inside if not machine.is_inside(path, ["out"])] == []
    assert [path for path in outside if machine.is_inside(path, ["out"])] == []
    assert not machine.is_inside("out/x", [])


def test_a_folder_that_asks_is_found_from_within_and_from_above(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    machine = Machine(cwd=tmp_path, paths={"s": SandboxPath(root=tmp_path / "secret", read_approval=True)})
    asking = ["cat secret/x", "ls secret", "ls -R", "cat */x", "cat $x", "cat < secret/x", "cat other/../secret/x"]
    assert {command: judged(command, machine).verdict for command in asking} == dict.fromkeys(asking, "ask")
    assert judged("ls", machine).verdict == "allow"
    assert judged("cat x", machine).verdict == "allow"
    assert judged("ls", Machine(cwd=tmp_path / "secret", paths=machine.paths)).verdict == "ask"


@pytest.mark.parametrize(
    ("key", "tame"),
    [
        ("core.fsmonitor", True),
        ("core.hooksPath", True),
        ("user.name", True),
        ("filter.x.clean", False),
        ("diff.x.textconv", False),
        ("diff.external", False),
        ("merge.x.driver", False),
        ("include.path", False),
        ("core.sshCommand", False),
        ("remote.x.uploadpack", False),
        ("credential.helper", False),
    ],
)
def test_a_repository_that_names_programs_is_not_tame(repository: Path, key: str, *, tame: bool) -> None:
    git(repository, "config", key, "x")
    (repository / "sub").mkdir()
    assert Machine(cwd=repository / "sub").git_is_tame() is tame
    assert judged("git status", Machine(cwd=repository)).verdict == ("allow" if tame else "ask")


def test_a_worktree_is_as_tame_as_its_repository(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert Machine(cwd=tmp_path / "tree").git_is_tame()
    git(repository, "config", "filter.x.clean", "x")
    assert not Machine(cwd=tmp_path / "tree").git_is_tame()


def test_a_folder_that_only_stands_in_for_submodules_changes_nothing(repository: Path) -> None:
    (repository / ".git/modules").mkdir()
    assert Machine(cwd=repository).git_is_tame()
    (repository / ".git/modules/x").mkdir()
    assert not Machine(cwd=repository).git_is_tame()


def test_submodules_are_not_tame(repository: Path) -> None:
    (repository / ".gitmodules").write_text("")
    assert not Machine(cwd=repository).git_is_tame()


def test_outside_of_any_repository_there_is_nothing_to_tame() -> None:
    assert Machine(cwd=Path("/")).git_is_tame()


def test_the_environment_keeps_a_repository_from_running_programs(repository: Path, tmp_path: Path) -> None:
    made = tmp_path / "made"
    spy = tmp_path / "spy"
    spy.write_text(f"#!/bin/sh\ntouch {made}\n")
    spy.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(spy))
    git(repository, "config", "core.pager", str(spy))
    git(repository, "config", "pager.status", str(spy))
    judgement = judged("git status", Machine(cwd=repository))
    assert judgement.verdict == "allow"
    git(repository, "status", environment=environment_for(judgement))
    assert not made.exists()
    git(repository, "status")
    assert made.exists()


def test_only_what_is_allowed_unseen_gets_that_environment(repository: Path) -> None:
    machine = Machine(cwd=repository)
    assert environment_for(judged("ls", machine)) == {}
    assert environment_for(judged("git status > f", machine)) == {}
    assert "GIT_CONFIG_COUNT" in environment_for(judged("ls && git status", machine))
