"""Where things lie: the configuration file, the store, and what leads to them."""

from __future__ import annotations

import errno
import os
import reprlib
import stat
import sys
from pathlib import Path
from typing import Final

from assent.errors import ConfigError

SETTINGS_FILE: Final = "assent.yaml"
_NEARLY: Final = "assent.yml"
_MOST_LINKS: Final = 64


def find_settings_file(start: Path) -> Path | None:
    """The nearest `assent.yaml` from `start` upwards.

    Raises:
        ConfigError: an `assent.yml` is nearer.
    """
    folder = Path(os.path.realpath(start))
    # `lexists`: a broken link or a folder of that name must fail to load. Walking past it
    # would put a file further up in force, which nobody chose.
    for each in (folder, *folder.parents):
        if os.path.lexists(each / SETTINGS_FILE):
            return each / SETTINGS_FILE
        if os.path.lexists(each / _NEARLY):
            # Somebody relies on what it says.
            raise ConfigError(
                f"{each / _NEARLY}: the file is named {SETTINGS_FILE}, so nothing in this one is in force; rename it"
            )
    return None


def default_store_path() -> Path:
    """The store when the file names none: a place of the user, not of the project.

    Raises:
        ConfigError: the home folder is unknown.
    """
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    if not state.is_absolute():
        home = Path(os.path.expanduser("~"))  # noqa: PTH111 (`Path.home` raises where this can be answered)
        state = home / ("Library/Application Support" if sys.platform == "darwin" else ".local/state")
    if not state.is_absolute():
        raise ConfigError(
            "the home folder is unknown, so there is no default store; set HOME, XDG_STATE_HOME or `store`"
        )
    return state / "assent" / "assent.db"


def locate(text: str, folder: str) -> Path:
    """The absolute place a path in the file means, links not followed.

    Raises:
        ValueError: no file can have this path.
    """
    if "\0" in text:
        raise ValueError("holds a NUL character; no path can")
    expanded = os.path.expanduser(text)  # noqa: PTH111 (`Path.expanduser` raises RuntimeError)
    if expanded.startswith("~"):
        raise ValueError(f"names a home folder that does not exist; write './{text}' for a folder of that name")
    return absolute(Path(folder, expanded))


def absolute(path: Path) -> Path:
    """The path from the top and without `..`, links not followed."""
    return Path(os.path.abspath(path))  # noqa: PTH100 (`Path.absolute` keeps `..`)


def real(path: Path) -> Path:
    """The path with every link followed."""
    return Path(os.path.realpath(path))


def folded(path: Path) -> Path:
    """The path as a file system that ignores case sees it."""
    return Path(str(path).casefold())


def trail(path: Path) -> frozenset[Path]:
    """Every place a lookup of `path` depends on: as spelled, each link's target, the end.

    Whoever can replace one of these decides what `path` is the next time.

    Raises:
        ConfigError: it cannot be looked up, since a name in it is too long or a folder is closed.
    """
    places: set[Path] = set()
    ahead = [absolute(path)]
    while ahead and len(places) < _MOST_LINKS:
        place = ahead.pop()
        if place not in places:
            places.add(place)
            ahead += _behind_links(place)
    return frozenset(places | {real(path)})


def _behind_links(place: Path) -> list[Path]:
    try:
        links = [step for step in (place, *place.parents) if _is_link(step)]
        return [absolute(link.parent / link.readlink() / place.relative_to(link)) for link in links]
    except OSError as error:
        shown = reprlib.repr(str(place))
        raise ConfigError(f"{shown} cannot be looked up: {error.strerror}; name a place that can be") from None


def _is_link(path: Path) -> bool:
    """Whether it is a link; raises `OSError` where nobody can tell."""
    # Not `Path.is_symlink`: newer Pythons say no where nobody can tell.
    try:
        return stat.S_ISLNK(path.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        # A loop of links leads nowhere; where it turns is known by then.
        if error.errno == errno.ELOOP:
            return False
        raise


def beneath(place: Path, root: Path) -> bool:
    """Whether `place` is `root` or lies in it, on any file system.

    Case is ignored everywhere: too much is kept from a tool, never too little.
    """
    return folded(place).is_relative_to(folded(root))


def same_file(one: Path, other: Path) -> bool:
    """Whether both names are the same file on disk, as hard links are."""
    try:
        return one.samefile(other)
    except OSError:
        return False
