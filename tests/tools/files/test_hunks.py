"""Choosing hunks of what a file tool shows: the new arguments do exactly the chosen part, in every dialect."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assent.config import SandboxPath
from assent.diff import blocks
from assent.errors import ChangedSinceApproval, FileTooLarge, InvalidArguments
from assent.model import Narrows, Preview, ToolCall, unified_diff_of
from assent.tools.files import Dialect, FileSandbox, file_tools

Verb = Literal["write", "edit", "patch", "delete"]
DIALECTS: list[Dialect] = ["assent", "dotted", "underscored", "claude"]
ENCODINGS = ["utf-8", "latin-1"]

POEM = "".join(f"line {number}: é\r\n" for number in range(1, 21)) + "the end"


class Desk:
    """A file, and a model of some dialect that wants to change it."""

    def __init__(self, root: Path, dialect: Dialect = "assent", **rule: Any) -> None:  # noqa: ANN401 — any setting
        self.dialect = dialect
        self.file = root.resolve() / "a.txt"
        self.sandbox = FileSandbox({"work": SandboxPath(root=root.resolve(), mode="rw", **rule)})
        self.tools = {tool.name.lower(): tool for tool in file_tools(self.sandbox, dialect)}

    def tool(self, verb: Verb) -> Any:  # noqa: ANN401 — tools with and without `narrow`
        names = {f"{verb}_file", f"file.{verb}", f"file_{verb}", verb, {"patch": "multiedit"}.get(verb, verb)}
        return next(tool for name, tool in self.tools.items() if name in names)

    def call(self, verb: Verb, **args: object) -> ToolCall:
        where = {"assent": "work/a.txt", "claude": str(self.file)}.get(self.dialect, "a.txt")
        name = "file_path" if self.dialect == "claude" else "path"
        return ToolCall(run="run", id="1", tool_name=self.tool(verb).name, args={name: where, **args})

    def edit(self, old: str, new: str, *, replace_all: bool = False) -> ToolCall:
        return self.call("edit", old_string=old, new_string=new, replace_all=replace_all)

    def patch(self, *patches: tuple[str, str]) -> ToolCall:
        if self.dialect == "claude":
            return self.call("patch", edits=[{"old_string": old, "new_string": new} for old, new in patches])
        return self.call("patch", patches=[{"find": old, "replace": new} for old, new in patches])

    async def shown(self, verb: Verb, call: ToolCall) -> Preview:
        shown: Preview = await self.tool(verb).preview(call)
        return shown

    async def narrowed(self, verb: Verb, call: ToolCall, hunks: Sequence[int]) -> Mapping[str, object]:
        args: Mapping[str, object] = await self.tool(verb).narrow(call, hunks, await self.shown(verb, call))
        return args

    async def becomes(self, verb: Verb, call: ToolCall, hunks: Sequence[int]) -> bytes:
        """The file once the chosen hunks of the call were made for real."""
        await self.tool(verb).ungated(await self.narrowed(verb, call, hunks))
        return self.file.read_bytes()


@pytest.fixture(params=DIALECTS)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    desk = Desk(tmp_path, request.param)
    desk.file.write_bytes(POEM.encode())
    return desk


# Each kind of change


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_of_an_edit_of_every_match_only_the_chosen_ones_are_made(desk: Desk, encoding: str) -> None:
    desk.file.write_bytes(POEM.encode(encoding))
    call = desk.edit("line 1", "LINE é 1", replace_all=True)  # lines 1 and 10 to 19: two hunks
    assert len(blocks(unified_diff_of((await desk.shown("edit", call)).presentation))) == 2
    assert (await desk.narrowed("edit", call, (0,)))["replace_all"] is False
    first = POEM.replace("line 1:", "LINE é 1:")
    assert await desk.becomes("edit", call, (0,)) == first.encode(encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_of_several_patches_only_the_chosen_hunks_are_made(desk: Desk, encoding: str) -> None:
    desk.file.write_bytes(POEM.encode(encoding))
    call = desk.patch(("line 2:", "2 é:"), ("line 9:", "9:"), ("the end", "fin\r\n"))
    expected = POEM.replace("line 2:", "2 é:").replace("the end", "fin\r\n")
    assert await desk.becomes("patch", call, (0, 2)) == expected.encode(encoding)


async def test_of_an_overwrite_only_the_chosen_hunks_are_made(desk: Desk) -> None:
    new = POEM.replace("line 2:", "2:").replace("line 9: é\r\n", "").replace("the end", "the end\n")
    assert await desk.becomes("write", desk.call("write", content=new), (1,)) == (
        POEM.replace("line 9: é\r\n", "").encode()
    )


@pytest.mark.parametrize("verb", ["write", "edit", "patch"])
async def test_all_hunks_are_the_arguments_as_they_were(desk: Desk, verb: Verb) -> None:
    calls = {
        "write": desk.call("write", content=POEM.replace("line 2:", "2:").replace("line 9:", "9:")),
        "edit": desk.edit("line 1", "LINE 1", replace_all=True),
        "patch": desk.patch(("line 2:", "2:"), ("line 9:", "9:")),
    }
    assert await desk.narrowed(verb, calls[verb], (1, 0, 1)) == calls[verb].args


async def test_the_new_arguments_have_the_names_of_the_dialect(desk: Desk) -> None:
    call = desk.patch(("line 2:", "2:"), ("line 9:", "9:"))
    args = await desk.narrowed("patch", call, (0,))
    assert desk.tool("patch").validate(args)
    assert (
        ToolCall(run="run", id="1", tool_name=call.tool_name, args=args).args
        == desk.patch(("line 2: é\r\n", "2: é\r\n")).args
    )


async def test_what_is_found_grows_by_whole_lines_until_it_is_there_once(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.file.write_text("x\n" * 5 + "mid\n" + "x\n" * 5)
    desk_call = desk.call("patch", patches=[{"find": "x\nmid\nx\n", "replace": "y\nmid\nz\n"}])
    args = await desk.narrowed("patch", desk_call, (1,))
    assert args["patches"] == ({"find": "mid\nx\nx\n", "replace": "mid\nz\nx\n"},)


async def test_in_a_file_of_lines_that_are_alike_the_whole_file_is_found(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.file.write_text("x\n" * 40_000)
    call = desk.call("patch", patches=[{"find": "x\n" * 40_000, "replace": "x\n" * 9 + "y\n" + "x\n" * 40_000 + "z\n"}])
    started = time.process_time()
    args = await desk.narrowed("patch", call, (0,))
    assert time.process_time() - started < 5  # some hundredths; half a minute if every match were looked at
    assert args["patches"] == ({"find": "x\n" * 40_000, "replace": "x\n" * 9 + "y\n" + "x\n" * 39_991},)
    assert await desk.becomes("patch", call, (0,)) == b"x\n" * 9 + b"y\n" + b"x\n" * 39_991


async def test_a_file_in_two_encodings_keeps_both(desk: Desk) -> None:
    before = b"\xe9\n" + "é 1\n".encode() + b"\xe9\n" + "é 2\n".encode()
    desk.file.write_bytes(before)
    call = desk.edit("é ", "ü ", replace_all=True)
    assert await desk.becomes("edit", call, (1,)) == before.replace("é 2".encode(), "ü 2".encode())


async def test_what_is_found_grows_until_it_is_there_in_one_encoding(desk: Desk) -> None:
    before = b"\xe9\nhere\n" + "é\nthere\nthe end\n".encode()
    desk.file.write_bytes(before)
    call = desk.patch(("é\nhere", "e\nhere"), ("the end", "fin"))
    assert await desk.becomes("patch", call, (0,)) == before.replace(b"\xe9\nhere", b"e\nhere")


# The law


@st.composite
def rewritten(draw: st.DrawFn) -> tuple[bytes, str]:
    """A file, and a text to write over it that has much in common with it."""
    lines = draw(st.lists(st.sampled_from(["a\n", "b\n", "\r\n", "c\u2028d\r\n", "é\n", "}\n"]), max_size=25))
    old = "".join(lines) + draw(st.sampled_from(["", "end", "é"]))
    for at in sorted(draw(st.sets(st.integers(0, len(lines)), max_size=5)), reverse=True):
        lines[at : at + draw(st.integers(0, 2))] = draw(
            st.lists(st.sampled_from(["a\n", "new\n", "ü\r\n"]), max_size=2)
        )
    return old.encode(), "".join(lines) + draw(st.sampled_from(["", "end", "é"]))


def expected(shown: Preview, before: bytes, after: bytes, hunks: Sequence[int]) -> bytes:
    """The chosen blocks of the text that was shown, made line by line."""
    there = blocks(unified_diff_of(shown.presentation))
    old, new = BytesIO(before).readlines(), BytesIO(after).readlines()
    for block in reversed([there[number] for number in sorted(hunks)]):
        at, to = block.old_line - (block.removed > 0), block.new_line - (block.added > 0)
        old[at : at + block.removed] = new[to : to + block.added]
    return b"".join(old)


def some(data: st.DataObject, shown: Preview) -> list[int]:
    numbers = range(len(blocks(unified_diff_of(shown.presentation))))
    return data.draw(st.lists(st.sampled_from(numbers), unique=True, min_size=1)) if numbers else []


def check(verb: Verb, before: bytes, after: bytes, make: Callable[[Desk], ToolCall], data: st.DataObject) -> None:
    """For some subset of the hunks, what the tool does is exactly that."""
    with TemporaryDirectory() as folder:
        desk = Desk(Path(folder), data.draw(st.sampled_from(DIALECTS)))
        desk.file.write_bytes(before)
        call = make(desk)
        with desk.sandbox:
            shown = asyncio.run(desk.shown(verb, call))
            if hunks := some(data, shown):
                assert asyncio.run(desk.becomes(verb, call, hunks)) == expected(shown, before, after, hunks)


@settings(max_examples=80, deadline=None)
@given(rewritten(), st.data())
def test_an_overwrite_does_exactly_the_chosen_part(made: tuple[bytes, str], data: st.DataObject) -> None:
    before, content = made
    check("write", before, content.encode(), lambda desk: desk.call("write", content=content), data)


@settings(max_examples=120, deadline=None)
@given(rewritten(), st.sampled_from(ENCODINGS), st.data())
def test_an_edit_does_exactly_the_chosen_part(made: tuple[bytes, str], encoding: str, data: st.DataObject) -> None:
    text = "é\n" + made[0].decode().replace("\u2028", "ß")  # the é makes it no UTF-8 in the other encoding
    start = data.draw(st.integers(0, len(text) - 1))
    old = text[start : start + data.draw(st.sampled_from([1, 2, 3, 8, 30]))]
    new = data.draw(st.sampled_from(["", "x", "x\n", "\nü\n", old + "y\n", "a\n" + old]))
    assume(old != new and not _overlaps(text, old))
    before, after = text.encode(encoding), text.replace(old, new).encode(encoding)
    every = text.count(old) > 1
    check("edit", before, after, lambda desk: desk.edit(old, new, replace_all=every), data)


@settings(max_examples=80, deadline=None)
@given(rewritten(), st.sampled_from(ENCODINGS), st.data())
def test_patches_do_exactly_the_chosen_part(made: tuple[bytes, str], encoding: str, data: st.DataObject) -> None:
    old, new = ("é\n" + text.replace("\u2028", "ß") for text in (made[0].decode(), made[1]))
    assume(old != f"{new}\n")
    before, after = old.encode(encoding), f"{new}!\n!".encode(encoding)
    check("patch", before, after, lambda desk: desk.patch((old, f"{new}\n"), (f"{new}\n", f"{new}!\n!")), data)


def _overlaps(text: str, old: str) -> bool:
    return any(text.startswith(old, at + step) for at in _places(text, old) for step in range(1, len(old)))


def _places(text: str, old: str) -> list[int]:
    return [at for at in range(len(text)) if text.startswith(old, at)]


# What cannot be chosen


@pytest.mark.parametrize("hunks", [(), (2,), (-1,), (0, 5)])
@pytest.mark.parametrize("verb", ["write", "edit", "patch"])
async def test_hunks_that_are_not_there_are_no_choice(tmp_path: Path, verb: Verb, hunks: tuple[int, ...]) -> None:
    desk = Desk(tmp_path)
    desk.file.write_bytes(POEM.encode())
    calls = {
        "write": desk.call("write", content=POEM.replace("line 2:", "2:").replace("line 9:", "9:")),
        "edit": desk.edit("line 1", "LINE 1", replace_all=True),
        "patch": desk.patch(("line 2:", "2:"), ("line 9:", "9:")),
    }
    with pytest.raises(InvalidArguments, match="there are 2 hunks, counted from 0"):
        await desk.narrowed(verb, calls[verb], hunks)


@pytest.mark.parametrize("existing", [None, b"\0binary", POEM.encode()], ids=["new", "binary", "same"])
async def test_what_was_shown_without_a_diff_has_no_hunks(desk: Desk, existing: bytes | None) -> None:
    if existing is None:
        desk.file.unlink()
    else:
        desk.file.write_bytes(existing)
    with pytest.raises(InvalidArguments, match="no hunks"):
        await desk.narrowed("write", desk.call("write", content=POEM), (0,))


async def test_a_part_that_is_not_utf_8_cannot_be_written(desk: Desk) -> None:
    desk.file.write_bytes(b"a\nb\xe9\nc\n")
    call = desk.call("write", content="A\nb\nc\nd\n")
    with pytest.raises(InvalidArguments, match="not be UTF-8"):
        await desk.narrowed("write", call, (1,))
    assert await desk.becomes("write", call, (0,)) == b"A\nb\nc\n"


async def test_a_part_may_be_too_large_where_the_whole_is_not(tmp_path: Path) -> None:
    desk = Desk(tmp_path, max_file_bytes=30)
    desk.file.write_bytes(b"a" * 20 + b"\nkeep\n")
    call = desk.call("write", content="keep\n" + "b" * 20)
    with pytest.raises(FileTooLarge):
        await desk.narrowed("write", call, (1,))


def test_only_tools_that_show_a_diff_have_hunks(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    assert [name for name, tool in desk.tools.items() if isinstance(tool, Narrows)] == [
        "write_file",
        "edit_file",
        "patch_file",
    ]


# What was shown


@pytest.mark.parametrize("verb", ["write", "edit", "patch"])
@pytest.mark.parametrize("meanwhile", ["written", "replaced", "deleted"])
async def test_hunks_of_a_file_that_changed_since_are_not_chosen(desk: Desk, verb: Verb, meanwhile: str) -> None:
    calls = {
        "write": desk.call("write", content=POEM.replace("line 2:", "2:").replace("line 9:", "9:")),
        "edit": desk.edit("line 1", "LINE 1", replace_all=True),
        "patch": desk.patch(("line 2:", "2:"), ("line 9:", "9:")),
    }
    shown = await desk.shown(verb, calls[verb])
    match meanwhile:
        case "written":
            desk.file.write_bytes(POEM.replace("line 20", "LINE 20").encode())
        case "replaced":
            desk.file.rename(desk.file.with_name("b.txt"))
            desk.file.symlink_to("b.txt")
        case _:
            desk.file.unlink()
    with pytest.raises(ChangedSinceApproval):
        await desk.tool(verb).narrow(calls[verb], (0,), shown)


async def test_hunks_of_another_call_are_not_chosen(desk: Desk) -> None:
    shown = await desk.shown("patch", desk.patch(("line 2:", "2:"), ("line 9:", "9:")))
    with pytest.raises(ChangedSinceApproval):
        await desk.tool("patch").narrow(desk.patch(("line 3:", "3:"), ("line 9:", "9:")), (0,), shown)


async def test_a_drawing_without_evidence_is_nothing_to_choose_from(desk: Desk) -> None:
    call = desk.patch(("line 2:", "2:"), ("line 9:", "9:"))
    shown = await desk.shown("patch", call)
    with pytest.raises(ChangedSinceApproval):
        await desk.tool("patch").narrow(call, (0,), Preview(presentation=shown.presentation))


# The whole versions


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


async def test_a_drawing_has_both_versions_whole_by_their_digests(desk: Desk) -> None:
    before = POEM.encode()
    after = POEM.replace("line 2:", "2:").encode()
    both = {digest(before): before, digest(after): after}
    assert (await desk.shown("write", desk.call("write", content=after.decode()))).contents == both
    assert (await desk.shown("edit", desk.edit("line 2:", "2:"))).contents == both
    assert (await desk.shown("patch", desk.patch(("line 2:", "2:")))).contents == both


async def test_a_drawing_of_a_deletion_has_what_would_be_lost(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.file.write_bytes(POEM.encode())
    assert (await desk.shown("delete", desk.call("delete"))).contents == {digest(POEM.encode()): POEM.encode()}
    desk.file.write_bytes(b"\0binary")
    assert (await desk.shown("delete", desk.call("delete"))).contents == {}


async def test_only_text_is_kept_whole(desk: Desk) -> None:
    call = desk.call("write", content="text\n")
    desk.file.write_bytes(b"\0binary")
    assert (await desk.shown("write", call)).contents == {digest(b"text\n"): b"text\n"}
    desk.file.unlink()
    assert (await desk.shown("write", call)).contents == {}
