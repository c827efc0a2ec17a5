"""`read_file`: numbered lines of a file."""

from __future__ import annotations

import os

from assent.errors import FileTooLarge, NoSuchFile
from assent.model import Permit, Preview, ReadPresentation
from assent.tools.files._arguments import ReadFile
from assent.tools.files._results import ReadResult
from assent.tools.files._text import encoding_of, line_count, lines_of, numbered, whole_text
from assent.tools.files._tool import FileTool
from assent.tools.files.sandbox._evidence import evidence_of, shown_of
from assent.tools.files.sandbox._place import Place
from assent.tools.files.sandbox._rules import Answer
from assent.tools.files.sandbox._sandbox import check_stands


class ReadTool(FileTool[ReadFile, ReadResult]):
    """Reads a file; what is not text is named and measured instead."""

    idempotent = True

    def verdict(self, wanted: ReadFile) -> Answer:
        """As `read_approval` says."""
        place = self.place(wanted.path)
        return self.answer("read", place, lambda shown: _line(shown, wanted))

    def draw(self, wanted: ReadFile) -> Preview:
        """How large the file is, not what is in it."""
        place = self.place(wanted.path)
        spot, identity, data = self.sandbox.look(place)
        return Preview(
            presentation=ReadPresentation(
                description=_line(spot.shown, wanted),
                path=spot.path,
                sandbox=spot.home.name,
                file_lines=line_count(data or b""),
                file_bytes=len(data or b""),
                file_exists=data is not None,
            ),
            evidence=(evidence_of(place.shown, identity),),
        )

    def do(self, wanted: ReadFile, permit: Permit | None) -> ReadResult:
        """Read it, if it is what was agreed to."""
        place = self.place(wanted.path)
        return _told(place, self._bytes(place, permit), wanted)

    def _bytes(self, place: Place, permit: Permit | None) -> bytes:
        seen = shown_of(permit, place.shown)
        if seen is None:
            return self._at_once(place, permit)
        # Not between an own change and its note in the ledger.
        with self.sandbox.lock:
            spot, identity, data = self.sandbox.look(place)
        self.agree(permit, "read", spot)
        # Nothing of the content was shown, so the run may read what it was itself permitted to write.
        if not self.sandbox.is_own_change(seen, identity, permit):
            check_stands(seen, spot, identity)
        if data is None:
            raise NoSuchFile(f"{place.shown} does not exist")
        return data

    def _at_once(self, place: Place, permit: Permit | None) -> bytes:
        """Where nobody looked: one file, opened once, is judged and read."""
        self.sandbox.check_name(place)
        spot, descriptor = self.sandbox.opened(place)
        with os.fdopen(descriptor, "rb") as file:
            self.agree(permit, "read", spot)
            # By the size it has: a limit may be any number, and memory for all of it is taken at once.
            size, most = os.fstat(descriptor).st_size, spot.rules.most_bytes
            data = file.read() if size <= most else b""
            if max(size, len(data)) > most:
                raise FileTooLarge(f"{place.shown} has {size} bytes; at most {most} are read here (max_file_bytes)")
            return data


def _line(shown: str, wanted: ReadFile) -> str:
    if wanted.limit is not None:
        return f"Read {shown}, lines {wanted.offset} to {wanted.offset + wanted.limit - 1}"
    return f"Read {shown}" if wanted.offset == 1 else f"Read {shown}, from line {wanted.offset}"


def _told(place: Place, data: bytes, wanted: ReadFile) -> ReadResult:
    encoding = encoding_of(data)
    if encoding is None:
        return ReadResult(content=whole_text(place.plain, data), total_lines=0, truncated=False)
    lines = lines_of(data.decode(encoding))
    start = wanted.offset - 1
    end = len(lines) if wanted.limit is None else start + wanted.limit
    return ReadResult(
        content="\n".join(numbered(lines[start:end], wanted.offset)),
        total_lines=len(lines),
        truncated=end < len(lines),
        encoding=None if encoding == "utf-8" else encoding,
    )
