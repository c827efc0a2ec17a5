"""What listing and searching share: the folders they begin in, and which files they may show."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from assent.config import SandboxPath
from assent.model import ApprovalRequest, Evidence, Permit, Presentation, Preview
from assent.tools.files._evidence import changed, folder_evidence, shown_of
from assent.tools.files._place import Place
from assent.tools.files._requests import fingerprint, reason, request_for
from assent.tools.files._rules import Answer, Home
from assent.tools.files._sandbox import Spot, as_written
from assent.tools.files._tool import FileTool, agreed

A = TypeVar("A")
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A folder to go through, opened, and whose rules hold in it."""

    shown: str
    """How paths in it begin; "" for the only root."""
    descriptor: int
    home: Home
    nested: tuple[tuple[str, Home], ...]
    """The roots beneath it, by their path from here; outermost first."""

    @property
    def _rules(self) -> list[SandboxPath]:
        return [home.rule for home in (self.home, *(home for _, home in self.nested))]

    @property
    def is_uniform(self) -> bool:
        """Whether every root in it holds the same kinds of files."""
        return len({rule.suffixes for rule in self._rules}) == 1

    @property
    def suffixes(self) -> frozenset[str] | None:
        """The only endings a file in it may have; none said where the roots beneath differ."""
        only = self.home.rule.suffixes
        return frozenset(only) if only is not None and self.is_uniform else None

    @property
    def most_bytes(self) -> int:
        """The largest file that is read in it."""
        return min(rule.max_file_bytes for rule in self._rules)

    def admits(self, path: str) -> bool:
        """Whether the root a file lies in holds files of this kind."""
        home = self.home
        for beneath, inner in self.nested:
            if path.startswith(f"{beneath}/"):
                home = inner
        return home.rule.suffixes is None or path.endswith(home.rule.suffixes)

    def name(self, path: str) -> str:
        """How a file in it is said to the model."""
        return posixpath.join(self.shown, path)


class FolderTool(FileTool[A, R]):
    """Goes through folders without following links; it asks if any root on the way does."""

    idempotent = True

    def begins(self, path: str | None) -> list[Place]:
        """The folder named, or every root that lies in no other."""
        if path is not None:
            return [self.sandbox.place(path, self.addressing)]
        return [
            Place(home=home, relative=".", shown=self.root_name(home))
            for home in self.sandbox.homes.values()
            if not any(home in self.sandbox.nested_in(str(other.root.path)) for other in self.sandbox.homes.values())
        ]

    def question_about(self, path: str | None, permit: Permit | None, description: str) -> Answer:
        """The strictest of what every root on the way says."""
        spots = [self.sandbox.find(place) for place in self.begins(path)]
        asking = [
            home
            for spot in spots
            for home in (*spot.rules.homes, *self.sandbox.nested_in(spot.absolute))
            if home.asks("read")
        ]
        if not asking:
            return spots[0].home.allows("read")
        return agreed(permit, self._request(spots, asking, description), description)

    def drawn(self, path: str | None, description: str, content: str) -> Preview:
        """Where it looks, and for what."""
        evidence: list[Evidence] = []
        for place in self.begins(path):
            with self.opened(place) as folder:
                evidence.append(folder_evidence(place.shown, _identity(folder.descriptor)))
        return Preview(
            presentation=Presentation(type="text", description=description, content=content), evidence=tuple(evidence)
        )

    @contextmanager
    def opened(self, place: Place, permit: Permit | None = None) -> Generator[Folder]:
        """The folder, if it is the one that was shown."""
        with as_written(place):
            descriptor = place.home.root.folder(place.relative)
        try:
            seen = shown_of(permit, place.shown)
            if seen is not None and seen.facts["directory"] != _identity(descriptor):
                raise changed(place.shown)
            yield self._folder(place, descriptor)
        finally:
            os.close(descriptor)

    def _folder(self, place: Place, descriptor: int) -> Folder:
        spot = self.sandbox.spot(place, place.home.root.where(descriptor) or ".")
        absolute = spot.absolute
        nested = ((posixpath.relpath(home.root.path, absolute), home) for home in self.sandbox.nested_in(absolute))
        return Folder(
            shown="" if place.shown == "." else place.shown,
            descriptor=descriptor,
            home=spot.home,
            nested=tuple(nested),
        )

    def _request(self, spots: Sequence[Spot], asking: Sequence[Home], description: str) -> ApprovalRequest:
        first = spots[0]
        if len(spots) == 1 and all(home in first.rules.homes for home in asking):
            return request_for("read", first, asking[0], description)
        # Several roots at once: the answer holds for these very folders, and for the roots that ask today.
        return ApprovalRequest(
            description=description,
            fingerprint={
                "folders": [fingerprint(spot) for spot in spots],
                "asking": sorted(str(home.root.path) for home in asking),
            },
            reason=reason("read", asking[0]),
            covers=f"every use of this tool in {', '.join(spot.place.shown for spot in spots)}",
        )

    def root_name(self, home: Home) -> str:
        """How a root itself is said in this dialect."""
        match self.addressing:
            case "named":
                return home.name
            case "rooted":
                return "."
            case "absolute":
                return str(home.root.path)


def _identity(descriptor: int) -> tuple[int, int]:
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino
