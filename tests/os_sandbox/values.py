"""The two sections of a configuration that the walls follow from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    root: Path
    mode: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    paths: Mapping[str, Root] = field(default_factory=dict[str, Root])


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    network: bool = False
    toolchains: tuple[Path, ...] = ()
