"""Commands and arguments that try to break the tool: each has an answer, and none of them stays."""

from __future__ import annotations

import asyncio
import json
import math
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assent import Approve, ToolCall
from assent.config import Settings, Shell
from assent.errors import AssentError, ChangedSinceApproval, DeniedByPolicy, InvalidArguments
from assent.os_sandbox import Bubblewrap
from assent.tools.command import CommandTool
from tests.tools.command.conftest import ANYTHING, MakeRoom, Room
from tests.tools.command.kit import left_of, mark, processes_with, told_by

ONCE = Approve(by="ana")
PATIENCE = 30.0


async def test_what_still_holds_the_output_does_not_hold_the_call(make_room: MakeRoom) -> None:
    done = await asyncio.wait_for(make_room(ONCE).run("sleep 1000 & (setsid sleep 1000 &); echo hi"), PATIENCE)
    assert (done["output"], done["exit_code"], done["timed_out"]) == ("hi\n", 0, False)


async def test_a_command_that_closes_its_output_is_waited_for(make_room: MakeRoom) -> None:
    done = await make_room(ONCE).run("exec >&- 2>&-; sleep 0.2; exit 5")
    assert (done["exit_code"], done["output"]) == (5, "")


@pytest.mark.parametrize("separate", [False, True])
async def test_ten_thousand_tiny_writes_arrive_whole_and_in_order(make_room: MakeRoom, *, separate: bool) -> None:
    heard: list[str] = []
    room = make_room(ONCE, separate=separate, on_output=lambda _call, text, _stream: heard.append(text))
    await room.run("for i in $(seq 10000); do echo $i; done")
    assert "".join(heard) == "".join(f"{number}\n" for number in range(1, 10_001))


async def test_a_line_that_never_ends_is_cut_and_kept(make_room: MakeRoom) -> None:
    done = await make_room(shell=replace(ANYTHING, max_output_bytes=100)).run("head -c 5000000 /dev/zero")
    assert len(str(done["output"])) < 500
    assert done["full_output"] is not None


async def test_both_streams_at_once_do_not_block_each_other(make_room: MakeRoom) -> None:
    room = make_room(ONCE, separate=True)
    command = "head -c 3000000 /dev/zero >&2; head -c 3000000 /dev/zero & head -c 3000000 /dev/zero >&2; wait"
    done = await asyncio.wait_for(room.run(command), PATIENCE)
    assert (Path(str(done["full_stdout"])).stat().st_size, Path(str(done["full_stderr"])).stat().st_size) == (  # noqa: ASYNC240 (a test)
        3_000_000,
        6_000_000,
    )


BOMB = """
import resource
resource.setrlimit(resource.RLIMIT_NPROC, (150, 150))
done = asyncio.run(run(made(), "bomb() {{ bomb | bomb & }}; bomb; sleep 1000 # {word}", timeout=1))
print(json.dumps(done["timed_out"]))
"""


def test_a_fork_bomb_ends_with_its_time(walls: Bubblewrap) -> None:
    # An ordinary user: the kernel holds root to no number of processes.
    word = mark()
    assert json.loads(told_by(BOMB.format(word=word), ordinary=True)) is True
    assert left_of(word) == []


async def test_a_stopped_command_is_ended_all_the_same(make_room: MakeRoom) -> None:
    word = mark()
    done = await make_room(ONCE).run(f"kill -STOP $$; echo {word}", timeout=0.5)
    assert done["timed_out"] is True
    assert processes_with(word) == []


async def test_at_whatever_moment_its_time_is_over_it_ends(make_room: MakeRoom) -> None:
    room = make_room(*[ONCE] * 40)
    for _ in range(40):
        # Somewhere in between the walls are half built.
        running = room.run("sleep 1000; true", timeout=random.uniform(0.001, 0.03))  # noqa: S311 (no secret)
        assert (await asyncio.wait_for(running, PATIENCE))["timed_out"] is True


STAND_IN = """#!/bin/bash
# Tells who is inside, which has its own session and is not tied to the one outside.
case $1 in --help) echo --disable-userns --json-status-fd --seccomp --args; exit;; esac
status=$(tr '\\0' '\\n' <&$2 | grep -A1 -x -e --json-status-fd | tail -n 1)
setsid sleep 1000 &
printf '{ "child-pid": %d }\\n' $! >&$status
sleep 1000
"""


async def test_what_is_not_tied_to_the_walls_yet_ends_with_them(
    root: Path, tmp_path: Path, settings: Callable[[Shell], Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bwrap"
    program.write_text(STAND_IN)
    program.chmod(0o755)
    monkeypatch.setattr(Bubblewrap, "probe", lambda _self: None)
    room = Room(CommandTool.from_settings(settings(ANYTHING), cwd=root, candidates=[Bubblewrap(program=str(program))]))
    done = await asyncio.wait_for(room.run("true", timeout=1), PATIENCE)
    assert done["timed_out"] is True


async def test_a_command_of_too_many_words_says_so(make_room: MakeRoom) -> None:
    with pytest.raises(InvalidArguments, match="has 20001 words, and at most 8000"):
        await make_room(ONCE).run(f"echo{' x' * 20_000}")


async def test_one_word_that_is_too_long_says_so(make_room: MakeRoom) -> None:
    with pytest.raises(InvalidArguments, match="put it into a script"):
        await make_room(ONCE).run(f"echo {'x' * 200_000}")


@pytest.mark.parametrize("cwd", ["nowhere", "a.txt", "x" * 5000])
async def test_a_folder_that_is_not_there_is_refused_before_anybody_is_asked(
    make_room: MakeRoom, root: Path, cwd: str
) -> None:
    (root / "a.txt").touch()
    room = make_room(ONCE, shell=Shell())
    with pytest.raises(DeniedByPolicy, match="there is no folder"):
        await room.run("touch x", cwd=cwd)
    assert room.person.asked == []


async def test_a_folder_that_vanished_since_is_not_run_in(make_room: MakeRoom, root: Path) -> None:
    (root / "sub").mkdir()
    room = make_room()
    call = ToolCall(run="r", id="x", tool_name="run_command", args={"command": "pwd", "cwd": "sub"})
    permit = await room.gate.admit(call, room.tool)
    (root / "sub").rmdir()
    with room.gate.spend(permit), pytest.raises(ChangedSinceApproval, match="there is no folder"):
        await room.tool.run(permit)


@pytest.mark.parametrize("timeout", [0, -1, -0.0, math.nan, -math.inf, False, "abc", "", [1], {"a": 1}, 10**400])
async def test_a_time_that_is_none_is_refused(make_room: MakeRoom, timeout: object) -> None:
    with pytest.raises(AssentError) as caught:
        await make_room(ONCE).run("true", timeout=timeout)
    assert caught.value.code in {"invalid_arguments", "unspellable"}


@pytest.mark.parametrize("timeout", [0, -1, math.nan, "abc"])
def test_a_time_that_is_none_is_refused_in_milliseconds_too(make_room: MakeRoom, timeout: object) -> None:
    from assent.tools.command._wording import CLAUDE

    with pytest.raises(InvalidArguments, match="timeout"):
        make_room(wording=CLAUDE).tool.validate({"command": "ls", "timeout": timeout})


@pytest.mark.parametrize(
    "command", ["", " ", "# x", "-c", "--", "''", ";", "(((", "exit 256", "kill -9 1; kill -9 -1; true"]
)
async def test_odd_commands_have_an_exit_code(make_room: MakeRoom, command: str) -> None:
    assert (await make_room(ONCE).run(command))["exit_code"] in {0, 2, 127}
