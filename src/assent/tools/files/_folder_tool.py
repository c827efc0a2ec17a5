"""What listing and searching share: folders that are opened once, and what may be shown of them."""

from __future__ import annotations

import os
import posixpath
from abc import abstractmethod
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeVar

from assent.errors import NotDirectory
from assent.model import ApprovalRequest, Permit, Presentation, Preview
from assent.tools.files._tool import FileTool, agreed
from assent.tools.files.disk._descriptors import identity, opened
from assent.tools.files.sandbox._evidence import changed, folder_evidence, shown_of
from assent.tools.files.sandbox._place import Place
from assent.tools.files.sandbox._requests import fingerprint, reason, request_for
from assent.tools.files.sandbox._rules import Answer, Home
from assent.tools.files.sandbox._sandbox import as_written
from assent.tools.files.sandbox._spot import Spot


class MayHavePath(Protocol):
    """Arguments that may name a folder."""

    @property
    def path(self) -> str | None:
        """As the model wrote it; none for everything there is."""
        ...


A = TypeVar("A", bound=MayHavePath)
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A folder to go through: open, and judged by where it was opened."""

    spot: Spot
    """Where it is; of a single file, where that is."""
    descriptor: int
    file: str | None = None
    """The only name in it to look at, where the path names a file."""
    nested: tuple[tuple[str, Home], ...] = ()
    """The roots beneath it, by their path from here; outermost first."""

    @property
    def asking(self) -> list[Home]:
        """The roots that make it ask."""
        homes = (*self.spot.rules.homes, *(home for _, home in self.nested))
        return [home for home in homes if home.asks("read")]

    def name(self, path: str) -> str:
        """How a file in it is said to the model; bytes that are no text are escaped."""
        shown = self.spot.path
        name = shown if self.file else path if shown == "." else posixpath.join(shown, path)
        return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


class FolderTool(FileTool[A, R]):
    """Goes through folders without following links; it asks if any root on the way does."""

    idempotent = True
    takes_files: ClassVar[bool] = False
    """Whether the path may also name a single file."""

    @abstractmethod
    def line(self, wanted: A, where: str) -> str:
        """What it does, in one line."""

    @abstractmethod
    def details(self, wanted: A) -> str:
        """What a person must know of it beside the folder."""

    @abstractmethod
    def through(self, folders: Sequence[Folder], wanted: A) -> R:
        """Go through the folders, which are open and agreed to."""

    def verdict(self, wanted: A) -> Answer:
        """As `read_approval` of every root on the way says."""
        with self._opened(wanted.path) as folders:
            return self._answer(folders, wanted, None)

    def draw(self, wanted: A) -> Preview:
        """Where it looks, and for what."""
        with self._opened(wanted.path) as folders:
            return Preview(
                presentation=Presentation(
                    type="text", description=self.line(wanted, _where(folders)), content=self.details(wanted)
                ),
                evidence=tuple(folder_evidence(each.spot.place.shown, _identity(each)) for each in folders),
            )

    def do(self, wanted: A, permit: Permit | None) -> R:
        """Go through the folders, if they are what was agreed to."""
        with self._opened(wanted.path) as folders:
            self._answer(folders, wanted, permit)
            for folder in folders:
                shown = folder.spot.place.shown
                seen = shown_of(permit, shown)
                if seen is not None and seen.facts["directory"] != _identity(folder):
                    raise changed(shown)
            return self.through(folders, wanted)

    @contextmanager
    def _opened(self, path: str | None) -> Generator[list[Folder]]:
        """The folders to begin in. They are judged open, so that none can be swapped for another."""
        with ExitStack() as stack:
            yield [self._folder(place, stack) for place in self._begins(path)]

    def _begins(self, path: str | None) -> Iterator[Place]:
        """The folder named, or every root that lies in no other."""
        if path is not None:
            yield self.sandbox.place(path, self.addressing)
            return
        for home in self.sandbox.outermost():
            yield Place(home=home, relative=".", shown=self._root_name(home))

    def _folder(self, place: Place, stack: ExitStack) -> Folder:
        root = place.home.root
        with as_written(place):
            try:
                descriptor = stack.enter_context(opened(root.folder(place.relative)))
            except NotDirectory:
                if not self.takes_files:
                    raise
                return self._file(place, stack)
        spot = self.sandbox.spot(place, root.where(descriptor) or ".")
        nested = self.sandbox.nested_in(spot)
        return Folder(spot=spot, descriptor=descriptor, nested=nested)

    def _file(self, place: Place, stack: ExitStack) -> Folder:
        spot, file = self.sandbox.opened(place)
        os.close(file)
        self.sandbox.check_limits(spot, "read")
        folder, name = posixpath.split(spot.real)
        descriptor = place.home.root.open(folder or ".", os.O_DIRECTORY, links=False)
        return Folder(spot=spot, descriptor=stack.enter_context(opened(descriptor)), file=name)

    def _answer(self, folders: Sequence[Folder], wanted: A, permit: Permit | None) -> Answer:
        asking = [home for folder in folders for home in folder.asking]
        if not asking:
            return folders[0].spot.home.allows("read")
        line = self.line(wanted, _where(folders))
        return agreed(permit, _request(folders, asking, line), _where(folders))

    def _root_name(self, home: Home) -> str:
        """How a root itself is said in this dialect."""
        match self.addressing:
            case "named":
                return home.name
            case "rooted":
                return "."
            case "absolute":
                return str(home.root.path)


def _request(folders: Sequence[Folder], asking: Sequence[Home], description: str) -> ApprovalRequest:
    first = folders[0]
    if len(folders) == 1 and all(home in first.spot.rules.homes for home in asking):
        return request_for("read", first.spot, asking[0], description, is_folder=first.file is None)
    # Several roots at once: the answer holds for these very folders, and for the roots that ask today.
    return ApprovalRequest(
        description=description,
        fingerprint={
            "folders": [fingerprint(folder.spot) for folder in folders],
            "asking": sorted(str(home.root.path) for home in asking),
        },
        reason=reason("read", asking[0]),
        covers=f"every use of this tool in {_where(folders)}",
    )


def _where(folders: Sequence[Folder]) -> str:
    return ", ".join(folder.spot.shown for folder in folders)


def _identity(folder: Folder) -> tuple[int, int]:
    return identity(os.fstat(folder.descriptor))
