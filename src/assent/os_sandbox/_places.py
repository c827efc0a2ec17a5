"""Places inside a root that programs outside obey: repositories, home folders, and our own code."""

from __future__ import annotations

import os
import pwd
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from assent.os_sandbox._git_config import named_in
from assent.os_sandbox._scan import Scan, Scanner

# `commondir` sends git to another folder's `config` and `hooks`; git reads it in any repository. Submodules
# and work trees have the same files: one mask for each folder of them, also before there are any.
_OBEYED: Final = ("config", "hooks", "commondir", "config.worktree", "modules", "worktrees")
# Each is read by a shell when it starts or ends, or by what a shell reads then.
_START_UP: Final = (
    *(".profile", ".bash_profile", ".bash_login", ".bashrc", ".bash_aliases", ".bash_logout"),
    *(".zshenv", ".zprofile", ".zshrc", ".zlogin", ".zlogout"),
    *(".kshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".config/fish"),
)
# The same for git, wherever it runs.
_FOR_GIT: Final = (".gitconfig", ".config/git")


def repositories(root: Path, scanner: Scanner | None = None) -> frozenset[Path]:
    """Every git folder at or under `root`: each `.git` (also a file or a link), and bare repositories."""
    return (scanner or Scanner()).scan(root).git


def new_repositories(before: Iterable[Path], roots: Iterable[Path], scanner: Scanner | None = None) -> tuple[Path, ...]:
    """The git folders that appeared under the roots and that git would obey: look before you use git there.

    A mask cannot cover a repository which a command makes in a folder of its own.
    """
    known = frozenset(before)
    looks = scanner or Scanner()
    found = {place for root in roots for place in looks.scan(root).git} - known
    return tuple(sorted(place for place in found if not os.path.isdir(place) or _obeys(place)))  # noqa: PTH112 (never raises)


def places_git_obeys(root: Path, found: Scan) -> Iterator[Path]:
    """What makes git run programs, in every repository under `root`, and where one could be made."""
    if not _is_repository(root / ".git"):
        yield root / ".git"
    # Nobody knows what lies there, and a command may open what is its user's own.
    yield from found.closed
    for place in found.git:
        real = Path(os.path.realpath(place))
        if _is_repository(real):
            yield from (place / name for name in _OBEYED)
        else:
            yield place
        yield from named_in(place)
    # A repository around the root may keep its hooks in it.
    yield from _named_around(root.parent)


def places_obeyed(root: Path) -> Iterator[Path]:
    """What other programs obey in `root`, as far as nobody need search for it."""
    yield from _named_around(root)
    yield from places_shells_obey(root, home_folders())
    yield from places_python_loads(root)


def git_obeys(path: Path) -> bool:
    """Whether git obeys what lies at a real path, or takes the folder for a repository once it lies there."""
    if ".git" in (part.casefold() for part in path.parts):
        return True
    if path.name == "HEAD" and _obeys(path.parent):
        return True
    if any(each.name in _OBEYED and os.path.lexists(each.parent / "HEAD") for each in (path, *path.parents)):
        return True
    return any(path.is_relative_to(os.path.realpath(place)) for place in _named_around(path.parent))


def places_python_loads(root: Path) -> Iterator[Path]:
    """This interpreter with what is installed in it, and this package, as far as they lie under `root`.

    Not what the work itself is done in: the root, the folder we are in, and a project's own sources,
    wherever Python finds them.
    """
    here = Path(os.path.realpath("."))
    for name in {sys.prefix, sys.base_prefix, sys.exec_prefix, str(Path(__file__).parents[1])}:
        place = Path(os.path.realpath(name))
        if place != root and place.is_relative_to(root) and not here.is_relative_to(place):
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
    # Not `Path.is_dir`: it raises where this user may not look.
    real = {Path(os.path.realpath(home)) for home in homes if home.is_absolute() and os.path.isdir(home)}  # noqa: PTH112
    # System accounts live in places that are no homes; a shell never starts there.
    return frozenset(real - {Path("/"), Path("/bin"), Path("/dev"), Path("/usr/sbin"), Path("/usr/bin")})


def _named_around(folder: Path) -> Iterator[Path]:
    """What the repositories name that a folder is the work tree of, or lies in."""
    for place in (each / ".git" for each in (folder, *folder.parents)):
        if os.path.lexists(place):
            yield from named_in(place)


def _is_repository(place: Path) -> bool:
    # An empty folder is no repository yet: whoever fills it decides what git obeys.
    try:
        return place.is_dir() and not place.is_symlink() and any(place.iterdir())
    except OSError:
        return False


def _obeys(place: Path) -> bool:
    return any(os.path.lexists(place / name) for name in _OBEYED)
