"""Bytes as text: every encoding is shown, and what is not edited comes through byte for byte."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from assent.runtime import Ungated
from assent.tools.files import FileSandbox, file_tools
from assent.tools.files._text import encoding_of, line_count, lines_of, media_type, version
from tests.tools.files.kit import Person, refused, session

BOMS = (b"\xff\xfe", b"\xfe\xff")
ENDINGS = [b"\n", b"\r\n", b"\r", b"", b"\x0b", b"\x0c", b"\x1c", b"\xc2\x85", b"\xe2\x80\xa8"]
WORDS = [
    b"a",
    b" ",
    b"x = 1",
    b"caf\xe9",
    b"caf\xc3\xa9",
    b"\xef\xbb\xbf",
    b"\xf0\x9f\x98\x80",
    b"\xff",
    b"\x80",
    b"\t",
]

# No NUL and no UTF-16: files that are text, in whatever encoding, with whatever line ends.
texts = st.lists(st.sampled_from(ENDINGS + WORDS) | st.binary(max_size=3), max_size=12).map(
    lambda parts: b"".join(parts).replace(b"\0", b"?")
)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("texts")


@pytest.fixture(scope="module")
def sandbox(root: Path) -> Generator[FileSandbox]:
    with FileSandbox.at(root) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def tools(sandbox: FileSandbox) -> Ungated:
    return Ungated(file_tools(sandbox))


def unnumbered(content: str) -> list[str]:
    """The lines of a reading, after checking their numbers."""
    lines = content.split("\n") if content else []
    for number, line in enumerate(lines, start=1):
        assert line.startswith(f"{number:6d}\t")
    return [line[7:] for line in lines]


def is_plain(data: bytes) -> bool:
    return not data.startswith(BOMS)


# Laws


@given(before=texts, after=texts, new=st.text(st.characters(exclude_categories=["Cs"], max_codepoint=0xFF)))
@example(before=b"\xef\xbb\xbfone\r\n", after=b"\r\nlast", new="two\r\n")
@example(before=b"caf\xe9\r", after=b"\n\xff\xfe", new="\xe9")
async def test_bytes_outside_the_edited_span_never_change(
    tools: Ungated, root: Path, before: bytes, after: bytes, new: str
) -> None:
    assume(is_plain(before) and b"\0" not in new.encode())
    data = before + b"<here>" + after
    (root / "law.txt").write_bytes(data)
    args = {"path": "law.txt", "old_string": "<here>", "new_string": new}
    result: Any = await tools.call("edit_file", args)
    assert result.get("replacements_made") == 1, result
    spelled = new.encode("utf-8" if encoding_of(data) == "utf-8" else "latin-1")
    assert (root / "law.txt").read_bytes() == before + spelled + after


@given(st.lists(texts, min_size=2, max_size=5))
async def test_bytes_between_replaced_texts_never_change(tools: Ungated, root: Path, parts: list[bytes]) -> None:
    assume(is_plain(parts[0]))
    (root / "law.txt").write_bytes(b"<here>".join(parts))
    args = {"path": "law.txt", "old_string": "<here>", "new_string": "there", "replace_all": True}
    result: Any = await tools.call("edit_file", args)
    assert result.get("replacements_made") == len(parts) - 1, result
    assert (root / "law.txt").read_bytes() == b"there".join(parts)


@given(first=texts, middle=texts, last=texts)
async def test_bytes_around_patches_never_change(
    tools: Ungated, root: Path, first: bytes, middle: bytes, last: bytes
) -> None:
    assume(is_plain(first))
    (root / "law.txt").write_bytes(first + b"<one>" + middle + b"<two>" + last)
    patches = [{"find": "<two>", "replace": "2"}, {"find": "<one>", "replace": ""}]
    result: Any = await tools.call("patch_file", {"path": "law.txt", "patches": patches})
    assert result == {"success": True, "patches_applied": 2}
    assert (root / "law.txt").read_bytes() == first + middle + b"2" + last


@given(texts)
@example(b"caf\xe9 \xc3\xa9\r\nno end")
async def test_a_reading_loses_nothing(tools: Ungated, root: Path, data: bytes) -> None:
    assume(is_plain(data))
    (root / "law.txt").write_bytes(data)
    result: Any = await tools.call("read_file", {"path": "law.txt"})
    lines = unnumbered(result["content"]) if result["total_lines"] else []
    assert len(lines) == result["total_lines"] == line_count(data)
    shown = "\n".join(lines).encode(result.get("encoding", "utf-8"))
    assert shown == data.removesuffix(b"\n")


@given(texts)
async def test_what_was_read_can_be_edited_where_it_was_read(tools: Ungated, root: Path, data: bytes) -> None:
    assume(is_plain(data))
    (root / "law.txt").write_bytes(data)
    result: Any = await tools.call("read_file", {"path": "law.txt"})
    lines = unnumbered(result["content"]) if result["total_lines"] else []
    text = "\n".join(lines)
    for number, line in enumerate(lines, start=1):
        if line and text.count(line) == 1:
            args = {"path": "law.txt", "old_string": line, "new_string": "EDITED"}
            answer: Any = await tools.call("edit_file", args)
            assert answer.get("message", "").startswith(f"Replaced 1 line at line {number} "), answer
            parts = data.split(b"\n")
            parts[number - 1] = b"EDITED"
            assert (root / "law.txt").read_bytes() == b"\n".join(parts)
            break


@given(st.text(st.characters(exclude_categories=["Cs"])))
async def test_a_write_is_the_text_in_utf8_and_nothing_else(tools: Ungated, root: Path, content: str) -> None:
    result: Any = await tools.call("write_file", {"path": "law.txt", "content": content})
    assert (root / "law.txt").read_bytes() == content.encode()
    assert result == {"success": True, "bytes_written": len(content.encode())}


@given(texts)
def test_lines_of_bytes_and_of_their_text_are_as_many(data: bytes) -> None:
    assume(is_plain(data))
    encoding = encoding_of(data)
    assert encoding in ("utf-8", "latin-1")
    assert line_count(data) == len(lines_of(data.decode(encoding)))


# Examples


@pytest.mark.parametrize(
    ("data", "encoding", "lines"),
    [
        (b"", None, []),
        (b"a\nb\n", None, ["a", "b"]),
        (b"a\nb", None, ["a", "b"]),
        (b"\n\n", None, ["", ""]),
        (b"a\r\nb\nc\rd\r\n", None, ["a\r", "b", "c\rd\r"]),
        (b"\xef\xbb\xbfa\n", None, ["\ufeffa"]),
        ("a\u2028b\x0cc\x85d\n".encode(), None, ["a\u2028b\x0cc\x85d"]),
        (b"caf\xe9\n", "latin-1", ["café"]),
        (b"caf\xc3\xa9 \xff\n", "latin-1", ["cafÃ© ÿ"]),
        ("né\nnä\n".encode("utf-16"), "utf-16", ["né", "nä"]),
        ("né\nĊ".encode("utf-16-be").join([b"\xfe\xff", b""]), "utf-16", ["né", "Ċ"]),
    ],
)
async def test_any_encoding_is_read(
    tools: Ungated, root: Path, data: bytes, encoding: str | None, lines: list[str]
) -> None:
    (root / "read.txt").write_bytes(data)
    result: Any = await tools.call("read_file", {"path": "read.txt"})
    assert (unnumbered(result["content"]) if lines else []) == lines
    assert (result["total_lines"], result.get("encoding")) == (len(lines), encoding)


@pytest.mark.parametrize(
    ("data", "old", "new", "after"),
    [
        (b"a\r\nb\r\n", "b", "c", b"a\r\nc\r\n"),
        (b"a\r\nb\n", "a\r\nb", "c", b"c\n"),
        (b"\xef\xbb\xbfa\n", "a", "b", b"\xef\xbb\xbfb\n"),
        (b"a\nb", "b", "c", b"a\nc"),
        (b"a\nb", "b", "c\n", b"a\nc\n"),
        (b"a\nb\n", "b\n", "b", b"a\nb"),
        (b"caf\xe9\nx\n", "x", "\xfc", b"caf\xe9\n\xfc\n"),
        (b"caf\xe9\nx\n", "café", "thé", b"th\xe9\nx\n"),
        (b"caf\xc3\xa9 \xff\n", "café", "thé", b"th\xc3\xa9 \xff\n"),
    ],
)
async def test_an_edit_is_made_in_the_encoding_of_the_file(
    tools: Ungated, root: Path, data: bytes, old: str, new: str, after: bytes
) -> None:
    (root / "edit.txt").write_bytes(data)
    result: Any = await tools.call("edit_file", {"path": "edit.txt", "old_string": old, "new_string": new})
    assert result.get("replacements_made") == 1, result
    assert (root / "edit.txt").read_bytes() == after


@pytest.mark.parametrize("old", ["a\nb", "a\r\nb\r\nc"])
async def test_line_ends_are_matched_exactly(tools: Ungated, root: Path, old: str) -> None:
    (root / "edit.txt").write_bytes(b"a\r\nb\nc\n")
    result = await tools.call("edit_file", {"path": "edit.txt", "old_string": old, "new_string": "x"})
    assert refused(result) == "find_not_found"
    assert (root / "edit.txt").read_bytes() == b"a\r\nb\nc\n"


async def test_a_text_that_two_spellings_fit_is_not_replaced_where_it_was_not_read(tools: Ungated, root: Path) -> None:
    data = b"caf\xc3\xa9\ncaf\xe9\n"  # read as cafÃ© and café
    (root / "edit.txt").write_bytes(data)
    result: Any = await tools.call("edit_file", {"path": "edit.txt", "old_string": "café", "new_string": "tea"})
    if (root / "edit.txt").read_bytes() != b"caf\xc3\xa9\ntea\n":  # as it was read
        assert result.get("error") == "find_not_unique", result
        assert (root / "edit.txt").read_bytes() == data


async def test_a_character_the_file_cannot_hold_is_refused(tools: Ungated, root: Path) -> None:
    (root / "edit.txt").write_bytes(b"caf\xe9\n")
    result: Any = await tools.call("edit_file", {"path": "edit.txt", "old_string": "caf", "new_string": "€"})
    assert refused(result) == "invalid_arguments"
    assert "€" in result["message"]
    assert (root / "edit.txt").read_bytes() == b"caf\xe9\n"


@pytest.mark.parametrize("data", ["né\n".encode("utf-16"), b"\x89PNG\r\n\x1a\n\0n"])
async def test_what_cannot_be_edited_in_part_says_what_to_do_instead(tools: Ungated, root: Path, data: bytes) -> None:
    (root / "edit.bin").write_bytes(data)
    result: Any = await tools.call("edit_file", {"path": "edit.bin", "old_string": "n", "new_string": "m"})
    assert refused(result) == "invalid_arguments"
    assert "edit.bin" in result["message"]
    assert "write_file" in result["message"]
    assert (root / "edit.bin").read_bytes() == data


# Binary files


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.png", b"\x89PNG\r\n\x1a\n\0\0", "image/png"),
        ("a.txt", b"\xff\xd8\xff\xe0\0", "image/jpeg"),
        ("a", b"GIF89a\0", "image/gif"),
        ("a.pdf", b"%PDF-1.7\n\0", "application/pdf"),
        ("a.whl", b"PK\x03\x04\0", "application/zip"),
        ("a.gz", b"\x1f\x8b\x08\0", "application/gzip"),
        ("a", b"\x7fELF\x02\0", "application/x-executable"),
        ("a.db", b"SQLite format 3\0", "application/vnd.sqlite3"),
        ("a.mp3", b"\0\0", "audio/mpeg"),
        ("a.unheard-of", b"\0\0", "application/octet-stream"),
        ("odd.txt", b"\xff\xfea", "text/plain"),
    ],
)
async def test_a_binary_file_is_answered_with_type_and_size(
    tools: Ungated, root: Path, name: str, data: bytes, kind: str
) -> None:
    (root / name).write_bytes(data)
    assert encoding_of(data) is None
    assert media_type(name, data) == kind
    assert await tools.call("read_file", {"path": name}) == {
        "content": f"binary file: {kind}, {len(data)} bytes",
        "total_lines": 0,
        "truncated": False,
    }


async def test_a_binary_file_is_shown_by_type_and_size_when_it_goes(sandbox: FileSandbox, root: Path) -> None:
    (root / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    person = Person()
    await session(sandbox, person).call("write_file", {"path": "a.png", "content": "text\n"})
    write = person.shown
    assert (write.existing_lines, write.existing_bytes, write.change.unified_diff) == (0, 10, "")
    assert (write.change.before.media_type, write.change.before.bytes) == ("image/png", 10)
    assert write.change.after.media_type is None

    (root / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    await session(sandbox, person).call("delete_file", {"path": "a.png"})
    delete = person.shown
    assert (delete.content, delete.file_lines) == ("binary file: image/png, 10 bytes", 0)
    assert (delete.version.media_type, delete.version.bytes) == ("image/png", 10)


# What a person sees of text that is not UTF-8


async def test_a_diff_of_other_bytes_is_marked_and_escaped(sandbox: FileSandbox, root: Path) -> None:
    (root / "latin.txt").write_bytes(b"caf\xe9\nx\n")
    person = Person()
    args = {"path": "latin.txt", "old_string": "x", "new_string": "ü"}
    await session(sandbox, person).call("edit_file", args)
    assert person.shown.change.escaped is True
    assert person.shown.unified_diff.endswith(" caf\\xe9\n-x\n+\\xfc\n")
    assert person.shown.context_before == "caf\\xe9"


async def test_a_diff_of_utf8_is_exact_and_keeps_every_character(sandbox: FileSandbox, root: Path) -> None:
    (root / "odd.md").write_bytes("a\u202eb\x1b[2K\u2028c\r\nx\n".encode())
    person = Person()
    await session(sandbox, person).call("edit_file", {"path": "odd.md", "old_string": "x", "new_string": "y"})
    assert person.shown.change.escaped is False
    assert person.shown.unified_diff == (
        "--- a/odd.md\n+++ b/odd.md\n@@ -1,2 +1,2 @@\n a\u202eb\x1b[2K\u2028c\r\n-x\n+y\n"
    )


@pytest.mark.parametrize("text", ["a\nb\n", "a\nb", "Ċ\nਊ", ""])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_lines_are_counted_alike_for_the_person_and_the_model(
    sandbox: FileSandbox, root: Path, text: str, encoding: str
) -> None:
    data = text.encode(encoding)
    (root / "count.txt").write_bytes(data)
    person = Person()
    asked = session(sandbox, person)
    read: Any = await asked.call("read_file", {"path": "count.txt"})
    assert read["total_lines"] == len(lines_of(text)) == version("count.txt", data).lines
    await asked.call("delete_file", {"path": "count.txt"})
    assert person.shown.file_lines == read["total_lines"]


@pytest.mark.parametrize("data", [b"a\nb", "a\nb\n".encode("utf-16"), b"\x89PNG\r\n\x1a\n\0\n"])
async def test_lines_are_counted_alike_before_and_after_a_read_that_asks(root: Path, data: bytes) -> None:
    (root / "count.txt").write_bytes(data)
    person = Person()
    with FileSandbox.at(root, read_approval=True) as asking:
        read: Any = await session(asking, person).call("read_file", {"path": "count.txt"})
    assert (person.shown.file_lines, person.shown.file_bytes) == (read["total_lines"], len(data))


async def test_a_utf16_file_is_shown_as_its_text_before_it_is_deleted(sandbox: FileSandbox, root: Path) -> None:
    (root / "gone.txt").write_bytes("né\n".encode("utf-16"))
    person = Person()
    await session(sandbox, person).call("delete_file", {"path": "gone.txt"})
    assert person.shown.content == "né\n"
