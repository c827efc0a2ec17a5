"""Bytes as text: which encoding, how many lines, and what is not text at all."""

from __future__ import annotations

import codecs
import mimetypes
from collections.abc import Iterator
from hashlib import sha256
from typing import Final, Literal

from assent.model import Version

Encoding = Literal["utf-8", "utf-16", "latin-1"]

_SNIFFED: Final = 8192
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_MAGIC: Final = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"%PDF-": "application/pdf",
    b"PK\x03\x04": "application/zip",
    b"\x1f\x8b": "application/gzip",
    b"\x7fELF": "application/x-executable",
    b"SQLite format 3\x00": "application/vnd.sqlite3",
}


def encoding_of(data: bytes) -> Encoding | None:
    """How the bytes spell text; none if they are not text."""
    if data.startswith(_UTF_16):
        return "utf-16" if _is(data, "utf-16") else None
    if b"\0" in data[:_SNIFFED]:
        return None
    # In Latin-1 every byte is a character, so nothing is lost that no other encoding explains.
    return "utf-8" if _is(data, "utf-8") else "latin-1"


def _is(data: bytes, encoding: Encoding) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def media_type(name: str, data: bytes) -> str:
    """What kind of file this is: by its first bytes, else by its name."""
    known = next((kind for magic, kind in _MAGIC.items() if data.startswith(magic)), None)
    return known or mimetypes.guess_type(name)[0] or "application/octet-stream"


def line_count(data: bytes) -> int:
    """How many lines, as a reader counts them: none in what is not text."""
    match encoding_of(data):
        case "utf-16":
            return len(lines_of(data.decode("utf-16")))
        case None:
            return 0
        case _:
            return newlines(data)


def newlines(data: bytes) -> int:
    """How many lines there are; the last one counts also without a line break."""
    return data.count(b"\n") + (not data.endswith(b"\n") if data else 0)


def version(name: str, data: bytes, *, is_text: bool = False) -> Version:
    """The bytes, named and measured; `is_text` for what was written as text, whatever is in it."""
    binary = not is_text and encoding_of(data) is None
    return Version(
        sha256=sha256(data).hexdigest(),
        bytes=len(data),
        lines=newlines(data) if is_text else line_count(data),
        media_type=media_type(name, data) if binary else None,
    )


def shown_text(data: bytes) -> tuple[str, bool]:
    """The bytes as text, and whether some of them had to be escaped."""
    try:
        return data.decode(), False
    except UnicodeDecodeError:
        return data.decode(errors="backslashreplace"), True


def whole_text(name: str, data: bytes) -> str:
    """All of a file as text; what it is and its size, where it is none."""
    match encoding_of(data):
        case "utf-16":
            return data.decode("utf-16")
        case None:
            return f"binary file: {media_type(name, data)}, {len(data)} bytes"
        case _:
            return shown_text(data)[0]


def lines_of(text: str) -> list[str]:
    """The lines without their breaks; only a line feed ends one."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def numbered(lines: list[str], first: int) -> Iterator[str]:
    """Each line behind its number."""
    return (f"{number:6d}\t{line}" for number, line in enumerate(lines, start=first))


def counted(number: int, one: str, many: str = "") -> str:
    """`1 line`, `2 lines`."""
    return f"{number} {one if number == 1 else many or one + 's'}"
