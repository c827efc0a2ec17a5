"""`delete_file`: one file, never a folder."""

from __future__ import annotations

from collections.abc import Iterator

from assent.errors import NoSuchFile
from assent.model import PREVIEW_LINES, DeletePresentation, Permit, Preview
from assent.tools.files._arguments import DeleteFile
from assent.tools.files._presenting import first_lines
from assent.tools.files._results import Done
from assent.tools.files._text import version, whole_text
from assent.tools.files._tool import FileTool
from assent.tools.files.disk._held import Identity
from assent.tools.files.sandbox._evidence import evidence_of, shown_of
from assent.tools.files.sandbox._place import Place
from assent.tools.files.sandbox._rules import Answer
from assent.tools.files.sandbox._sandbox import check_stands
from assent.tools.files.sandbox._spot import Spot


class DeleteTool(FileTool[DeleteFile, Done]):
    """Deletes the very file that was shown."""

    def verdict(self, wanted: DeleteFile) -> Answer:
        """As `delete_approval` says."""
        place = self.place(wanted.path)
        return self.answer("delete", place, lambda shown: f"Delete {shown}")

    def draw(self, wanted: DeleteFile) -> Preview:
        """What would be lost."""
        place, (spot, identity, data) = self._looked(wanted)
        now = version(place.plain, data)
        text = whole_text(place.plain, data)
        preview, truncated = first_lines(text, PREVIEW_LINES)
        return Preview(
            presentation=DeletePresentation(
                description=f"Delete {spot.shown}",
                path=spot.path,
                sandbox=spot.home.name,
                file_lines=now.lines,
                file_bytes=now.bytes,
                content=text,
                preview=preview,
                preview_truncated=truncated,
                version=now,
            ),
            evidence=(evidence_of(place.shown, identity),),
            contents={now.sha256: data} if now.media_type is None else {},
        )

    def do(self, wanted: DeleteFile, permit: Permit | None) -> Done:
        """Delete it, if it is still what was shown."""
        place = self.place(wanted.path)
        seen = shown_of(permit, place.shown)
        with self.sandbox.lock:
            spot = self.sandbox.find(place)
            self.agree(permit, "delete", spot)
            with self.sandbox.held(spot) as held:
                before = held.identity
                check_stands(seen, spot, before)
                if held.data is None:
                    raise _missing(place)
                held.remove()
                self.sandbox.note(permit, before, None)
        return Done()

    def versions(self, wanted: DeleteFile) -> Iterator[bytes]:
        """The file as it is."""
        yield self._looked(wanted)[1][2]

    def _looked(self, wanted: DeleteFile) -> tuple[Place, tuple[Spot, Identity, bytes]]:
        place = self.place(wanted.path)
        spot, identity, data = self.sandbox.look(place, "delete")
        if data is None:
            raise _missing(place)
        return place, (spot, identity, data)


def _missing(place: Place) -> NoSuchFile:
    return NoSuchFile(f"{place.shown} does not exist, so there is nothing to delete")
