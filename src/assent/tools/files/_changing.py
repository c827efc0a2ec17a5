"""What editing and patching share: a plan, drawn and bound, then carried out on the same bytes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import ClassVar, TypeVar

from assent.diff import Diff
from assent.errors import NoSuchFile, ToolError
from assent.model import Evidence, Permit, Presentation, Preview, Shown
from assent.tools.files._narrowing import HasPath, NarrowingTool, Part, whole_versions
from assent.tools.files._planning import Plan
from assent.tools.files._text import encoding_of
from assent.tools.files.sandbox._evidence import changed, evidence_of, is_same, shown_of, shows
from assent.tools.files.sandbox._place import Place
from assent.tools.files.sandbox._rules import Answer, Operation
from assent.tools.files.sandbox._sandbox import check_size
from assent.tools.files.sandbox._spot import Spot

A = TypeVar("A", bound=HasPath)
R = TypeVar("R")


class ChangingTool(NarrowingTool[A, R]):
    """Changes a part of a file that exists; the rest of its bytes stay as they are."""

    operation: ClassVar[Operation] = "edit"

    @abstractmethod
    def line(self, shown: str, wanted: A) -> str:
        """What it is called before the file was looked at."""

    @abstractmethod
    def plan(self, data: bytes, shown: str, wanted: A) -> Plan:
        """What becomes of the file; raises if it cannot be done."""

    @abstractmethod
    def shows(self, spot: Spot, wanted: A, plan: Plan) -> Shown:
        """How it is drawn."""

    @abstractmethod
    def result(self, spot: Spot, wanted: A, plan: Plan) -> R:
        """What was done."""

    @abstractmethod
    def replacing(self, args: Mapping[str, object], find: str, replace: str) -> Mapping[str, object]:
        """The arguments, in the words of the dialect, for one text in place of all that they replace."""

    def verdict(self, wanted: A) -> Answer:
        """As `edit_approval` says."""
        place = self.place(wanted.path)
        return self.answer("edit", place, lambda shown: self.line(shown, wanted))

    def draw(self, wanted: A) -> Preview:
        """The change as a diff, bound to the file and to the hunks that are shown."""
        place = self.place(wanted.path)
        spot, identity, data = self.sandbox.look(place, "edit")
        try:
            if data is None:
                raise self._missing(place)
            plan = self._planned(spot, data, wanted)
        except ToolError as error:
            if spot.rules.who_asks("read") is None:
                raise
            # Why it cannot work tells what is in the file: a person decides whether the model may know.
            words = f"This cannot work; if you approve, the agent is told why:\n{error}"
            said = Presentation(type="text", description=self.line(spot.shown, wanted), content=words)
            return Preview(presentation=said, evidence=(evidence_of(place.shown, identity),))
        evidence = evidence_of(place.shown, identity, plan.diff.hunks)
        shown = self.shows(spot, wanted, plan)
        contents = whole_versions(shown, plan.before, plan.after)
        return Preview(presentation=shown, evidence=(evidence,), contents=contents)

    def do(self, wanted: A, permit: Permit | None) -> R:
        """Change it, if it is still what was shown, or the same run changed only other parts of it."""
        place = self.place(wanted.path)
        seen = shown_of(permit, place.shown)
        with self.sandbox.lock:
            spot = self.sandbox.find(place)
            self.agree(permit, "edit", spot)
            with self.sandbox.held(spot) as held:
                if held.data is None:
                    was_there = seen is not None and seen.facts["kind"] == "file"
                    raise changed(place.shown) if was_there else self._missing(place)
                before = held.identity
                moved = seen if seen is not None and not is_same(seen, before) else None
                if moved is not None and not self.sandbox.is_own_change(moved, before, permit):
                    raise changed(place.shown)
                plan = self._planned(spot, held.data, wanted)
                if moved is not None:
                    _check_shown(moved, plan)
                held.replace(plan.after)
                self.sandbox.note(permit, before, plan.after)
        return self.result(spot, wanted, plan)

    def change(self, spot: Spot, before: bytes, wanted: A) -> tuple[bytes, Diff]:
        """What becomes of the file, and the diff that is shown of it."""
        plan = self._planned(spot, before, wanted)
        return plan.after, plan.diff

    def spellings(self, args: Mapping[str, object], part: Part) -> Iterator[Mapping[str, object]]:
        """One text in place of another that is in the file once, in the encoding in which it will be looked for."""
        encoding = encoding_of(part.before) or "utf-8"
        for find, replace in part.replacements():
            yield self.replacing(args, find.decode(encoding), replace.decode(encoding))

    def versions(self, wanted: A) -> Iterator[bytes]:
        """The file as it is, and as it would be."""
        spot, _, data = self.sandbox.look(self.place(wanted.path), "edit")
        plan = self._planned(spot, data or b"", wanted)
        yield from (plan.after, plan.before)

    def _planned(self, spot: Spot, data: bytes, wanted: A) -> Plan:
        plan = self.plan(data, spot.place.shown, wanted)
        check_size(spot, plan.after)
        return plan

    def _missing(self, place: Place) -> NoSuchFile:
        return NoSuchFile(f"{place.shown} does not exist; {self.terms.write_file} creates it")


def _check_shown(seen: Evidence, plan: Plan) -> None:
    """The hunks that were shown are still there, byte for byte, and each of them once."""
    hunks = plan.diff.hunks
    if not shows(seen, hunks) or any(_is_twice(plan.before, hunk.before) for hunk in hunks):
        raise changed(seen.subject)


def _is_twice(data: bytes, part: bytes) -> bool:
    return data.find(part, data.find(part) + 1) >= 0
