"""The OS profile that follows from the tools' configuration, never weaker than it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

from assent.config import SETTINGS_FILE
from assent.os_sandbox._places import home_folders, places_git_obeys, places_python_loads, places_shells_obey
from assent.os_sandbox._profile import OSProfile
from assent.os_sandbox._scan import Scanner


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
    scanner: Scanner | None = None,
) -> OSProfile:
    """What the tools are configured to do and the operator's explicit profile also permits.

    `masked` is what no tool may write either: `Settings.masked`. Every writable root is searched for
    repositories; a `scanner` that is kept makes the next search cheap. `homes` stands for this machine's
    home folders.
    """
    dangerous = _dangers(_writable(sandbox_config), homes, scanner)
    derived = _from_tools(sandbox_config, shell_config, {*masked, *_held(dangerous, sandbox_config)})
    return derived if explicit_profile is None else derived & explicit_profile


def what_explicit_cuts(
    sandbox_config: SandboxConfig, shell_config: ShellConfig, explicit_profile: OSProfile
) -> tuple[str, ...]:
    """A warning for each thing the tools are configured to do and the explicit profile forbids."""
    return tuple(_cuts(sandbox_config, shell_config, explicit_profile))


def obeyed_links(
    sandbox_config: SandboxConfig, *, homes: Iterable[Path] | None = None, scanner: Scanner | None = None
) -> frozenset[Path]:
    """The links in place of what is masked: nothing can be mounted onto a link, so it has to be watched."""
    roots = _writable(sandbox_config)
    found = (_first_link(place, roots) for place in _dangers(roots, homes, scanner))
    return frozenset(each for each in found if each is not None)


def _from_tools(sandbox: SandboxConfig, shell: ShellConfig, masked: Iterable[Path]) -> OSProfile:
    writable = _writable(sandbox)
    readable = {_real(each.root) for each in sandbox.paths.values() if each.mode != "rw"}
    return OSProfile(
        readable=frozenset(readable | {_real(each) for each in shell.toolchains}),
        writable=writable,
        network=shell.network,
        # A read-only root inside a writable one stays read-only for commands too; one around it does not.
        masked=frozenset({*masked, *(root / SETTINGS_FILE for root in writable)} | _inside(readable, writable)),
    )


def _inside(readable: Iterable[Path], writable: Iterable[Path]) -> set[Path]:
    return {place for place in readable if any(place.is_relative_to(root) for root in writable)}


def _writable(sandbox: SandboxConfig) -> frozenset[Path]:
    return frozenset(_real(each.root) for each in sandbox.paths.values() if each.mode == "rw")


def _dangers(roots: Iterable[Path], homes: Iterable[Path] | None, scanner: Scanner | None) -> Iterator[Path]:
    """What another program, or we ourselves, would obey one day, if a command could write it."""
    looks, known = scanner or Scanner(), home_folders() if homes is None else tuple(homes)
    for root in roots:
        yield from places_git_obeys(root, looks.scan(root))
        yield from places_shells_obey(root, known)
        yield from places_python_loads(root)


def _held(places: Iterable[Path], sandbox: SandboxConfig) -> Iterator[Path]:
    """What can be held of them: behind a link, the file that it leads to; no root as a whole."""
    roots = _writable(sandbox)
    for real in map(_real, places):
        if real not in roots and any(real.is_relative_to(root) for root in roots):
            yield real


def _first_link(place: Path, roots: Iterable[Path]) -> Path | None:
    """The link on the way to a place under a root, seen from the root."""
    for part in (*reversed(place.parents), place):
        beneath = any(part != root and part.is_relative_to(root) for root in roots)
        # Not `Path.is_symlink`: it raises where this user may not look.
        if beneath and os.path.islink(part):  # noqa: PTH114
            return part
    return None


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
