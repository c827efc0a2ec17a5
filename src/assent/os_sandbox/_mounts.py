"""The mounts a profile needs, each by a descriptor of the real place, and what stands in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from assent.errors import CannotConfine
from assent.os_sandbox._held import StandIn, open_place, remove_all, stand_in
from assent.os_sandbox._profile import OSProfile

# The kernel's own folders: the host's would show, and let be changed, more than files.
_NO_ROOTS: Final = (Path("/proc"), Path("/sys"), Path("/dev"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """One place to show inside, under its own name."""

    kind: Literal["ro", "rw"]
    place: Path
    fd: int


@dataclass(slots=True)
class Mounts:
    """Everything a profile shows, parents first, masks last; held until released."""

    mounts: list[Mount] = field(default_factory=list[Mount])
    stand_ins: list[StandIn] = field(default_factory=list[StandIn])
    masks: dict[Path, tuple[int, int]] = field(default_factory=dict[Path, tuple[int, int]])
    """What was masked: the very file or folder, by its numbers."""

    def close(self) -> None:
        """Close the descriptors; the mounts have been made, or never will be."""
        while self.mounts:
            os.close(self.mounts.pop().fd)

    def fallen(self) -> tuple[Path, ...]:
        """The masked places where by now lies something else, which no mask has covered.

        A mount goes when somebody outside replaces what it is mounted on, as an editor does when it saves.
        """
        return tuple(place for place, numbers in self.masks.items() if _numbers(place) not in {numbers, None})

    def release(self) -> None:
        """Take the stand-ins away again; only when the command has ended."""
        self.close()
        remove_all(self.stand_ins)


def mounts_for(profile: OSProfile) -> Mounts:
    """Open every place of the profile, and hold the masked ones.

    Raises:
        CannotConfine: a root is gone, or a masked place cannot be held.
    """
    held = Mounts()
    try:
        for place in sorted(profile.readable | profile.writable):
            held.mounts.append(_root(place, "rw" if place in profile.writable else "ro"))
        for place in sorted(_pins(profile)):
            held.mounts.append(Mount(kind="rw", place=place, fd=open_place(place)))
        for place in sorted(profile.masked):
            _mask(place, held)
    except OSError as error:
        held.release()
        raise CannotConfine(f"the sandbox cannot be built: {error}") from error
    except BaseException:
        held.release()
        raise
    return held


def _root(place: Path, kind: Literal["ro", "rw"]) -> Mount:
    if place == Path("/") or any(place.is_relative_to(each) for each in _NO_ROOTS):
        raise CannotConfine(f"{str(place)!r} cannot be shown to a confined command; name folders with files in them")
    try:
        return Mount(kind=kind, place=place, fd=open_place(place))
    except FileNotFoundError as error:
        raise CannotConfine(f"{str(place)!r} does not exist; make it, or take it out of the configuration") from error


def _pins(profile: OSProfile) -> Iterator[Path]:
    """The folders between a writable root and what is masked in it.

    A folder may be renamed although something in it is a mount, and a new one put in its place: each
    is therefore mounted onto itself, which no rename moves.
    """
    found: set[Path] = set()
    for place in profile.masked:
        for folder in place.parents:
            if folder in profile.writable or not profile.may_write(folder):
                break
            if folder.is_dir():
                found.add(folder)
    yield from found


def _mask(place: Path, held: Mounts) -> None:
    """Mount it read-only onto itself; what is absent, or its first absent folder, is stood in for."""
    place = _nearest(place)
    if place in held.masks:
        return
    made = stand_in(place)
    if made is not None:
        held.stand_ins.append(made)
    elif not os.path.lexists(place):
        # We may not write there now. Whoever owns the folder can change that, so the folder itself is held.
        place = place.parent
        if os.lstat(place).st_uid != os.geteuid() or place in held.masks:
            return
    mount = Mount(kind="ro", place=place, fd=open_place(place))
    held.mounts.append(mount)
    seen = os.fstat(mount.fd)
    held.masks[place] = seen.st_dev, seen.st_ino


def _nearest(place: Path) -> Path:
    """The place itself, or what is to be held instead: its first absent folder, or one we cannot look into."""
    while True:
        try:
            os.lstat(place)
        except PermissionError:
            place = place.parent
        except (FileNotFoundError, NotADirectoryError):
            if os.path.lexists(place.parent):
                return place
            place = place.parent
        else:
            return place


def _numbers(place: Path) -> tuple[int, int] | None:
    try:
        seen = os.lstat(place)
    except OSError:
        return None
    return seen.st_dev, seen.st_ino
