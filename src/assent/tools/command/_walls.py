"""The walls around the commands of one configuration, and what is said of them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from assent.model import Deny
from assent.os_sandbox import (
    Backend,
    OSProfile,
    derive_os_sandbox_profile,
    new_repositories,
    repositories,
    what_explicit_cuts,
)

if TYPE_CHECKING:
    from assent.config import ExplicitProfile, Settings


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
            return None
        roots = ", ".join(sorted(map(str, self.profile.readable | self.profile.writable))) or "none yet"
        return Deny(
            reason=f"commands run only in folders of sandbox.paths, and {str(folder)!r} lies in none of them: {roots}"
        )

    def folder_for_output(self) -> Path:
        """Where long outputs are kept: a folder that no agent can write to."""
        usual = Path(os.path.realpath(tempfile.gettempdir()))
        if not any(usual.is_relative_to(root) for root in self._settings.sandbox.writable.values()):
            return usual
        # The settings see to it that the store lies in no writable root.
        beside_the_store = self._settings.store.parent
        beside_the_store.mkdir(parents=True, exist_ok=True)
        return beside_the_store

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
