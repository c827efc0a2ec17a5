"""`move_file`: a file gets another path; both ends must allow it, and nothing is overwritten."""

from __future__ import annotations

from assent.errors import InvalidArguments, NoSuchFile
from assent.model import ApprovalRequest, MovePresentation, Permit, Preview
from assent.tools.files._arguments import MoveFile
from assent.tools.files._results import Done
from assent.tools.files._text import line_count
from assent.tools.files._tool import FileTool, agreed
from assent.tools.files.sandbox._evidence import evidence_of, shown_of
from assent.tools.files.sandbox._obeyed import Obeyed
from assent.tools.files.sandbox._place import Place
from assent.tools.files.sandbox._requests import fingerprint, reason
from assent.tools.files.sandbox._rules import Answer, Home, Operation
from assent.tools.files.sandbox._sandbox import check_size, check_stands
from assent.tools.files.sandbox._spot import Spot


class MoveTool(FileTool[MoveFile, Done]):
    """Moves a file to a path where nothing is."""

    def verdict(self, wanted: MoveFile) -> Answer:
        """As `read_approval` and `delete_approval` of where it is and `write_approval` of where it goes say."""
        source, target = (self.sandbox.find(place) for place in self._places(wanted))
        return self._answer(None, source, target)

    def draw(self, wanted: MoveFile) -> Preview:
        """From where to where, and what."""
        source, target = self._places(wanted)
        spot, here, data = self.sandbox.look(source, "delete")
        there_spot, there, occupied = self.sandbox.look(target, "write")
        if data is None:
            raise _missing(source)
        if occupied is not None:
            raise _occupied(target)
        check_size(there_spot, data)
        return Preview(
            presentation=MovePresentation(
                description=f"Move {spot.shown} to {there_spot.shown}",
                path=spot.path,
                sandbox=spot.home.name,
                destination=there_spot.path,
                destination_sandbox=there_spot.home.name,
                file_lines=line_count(data),
                file_bytes=len(data),
            ),
            evidence=(evidence_of(source.shown, here), evidence_of(target.shown, there)),
        )

    def do(self, wanted: MoveFile, permit: Permit | None) -> Done:
        """Move it, if both ends are still what was shown."""
        source, target = self._places(wanted)
        with self.sandbox.lock:
            here, there = self.sandbox.find(source), self.sandbox.find(target)
            self._answer(permit, here, there)
            with self.sandbox.held(here) as leaving, self.sandbox.held(there) as arriving:
                before, after, data = leaving.identity, arriving.identity, leaving.data
                check_stands(shown_of(permit, source.shown), here, before)
                check_stands(shown_of(permit, target.shown), there, after)
                if data is None:
                    raise _missing(source)
                if arriving.data is not None:
                    raise _occupied(target)
                check_size(there, data)
                leaving.move_to(arriving)
                self.sandbox.note(permit, before, None)
                self.sandbox.note(permit, after, data)
        return Done()

    def _places(self, wanted: MoveFile) -> tuple[Place, Place]:
        source, target = self.place(wanted.path), self.place(wanted.destination)
        if source.shown == target.shown:
            raise InvalidArguments(f"{source.shown} is already there; give another destination")
        return source, target

    def _answer(self, permit: Permit | None, source: Spot, target: Spot) -> Answer:
        self.sandbox.check_limits(source, "delete")
        self.sandbox.check_limits(target, "write")
        ends: list[tuple[Operation, Home | Obeyed | None]] = [
            # Where it goes it may be read, so what asks before reading asks before it leaves.
            ("read", source.who_asks("read")),
            ("delete", source.who_asks("delete")),
            ("write", target.who_asks("write")),
        ]
        why = list(dict.fromkeys(reason(operation, asks) for operation, asks in ends if asks is not None))
        if not why:
            return target.home.allows("write")
        shown, there = source.place.shown, target.place.shown
        request = ApprovalRequest(
            description=f"Move {source.shown} to {target.shown}",
            fingerprint={"from": fingerprint(source), "to": fingerprint(target)},
            reason=" and ".join(why),
            covers=f"every move of {shown} to {there}; content can vary",
        )
        return agreed(permit, request, shown)


def _missing(place: Place) -> NoSuchFile:
    return NoSuchFile(f"{place.shown} does not exist, so there is nothing to move")


def _occupied(place: Place) -> InvalidArguments:
    return InvalidArguments(f"{place.shown} exists, and a move overwrites nothing; delete it first or choose another")
