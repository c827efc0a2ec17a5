"""The weaker walls: what they hold, and that a failure of theirs is told apart from the command's."""

from __future__ import annotations

from pathlib import Path

import pytest

from assent.os_sandbox import CannotConfine, Landlock, OSProfile, start
from tests.os_sandbox.kit import PATH, profile, run


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
