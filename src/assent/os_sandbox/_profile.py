"""What confined processes may do: an `OSProfile`, and the algebra that keeps it from growing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_Places = frozenset[Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class OSProfile:
    """The most a confined process may touch, beside the system's own programs and libraries.

    A path stands for itself and everything beneath it. What is writable is readable too. What is
    redundant is dropped, so that two profiles which permit the same are equal.

    Raises:
        ValueError: a path is not absolute, or holds `..`.
    """

    readable: _Places = frozenset()
    writable: _Places = frozenset()
    network: bool = False
    masked: _Places = frozenset()
    """Never writable, even inside what is, and whether or not it exists."""

    def __post_init__(self) -> None:
        readable, writable, masked = map(_checked, (self.readable, self.writable, self.masked))
        open_to_writing = frozenset(place for place in writable if not _covers(masked, place))
        tops = _tops(open_to_writing)
        object.__setattr__(self, "writable", tops)
        object.__setattr__(self, "masked", frozenset(_tops(place for place in masked if _covers(tops, place))))
        rest = _tops(readable | writable)
        object.__setattr__(self, "readable", frozenset(place for place in rest if not _covers(tops, place)))

    def __and__(self, other: OSProfile) -> OSProfile:
        """What both permit, exactly."""
        return OSProfile(
            readable=_common(self._seen, other._seen),
            writable=_common(self.writable, other.writable),
            network=self.network and other.network,
            masked=self.masked | other.masked,
        )

    def __or__(self, other: OSProfile) -> OSProfile:
        """A profile that permits what either does; a mask stays unless the other side lifts a part of it."""
        kept = {place for place in self.masked if not other._writes_beneath(place)}
        kept |= {place for place in other.masked if not self._writes_beneath(place)}
        return OSProfile(
            readable=self._seen | other._seen,
            writable=self.writable | other.writable,
            network=self.network or other.network,
            masked=frozenset(kept),
        )

    def permits(self, other: OSProfile) -> bool:
        """Whether `other` can do nothing that this profile forbids."""
        return (
            (self.network or not other.network)
            and all(_covers(self._seen, place) for place in other._seen)
            and all(_covers(self.writable, place) for place in other.writable)
            and not any(other._writes_beneath(place) for place in self.masked)
        )

    def may_read(self, place: Path) -> bool:
        """Whether this place can be read."""
        return _covers(self._seen, place)

    def may_write(self, place: Path) -> bool:
        """Whether this place can be changed."""
        return _covers(self.writable, place) and not _covers(self.masked, place)

    @property
    def _seen(self) -> _Places:
        return self.readable | self.writable

    def _writes_beneath(self, place: Path) -> bool:
        """Whether anything at or under `place` can be changed."""
        # A writable place is never wholly masked here: `__post_init__` took those out.
        return self.may_write(place) or any(each.is_relative_to(place) for each in self.writable)


def _checked(places: Iterable[Path]) -> _Places:
    found = frozenset(places)
    for place in found:
        if not place.is_absolute() or ".." in place.parts:
            raise ValueError(f"{str(place)!r} is no place for a profile; an absolute path without '..' is")
    return found


def _covers(places: Iterable[Path], place: Path) -> bool:
    return any(place.is_relative_to(each) for each in places)


def _tops(places: Iterable[Path]) -> _Places:
    """Those that lie in no other."""
    found = frozenset(places)
    return frozenset(place for place in found if not _covers(found - {place}, place))


def _common(one: _Places, other: _Places) -> _Places:
    """The places that lie in both sets."""
    return frozenset(place for place in one if _covers(other, place)) | frozenset(
        place for place in other if _covers(one, place)
    )
