"""No process survives its call: as this user, and as one without rights."""

from __future__ import annotations

import json

import pytest

from assent.os_sandbox import Bubblewrap, Landlock
from assent.os_sandbox._landlock import landlock_abi
from tests.tools.command.kit import PATIENCE, family, left_of, mark, parent, processes_with, told_by

ORDINARY = pytest.mark.parametrize("ordinary", [False, True], ids=["this user", "an ordinary user"])

TIMEOUT = """
done = asyncio.run(run(made(), {command!r}, timeout=1))
print(json.dumps([done["timed_out"], done["output"]]))
"""
CANCELLED = """
async def main():
    heard, began = [], asyncio.Event()

    def hear(_call, text, _stream):
        heard.append(text)
        if "".join(heard).count("started") == 2:
            began.set()

    task = asyncio.ensure_future(run(made(hear), {command!r}))
    await began.wait()
    task.cancel()
    await asyncio.wait([task])
    print(json.dumps(task.cancelled()))

asyncio.run(main())
"""
KILLED = """
asyncio.run(run(made(lambda _call, text, _stream: print(text, end="", flush=True)), {command!r}))
"""
ENDED = """
done = asyncio.run(run(made(), {command!r}))
print(json.dumps(done["output"]))
"""


@ORDINARY
def test_a_timeout_ends_everything(walls: Bubblewrap, *, ordinary: bool) -> None:
    word = mark()
    told = told_by(TIMEOUT.format(command=family(word)), ordinary=ordinary)
    assert json.loads(told) == [True, "started\nstarted\n"]
    assert left_of(word) == []


@ORDINARY
def test_a_cancellation_ends_everything(walls: Bubblewrap, *, ordinary: bool) -> None:
    word = mark()
    assert json.loads(told_by(CANCELLED.format(command=family(word)), ordinary=ordinary)) is True
    assert left_of(word) == []


@ORDINARY
def test_a_killed_parent_takes_everything_with_it(walls: Bubblewrap, *, ordinary: bool) -> None:
    word = mark()
    with parent(KILLED.format(command=family(word)), ordinary=ordinary) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["started\n"] * 2
        # The walls, the parent's own, and the two that try to stay.
        assert len(processes_with(word)) >= 4
        process.kill()
        process.wait(PATIENCE)
    assert left_of(word) == []


@ORDINARY
def test_what_a_command_leaves_behind_ends_with_it(walls: Bubblewrap, *, ordinary: bool) -> None:
    word = mark()
    command = f"setsid bash -c 'sleep 1000; :' {word} > /dev/null 2>&1 & (bash -c 'sleep 1000; :' {word} &); echo left"
    assert json.loads(told_by(ENDED.format(command=command), ordinary=ordinary)) == "left\n"
    assert left_of(word) == []


BEHIND_LANDLOCK = """
done = asyncio.run(run(made(walls=Landlock()), {command!r}, timeout=1))
print(json.dumps([done["timed_out"], done["output"]]))
"""


@pytest.mark.skipif(landlock_abi() < 1, reason="this kernel has no Landlock")
@ORDINARY
def test_behind_the_weaker_walls_only_what_left_its_group_outlives_the_command(*, ordinary: bool) -> None:
    stays, goes = mark(), mark()
    command = f"setsid bash -c 'echo started; sleep 1000; :' {stays} & bash -c 'echo started; sleep 1000; :' {goes}"
    told = told_by(BEHIND_LANDLOCK.format(command=command), ordinary=ordinary)
    assert json.loads(told) == [True, "started\nstarted\n"]
    assert processes_with(goes) == []
    # Whoever is told which walls these are is told this too; when it is mended, both go.
    label = "a process that leaves its group outlives the command"
    assert bool(left_of(stays, patience=0)) == (label in Landlock().gaps)
