"""git asks where any repository that it may take for its own names a program."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from assent.config import SandboxPath
from assent.tools.shell import Machine, environment_for, judge
from tests.tools.shell.worlds import rules

GIT = {"GIT_CONFIG_GLOBAL": "/dev/null", "HOME": "/nonexistent", "PATH": os.environ["PATH"]}
RULES = rules(allow="git diff,git archive,git status,git show,git log,git rev-parse,find,ls")


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, env=GIT, capture_output=True, check=True)


def verdict(command: str, folder: Path) -> str:
    return judge(command, RULES, Machine(cwd=folder)).verdict


@pytest.fixture
def wild(tmp_path: Path) -> Path:
    """A repository with a changed file whose configuration names a program that leaves a mark."""
    folder = tmp_path / "wild"
    folder.mkdir()
    (tmp_path / "program").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    (tmp_path / "program").chmod(0o755)
    git(folder, "init", "-q")
    (folder / "f").write_text("a\n")
    git(folder, "add", "f")
    git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x")
    (folder / "f").write_text("b\n")
    git(folder, "config", "diff.external", str(tmp_path / "program"))
    return folder


def ran(command: str, folder: Path, top: Path) -> bool:
    """Whether the program of the repository runs, also in the environment that is to prevent it."""
    judgement = judge("git status", RULES, Machine(cwd=top))
    environment = {**GIT, **environment_for(judgement)}
    subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, check=False)
    return (top / "ran").exists()


@pytest.mark.parametrize("decoy", ["folder", "head", "bare"])
def test_something_like_a_repository_does_not_hide_the_one_above(decoy: str, wild: Path, tmp_path: Path) -> None:
    here = wild / "sub"
    (here if decoy == "bare" else here / ".git").mkdir(parents=True)
    if decoy == "head":
        (here / ".git/HEAD").write_text("ref: refs/heads/x\n")
    if decoy == "bare":
        (here / "HEAD").write_text("")
        (here / "objects").mkdir()
    assert verdict("git diff", here) == "ask"
    assert ran("git diff", here, tmp_path)


def test_a_repository_inside_a_tame_one_is_tame(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "inner"):
        folder.mkdir(exist_ok=True)
        git(folder, "init", "-q")
    assert verdict("git diff", tmp_path / "inner") == "allow"


def test_a_link_to_a_folder_in_a_repository_is_in_the_repository(wild: Path, tmp_path: Path) -> None:
    (wild / "sub").mkdir()
    (tmp_path / "link").symlink_to(wild / "sub")
    assert verdict("git diff", tmp_path / "link") == "ask"
    assert ran("git diff", tmp_path / "link", tmp_path)


@pytest.mark.parametrize("ending", [" ", "\t", " \n"])
def test_blanks_at_the_end_belong_to_the_name_of_a_repository(ending: str, wild: Path, tmp_path: Path) -> None:
    decoy, real, here = tmp_path / "git", tmp_path / f"git{ending.rstrip(chr(10))}", tmp_path / "here"
    (wild / ".git").rename(real)
    for folder in (decoy, here):
        folder.mkdir()
    (here / ".git").write_text(f"gitdir: ../git{ending}")
    (here / "f").write_text("c\n")
    assert verdict("git diff", here) == "ask"
    assert ran("git diff", here, tmp_path)


def test_a_bare_repository_may_have_its_configuration_elsewhere(wild: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "HEAD").write_text("ref: refs/heads/master\n")
    (bare / "commondir").write_text(str(wild / ".git"))
    assert verdict("git diff", bare) == "ask"


@pytest.mark.parametrize("option", ["-execdir", "-okdir"])
def test_find_may_start_git_in_another_repository(option: str, wild: Path, tmp_path: Path) -> None:
    command = f"find wild -maxdepth 1 -name f {option} git diff ';'"
    assert verdict(command, tmp_path) == "ask"
    if option == "-execdir":
        assert ran(command, tmp_path, tmp_path)
    assert verdict("find . -maxdepth 1 -name f -exec git diff ';'", tmp_path) == "allow"
    assert verdict(f"find . {option} ls ';'", tmp_path) == "allow"


def test_git_archive_runs_what_a_format_names(wild: Path, tmp_path: Path) -> None:
    git(wild, "config", "--remove-section", "diff")
    assert verdict("git archive --format=zz HEAD", wild) == "allow"
    git(wild, "config", "tar.zz.command", str(tmp_path / "program"))
    assert verdict("git archive --format=zz HEAD", wild) == "ask"
    assert ran("git archive --format=zz HEAD", wild, tmp_path)


@pytest.mark.parametrize(
    "key",
    [
        *("tar.zz.command", "gc.recentObjectsHook", "gpg.ssh.defaultKeyCommand", "alias.st", "difftool.x.cmd"),
        *("mergetool.x.cmd", "guitool.x.cmd", "browser.x.cmd", "man.x.cmd", "imap.tunnel", "sendemail.smtpServer"),
        *("sendemail.toCmd", "sendemail.ccCmd", "sendemail.headerCmd", "sendemail.sendmailCmd", "core.worktree"),
        *("remote.x.promisor", "extensions.partialClone", "hook.x.command", "trailer.x.command"),
    ],
)
def test_what_a_configuration_may_run_is_not_tame(key: str, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert Machine(cwd=tmp_path).git_is_tame()
    git(tmp_path, "config", key, "x")
    assert not Machine(cwd=tmp_path).git_is_tame()


@pytest.mark.parametrize("key", ["user.signingKey", "gpg.format", "branch.man.remote", "remote.tar.url", "gc.auto"])
def test_what_a_configuration_only_sets_is_tame(key: str, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", key, "x")
    assert Machine(cwd=tmp_path).git_is_tame()


def asks(command: str, folder: Path, letters: Path) -> bool:
    """Whether a command asks because some of what it may show asks before it is read."""
    assert verdict(command, folder) == "allow"
    machine = Machine(cwd=folder, paths={"letters": SandboxPath(root=letters, read_approval=True)})
    return judge(command, RULES, machine).verdict == "ask"


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A repository with letters, and with sources beside them."""
    for name in ("letters", "src"):
        (tmp_path / "house" / name).mkdir(parents=True)
        (tmp_path / "house" / name / "a").write_text("x\n")
    git(tmp_path / "house", "init", "-q")
    git(tmp_path / "house", "add", ".")
    git(tmp_path / "house", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x")
    return tmp_path / "house"


@pytest.mark.parametrize("command", ["git diff", "git show HEAD:letters/a", "git log -p", "git status -uall"])
def test_git_shows_a_whole_repository_wherever_in_it_it_runs(command: str, house: Path) -> None:
    assert asks(command, house, house / "letters")
    assert asks(command, house / "src", house / "letters")
    assert asks(command, house / ".git", house / "letters")
    assert not asks(command, house / "src", house.parent / "elsewhere")
    assert not asks("git rev-parse HEAD", house / "src", house / "letters")


def test_a_worktree_shows_what_its_repository_holds(house: Path, tmp_path: Path) -> None:
    git(house, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert asks("git show HEAD:letters/a", tmp_path / "tree", house / "letters")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/.git").symlink_to(house / ".git")
    assert asks("git show HEAD:letters/a", tmp_path / "linked", house / "letters")


def test_what_looks_like_a_repository_does_not_hide_the_one_around_it(house: Path) -> None:
    (house / "src/.git").mkdir()
    assert asks("git diff", house / "src", house / "letters")


def test_a_configuration_of_many_empty_lines_is_read_in_time(house: Path) -> None:
    with (house / ".git/config").open("a") as file:
        file.write("\n" * 500_000)
    assert Machine(cwd=house).git_is_tame()
    with (house / ".git/config").open("a") as file:
        file.write("\r\t external = x\n")
    assert not Machine(cwd=house).git_is_tame()


def test_a_configuration_that_nobody_would_write_is_not_tame(house: Path) -> None:
    with (house / ".git/config").open("a") as file:
        file.write("\n" * 1_000_001)
    assert not Machine(cwd=house).git_is_tame()
    (house / ".git/config").unlink()
    os.mkfifo(house / ".git/config")
    assert not Machine(cwd=house).git_is_tame()
