"""A part of a change: the blocks that a person chose, said in arguments of the same tool."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeVar

from assent.diff import Diff, block_edits, chosen
from assent.errors import EditNotUniqueError, InvalidArguments
from assent.model import (
    Change,
    EditPresentation,
    PatchPresentation,
    Preview,
    Shown,
    ToolCall,
    WritePresentation,
    unified_diff_of,
)
from assent.tools.files._text import counted, shown_text
from assent.tools.files._tool import FileTool
from assent.tools.files.sandbox._evidence import changed, is_same
from assent.tools.files.sandbox._rules import Operation
from assent.tools.files.sandbox._spot import Spot


class HasPath(Protocol):
    """Arguments that name one file."""

    @property
    def path(self) -> str:
        """As the model wrote it."""
        ...


A = TypeVar("A", bound=HasPath)
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A file before and after some blocks of a change, and where in it they lie."""

    before: bytes
    after: bytes
    start: int
    """Where the first of the blocks begins in `before`,"""
    end: int
    """and where the last one ends."""

    def replacements(self) -> Iterator[tuple[bytes, bytes]]:
        """What to find, which is in the file once, and what to put there; then more of both.

        It ends with the whole file. The lines around the blocks are doubled, not counted up: a million may be alike.
        """
        start, end, lines = self.start, self.end, 1
        while True:
            find, behind = self.before[start:end], len(self.before) - end
            # A plan would say so too, but lists all matches first: half a minute where lines are alike.
            if _is_once(self.before, find):
                yield find, self.after[start : len(self.after) - behind]
            if not start and not behind:
                return
            start, end, lines = _up(self.before, start, lines), _down(self.before, end, lines), 2 * lines


class NarrowingTool(FileTool[A, R]):
    """Shows what it changes in a file as a diff, and can make only some blocks of it."""

    operation: ClassVar[Operation]

    @abstractmethod
    def change(self, spot: Spot, before: bytes, wanted: A) -> tuple[bytes, Diff]:
        """What becomes of the file, and its diff; raises if it cannot be done."""

    @abstractmethod
    def spellings(self, args: Mapping[str, object], part: Part) -> Iterator[Mapping[str, object]]:
        """These arguments, changed so that they may say the part; the best ones first."""

    async def narrow(self, call: ToolCall, hunks: Sequence[int], shown: Preview, /) -> Mapping[str, object]:
        """The arguments for these blocks of the diff that was shown, counted from 0.

        Raises:
            InvalidArguments: there are no such blocks, or no arguments say them.
            ChangedSinceApproval: they are not what was shown any more.
        """
        if not unified_diff_of(shown.presentation):
            raise InvalidArguments(f"{self.name} showed no hunks here; approve or reject all of it")
        return await self.sandbox.threads.run(self._narrowed, call.args, self.wanted(call.args), hunks, shown)

    def _narrowed(
        self, args: Mapping[str, object], wanted: A, hunks: Sequence[int], shown: Preview
    ) -> Mapping[str, object]:
        spot, before, difference = self._as_shown(wanted, shown)
        edits = block_edits(difference)
        numbers = _checked(hunks, len(edits))
        if len(numbers) == len(edits):
            return args
        after = chosen(before, difference, numbers)
        part = Part(before=before, after=after, start=edits[numbers[0]].start, end=edits[numbers[-1]].end)
        return self._said(args, spot, part)

    def _as_shown(self, wanted: A, shown: Preview) -> tuple[Spot, bytes, Diff]:
        """The file and its diff, if both are still what was shown."""
        place = self.place(wanted.path)
        spot, identity, before = self.sandbox.look(place, self.operation)
        seen = next((each for each in shown.evidence if each.subject == place.shown), None)
        if before is None or seen is None or not is_same(seen, identity):
            raise changed(place.shown)
        _, difference = self.change(spot, before, wanted)
        # In another diff of the same file the numbers would mean other lines.
        if shown_text(difference.text(spot.real, spot.real))[0] != unified_diff_of(shown.presentation):
            raise changed(place.shown)
        return spot, before, difference

    def _said(self, args: Mapping[str, object], spot: Spot, part: Part) -> Mapping[str, object]:
        """Arguments that do exactly this: tried, not believed."""
        for said in self.spellings(args, part):
            with suppress(EditNotUniqueError):
                if self.change(spot, part.before, self.wanted(said))[0] == part.after:
                    return said
        raise InvalidArguments(
            f"no arguments of {self.name} make these hunks of {spot.place.shown} alone; "
            "approve all of them, or reject and say what to change"
        )


def whole_versions(shown: Shown, before: bytes | None, after: bytes) -> Mapping[str, bytes]:
    """The versions that the drawing of a change speaks of, if they are text."""
    match shown:
        case (
            EditPresentation(change=Change() as change)
            | WritePresentation(change=Change() as change)
            | PatchPresentation(changes=(change,))
        ):
            both = (change.before, before), (change.after, after)
            return {was.sha256: data for was, data in both if was and data is not None and was.media_type is None}
        case _:
            return {}


def _checked(hunks: Sequence[int], there: int) -> list[int]:
    """The numbers of the chosen blocks, each once and in order."""
    numbers = sorted(set(hunks))
    if numbers and 0 <= numbers[0] <= numbers[-1] < there:
        return numbers
    allowed = f"there {'is' if there == 1 else 'are'} {counted(there, 'hunk')}, counted from 0"
    raise InvalidArguments(f"hunks {list(hunks)} are no choice: {allowed}. Name some of them, or reject all")


def _is_once(data: bytes, part: bytes) -> bool:
    return data.find(part, data.find(part) + 1) < 0


def _up(data: bytes, at: int, lines: int) -> int:
    """Where the line begins that many lines above."""
    while at and lines:
        at, lines = data.rfind(b"\n", 0, at - 1) + 1, lines - 1
    return at


def _down(data: bytes, at: int, lines: int) -> int:
    """Where the line begins that many lines below."""
    while at < len(data) and lines:
        at, lines = data.find(b"\n", at) + 1 or len(data), lines - 1
    return at
