"""The settings in force, one class per section, and the paths they keep from every tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, ClassVar, Final, Literal, get_args

from assent.config._agent import Agent
from assent.config._display import Display
from assent.config._marks import (
    FILE_RULES,
    Bytes,
    Flag,
    Name,
    OnlyNames,
    PlaceText,
    Seconds,
    StoreText,
    Suffix,
    Suffixes,
)
from assent.config._os_profile import ExplicitProfile
from assent.config._places import SETTINGS_FILE, beneath, default_store_path, folded, real, same_file, trail
from assent.config._server import ServerSettings
from assent.config._shell import Shell, unnamed_paths
from assent.errors import ConfigError

Mode = Literal["interactive", "approve_all", "strict"]
PathMode = Literal["ro", "rw"]
SearchEngine = Literal["auto", "ripgrep", "python"]
OSSandboxFallback = Literal["fail_fast", "refuse_tools"]
MOST_FILE_BYTES: Final = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Approvals:
    """Who answers, and how long a question waits."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = FILE_RULES

    mode: Mode = "interactive"
    """interactive asks a person, approve_all approves what would ask, strict denies it."""
    timeout: Annotated[float, Seconds()] | None = 300.0
    """Seconds a question waits while its caller waits too; null waits without end."""
    park_timeout: Annotated[float, Seconds()] | None = None
    """Seconds a parked question waits on the desk; null waits without end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxPath:
    """A folder the file tools may use, under a name of its own."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = FILE_RULES

    root: Annotated[Path, PlaceText()]
    """The folder; relative to the configuration file, ~ is the home folder."""
    mode: PathMode = "ro"
    """ro may be read, rw may also be written."""
    suffixes: Annotated[tuple[Annotated[str, Suffix()], ...], Suffixes()] | None = None
    """The only file names the tools touch here, by their end; null is all of them."""
    max_file_bytes: Annotated[int, Bytes()] = MOST_FILE_BYTES
    """The largest file the tools read or write here."""
    read_approval: Annotated[bool, Flag()] = False
    """Whether reading, listing and searching ask first."""
    write_approval: Annotated[bool, Flag()] = True
    """Whether writing a whole file asks first."""
    edit_approval: Annotated[bool, Flag(null="do as write_approval")] | None = None
    """Whether changing a part of a file asks first; null does as write_approval."""
    delete_approval: Annotated[bool, Flag()] = True
    """Whether deleting a file or moving it away asks first."""

    def __post_init__(self) -> None:
        if self.mode not in get_args(PathMode):
            raise ConfigError(f"{self.mode!r} is no mode of a path; ro may be read, rw may also be written")
        object.__setattr__(self, "root", real(self.root))

    @property
    def edits_ask(self) -> bool:
        """Whether changing a part of a file asks first, whichever key says so."""
        return self.write_approval if self.edit_approval is None else self.edit_approval


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """The only places the tools reach."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = FILE_RULES

    paths: Annotated[Mapping[Annotated[str, Name()], SandboxPath], OnlyNames()] = field(
        default_factory=dict[str, SandboxPath], hash=False
    )
    """Folders by name; the model writes name/relative/path."""
    require_os_sandbox: Annotated[bool, Flag()] = False
    """Whether nothing less than full walls around commands will do."""
    os_sandbox_fallback: OSSandboxFallback = "fail_fast"
    """Without the required walls: fail_fast does not start, refuse_tools refuses file and shell tools."""
    os_profile: ExplicitProfile | None = None
    """The most that commands may touch, on top of what follows from the tools; null adds no limit."""
    confine_file_tools: Annotated[bool, Flag(null="do as require_os_sandbox")] | None = None
    """Whether the kernel holds the file tools to these paths too; null does as require_os_sandbox."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "paths", MappingProxyType(dict(self.paths)))

    @property
    def confines_files(self) -> bool:
        """Whether the kernel holds the file tools too, whichever key says so."""
        return self.require_os_sandbox if self.confine_file_tools is None else self.confine_file_tools

    @property
    def writable(self) -> Mapping[str, Path]:
        """The roots a tool may write to, by name."""
        return {name: path.root for name, path in self.paths.items() if path.mode == "rw"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """How files are searched."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = FILE_RULES

    engine: SearchEngine = "auto"
    """ripgrep, python, or auto: ripgrep where it is installed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sections:
    """What `assent.yaml` may say; everything has a default."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = FILE_RULES

    approvals: Approvals = field(default_factory=Approvals)
    store: Annotated[Path, StoreText()] = field(default_factory=default_store_path)
    """The SQLite file of the record, relative to the configuration file; null is the default."""
    sandbox: Sandbox = field(default_factory=Sandbox)
    shell: Shell = field(default_factory=Shell)
    search: Search = field(default_factory=Search)
    display: Display = field(default_factory=Display)
    agent: Agent = field(default_factory=Agent)
    server: ServerSettings = field(default_factory=ServerSettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(Sections):
    """The settings in force; the store cannot lie where an agent's tools may look.

    Raises:
        ConfigError: the store lies in a root or a toolchain, or a shell rule names an unknown path.
    """

    file: Path | None = None
    """The configuration file in use; none if all is default."""
    lines: Mapping[tuple[str, ...], int] = field(default_factory=dict[tuple[str, ...], int], compare=False, repr=False)
    """The line each value in the file stands on; what has none is a default."""
    _trail: frozenset[Path] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        for _, why in exposures(self):
            raise ConfigError(why)
        for index, why in unnamed_paths(self.shell, self.sandbox.paths):
            raise ConfigError(f"shell.rules.{index}.sandbox_paths {why}")
        object.__setattr__(self, "lines", MappingProxyType(dict(self.lines)))
        object.__setattr__(self, "_trail", trail(self.file) if self.file else frozenset())

    @property
    def masked(self) -> tuple[Path, ...]:
        """The files to bind read-only in the OS sandbox, whether or not they exist.

        Deeper folders of a writable root have no entry here: there is no end to them.
        `is_masked` covers those.
        """
        roots = frozenset(self.sandbox.writable.values())
        inside = {place for place in self._trail if any(beneath(place, root) for root in roots)}
        between = {
            folder for place in inside for folder in place.parents if any(beneath(folder, root) for root in roots)
        }
        return tuple(sorted(inside | {folder / SETTINGS_FILE for folder in roots | between}))

    def is_masked(self, path: Path) -> bool:
        """Whether no tool may write, replace, move or delete what is at `path`.

        So it is with the configuration file in use, the links and folders that lead to it,
        and every `assent.yaml` beneath a writable root, because a later start may find it.
        """
        # The entry and what it leads to: a link of this name and a link to such a file both count.
        places = [real(path.parent) / path.name, real(path)]
        held = {folded(each) for place in self._trail for each in (place, *place.parents)}
        return (
            any(folded(place) in held for place in places)
            or any(_names_settings(place, root) for place in places for root in self.sandbox.writable.values())
            or (self.file is not None and same_file(path, self.file))
        )


def _names_settings(place: Path, root: Path) -> bool:
    inner = folded(place).parts[len(root.parts) :]
    return beneath(place, root) and SETTINGS_FILE in inner


def exposures(sections: Sections) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each place for tools that the store lies in: where that is said, and what to do about it."""
    places = trail(sections.store)
    roots: list[tuple[tuple[str, ...], Path]] = [
        *((("sandbox", "paths", name, "root"), path.root) for name, path in sections.sandbox.paths.items()),
        *((("shell", "toolchains", str(index)), place) for index, place in enumerate(sections.shell.toolchains)),
    ]
    for spot, root in roots:
        # The folder counts, not only the file: its journal files, and the server's socket, lie beside it.
        if any(beneath(place, root) for place in places):
            yield spot, f"the store {str(sections.store)!r} lies in {str(root)!r}, {_danger(spot, sections)}"


def _danger(spot: tuple[str, ...], sections: Sections) -> str:
    elsewhere = "set `store` to a file outside every root"
    # Nothing is written through a socket's file: where it can be seen, it can be spoken to.
    speaks = "where a command could answer an agent's questions at the socket of `assent serve`"
    match spot:
        case ("shell", *_):
            return f"one of shell.toolchains, {speaks}; {elsewhere}, or name only the folders with programs"
        case (_, _, name, _) if name in sections.sandbox.writable:
            return (
                f"the writable root of {name!r} in sandbox.paths, where an agent could rewrite its own approvals; "
                f"{elsewhere}"
            )
        case _:
            return f"the root of {spot[2]!r} in sandbox.paths, {speaks}; {elsewhere}"
