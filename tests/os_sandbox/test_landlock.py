"""The weaker walls: what they hold, and that a failure of theirs is told apart from the command's."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from assent.os_sandbox import CannotConfine, Landlock, OSProfile, start
from tests.os_sandbox.kit import PATH, SRC, caller, processes_with, profile, run, wait_until_gone


@pytest.fixture
def fence() -> Landlock:
    backend = Landlock()
    if (missing := backend.probe()) is not None:
        pytest.skip(str(missing))
    return backend


def test_a_kernel_that_cannot_keep_files_from_being_cut_is_too_old() -> None:
    for abi, has in ((0, "no Landlock"), (2, "version 2 of Landlock")):
        missing = Landlock(abi=abi).probe()
        assert missing is not None
        assert has in missing.what
        assert "6.2" in missing.remedy


def test_what_it_leaves_open_depends_on_the_kernel() -> None:
    older, newer = Landlock(abi=5).gaps, Landlock(abi=6).gaps
    assert set(older) - set(newer) == {
        "processes outside can be ended by a signal, as far as the user may (kernels before Linux 6.12)"
    }


@pytest.mark.parametrize("mine", ["sys.executable", "assent.os_sandbox._landlock.__file__", "os.__file__"])
async def test_it_is_not_put_up_by_what_commands_could_write(
    fence: Landlock, root: Path, mine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(mine, str(root / "planted.py"))
        with pytest.raises(CannotConfine, match="lies where confined commands may write"):
            await run("true", backend=fence, allowed=profile(writable=root), cwd=root)


async def test_a_root_is_written_and_nothing_else(fence: Landlock, root: Path) -> None:
    (root.parent / "secret").write_text("secret")
    script = "echo in > a; cat a; echo out > ../b; cat ../secret"
    output, ended = await run(script, backend=fence, allowed=profile(writable=root), cwd=root)
    assert output.startswith("in\n")
    assert output.count("Permission denied") == 2
    assert ended.ran
    assert not (root.parent / "b").exists()


async def test_a_read_only_root_is_read(fence: Landlock, root: Path) -> None:
    (root / "a").write_text("text\n")
    allowed = OSProfile(readable=frozenset({root}))
    output, _ = await run("cat a; echo more > a", backend=fence, allowed=allowed, cwd=root)
    assert output.startswith("text\n")
    assert "Permission denied" in output
    assert (root / "a").read_text() == "text\n"


async def test_a_program_that_is_not_there_did_not_run(fence: Landlock, root: Path) -> None:
    async with await start(["no-such"], backend=fence, profile=OSProfile(), cwd=Path("/"), env=PATH) as confined:
        _, errors = await confined.process.communicate()
        ended = await confined.wait()
    assert not ended.ran
    assert b"no-such: No such file" in errors


async def test_a_program_is_found_by_its_name(fence: Landlock, root: Path) -> None:
    async with await start(["true"], backend=fence, profile=OSProfile(), cwd=Path("/"), env=PATH) as confined:
        ended = await confined.wait()
    assert (ended.exit_code, ended.ran) == (0, True)


async def test_the_environment_is_the_given_one(fence: Landlock, root: Path) -> None:
    output, _ = await run("env", backend=fence, allowed=profile(writable=root), cwd=root, env={**PATH, "A": "b"})
    assert {line.split("=")[0] for line in output.split()} <= {"PATH", "A", "PWD", "SHLVL", "_", "OLDPWD", "LC_CTYPE"}


async def test_killing_it_ends_its_group(fence: Landlock, root: Path) -> None:
    confined = await start(
        ["/bin/bash", "-c", "bash -c 'echo child; read -t 100 <> <(:)' & wait"],
        backend=fence,
        profile=profile(writable=root),
        cwd=root,
        env=PATH,
    )
    assert confined.process.stdout is not None
    assert await confined.process.stdout.readline() == b"child\n"
    assert (await confined.kill_tree()).killed
    # The child held its output open; with it gone, there is an end.
    assert await confined.process.stdout.read() == b""


@pytest.mark.parametrize(("script", "code"), [("exit 7", 7), ("kill -SEGV $$", 128 + signal.SIGSEGV)])
async def test_it_ends_as_the_command_ends(fence: Landlock, root: Path, script: str, code: int) -> None:
    _, ended = await run(script, backend=fence, allowed=profile(writable=root), cwd=root)
    assert (ended.exit_code, ended.ran, ended.killed) == (code, True, False)


async def test_a_signal_to_the_group_is_for_the_command_alone(fence: Landlock, root: Path) -> None:
    script = "trap 'echo heard' TERM; kill -TERM 0; exit 3"
    # Later versions do not let a signal out at all.
    older = Landlock(abi=min(fence.abi, 5))
    output, ended = await run(script, backend=older, allowed=profile(writable=root), cwd=root)
    assert (output, ended.exit_code) == ("heard\n", 3)


async def test_what_a_command_leaves_in_its_group_ends_with_it(fence: Landlock, root: Path, mark: str) -> None:
    script = f"bash -c 'read -t 100 <> <(:)' {mark} > /dev/null 2>&1 & echo left"
    output, _ = await run(script, backend=fence, allowed=profile(writable=root), cwd=root)
    assert output == "left\n"
    assert wait_until_gone(mark) == []


@pytest.mark.usefixtures("fence")
def test_a_killed_parent_takes_the_group_with_it(root: Path, mark: str) -> None:
    child = "trap '' TERM HUP INT; echo started; while :; do read -t 100; done <> <(:)"
    script = ["/bin/bash", "-c", '(bash -c "$0" "$1" &); bash -c "$0" "$1"', child, mark]
    with subprocess.Popen(
        [sys.executable, "-c", caller("Landlock"), str(root), *script],
        stdout=subprocess.PIPE,
        env={**PATH, "PYTHONPATH": str(SRC)},
    ) as parent:
        assert parent.stdout is not None
        assert [parent.stdout.readline() for _ in range(2)] == [b"started\n"] * 2
        # The parent, the one that watches, and the two that try to stay.
        assert len(processes_with(mark)) >= 4
        parent.kill()
    assert wait_until_gone(mark) == []
