"""Time, cancellation and much output: nothing is left running, and memory stays as it was."""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from assent import Approve, ToolCall
from assent.tools.command import Output
from tests.tools.command.conftest import ANYTHING, MakeRoom

ONCE = Approve(by="ana")


def mark() -> str:
    return f"mark-{os.getpid()}-{time.monotonic_ns()}"


def family(word: str) -> str:
    """Children that leave the session and ignore signals, and a parent that waits."""
    child = 'trap "" TERM HUP INT; echo started; while :; do sleep 1000; done'
    return f"setsid bash -c '{child}' {word} & (bash -c '{child}' {word} &); wait; sleep 1000"


def processes_with(word: str) -> list[int]:
    found: list[int] = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word in path.read_text(errors="replace"):
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def open_pipes() -> int:
    return sum(
        str(path.readlink()).startswith("pipe:") for path in Path("/proc/self/fd").iterdir() if path.is_symlink()
    )


def taken(file: Path) -> tuple[str, int]:
    """What the file held, and who may look into its folder; both are gone afterwards."""
    found = file.read_text(), file.parent.stat().st_mode & 0o777
    file.unlink()
    file.parent.rmdir()
    return found


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

    def heard(_: ToolCall, text: str) -> None:
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

    def broken(_: ToolCall, text: str) -> None:
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


async def test_output_is_heard_as_it_comes_and_whole(make_room: MakeRoom) -> None:
    heard: list[str] = []
    room = make_room(ONCE, on_output=lambda call, text: heard.append(f"{call.id}:{text}"))
    done = await room.run("echo one; echo two >&2; printf 'é\\xff'")
    assert done["output"] == "one\ntwo\né\\xff"
    assert "".join(each.removeprefix("1:") for each in heard) == done["output"]


async def test_too_much_output_is_cut_in_the_middle_and_all_of_it_is_in_a_file(make_room: MakeRoom) -> None:
    room = make_room(ONCE, shell=replace(ANYTHING, max_output_bytes=1000))
    done = await room.run("seq 1 100000")
    whole = "".join(f"{number}\n" for number in range(1, 100_001))
    file = Path(str(done["full_output"]))
    assert taken(file) == (whole, 0o700)
    assert done["output"] == (
        f"{whole[:500]}\n[… {len(whole) - 1000} of {len(whole)} bytes are cut here; all of it: {file} …]\n{whole[-500:]}"
    )
    assert done["truncated"] is True


MUCH = """
import asyncio, resource, sys
from pathlib import Path
from assent import Gate, ToolCall
from assent.config import Sandbox, SandboxPath, Settings, Shell, ShellDefault
from assent.runtime import execute
from assent.testing import memory_store
from assent.tools.command import CommandTool

root = Path(sys.argv[1])
settings = Settings(sandbox=Sandbox(paths={"w": SandboxPath(root=root, mode="rw")}),
                    shell=Shell(default=ShellDefault(approval=False)), store=root.parent / "s.db")
tool = CommandTool.from_settings(settings, cwd=root)
gate = Gate(store=memory_store())

async def run(command, id):
    return await execute(ToolCall(run="r", id=id, tool_name="run_command", args={"command": command}), tool, gate)

asyncio.run(run("head -c 1000000 /dev/zero", "1"))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
done = asyncio.run(run("head -c 200000000 /dev/zero", "2"))
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(grown, len(done["output"]), Path(done["full_output"]).stat().st_size)
"""


def test_200_megabytes_of_output_do_not_grow_the_memory(make_room: MakeRoom, root: Path, tmp_path: Path) -> None:
    make_room()
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", MUCH, str(root)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env=os.environ | {"TMPDIR": str(temporary)},
    )
    assert done.returncode == 0, done.stderr
    grown, shown, size = map(int, done.stdout.split())
    for file in temporary.rglob("output.txt"):
        file.unlink()
    assert size == 200_000_000
    assert shown < 101_000
    assert grown < 8_000, f"{grown} kB more"


def test_a_character_is_never_cut_in_half() -> None:
    for most in range(2, 12):
        output = Output(most)
        output.add("€é😀".encode() * 5)
        text = output.finish()
        output.discard()
        assert "\\x" not in text


def test_what_fits_exactly_is_not_cut() -> None:
    output = Output(7)
    for byte in b"1234567":
        output.add(bytes([byte]))
    assert (output.finish(), output.truncated, output.file) == ("1234567", False, None)


def test_an_endless_output_does_not_fill_the_disk() -> None:
    output = Output(10, most_kept=100)
    for _ in range(50):
        output.add(b"0123456789")
    text = output.finish()
    assert output.file is not None
    assert output.file.stat().st_size == 100
    assert "490 of 500 bytes are cut here; the first 100 bytes: " in text
    output.discard()
    assert not output.file.exists()


def test_a_disk_that_takes_no_more_ends_the_file_and_not_the_command(tmp_path: Path) -> None:
    output = Output(10, folder=tmp_path / "not-there")
    output.add(b"x" * 100)
    assert "they could not be kept in a file" in output.finish()
    assert (output.truncated, output.file) == (True, None)


async def test_long_outputs_are_kept_where_no_agent_writes(
    make_room: MakeRoom, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(root))
    done = await make_room(shell=replace(ANYTHING, max_output_bytes=10)).run("seq 1 100")
    assert Path(str(done["full_output"])).is_relative_to(tmp_path / "state")


async def test_a_lower_limit_of_this_process_is_not_raised(make_room: MakeRoom) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    done = await make_room(ONCE).run("ulimit -c; ulimit -u")
    assert done["output"] == f"0\n{4096 if hard == resource.RLIM_INFINITY else min(hard, 4096)}\n"
