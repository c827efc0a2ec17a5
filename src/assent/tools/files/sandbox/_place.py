"""From the path a model writes to a root and a place beneath it."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from assent.errors import PathNotInSandboxError
from assent.tools.files.disk._spelling import check_spelling
from assent.tools.files.disk._spelling import shown as quoted
from assent.tools.files.sandbox._rules import Home

Addressing = Literal["named", "rooted", "absolute"]
"""`name/relative/path`, a path beneath the only root, or a path from the top of the file system."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A path as it was written: where it begins, and the way from there."""

    home: Home
    relative: str
    """As it was written, links and `..` included; "." is the root itself."""
    shown: str
    """How it is said to people and models."""

    @property
    def tidy(self) -> str:
        """The relative path without empty parts; `..` is kept, because a link may stand before it."""
        return tidied(self.relative) or "."

    @property
    def plain(self) -> str:
        """The relative path as it reads, without looking at the disk."""
        return posixpath.normpath(self.relative)


def place_of(path: str, addressing: Addressing, homes: Mapping[str, Home]) -> Place:
    """The place a path means.

    Raises:
        InvalidPath: no file can have this path.
        PathNotInSandboxError: it lies in no root.
    """
    place = _PLACES[addressing](path, homes)
    if _climbs_out(place.relative):
        raise outside(path, addressing, homes)
    return place


def outside(path: str, addressing: Addressing, homes: Mapping[str, Home]) -> PathNotInSandboxError:
    """What to say of a path that lies in no root: where files may lie."""
    return PathNotInSandboxError(
        f"{quoted(path)} lies outside; allowed: {_allowed(addressing, homes) or 'no path at all'}"
    )


def _allowed(addressing: Addressing, homes: Mapping[str, Home]) -> str:
    match addressing:
        case "named":
            return f"{', '.join(map(str, homes.values()))}; write a path as name/relative/path"
        case "rooted":
            return "paths relative to the workspace root that stay in it"
        case "absolute":
            return ", ".join(f"{home.root.path} ({home.rule.mode})" for home in homes.values())


def _place(home: Home, relative: str, shown: str) -> Place:
    return Place(home=home, relative=relative or ".", shown=tidied(shown) or ".")


def tidied(path: str) -> str:
    """The path without empty parts and single dots."""
    parts = "/".join(part for part in path.split("/") if part not in ("", "."))
    return f"/{parts}" if path.startswith("/") else parts


def _check_relative(path: str, addressing: Addressing, homes: Mapping[str, Home]) -> None:
    if path.startswith(("/", "~")):
        raise outside(path, addressing, homes)
    check_spelling(path)


def _without_dots(path: str) -> str:
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path


def _named(path: str, homes: Mapping[str, Home]) -> Place:
    _check_relative(path, "named", homes)
    name, _, relative = _without_dots(path).partition("/")
    if name not in homes:
        raise outside(path, "named", homes)
    return _place(homes[name], relative.lstrip("/"), posixpath.join(name, relative.lstrip("/")))


def _rooted(path: str, homes: Mapping[str, Home]) -> Place:
    _check_relative(path, "rooted", homes)
    (home,) = homes.values()
    return _place(home, path, path)


def _absolute(path: str, homes: Mapping[str, Home]) -> Place:
    if not path.startswith("/"):
        raise outside(path, "absolute", homes)
    check_spelling(path.lstrip("/") or ".")
    inside = [home for home in homes.values() if lies_in(path, str(home.root.path))]
    if not inside:
        raise outside(path, "absolute", homes)
    home = max(inside, key=lambda each: len(str(each.root.path)))
    return _place(home, path[len(str(home.root.path)) :].lstrip("/"), path)


def lies_in(path: str, folder: str) -> bool:
    """Whether an absolute path is the folder or begins with it."""
    return path == folder or path.startswith(folder if folder.endswith("/") else f"{folder}/")


def _climbs_out(relative: str) -> bool:
    """Whether the path leaves its root as it reads: what comes back later had left all the same."""
    depth = 0
    for part in relative.split("/"):
        depth += -1 if part == ".." else part not in ("", ".")
        if depth < 0:
            return True
    return False


_PLACES: Final[Mapping[Addressing, Callable[[str, Mapping[str, Home]], Place]]] = {
    "named": _named,
    "rooted": _rooted,
    "absolute": _absolute,
}
