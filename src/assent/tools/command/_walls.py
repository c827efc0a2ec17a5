"""The walls around the commands of one configuration, and what is said of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assent.model import Deny
from assent.os_sandbox import (
    Backend,
    OSProfile,
    derive_os_sandbox_profile,
    new_repositories,
    repositories,
    what_explicit_cuts,
)
from assent.tools.command._kept import Shelf

if TYPE_CHECKING:
    from assent.config import ExplicitProfile, Settings

_OUTPUTS: Final = "outputs"


class Walls:
    """A backend that holds, and the profile that follows from the settings."""

    def __init__(self, backend: Backend, settings: Settings) -> None:
        self.backend = backend
        self._settings = settings
        self.profile = self._derived()
        self._known = frozenset(place for root in self.profile.writable for place in repositories(root))

    @property
    def permits(self) -> str:
        """One line: what a command can touch."""
        return "; ".join(_permits(self.backend, self.profile))

    def cannot_run_in(self, folder: Path) -> Deny | None:
        """Why no command can run there; none if it can."""
        if self.profile.may_read(folder):
            # Not `is_dir`: it raises for a name no folder can have.
            there = os.path.isdir(folder)  # noqa: PTH112
            return None if there else Deny(reason=f"there is no folder {str(folder)!r} to run it in")
        roots = ", ".join(sorted(map(str, self.profile.readable | self.profile.writable))) or "none yet"
        return Deny(
            reason=f"commands run only in folders of sandbox.paths, and {str(folder)!r} lies in none of them: {roots}"
        )

    @property
    def shelf(self) -> Shelf | None:
        """Where long outputs are kept: beside the store, which lies in no writable root; none if they cannot be."""
        place = Path(os.path.realpath(self._settings.store.parent)) / _OUTPUTS
        sandbox = self._settings.sandbox
        if any(place.is_relative_to(root) or root.is_relative_to(place) for root in sandbox.writable.values()):
            return None
        shown = any(place.is_relative_to(path.root) for path in sandbox.paths.values())
        return Shelf(place=place, for_agents=shown or self.profile.may_read(place))

    def look_for_repositories(self) -> tuple[Path, ...]:
        """Git folders that appeared since the last look; from now on they are masked as the others are."""
        found = new_repositories(self._known, self.profile.writable)
        if found:
            self._known |= frozenset(found)
            self.profile = self._derived()
        return found

    def _derived(self) -> OSProfile:
        settings = self._settings
        explicit = settings.sandbox.os_profile
        return derive_os_sandbox_profile(
            settings.sandbox,
            settings.shell,
            None if explicit is None else _profile(explicit),
            masked=settings.masked,
        )


def explicit_cuts(settings: Settings) -> tuple[str, ...]:
    """A warning for each thing the tools are configured to do and `sandbox.os_profile` forbids."""
    explicit = settings.sandbox.os_profile
    return () if explicit is None else what_explicit_cuts(settings.sandbox, settings.shell, _profile(explicit))


def _profile(explicit: ExplicitProfile) -> OSProfile:
    return OSProfile(
        readable=frozenset(explicit.readable),
        writable=frozenset(explicit.writable),
        masked=frozenset(explicit.masked),
        network=explicit.network,
    )


def _permits(backend: Backend, profile: OSProfile) -> Iterator[str]:
    weaker = ", the weaker kind" if backend.weaker else ""
    yield f"{backend.name}{weaker}"
    yield f"writes {_places(profile.writable)}" if profile.writable else "writes nothing"
    if profile.readable:
        yield f"reads also {_places(profile.readable)}"
    yield "network" if profile.network else "no network"


def _places(places: frozenset[Path]) -> str:
    return ", ".join(sorted(map(str, places)))
