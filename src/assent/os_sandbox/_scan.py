"""A search for git folders beneath a root that costs little when it is made again and again."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

# A change within one tick of the file system's clock leaves the time as it was: what is younger is read again.
_SETTLED: Final = 2_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """What was found beneath a root."""

    git: frozenset[Path]
    """Each `.git`, also a file or a link, and each folder that git takes for a repository."""
    closed: frozenset[Path]
    """Folders that we may not look into; whoever owns them may open them again."""


@dataclass(frozen=True, slots=True)
class _Seen:
    changed: int
    """When the entry last changed. Not when its content did: that time can be set at will."""
    settled: bool
    folders: tuple[str, ...]
    is_git: bool
    has_git: bool


class Scanner:
    """Remembers every folder it has read, and reads only those again that have changed since."""

    def __init__(self) -> None:
        self._seen: dict[str, _Seen] = {}

    def scan(self, root: Path) -> Scan:
        """Everything beneath `root` as it is now; links are not followed."""
        git: set[Path] = set()
        closed: set[Path] = set()
        fresh: dict[str, _Seen] = {}
        waiting = [str(root)]
        while waiting:
            folder = waiting.pop()
            try:
                seen = self._look(folder)
            except FileNotFoundError:
                continue
            except OSError:
                closed.add(Path(folder))
                continue
            fresh[folder] = seen
            git.update(_found(folder, seen))
            waiting += [f"{folder.rstrip('/')}/{name}" for name in seen.folders]
        self._keep(str(root), fresh)
        return Scan(git=frozenset(git), closed=frozenset(closed - {root}))

    def _look(self, folder: str) -> _Seen:
        """What is in the folder.

        Raises:
            OSError: it cannot be read, or nothing in it be reached.
        """
        changed = os.lstat(folder).st_ctime_ns
        known = self._seen.get(folder)
        if known is not None and known.settled and known.changed == changed:
            return known
        if not os.access(folder, os.X_OK):
            raise PermissionError(folder)
        return _read(folder, changed)

    def _keep(self, root: str, fresh: dict[str, _Seen]) -> None:
        beneath = f"{root.rstrip('/')}/"
        rest = {name: seen for name, seen in self._seen.items() if name != root and not name.startswith(beneath)}
        self._seen = rest | fresh


def _read(folder: str, changed: int) -> _Seen:
    now = time.time_ns()
    with os.scandir(folder) as entries:
        kinds = {entry.name: entry.is_dir(follow_symlinks=False) for entry in entries}
    return _Seen(
        changed=changed,
        settled=now - changed > _SETTLED,
        # Not into `.git`: what git obeys in there is known by name.
        folders=tuple(name for name, is_folder in kinds.items() if is_folder and name != ".git"),
        is_git=looks_like_git(frozenset(kinds)),
        has_git=".git" in kinds,
    )


def looks_like_git(names: frozenset[str]) -> bool:
    """Whether git may take a folder with these in it for a repository.

    Whatever kind they are: git follows links, and asks of `objects` only that it can be entered.
    """
    return "HEAD" in names and ("commondir" in names or len(names & {"objects", "refs", "config"}) > 1)


def _found(folder: str, seen: _Seen) -> Iterator[Path]:
    if seen.has_git:
        yield Path(folder, ".git")
    if seen.is_git:
        yield Path(folder)
