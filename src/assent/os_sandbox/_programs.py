"""Programs that we start ourselves: never one that an agent could have put there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

_SYSTEM_PATH: Final = "/usr/local/bin:/usr/bin:/bin"


def safe_path(path: str, writable: Iterable[Path]) -> str:
    """The absolute entries of PATH that no agent can put a program into."""
    return os.pathsep.join(_safe(path, tuple(writable))) or _SYSTEM_PATH


def find_program(name: str, *, writable: Iterable[Path], path: str | None = None) -> str | None:
    """The first program of that name which no agent can have put there, nor can replace; none if there is none."""
    roots = tuple(writable)
    for folder in _safe(os.environ.get("PATH", os.defpath) if path is None else path, roots):
        found = shutil.which(name, path=folder)
        if found is not None and not lies_in(found, roots):
            return found
    return None


def _safe(path: str, roots: Sequence[Path]) -> Iterator[str]:
    for entry in path.split(os.pathsep):
        if os.path.isabs(entry) and not lies_in(entry, roots):  # noqa: PTH117 (plain text)
            yield entry


def lies_in(entry: str | Path, roots: Iterable[Path]) -> bool:
    """Whether it lies in one of the folders, as spelled or where it leads.

    Both: a link in a root can be turned to another place.
    """
    places = (Path(os.path.abspath(entry)), Path(os.path.realpath(entry)))  # noqa: PTH100 (`resolve` follows links)
    real = {each for root in roots for each in (Path(root), Path(os.path.realpath(root)))}
    return any(place.is_relative_to(root) for place in places for root in real)
