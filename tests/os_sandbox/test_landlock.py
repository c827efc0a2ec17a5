"""The weaker walls: what they hold, and that a failure of theirs is told apart from the command's."""

from __future__ import annotations

from pathlib import Path

import pytest

from assent.os_sandbox import Landlock, OSProfile, start
from tests.os_sandbox.kit import PATH, profile, run


@pytest.fixture
def fence() -> Landlock:
    backend = Landlock()
    if (missing := backend.probe()) is not None:
        pytest.skip(str(missing))
    return backend


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
