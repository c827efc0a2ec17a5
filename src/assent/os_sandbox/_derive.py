"""The OS profile that follows from the tools' configuration, never weaker than it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

from assent.config import SETTINGS_FILE
from assent.os_sandbox._places import home_folders, places_git_obeys, places_shells_obey
from assent.os_sandbox._profile import OSProfile


class NamedRoot(Protocol):
    """One of `sandbox.paths`, as far as the walls are concerned."""

    @property
    def root(self) -> Path: ...
    @property
    def mode(self) -> str: ...


class SandboxConfig(Protocol):
    """The `sandbox` section, as far as the walls are concerned."""

    @property
    def paths(self) -> Mapping[str, NamedRoot]: ...


class ShellConfig(Protocol):
    """The `shell` section, as far as the walls are concerned."""

    @property
    def network(self) -> bool: ...
    @property
    def toolchains(self) -> Iterable[Path]: ...


def derive_os_sandbox_profile(
    sandbox_config: SandboxConfig,
    shell_config: ShellConfig,
    explicit_profile: OSProfile | None = None,
    *,
    masked: Iterable[Path] = (),
    homes: Iterable[Path] | None = None,
) -> OSProfile:
    """What the tools are configured to do and the operator's explicit profile also permits.

    `masked` is what no tool may write either: `Settings.masked`. Every writable root is searched for
    repositories, so this belongs to a start, not to a call. `homes` stands for this machine's home folders.
    """
    derived = _from_tools(sandbox_config, shell_config, masked, home_folders() if homes is None else homes)
    return derived if explicit_profile is None else derived & explicit_profile


def what_explicit_cuts(
    sandbox_config: SandboxConfig, shell_config: ShellConfig, explicit_profile: OSProfile
) -> tuple[str, ...]:
    """A warning for each thing the tools are configured to do and the explicit profile forbids."""
    return tuple(_cuts(sandbox_config, shell_config, explicit_profile))


def _from_tools(sandbox: SandboxConfig, shell: ShellConfig, masked: Iterable[Path], homes: Iterable[Path]) -> OSProfile:
    writable = {_real(each.root) for each in sandbox.paths.values() if each.mode == "rw"}
    readable = {_real(each.root) for each in sandbox.paths.values() if each.mode != "rw"}
    dangerous = {place for root in writable for place in _dangers(root, homes)}
    return OSProfile(
        readable=frozenset(readable | {_real(each) for each in shell.toolchains}),
        writable=frozenset(writable),
        network=shell.network,
        # A read-only root inside a writable one stays read-only for commands too.
        masked=frozenset(readable | dangerous | set(masked)),
    )


def _dangers(root: Path, homes: Iterable[Path]) -> Iterator[Path]:
    """What another program would obey one day, if a command could write it: see each line."""
    yield root / SETTINGS_FILE
    yield from places_git_obeys(root)
    yield from places_shells_obey(root, homes)


def _cuts(sandbox: SandboxConfig, shell: ShellConfig, explicit: OSProfile) -> Iterator[str]:
    for name, each in sandbox.paths.items():
        root = _real(each.root)
        narrower = sorted(map(str, (place for place in explicit.writable if place.is_relative_to(root))))
        if each.mode == "rw" and not explicit.may_write(root):
            only = f", except {', '.join(narrower)}" if narrower else ""
            can = "cannot write" if explicit.may_read(root) else "cannot reach"
            yield f"sandbox.os_profile: commands {can} {str(root)!r} (sandbox.paths.{name}, rw){only}"
        elif not explicit.may_read(root):
            yield f"sandbox.os_profile: commands cannot read {str(root)!r} (sandbox.paths.{name}, {each.mode})"
    for chain in shell.toolchains:
        if not explicit.may_read(_real(chain)):
            yield f"sandbox.os_profile: commands cannot read {str(chain)!r} (shell.toolchains)"
    if shell.network and not explicit.network:
        yield "sandbox.os_profile: commands have no network, although shell.network is true"


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
