"""Output: heard as it comes, together or separate, cut in the middle, and kept in the run's own folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent import Approve, Gate, ToolCall
from assent.config import Sandbox, SandboxPath, Settings, Shell
from assent.os_sandbox import Bubblewrap
from assent.runtime import execute
from assent.testing import memory_store
from assent.tools.command import CommandTool, Output, command_tools
from assent.tools.command._kept import KEPT_FOR, Shelf
from tests.tools.command.conftest import ANYTHING, MakeRoom, Room
from tests.tools.command.kit import told_by

ONCE = Approve(by="ana")
LITTLE = replace(ANYTHING, max_output_bytes=1000)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(place=tmp_path / "outputs", for_agents=False)


def names_of_calls(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("call-*")]


def modes(file: Path) -> tuple[int, int]:
    return file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777


def text_of(name: object) -> str:
    return Path(str(name)).read_text()


def there(file: Path) -> bool:
    return file.exists()


async def test_output_is_heard_as_it_comes_and_whole(make_room: MakeRoom) -> None:
    heard: list[tuple[str, str, str]] = []
    room = make_room(ONCE, on_output=lambda call, text, stream: heard.append((call.id, text, stream)))
    done = await room.run("echo one; echo two >&2; printf 'é\\xff'")
    assert done["output"] == "one\ntwo\né\\xff"
    assert "".join(text for _, text, _ in heard) == done["output"]
    assert {(call, stream) for call, _, stream in heard} == {("1", "output")}


async def test_output_and_errors_are_told_each_for_itself_on_request(make_room: MakeRoom) -> None:
    heard: dict[str, str] = {}

    def hear(_: ToolCall, text: str, stream: str) -> None:
        heard[stream] = heard.get(stream, "") + text

    room = make_room(ONCE, separate=True, on_output=hear)
    assert await room.run("echo one; echo two >&2; echo three; exit 3") == {
        "exit_code": 3,
        "signal": None,
        "stdout": "one\nthree\n",
        "stderr": "two\n",
        "truncated": False,
        "full_stdout": None,
        "full_stderr": None,
        "timed_out": False,
    }
    assert heard == {"stdout": "one\nthree\n", "stderr": "two\n"}


async def test_separate_streams_together_hold_no_more_than_the_limit(make_room: MakeRoom) -> None:
    done = await make_room(ONCE, separate=True, shell=LITTLE).run("seq 1 1000; seq 5 >&2")
    whole = "".join(f"{number}\n" for number in range(1, 1001))
    assert str(done["stdout"]).startswith(f"{whole[:250]}\n[…")
    assert str(done["stdout"]).endswith(f"…]\n{whole[-250:]}")
    assert text_of(done["full_stdout"]) == whole
    assert (done["stderr"], done["full_stderr"], done["truncated"]) == ("1\n2\n3\n4\n5\n", None, True)


async def test_in_the_claude_dialect_separate_errors_come_after_the_output(
    walls: Bubblewrap, root: Path, settings: Callable[[Shell], Settings]
) -> None:
    (tool,) = command_tools(settings(ANYTHING), "claude", cwd=root, separate=True)
    assert await Room(tool, ONCE).told("echo two >&2; echo one") == "one\ntwo"


async def test_too_much_output_is_cut_in_the_middle_and_all_of_it_is_in_a_file(
    make_room: MakeRoom, tmp_path: Path
) -> None:
    done = await make_room(ONCE, shell=LITTLE).run("seq 1 100000")
    whole = "".join(f"{number}\n" for number in range(1, 100_001))
    file = Path(str(done["full_output"]))
    assert text_of(file) == whole
    assert modes(file) == (0o600, 0o700)
    assert done["output"] == (
        f"{whole[:500]}\n[… {len(whole) - 1000} of {len(whole)} bytes are cut here; all of it: {file}, which only the "
        f"operator can read; to see more, run it again and write less …]\n{whole[-500:]}"
    )
    assert done["truncated"] is True


async def test_every_run_has_its_own_folder_beside_the_store(make_room: MakeRoom, tmp_path: Path) -> None:
    tool = make_room(shell=LITTLE).tool
    names = ["ana/1", "ana-1", "..", "", "x" * 300, "ana/1"]
    files: list[Path] = []
    for number, run in enumerate(names):
        call = ToolCall(run=run, id=f"../{number}", tool_name="run_command", args={"command": "seq 1 1000"})
        done = await execute(call, tool, Gate(store=memory_store()))
        assert isinstance(done, dict)
        files.append(Path(done["full_output"]))
    assert all(file.parent.parent == tmp_path / "state" / "outputs" for file in files)
    assert len({file.parent for file in files}) == 5
    assert files[0].parent == files[5].parent


async def test_what_lies_in_a_readable_root_is_told_as_a_file_the_agent_can_read(
    walls: Bubblewrap, root: Path, tmp_path: Path
) -> None:
    outputs = tmp_path / "state" / "outputs"
    outputs.mkdir(parents=True)
    paths = {"work": SandboxPath(root=root, mode="rw"), "outputs": SandboxPath(root=outputs)}
    made = Settings(sandbox=Sandbox(paths=paths), shell=LITTLE, store=tmp_path / "state" / "assent.db")
    room = Room(CommandTool.from_settings(made, cwd=root, candidates=[walls]))
    done = await room.run("seq 1 1000")
    assert f"all of it: {done['full_output']} …]" in str(done["output"])
    assert (await room.run(f"tail -n 1 {done['full_output']}"))["output"] == "1000\n"


async def test_a_place_where_an_agent_writes_keeps_no_output(walls: Bubblewrap, root: Path, tmp_path: Path) -> None:
    outputs = tmp_path / "state" / "outputs"
    outputs.mkdir(parents=True)
    paths = {"work": SandboxPath(root=root, mode="rw"), "own": SandboxPath(root=outputs, mode="rw")}
    made = Settings(sandbox=Sandbox(paths=paths), shell=LITTLE, store=tmp_path / "state" / "assent.db")
    done = await Room(CommandTool.from_settings(made, cwd=root, candidates=[walls])).run("seq 1 1000")
    assert "they are kept nowhere" in str(done["output"])
    assert (done["full_output"], list(outputs.iterdir())) == (None, [])


async def test_a_cancelled_or_failed_call_keeps_no_file(make_room: MakeRoom, tmp_path: Path) -> None:
    def broken(_: ToolCall, text: str, __: str) -> None:
        raise LookupError(text[-1])

    with pytest.raises(LookupError):
        await make_room(ONCE, shell=LITTLE, on_output=broken).run("seq 1 1000")
    assert names_of_calls(tmp_path) == []


async def test_a_new_file_sweeps_the_old_ones_away(make_room: MakeRoom) -> None:
    room = make_room(shell=LITTLE)
    old = Path(str((await room.run("seq 1 1000"))["full_output"]))
    for path in (old, old.parent):
        os.utime(path, (1e9, 1e9))
    await room.run("seq 1 10")
    assert there(old)
    await room.run("seq 1 2000")
    assert not there(old)


def kept_in(shelf: Shelf, run: str, age: float = 0.0) -> Path:
    kept = shelf.file_for(run, "1")
    kept.write(b"x")
    kept.close()
    assert kept.file is not None
    for path in (kept.file, kept.file.parent):
        os.utime(path, (1e9 - age, 1e9 - age))
    return kept.file


def test_only_what_is_old_is_swept_away(shelf: Shelf) -> None:
    old, new = kept_in(shelf, "old", age=KEPT_FOR + 1), kept_in(shelf, "new")
    shelf.sweep(1e9 - KEPT_FOR)
    assert (old.parent.exists(), new.exists()) == (False, True)


def test_an_old_file_of_a_run_that_goes_on_is_swept_and_the_new_one_stays(shelf: Shelf) -> None:
    old = kept_in(shelf, "run", age=KEPT_FOR + 1)
    new = kept_in(shelf, "run")
    shelf.sweep(1e9 - KEPT_FOR)
    assert (old.exists(), new.exists()) == (False, True)


def test_sweeping_follows_no_link_and_leaves_what_is_not_ours(shelf: Shelf, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "call-1.txt").write_text("x")
    run = kept_in(shelf, "old").parent
    (run / "call-link.txt").symlink_to(precious / "call-1.txt")
    (run / "notes.md").write_text("x")
    (shelf.place / "run-link").symlink_to(precious)
    (shelf.place / "theirs").mkdir()
    (shelf.place / "theirs" / "call-1.txt").write_text("x")
    shelf.sweep(2e10)
    assert (precious / "call-1.txt").exists()
    assert sorted(path.name for path in run.iterdir()) == ["call-link.txt", "notes.md"]
    assert (shelf.place / "theirs" / "call-1.txt").exists()


def test_a_shelf_that_is_a_link_is_not_used(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    shelf.place.symlink_to(tmp_path / "elsewhere")
    output = Output(10, kept=shelf.file_for("r", "1"))
    output.add(b"x" * 100)
    assert "they could not be kept in a file" in output.finish()
    assert names_of_calls(tmp_path) == []


def test_an_endless_output_does_not_fill_the_disk(shelf: Shelf) -> None:
    output = Output(10, kept=shelf.file_for("r", "1", most=100))
    for _ in range(50):
        output.add(b"0123456789")
    text = output.finish()
    file = output.file
    assert file is not None
    assert file.stat().st_size == 100
    assert "490 of 500 bytes are cut here; the first 100 bytes: " in text
    output.discard()
    assert not file.exists()


def test_a_disk_that_takes_no_more_ends_the_file_and_not_the_command(tmp_path: Path) -> None:
    (tmp_path / "outputs").touch()
    output = Output(10, kept=Shelf(place=tmp_path / "outputs", for_agents=False).file_for("r", "1"))
    output.add(b"x" * 100)
    assert "they could not be kept in a file" in output.finish()
    assert (output.truncated, output.file) == (True, None)


def test_a_character_is_never_cut_in_half() -> None:
    for most in range(2, 12):
        output = Output(most)
        output.add("€é😀".encode() * 5)
        assert "\\x" not in output.finish()


def test_what_fits_exactly_is_not_cut() -> None:
    output = Output(7)
    for byte in b"1234567":
        output.add(bytes([byte]))
    assert (output.finish(), output.truncated, output.file) == ("1234567", False, None)


chunks = st.lists(st.binary(max_size=40), max_size=12)


@given(chunks=chunks, most=st.integers(1, 60))
def test_however_it_is_split_the_text_is_the_same(chunks: list[bytes], most: int) -> None:
    whole = b"".join(chunks)
    heard: list[str] = []
    split, at_once = Output(most, heard.append), Output(most)
    for chunk in chunks:
        # As the pipe does it: the memory is overwritten afterwards.
        memory = bytearray(chunk)
        split.add(memoryview(memory))
        memory[:] = b"?" * len(memory)
    at_once.add(whole)
    assert split.finish() == at_once.finish()
    assert "".join(heard) == whole.decode("utf-8", "backslashreplace")
    if len(whole) <= most:
        assert split.truncated is False


@given(chunks=chunks)
def test_all_that_was_written_is_in_the_file(chunks: list[bytes], tmp_path_factory: pytest.TempPathFactory) -> None:
    shelf = Shelf(place=tmp_path_factory.getbasetemp() / "outputs", for_agents=False)
    output = Output(5, kept=shelf.file_for("r", "1"))
    for chunk in chunks:
        output.add(chunk)
    output.finish()
    assert (output.file is not None) == output.truncated
    if output.file is not None:
        assert output.file.read_bytes() == b"".join(chunks)
        output.discard()


MUCH = """
def most():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])

tool = made(heard=lambda *_: None)
asyncio.run(run(tool, "head -c 1000000 /dev/zero"))
before = most()
done = asyncio.run(run(tool, "head -c 1000000000 /dev/zero"))
print(json.dumps([most() - before, len(done["output"]), Path(done["full_output"]).stat().st_size]))
"""


def test_a_gigabyte_of_output_does_not_grow_the_memory(walls: Bubblewrap) -> None:
    grown, shown, size = json.loads(told_by(MUCH))
    assert size == 1_000_000_000
    assert shown < 101_000
    assert grown < 8_000, f"{grown} kB more"
