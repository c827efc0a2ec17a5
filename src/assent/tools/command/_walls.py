"""The walls around the commands of one configuration, and what is said of them."""

from __future__ import annotations

import os
import shlex
import subprocess
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assent.errors import AssentError
from assent.model import Deny
from assent.os_sandbox import (
    Backend,
    OSProfile,
    Scanner,
    derive_os_sandbox_profile,
    home_folders,
    new_repositories,
    obeyed_links,
    repositories,
    run_once,
    what_explicit_cuts,
)
from assent.tools.command._kept import Shelf

if TYPE_CHECKING:
    from assent.config import ExplicitProfile, Settings

_OUTPUTS: Final = "outputs"
_EVERYTHING: Final = OSProfile(writable=frozenset({Path("/")}), network=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What holds for one command, and what has to be compared when it has ended."""

    profile: OSProfile
    links: Mapping[Path, str | None]
    """Links that cannot be masked, and where they lead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class After:
    """What other programs may obey by now, and could not before."""

    repositories: tuple[Path, ...]
    replaced: tuple[Path, ...]


class Walls:
    """A backend that holds, and the profile that follows from the settings and from what lies in the roots."""

    def __init__(self, backend: Backend, settings: Settings) -> None:
        self.backend = backend
        self._settings = settings
        self._scanner = Scanner()
        self._homes = home_folders()
        self._lock = threading.Lock()
        self.profile = self._derived()
        self._known = frozenset(place for root in self.profile.writable for place in repositories(root, self._scanner))

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

    def before(self) -> Before:
        """Look around before a command: what has appeared since the last one is masked too."""
        with self._lock:
            self._grow()
            links = obeyed_links(self._settings.sandbox, homes=self._homes, scanner=self._scanner)
            return Before(profile=self.profile, links={place: _link(place) for place in links})

    def after(self, before: Before) -> After:
        """What a command may have left that masks could not prevent; from now on it is masked as the rest."""
        with self._lock:
            found = new_repositories(self._known, self.profile.writable, self._scanner)
            self._known |= frozenset(found)
            if found:
                self._grow()
            turned = tuple(sorted(place for place, led in before.links.items() if _link(place) not in {led, None}))
            return After(repositories=found, replaced=turned)

    def _grow(self) -> None:
        """Derive the profile anew; a mask stays as long as there is a folder that it lies in."""
        kept = frozenset(place for place in self.profile.masked if os.path.lexists(place.parent))
        self.profile = self._derived() & replace(_EVERYTHING, masked=kept)

    def _derived(self) -> OSProfile:
        settings = self._settings
        explicit = settings.sandbox.os_profile
        return derive_os_sandbox_profile(
            settings.sandbox,
            settings.shell,
            None if explicit is None else _profile(explicit),
            masked=settings.masked,
            homes=self._homes,
            scanner=self._scanner,
        )


def why_no_command_starts(settings: Settings, backend: Backend) -> str | None:
    """Start `/bin/true` in each path as a command would be started; what fails, or none if nothing does."""
    try:
        walls = Walls(backend, settings)
        for folder in sorted(walls.profile.readable | walls.profile.writable):
            cwd = folder if folder.is_dir() else folder.parent
            launch = backend.command(["/bin/true"], profile=walls.profile, cwd=cwd, env={"PATH": "/usr/bin:/bin"})
            code, said = run_once(launch)
            if code:
                return f"in {str(folder)!r}: {' '.join(said.split()) or f'it ended with {code}'}"
    except (AssentError, OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None


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


def _link(place: Path) -> str | None:
    """Where a link leads; empty if something else is there, none if nothing is."""
    try:
        return os.readlink(place)  # noqa: PTH115 (text is enough)
    except FileNotFoundError:
        return None
    except OSError:
        return ""


def _places(places: frozenset[Path]) -> str:
    return ", ".join(sorted(shlex.quote(str(each)) for each in places))
