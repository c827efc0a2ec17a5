"""The file sandbox: named roots, their rules, and what each path in them means."""

from __future__ import annotations

import os
import posixpath
import re
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, TypedDict, Unpack, cast

from assent.config import SETTINGS_FILE, PathMode, SandboxPath, SearchEngine
from assent.errors import (
    ChangedSinceApproval,
    ConfigError,
    FileError,
    FileTooLarge,
    PathNotWritableError,
)
from assent.model import Evidence, Permit
from assent.tools.files.disk._descriptors import path_of
from assent.tools.files.disk._held import Held, Identity, hold
from assent.tools.files.disk._root import Root
from assent.tools.files.disk._spelling import shown as quoted
from assent.tools.files.sandbox._evidence import changed, is_same, is_same_place, is_still_absent
from assent.tools.files.sandbox._finding import located, real_path
from assent.tools.files.sandbox._ledger import Ledger
from assent.tools.files.sandbox._obeyed import Obeyed
from assent.tools.files.sandbox._place import Addressing, Place, lies_in, place_of
from assent.tools.files.sandbox._rules import Home, Operation, Rules
from assent.tools.files.sandbox._spot import Spot
from assent.tools.files.sandbox._threads import AnyThread, Threads, threads_for

if TYPE_CHECKING:
    from assent.config import Settings
    from assent.os_sandbox import Backend

_NAME: Final = re.compile(r"[^/.][^/]*")


class RuleOptions(TypedDict, total=False):
    """What `SandboxPath` takes beside its root and mode."""

    suffixes: tuple[str, ...] | None
    max_file_bytes: int
    read_approval: bool
    write_approval: bool
    edit_approval: bool | None
    delete_approval: bool


class FileSandbox:
    """The only places the file tools reach, by name.

    Limits of path, mode, suffix and size hold whoever asks; approvals are the gate's business.
    """

    def __init__(
        self,
        paths: Mapping[str, SandboxPath],
        *,
        is_masked: Callable[[Path], bool] | None = None,
        engine: SearchEngine = "auto",
    ) -> None:
        _check_paths(paths)
        self.homes: Mapping[str, Home] = _opened_homes(paths)
        self.engine: SearchEngine = engine
        self.threads: Threads = AnyThread()
        """Where every tool touches the disk."""
        self.ledger = Ledger()
        # One change at a time: two permitted edits of a file must not trip over each other.
        self.lock = threading.RLock()
        self._is_masked = is_masked or _names_settings
        self._deepest_first = sorted(self.homes.values(), key=lambda home: -len(home.root.path.parts))
        self._roots = tuple(sorted(str(home.root.path) for home in self.homes.values()))
        self._obeyed = Obeyed(home.root.path for home in self.homes.values() if home.rule.mode == "rw")
        pairs = ((one, other) for one in self._roots for other in self._roots)
        self._is_flat = not any(lies_in(one, other) for one, other in pairs if one is not other)

    @classmethod
    def from_settings(cls, settings: Settings, *, candidates: Sequence[Backend] | None = None) -> FileSandbox:
        """The sandbox that `assent.yaml` describes, which no tool can change.

        What the OS must hold is tried for real, once, here. With `refuse_tools`, what does not hold
        makes every tool of this sandbox refuse every call.

        Raises:
            CannotConfine: it does not hold, and `os_sandbox_fallback` is fail_fast.
        """
        sandbox = cls(settings.sandbox.paths, is_masked=settings.is_masked, engine=settings.search.engine)
        try:
            sandbox.threads = threads_for(settings.sandbox, sandbox.homes.values(), candidates)
        except BaseException:
            sandbox.close()
            raise
        return sandbox

    @classmethod
    def at(cls, root: str | Path, *, mode: PathMode = "rw", **rule: Unpack[RuleOptions]) -> FileSandbox:
        """A single root without a name; writable unless said otherwise."""
        return cls({"": SandboxPath(root=Path(root), mode=mode, **rule)})

    @property
    def is_single(self) -> bool:
        """Whether there is one root, and it has no name."""
        return list(self.homes) == [""]

    def single(self) -> FileSandbox:
        """The sandbox itself, for a dialect that knows one root.

        Raises:
            ConfigError: there are several.
        """
        if len(self.homes) != 1:
            names = ", ".join(self.homes)
            raise ConfigError(f"this dialect knows one workspace root, and there are several: {names}")
        return self

    def place(self, path: str, addressing: Addressing) -> Place:
        """The place a path means."""
        return place_of(path, addressing, self.homes)

    # Rules

    def at_once(self, place: Place) -> Rules | None:
        """The rules by the path alone, where no link can lead to stricter ones."""
        return Rules((place.home,)) if self._is_flat else None

    def find(self, place: Place) -> Spot:
        """Where the place really is; it need not exist.

        Raises:
            PathNotInSandboxError: it leads out of its root.
        """
        with as_written(place):
            return self.spot(place, real_path(place.home.root, place.tidy, place.shown))

    def spot(self, place: Place, real: str) -> Spot:
        """A place whose real path is known, and the rules that hold there."""
        root = self._path(place.home)
        named = self._nearest(posixpath.normpath(posixpath.join(root, place.relative)), place.home)
        there = self._nearest(posixpath.normpath(posixpath.join(root, real)), place.home)
        rules = Rules((named,) if named is there else (named, there))
        return Spot(place=place, real=real, root=root, rules=rules, everywhere=self._roots, obeyed=self._obeyed)

    def _nearest(self, absolute: str, otherwise: Home) -> Home:
        inside = (home for home in self._deepest_first if lies_in(absolute, self._path(home)))
        return otherwise if self._is_flat else next(inside, otherwise)

    def _path(self, home: Home) -> str:
        """Where a root is: a nested one that is moved takes its rules along."""
        return str(home.root.path) if self._is_flat else os.fsdecode(path_of(home.root.fd))

    def nested_in(self, spot: Spot) -> tuple[tuple[str, Home], ...]:
        """The roots that lie beneath a folder, by their path from there; outermost first."""
        if self._is_flat:
            return ()
        folder = spot.absolute
        inside = ((self._path(home), home) for home in reversed(self._deepest_first))
        return tuple(
            (posixpath.relpath(path, folder), home) for path, home in inside if path != folder and lies_in(path, folder)
        )

    def outermost(self) -> list[Home]:
        """The roots that lie in no other."""
        return [
            home
            for home in self.homes.values()
            if not any(
                other is not home and lies_in(self._path(home), self._path(other)) for other in self.homes.values()
            )
        ]

    def check_name(self, place: Place) -> None:
        """The kind of file by its name alone: what may not be touched need not be found first.

        Raises:
            SuffixNotAllowed: the root holds other files only.
        """
        self.spot(place, place.plain).rules.check_suffix(place.shown, posixpath.basename(place.plain))

    def check_limits(self, spot: Spot, operation: Operation) -> None:
        """What no approval can change: mode, suffix, and the configuration itself.

        Raises:
            PathNotWritableError: it is read-only, or part of the configuration.
            SuffixNotAllowed: the root holds other files only.
        """
        shown = spot.place.shown
        spot.rules.check_suffix(shown, posixpath.basename(spot.place.plain), posixpath.basename(spot.real))
        if operation != "read":
            spot.rules.check_writable(shown, self.homes.values())
            if self._is_masked(Path(spot.absolute)):
                raise PathNotWritableError(f"{shown} is part of assent's own configuration, which no tool may change")

    # Files

    def look(self, place: Place, operation: Operation = "read") -> tuple[Spot, Identity, bytes | None]:
        """The file as it is now, within its limits; nothing where there is none.

        Raises:
            FileError: it cannot be read.
        """
        spot = self.find(place)
        self.check_limits(spot, operation)
        with self.held(spot) as held:
            return spot, held.identity, held.data

    def opened(self, place: Place) -> tuple[Spot, int]:
        """A regular file for reading, and where it really is.

        Raises:
            FileError: there is none, or it leads out of its root.
        """
        root = place.home.root
        with as_written(place):
            descriptor, real = located(root, lambda: root.regular(place.relative), place.shown)
        return self.spot(place, real), descriptor

    @contextmanager
    def held(self, spot: Spot) -> Generator[Held]:
        """The file, held in its directory while it is looked at or changed; it need not exist.

        Raises:
            FileError: it cannot be.
            ChangedSinceApproval: it is somewhere else now.
        """
        place, most = spot.place, spot.rules.most_bytes
        with (
            as_written(place, spot.real),
            hold(place.home.root, place.relative, most=most, create_parents=True) as held,
        ):
            # A link may have been swapped since: what was agreed to is this place, and no other.
            if held.real != spot.real:
                raise changed(place.shown)
            yield held

    def note(self, permit: Permit | None, before: Identity, after: bytes | None) -> None:
        """Remember that a permitted call changed the file: its own run may go on from there."""
        if permit is not None:
            self.ledger.note(permit.call.run, before, None if after is None else sha256(after).hexdigest())

    def is_own_change(self, seen: Evidence, now: Identity, permit: Permit | None) -> bool:
        """Whether the file differs from what was shown only by permitted calls of the same run."""
        since = seen.facts["sha256"]
        return (
            permit is not None
            and isinstance(since, str)
            and is_same_place(seen, now)
            and self.ledger.only_by(permit.call.run, now, since)
        )

    # Life

    def close(self) -> None:
        """Let go of the roots."""
        self.threads.close()
        for home in self.homes.values():
            home.root.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _check_paths(paths: object) -> None:
    """What a caller gave, whatever its types say.

    Raises:
        ConfigError: it is no mapping of names to paths.
    """
    if not paths:
        raise ConfigError("a file sandbox needs a path; name one under sandbox.paths")
    given = cast("Mapping[object, object]", paths) if isinstance(paths, Mapping) else {"": None}
    if not all(isinstance(each, SandboxPath) for each in given.values()):
        raise ConfigError(
            "a file sandbox takes {name: SandboxPath(root=folder)}; for one folder without a name, "
            "use FileSandbox.at(folder)"
        )
    for name in map(str, given):
        if not (_NAME.fullmatch(name) and name.isprintable()) and list(given) != [""]:
            raise ConfigError(
                f"{name!r} cannot name a path: a name of visible characters is not empty, has no / "
                "and begins with no dot"
            )


def _opened_homes(paths: Mapping[str, SandboxPath]) -> dict[str, Home]:
    """Every root, opened; all of them or none.

    Raises:
        ConfigError: a root does not exist, or has two names.
    """
    homes: dict[str, Home] = {}
    try:
        for name, rule in paths.items():
            homes[name] = Home(name=name, root=Root(rule.root), rule=rule)
        _check_different(list(homes.values()))
    except BaseException:
        for home in homes.values():
            home.root.close()
        raise
    return homes


def _check_different(homes: Sequence[Home]) -> None:
    for one, other in combinations(homes, 2):
        if os.path.sameopenfile(one.root.fd, other.root.fd):
            raise ConfigError(
                f"{one.name!r} and {other.name!r} are the same folder, {one.root.path}, and could have "
                "different rules; give it one name"
            )


def _names_settings(path: Path) -> bool:
    """Whether a later start could take it for a configuration."""
    return SETTINGS_FILE in (part.casefold() for part in path.parts)


@contextmanager
def as_written(place: Place, *known: str) -> Generator[None]:
    """Inside, errors name a path as it was written, not as its root knows it."""
    try:
        yield
    except (FileError, ChangedSinceApproval) as error:
        words = str(error)
        for begins in map(quoted, (place.relative, *known)):
            if words.startswith(begins):
                raise type(error)(f"{place.shown}{words.removeprefix(begins)}") from error
        raise


def check_stands(seen: Evidence | None, spot: Spot, now: Identity) -> None:
    """Whether what a person saw is still there; fine where nobody looked.

    Raises:
        ChangedSinceApproval: it is not.
    """
    if seen is None or is_same(seen, now) or is_still_absent(seen, spot.place.home.root, spot.real, now):
        return
    raise changed(spot.place.shown)


def check_size(spot: Spot, data: bytes) -> None:
    """Refuse what is larger than a file may be there.

    Raises:
        FileTooLarge: it is.
    """
    most = spot.rules.most_bytes
    if len(data) > most:
        shown = spot.place.shown
        raise FileTooLarge(f"{shown} would have {len(data)} bytes; at most {most} are allowed here (max_file_bytes)")
