"""Time, cancellation and listeners that break: nothing is left running."""

from __future__ import annotations

import asyncio
import resource
from dataclasses import replace
from pathlib import Path

import pytest

from assent import Approve, ToolCall
from assent.tools.command import Stream
from tests.tools.command.conftest import ANYTHING, MakeRoom
from tests.tools.command.kit import family, mark, processes_with

ONCE = Approve(by="ana")


def open_pipes() -> int:
    return sum(map(is_pipe, Path("/proc/self/fd").iterdir()))


def is_pipe(descriptor: Path) -> bool:
    try:
        return str(descriptor.readlink()).startswith("pipe:")
    except FileNotFoundError:
        # Another thread closed it since it was listed.
        return False


async def test_when_the_time_is_over_no_process_is_left(make_room: MakeRoom) -> None:
    word = mark()
    done = await make_room(ONCE).run(family(word), timeout=1)
    assert (done["timed_out"], done["exit_code"], done["signal"]) == (True, None, 9)
    assert done["output"] == "started\nstarted\n"
    assert processes_with(word) == []


async def test_a_call_cannot_take_more_time_than_the_configuration_gives(make_room: MakeRoom) -> None:
    room = make_room(shell=replace(ANYTHING, timeout=0.2))
    assert (await room.run("sleep 1000", timeout=900))["timed_out"] is True


async def test_a_command_that_closed_its_output_is_ended_too(make_room: MakeRoom) -> None:
    word = mark()
    done = await make_room(ONCE).run(f"exec > /dev/null 2>&1; bash -c 'sleep 1000; :' {word}", timeout=0.5)
    assert done["timed_out"] is True
    assert processes_with(word) == []


async def test_a_cancelled_call_leaves_no_process(make_room: MakeRoom) -> None:
    word, began = mark(), asyncio.Event()

    def heard(_: ToolCall, text: str, __: Stream) -> None:
        if "started" in text:
            began.set()

    room = make_room(ONCE, on_output=heard)
    task = asyncio.create_task(room.run(family(word)))
    await asyncio.wait_for(began.wait(), 30)
    assert processes_with(word) != []
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert processes_with(word) == []


async def test_a_listener_that_breaks_ends_the_command_and_is_not_hidden(make_room: MakeRoom) -> None:
    word = mark()

    def broken(_: ToolCall, text: str, __: Stream) -> None:
        raise LookupError(text)

    with pytest.raises(LookupError, match="started"):
        await make_room(ONCE, on_output=broken).run(family(word))
    assert processes_with(word) == []


async def test_no_descriptor_stays_open(make_room: MakeRoom) -> None:
    room = make_room(ONCE)
    await room.run("true")
    before = open_pipes()
    for _ in range(3):
        await room.run("true")
        await room.run("sleep 1000", timeout=0.1)
    assert open_pipes() <= before


async def test_a_lower_limit_of_this_process_is_not_raised(make_room: MakeRoom) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    done = await make_room(ONCE).run("ulimit -c; ulimit -u")
    assert done["output"] == f"0\n{4096 if hard == resource.RLIM_INFINITY else min(hard, 4096)}\n"
