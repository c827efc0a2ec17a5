"""What is masked cannot be written, also when it is absent, and nothing is left on the disk."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assent.os_sandbox import (
    Bubblewrap,
    CannotConfine,
    OSProfile,
    derive_os_sandbox_profile,
    new_repositories,
    repositories,
    start,
)
from assent.os_sandbox._held import remove_all, stand_in
from tests.os_sandbox.kit import PATH, SRC, as_nobody_special, profile, run
from tests.os_sandbox.values import Root, Sandbox, Shell

IDENTITY = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}


def derived(root: Path) -> OSProfile:
    return derive_os_sandbox_profile(Sandbox(paths={"work": Root(root=root, mode="rw")}), Shell(), homes=())


def tree(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


async def test_nothing_is_left_of_what_stood_in_for_absent_files(walls: Bubblewrap, root: Path) -> None:
    output, ended = await run("ls -A; touch made", backend=walls, allowed=derived(root), cwd=root)
    assert (output, ended.exit_code) == (".git\nassent.yaml\n", 0)
    assert tree(root) == ["made"]


async def test_start_up_files_of_a_home_folder_cannot_be_written_also_when_absent(
    walls: Bubblewrap, root: Path
) -> None:
    (root / ".bashrc").write_text("# mine\n")
    (root / ".config").mkdir()
    script = """
    echo planted >> .bashrc; echo planted > .profile; echo planted > .zshenv; echo planted > .gitconfig
    mkdir -p .config/fish; echo planted > .config/fish/config.fish; echo fine > .config/other; echo fine > notes
    """
    allowed = derived(root)
    output, _ = await run(script, backend=walls, allowed=allowed, cwd=root)
    assert output.count("Read-only file system") + output.count("Is a directory") == 5
    assert tree(root) == [".bashrc", ".config", ".config/other", "notes"]
    assert (root / ".bashrc").read_text() == "# mine\n"


async def test_the_real_file_behind_a_link_in_a_home_folder_cannot_be_written(walls: Bubblewrap, root: Path) -> None:
    home = root.parent / "home"
    home.mkdir()
    (root / "bashrc").write_text("# mine\n")
    (home / ".bashrc").symlink_to(root / "bashrc")
    sandbox = Sandbox(paths={"work": Root(root=root, mode="rw")})
    allowed = derive_os_sandbox_profile(sandbox, Shell(), homes=[home])
    script = "echo planted >> bashrc; rm -f bashrc; echo planted > new && mv new bashrc; ls"
    output, _ = await run(script, backend=walls, allowed=allowed, cwd=root)
    assert (root / "bashrc").read_text() == "# mine\n", output
    assert not (home / ".bashrc").read_text().startswith("planted")


def git(*words: str, cwd: Path) -> str:
    command = ["git", "-c", "safe.directory=*", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True).stdout


async def test_git_works_in_a_repository_whose_hooks_are_masked(walls: Bubblewrap, root: Path) -> None:
    git("init", "-q", "--template=", cwd=root)
    before = (root / ".git/config").read_bytes()
    script = "echo text > file; git add -A; git commit -qm 'first'; git log --oneline | wc -l; git status --porcelain"
    output, ended = await run(script, backend=walls, allowed=derived(root), cwd=root, env={**PATH, **IDENTITY})
    assert (output.split(), ended.exit_code) == (["1"], 0)
    # On the host it is the same repository, and only what was committed is in it.
    assert git("ls-files", cwd=root) == "file\n"
    assert (root / ".git/config").read_bytes() == before
    assert not (root / ".git/hooks").exists()
    assert not (root / ".git/commondir").exists()


async def test_a_masked_file_keeps_its_content_and_can_be_read(walls: Bubblewrap, root: Path) -> None:
    (root / "assent.yaml").write_text("approvals: {mode: strict}\n")
    script = "cat assent.yaml; echo changed > assent.yaml; rm -f assent.yaml; mv assent.yaml x"
    output, _ = await run(script, backend=walls, allowed=derived(root), cwd=root)
    assert output.startswith("approvals: {mode: strict}\n")
    assert output.count("Read-only file system") + output.count("Device or resource busy") == 3
    assert tree(root) == ["assent.yaml"]
    assert (root / "assent.yaml").read_text() == "approvals: {mode: strict}\n"


async def test_the_folder_of_a_masked_file_cannot_be_moved_away(walls: Bubblewrap, root: Path) -> None:
    (root / "deep/er").mkdir(parents=True)
    allowed = profile(writable=root, masked=("deep/er/assent.yaml",))
    # Not mv: where it cannot rename, it copies.
    moves = """perl -e 'rename("deep", "gone") || print "$!\\n"; rename("deep/er", "deep/gone") || print "$!\\n"'"""
    output, _ = await run(f"{moves}; touch deep/er/fine", backend=walls, allowed=allowed, cwd=root)
    assert output.count("Device or resource busy") == 2
    assert tree(root) == ["deep", "deep/er", "deep/er/fine"]


async def test_where_the_folder_is_absent_too_the_folder_is_held(walls: Bubblewrap, root: Path) -> None:
    allowed = profile(writable=root, masked=("no/such/assent.yaml",))
    output, ended = await run("mkdir -p no/such", backend=walls, allowed=allowed, cwd=root)
    assert ended.exit_code == 1
    assert "Read-only file system" in output
    assert tree(root) == []


async def test_what_somebody_put_into_a_stand_in_meanwhile_stays(walls: Bubblewrap, root: Path) -> None:
    async with await start(
        ["/bin/cat"], backend=walls, profile=derived(root), cwd=root, env=PATH, stdin=subprocess.PIPE
    ) as confined:
        assert confined.process.stdin is not None
        confined.process.stdin.write(b"x")
        assert confined.process.stdout is not None
        await confined.process.stdout.readexactly(1)
        (root / ".git/HEAD").write_text("ref: refs/heads/main\n")
        confined.process.stdin.close()
        await confined.wait()
    assert tree(root) == [".git", ".git/HEAD"]


async def test_an_empty_folder_of_somebody_else_stays(walls: Bubblewrap, root: Path) -> None:
    (root / ".git").mkdir()
    await run("true", backend=walls, allowed=derived(root), cwd=root)
    assert tree(root) == [".git"]


async def test_a_stand_in_left_by_a_crash_goes_with_the_next_command(walls: Bubblewrap, root: Path) -> None:
    (root / "assent.yaml").mkdir(mode=0o1755)
    await run("true", backend=walls, allowed=derived(root), cwd=root)
    assert tree(root) == []


async def test_a_mask_stays_while_another_command_of_the_same_root_ends(walls: Bubblewrap, root: Path) -> None:
    async with await start(
        ["/bin/bash", "-c", "echo started; read; mkdir .git/hooks; mkdir .git"],
        backend=walls,
        profile=derived(root),
        cwd=root,
        env=PATH,
        stdin=subprocess.PIPE,
    ) as first:
        assert first.process.stdout is not None
        await first.process.stdout.readline()
        await run("true", backend=walls, allowed=derived(root), cwd=root)
        assert (root / ".git").is_dir()
        _, errors = await first.process.communicate(b"go on\n")
        assert b"Read-only file system" in errors
        assert b"File exists" in errors
        await first.wait()
    assert tree(root) == []


def somebody_waits_for(fd: int) -> bool:
    inode = f":{os.fstat(fd).st_ino} "
    return any("-> FLOCK" in line and inode in line for line in Path("/proc/locks").read_text().splitlines())


def test_a_stand_in_that_is_removed_while_it_is_taken_is_made_anew(root: Path) -> None:
    first = stand_in(root / ".git")
    assert first is not None
    fcntl.flock(first.fd, fcntl.LOCK_EX)
    with ThreadPoolExecutor() as pool:
        taking = pool.submit(stand_in, root / ".git")
        while not somebody_waits_for(first.fd):
            assert not taking.done()
        remove_all([first])
        second = taking.result()
    assert second is not None
    assert (root / ".git").stat().st_ino == os.fstat(second.fd).st_ino
    remove_all([second])
    assert tree(root) == []


async def test_a_link_in_place_of_what_is_masked_is_refused(walls: Bubblewrap, root: Path) -> None:
    (root / ".git").symlink_to(root.parent)
    with pytest.raises(CannotConfine, match="link"):
        await run("true", backend=walls, allowed=profile(writable=root, masked=(".git",)), cwd=root)


async def test_a_folder_that_was_swapped_for_a_link_leads_nowhere(walls: Bubblewrap, root: Path) -> None:
    elsewhere = root.parent / "elsewhere"
    elsewhere.mkdir()
    (root / "deep").symlink_to(elsewhere)
    before = elsewhere.stat().st_mtime_ns
    with pytest.raises(CannotConfine, match="link"):
        await run("true", backend=walls, allowed=profile(writable=root, masked=("deep/assent.yaml",)), cwd=root)
    assert elsewhere.stat().st_mtime_ns == before


async def test_what_makes_git_run_programs_cannot_be_made_in_a_repository(walls: Bubblewrap, root: Path) -> None:
    git("init", "-q", cwd=root)
    script = "mkdir .git/modules/x .git/worktrees/x; echo x > .git/config.worktree; echo x > .git/commondir"
    output, _ = await run(script, backend=walls, allowed=derived(root), cwd=root)
    assert output.count("Read-only file system") == 4
    assert not {"modules", "worktrees", "config.worktree", "commondir"} & set(tree(root / ".git"))
    assert git("status", "--porcelain", cwd=root) == ""


AS_A_USER = """
import asyncio, os, subprocess, tempfile
from pathlib import Path
from assent.os_sandbox import Bubblewrap, Scanner, derive_os_sandbox_profile, start
from types import SimpleNamespace as Value

async def main():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        git = root / "sub/lib/.git"
        for name in ("objects", "refs", "hooks"):
            (git / name).mkdir(parents=True)
        (git / "HEAD").touch()
        sandbox = Value(paths={{"work": Value(root=root, mode="rw")}})
        shell = Value(network=False, toolchains=())
        (root / {closed!r}).chmod({mode})
        profile = derive_os_sandbox_profile(sandbox, shell, homes=())
        script = "chmod 755 {closed}; echo planted > sub/lib/.git/{planted}"
        async with await start(["/bin/bash", "-c", script], backend=Bubblewrap(), profile=profile, cwd=root,
                               env={{}}, stdout=None, stderr=None) as one:
            await one.wait()
        (root / {closed!r}).chmod(0o755)
        print((git / "{planted}").is_file())

asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("closed", "mode", "planted"),
    [
        ("sub", 0o000, "hooks/pre-commit"),
        ("sub", 0o444, "hooks/pre-commit"),
        ("sub/lib/.git", 0o555, "commondir"),
    ],
)
def test_a_folder_that_was_closed_cannot_be_opened_to_plant_in_it(
    walls: Bubblewrap, closed: str, mode: int, planted: str
) -> None:
    code = AS_A_USER.format(closed=closed, mode=mode, planted=planted)
    assert as_nobody_special(code) == "False\n"


async def test_a_mask_that_fell_is_told(walls: Bubblewrap, root: Path) -> None:
    (root / "assent.yaml").write_text("approvals: {mode: strict}\n")
    async with await start(
        ["/bin/bash", "-c", "echo started; read; echo planted >> assent.yaml"],
        backend=walls,
        profile=derived(root),
        cwd=root,
        env=PATH,
        stdin=subprocess.PIPE,
    ) as one:
        assert one.process.stdout is not None
        await one.process.stdout.readline()
        # As an editor saves.
        (root / "new").write_text("approvals: {mode: strict}\n")
        (root / "new").replace(root / "assent.yaml")
        await one.process.communicate(b"go on\n")
        ended = await one.wait()
    assert ended.fallen == (root / "assent.yaml",)


async def test_no_mask_fell_where_nobody_replaced_anything(walls: Bubblewrap, root: Path) -> None:
    git("init", "-q", cwd=root)
    _, ended = await run("true", backend=walls, allowed=derived(root), cwd=root)
    assert ended.fallen == ()


def swap_for_a_link(root: Path) -> None:
    root.rmdir()
    root.symlink_to("/")


async def test_a_root_that_was_swapped_for_a_link_is_refused(walls: Bubblewrap, root: Path) -> None:
    allowed = profile(writable=root)
    swap_for_a_link(root)
    with pytest.raises(CannotConfine, match="link"):
        await run("true", backend=walls, allowed=allowed, cwd=root)


async def test_a_root_that_is_gone_is_refused(walls: Bubblewrap, root: Path) -> None:
    with pytest.raises(CannotConfine, match="does not exist"):
        await run("true", backend=walls, allowed=profile(writable=root / "gone"), cwd=root)


@pytest.mark.parametrize("place", ["/", "/proc", "/sys/kernel", "/dev/pts"])
async def test_the_whole_disk_and_the_kernels_folders_are_no_roots(walls: Bubblewrap, place: str) -> None:
    with pytest.raises(CannotConfine, match="cannot be shown"):
        await run("true", backend=walls, allowed=OSProfile(readable=frozenset({Path(place)})), cwd=Path("/"))


async def test_a_repository_made_meanwhile_is_found(walls: Bubblewrap, root: Path) -> None:
    before = repositories(root)
    script = "git init -q nested; git init -q --bare deep/bare.git; mkdir empty; mkdir empty/.git; echo x > empty/file"
    _, ended = await run(script, backend=walls, allowed=derived(root), cwd=root)
    assert ended.exit_code == 0
    assert new_repositories(before, [root]) == (root / "deep/bare.git", root / "nested/.git")
    assert new_repositories(repositories(root), [root]) == ()


COMMANDS_IN_ONE_ROOT = """
import asyncio, sys
from pathlib import Path
from assent.os_sandbox import Bubblewrap, OSProfile, start

async def main():
    root = Path(sys.argv[1])
    allowed = OSProfile(writable=frozenset({root}), masked=frozenset({root / ".git", root / "assent.yaml"}))
    script = "echo x > assent.yaml; mkdir .git; echo x > .git/config; [ -d .git ] && [ -d assent.yaml ]"
    for _ in range(15):
        async with await start(["/bin/bash", "-c", script], backend=Bubblewrap(), profile=allowed, cwd=root,
                               env={"PATH": "/usr/bin:/bin"}) as one:
            await one.process.communicate()
            ended = await one.wait()
            assert ended.ran and ended.exit_code == 0, ended

asyncio.run(main())
"""


@pytest.mark.parametrize(
    "made",
    [
        "mkdir -p e/objects e/refs; ln -s refs e/HEAD; touch e/config",
        "mkdir -p e/refs; touch e/objects e/HEAD e/config",
        "mkdir e; touch e/HEAD e/commondir",
    ],
)
async def test_whatever_git_takes_for_a_repository_is_found(walls: Bubblewrap, root: Path, made: str) -> None:
    await run(made, backend=walls, allowed=derived(root), cwd=root)
    assert new_repositories((), [root]) == (root / "e",)


def test_commands_of_many_processes_share_a_root_and_its_masks(walls: Bubblewrap, root: Path) -> None:
    command = [sys.executable, "-c", COMMANDS_IN_ONE_ROOT, str(root)]
    env = {**PATH, "PYTHONPATH": str(SRC)}
    parents = [subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    errors = [parent.communicate(timeout=100)[1] for parent in parents]
    assert [parent.returncode for parent in parents] == [0] * 4, errors
    assert tree(root) == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root owns nothing here")
async def test_root_writes_into_its_own_files_only(walls: Bubblewrap, root: Path) -> None:
    (root / "theirs").write_text("theirs")
    os.chown(root / "theirs", 12_345, 12_345)
    output, _ = await run("echo mine > theirs; echo mine > ours", backend=walls, allowed=derived(root), cwd=root)
    assert "Permission denied" in output
    assert (root / "theirs").read_text() == "theirs"
    assert (root / "ours").read_text() == "mine\n"
