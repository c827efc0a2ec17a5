"""`write_file`: a whole file, new or in place of another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from assent.diff import Diff, diff
from assent.errors import InvalidArguments
from assent.model import PREVIEW_LINES, Permit, Preview, WritePresentation
from assent.tools.files._arguments import WriteFile
from assent.tools.files._narrowing import NarrowingTool, Part, whole_versions
from assent.tools.files._presenting import change_of, first_lines
from assent.tools.files._results import WriteResult
from assent.tools.files._text import counted, newlines, version
from assent.tools.files.sandbox._evidence import evidence_of, shown_of
from assent.tools.files.sandbox._rules import Answer, Operation
from assent.tools.files.sandbox._sandbox import check_size, check_stands
from assent.tools.files.sandbox._spot import Spot


class WriteTool(NarrowingTool[WriteFile, WriteResult]):
    """Creates or overwrites a file in one step; parents are made as needed."""

    operation: ClassVar[Operation] = "write"

    def verdict(self, wanted: WriteFile) -> Answer:
        """As `write_approval` says."""
        return self.answer("write", self.place(wanted.path), lambda shown: _line(shown, wanted))

    def draw(self, wanted: WriteFile) -> Preview:
        """The new content, and what is different where there is an old one."""
        place, data = self.place(wanted.path), wanted.content.encode()
        spot, identity, existing = self.sandbox.look(place, "write")
        check_size(spot, data)
        preview, truncated = first_lines(wanted.content, PREVIEW_LINES)
        shown = WritePresentation(
            description=_line(spot.shown, wanted),
            path=spot.path,
            sandbox=spot.home.name,
            content=wanted.content,
            content_lines=newlines(data),
            content_bytes=len(data),
            preview=preview,
            preview_truncated=truncated,
            file_exists=existing is not None,
            existing_lines=None if existing is None else version(place.plain, existing).lines,
            existing_bytes=None if existing is None else len(existing),
            change=None if existing is None else change_of(spot, diff(existing, data), existing, data),
        )
        contents = whole_versions(shown, existing, data)
        return Preview(presentation=shown, evidence=(evidence_of(place.shown, identity),), contents=contents)

    def do(self, wanted: WriteFile, permit: Permit | None) -> WriteResult:
        """Write it, if the file is still what was shown."""
        place, data = self.place(wanted.path), wanted.content.encode()
        seen = shown_of(permit, place.shown)
        with self.sandbox.lock:
            spot = self.sandbox.find(place)
            self.agree(permit, "write", spot)
            check_size(spot, data)
            with self.sandbox.held(spot) as held:
                before = held.identity
                check_stands(seen, spot, before)
                held.replace(data)
                self.sandbox.note(permit, before, data)
        return WriteResult(bytes_written=len(data))

    def change(self, spot: Spot, before: bytes, wanted: WriteFile) -> tuple[bytes, Diff]:
        """The new content, and the diff that is shown of it."""
        data = wanted.content.encode()
        check_size(spot, data)
        return data, diff(before, data)

    def spellings(self, args: Mapping[str, object], part: Part) -> Iterator[Mapping[str, object]]:
        """The content that the file has then, if it is UTF-8 as all that is written."""
        try:
            yield {**args, "content": part.after.decode()}
        except UnicodeDecodeError as error:
            raise InvalidArguments(
                f"with only these hunks the file would not be UTF-8, and {self.name} writes nothing else; "
                "approve all of them, or reject and say what to change"
            ) from error

    def versions(self, wanted: WriteFile) -> Iterator[bytes]:
        """The file as it is, and as it would be."""
        _, _, existing = self.sandbox.look(self.place(wanted.path), "write")
        yield from (wanted.content.encode(), existing or b"")


def _line(shown: str, wanted: WriteFile) -> str:
    return f"Write {counted(newlines(wanted.content.encode()), 'line')} to {shown}"
