"""What a new configuration is to say, and what is found in the folder it is for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from assent.config import Sandbox, SandboxPath, Settings, default_store_path
from assent.errors import ConfigError

Commands = Literal["read-only", "ask", "no"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """What shows that a language is used in a folder, and what goes with it."""

    markers: tuple[str, ...]
    suffixes: tuple[str, ...]
    toolchains: tuple[str, ...]
    """Where its programs lie, if not with the system's; never a folder that also holds passwords."""


_LANGUAGES: Final = (
    Language(
        markers=("pyproject.toml", "setup.py", "requirements.txt"),
        suffixes=(".py", ".toml"),
        toolchains=("~/.local/share/uv/python", "~/.pyenv/versions"),
    ),
    Language(
        markers=("package.json",),
        suffixes=(".js", ".json", ".ts"),
        toolchains=("~/.nvm/versions", "~/.volta/tools/image"),
    ),
    Language(markers=("Cargo.toml",), suffixes=(".rs", ".toml"), toolchains=("~/.cargo/bin", "~/.rustup/toolchains")),
    Language(markers=("go.mod",), suffixes=(".go", ".mod"), toolchains=("~/go/bin", "~/sdk")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The answers to the three questions, and where the file is to lie."""

    target: Path
    folder: str
    """As a person writes it: relative to the file, or with ~ for the home folder."""
    commands: Commands
    store: str | None
    """The same; none for the user's state directory."""

    @property
    def root(self) -> Path:
        """The folder itself."""
        return Path(os.path.realpath(self._located(self.folder)))

    @property
    def name(self) -> str:
        """What the model calls the folder: its own name, as far as it is a plain word."""
        return re.sub(r"[^\w-]+", "-", self.root.name).strip("-_") or "work"

    @property
    def record(self) -> Path:
        """The file of the record."""
        return default_store_path() if self.store is None else self._located(self.store)

    @property
    def is_git(self) -> bool:
        """Whether the folder belongs to a git repository."""
        return any((each / ".git").exists() for each in (self.root, *self.root.parents))

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The ends of file names that the languages found here use."""
        return tuple(sorted({".md", *(end for each in self._languages() for end in each.suffixes)}))

    @property
    def toolchains(self) -> tuple[str, ...]:
        """Folders of the languages found here that exist, and that the agent cannot write."""
        named = (place for each in self._languages() for place in each.toolchains)
        return tuple(place for place in named if self._is_readable_only(self._located(place)))

    def check(self) -> None:
        """Find out early what could not be used.

        Raises:
            ConfigError: the folder or the record will not do, and what would.
        """
        self.check_folder()
        _check_printable(self.store or "")
        if self.record.is_dir():
            raise ConfigError(f"{self.record} is a folder; name a file for the record, such as {self.record}/assent.db")
        Settings(store=self.record, sandbox=Sandbox(paths={self.name: SandboxPath(root=self.root, mode="rw")}))

    def check_folder(self) -> None:
        """The same for the folder alone.

        Raises:
            ConfigError: it will not do, and what would.
        """
        _check_printable(self.folder)
        if not self.root.is_dir():
            raise ConfigError(f"{self.root} is no folder; name one that exists, such as . for this one")

    def _languages(self) -> Iterator[Language]:
        return (each for each in _LANGUAGES if any((self.root / marker).is_file() for marker in each.markers))

    def _located(self, text: str) -> Path:
        return Path(os.path.abspath(self.target.parent / Path(os.path.expanduser(text))))  # noqa: PTH100, PTH111 (as the configuration is read)

    def _is_readable_only(self, place: Path) -> bool:
        return place.is_dir() and not Path(os.path.realpath(place)).is_relative_to(self.root)


def _check_printable(text: str) -> None:
    # What cannot be printed could not be read in the file either.
    if not text.isprintable():
        raise ConfigError(f"{text!r} holds what cannot be printed; name another path")
