"""Random trees with links that lead everywhere, and random paths through them."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st

from assent.tools.files.disk._root import Root, Way

CANARY = b"nobody may read this"

names = st.sampled_from(["a", "b", "c"])
steps = st.sampled_from(["a", "a", "b", "b", "c", "..", ".", ""])
ways_on = st.lists(steps, min_size=1, max_size=6).map("/".join)
# To the root by its real path, by the link it was configured with, to its surroundings, to everything.
starts = st.sampled_from(["", "", "", "", "{real}/", "{configured}/", "{outside}/", "/"])
targets = st.builds("{0}{1}".format, starts, ways_on).filter(bool)
paths = ways_on.filter(lambda path: path != "" and not path.startswith("/"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing in a tree; a link has a target, a file content."""

    at: Sequence[str]
    kind: str
    target: str


entries = st.builds(
    Entry,
    at=st.lists(names, min_size=1, max_size=3),
    kind=st.sampled_from(["folder", "file", "link", "link"]),
    target=targets,
)
trees = st.lists(entries, max_size=14)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A tree on disk, and what lies around it."""

    configured: Path
    real: Path
    outside: Path

    def root(self, way: Way) -> Root:
        return Root(self.configured, way=way)

    def inodes(self) -> set[tuple[int, int]]:
        """Everything that lies beneath the root."""
        found = {identity(os.lstat(self.real))}
        for folder, folders, files in os.walk(self.real):
            found |= {identity(os.lstat(Path(folder, name))) for name in (*folders, *files)}
        return found


def identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


@contextmanager
def planted(tree: Sequence[Entry]) -> Generator[Planted]:
    """The tree, among neighbours of the same names: whoever gets out finds something."""
    with TemporaryDirectory() as base:
        outside = Path(os.path.realpath(base), "outside")
        real = outside / "root"
        real.mkdir(parents=True)
        (outside / "b" / "b").mkdir(parents=True)
        for name in ("a", "c", "b/a", "b/c", "b/b/a"):
            (outside / name).write_bytes(CANARY)
        place = Planted(configured=Path(base, "configured"), real=real, outside=outside)
        place.configured.symlink_to(real)
        for entry in tree:
            _plant(entry, place)
        yield place


def _plant(entry: Entry, place: Planted) -> None:
    folder = place.real.joinpath(*entry.at[:-1])
    path = folder / entry.at[-1]
    # Not through a link, which might lead out; what is in the way stays.
    if any(place.real.joinpath(*entry.at[:count]).is_symlink() for count in range(1, len(entry.at))):
        return
    with suppress(FileExistsError, NotADirectoryError):
        folder.mkdir(parents=True, exist_ok=True)
        match entry.kind:
            case "folder":
                path.mkdir()
            case "link":
                path.symlink_to(entry.target.format(**_shown(place)))
            case _:
                with path.open("xb") as file:
                    file.write(b"inside")


def _shown(place: Planted) -> dict[str, str]:
    return {"real": str(place.real), "configured": str(place.configured), "outside": str(place.outside)}
