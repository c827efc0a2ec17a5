"""Places inside a root that programs outside obey: repositories, and home folders."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

# `commondir` sends git to another folder's `config` and `hooks`; git reads it in any repository.
_OBEYED: Final = ("config", "hooks", "commondir")
# One mask for each folder of further repositories: submodules and work trees have the same three files.
_OBEYED_IF_THERE: Final = ("config.worktree", "modules", "worktrees")
# Each is read by a shell when it starts or ends, or by what a shell reads then.
_START_UP: Final = (
    *(".profile", ".bash_profile", ".bash_login", ".bashrc", ".bash_aliases", ".bash_logout"),
    *(".zshenv", ".zprofile", ".zshrc", ".zlogin", ".zlogout"),
    *(".kshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".config/fish"),
)
# The same for git, wherever it runs.
_FOR_GIT: Final = (".gitconfig", ".config/git")


def repositories(root: Path) -> frozenset[Path]:
    """Every git folder at or under `root`: each `.git` (also a file or a link), and bare repositories."""
    return frozenset(_repositories(root))


def new_repositories(before: Iterable[Path], roots: Iterable[Path]) -> tuple[Path, ...]:
    """The git folders that appeared under the roots and that git would obey: look before you use git there.

    A mask cannot cover a repository which a command makes in a folder of its own.
    """
    known = frozenset(before)
    found = {place for root in roots for place in _repositories(root)} - known
    return tuple(sorted(place for place in found if not place.is_dir() or _obeys(place)))


def places_git_obeys(root: Path) -> Iterator[Path]:
    """What makes git run programs, in every repository under `root`, and where one could be made."""
    if not _is_repository(root / ".git"):
        yield root / ".git"
    for place in _repositories(root):
        if _is_repository(place):
            yield from (place / name for name in _OBEYED)
            yield from (place / name for name in _OBEYED_IF_THERE if os.path.lexists(place / name))
        else:
            yield place


def places_shells_obey(root: Path, homes: Iterable[Path]) -> Iterator[Path]:
    """What a shell, or git anywhere, reads from a home folder that lies under `root`, or that leads there.

    A root in which a start-up file lies is taken for somebody's home folder. Elsewhere nobody obeys
    files of these names.
    """
    known = set(homes)
    if any(os.path.lexists(root / name) for name in _START_UP):
        known.add(root)
    for place in (home / name for home in known for name in (*_START_UP, *_FOR_GIT)):
        if place.is_relative_to(root):
            yield place
        # Not `Path.is_symlink`: it raises where this user may not look, as in the home folder of another.
        elif os.path.islink(place) and (real := Path(os.path.realpath(place))).is_relative_to(root):  # noqa: PTH114
            # The file itself is kept with others under the root, and the home folder only has a link.
            yield real


def home_folders() -> frozenset[Path]:
    """The home folders of this machine, with links followed."""
    named = (os.environ.get(name, "/") for name in ("HOME", "ZDOTDIR"))
    homes = {Path(entry.pw_dir) for entry in pwd.getpwall()} | set(map(Path, named))
    real = {Path(os.path.realpath(home)) for home in homes if home.is_absolute() and home.is_dir()}
    # System accounts live in places that are no homes; a shell never starts there.
    return frozenset(real - {Path("/"), Path("/bin"), Path("/dev"), Path("/usr/sbin"), Path("/usr/bin")})


def _repositories(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root, onerror=None, followlinks=False):
        if ".git" in folders or ".git" in files:
            yield Path(folder, ".git")
        if "HEAD" in files and {"objects", "refs"} <= set(folders):
            yield Path(folder)
            folders.clear()
        folders[:] = [name for name in folders if name != ".git"]


def _is_repository(place: Path) -> bool:
    # An empty folder is no repository yet: whoever fills it decides what git obeys.
    try:
        return place.is_dir() and not place.is_symlink() and any(place.iterdir())
    except OSError:
        return False


def _obeys(place: Path) -> bool:
    return any(os.path.lexists(place / name) for name in _OBEYED)
