"""The system that every confined program sees: programs, libraries, and hardly any of `/etc`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
"""Shown read-only in every profile; what is a link stays one."""
# Root may change these, with no capability at all: a namespace does not stop that, a read-only mount does.
_ROOT_CHANGES: Final = ("/proc/sys", "/proc/sysrq-trigger", "/proc/acpi", "/proc/scsi")
_TABLES: Final = ("/etc/alternatives",)
# Certificates, not the keys that lie beside them.
CERTIFICATES: Final = ("/etc/ssl/certs", "/etc/ca-certificates", "/etc/pki/ca-trust", "/etc/pki/tls/certs")
_NETWORK: Final = (*CERTIFICATES, "/etc/ssl/openssl.cnf", "/etc/resolv.conf")
_NAMES: Final = "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n"
_HOSTS: Final = "127.0.0.1 localhost\n::1 localhost\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemView:
    """What to show of the system, in the three ways there are."""

    folders: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    """Target and name."""
    copies: tuple[tuple[str, str | bytes], ...]
    """Name, and the file to copy, or the bytes themselves: a copy is cheaper than a mount."""

    kept_from_root: tuple[str, ...]
    """What must be mounted read-only on top; none for anybody but root."""


@cache
def system_view(*, network: bool) -> SystemView:
    """The view for this machine, looked up once."""
    folders = [name for name in SYSTEM if os.path.isdir(name) and not os.path.islink(name)]  # noqa: PTH112, PTH114 (plain names)
    links = [(str(Path(name).readlink()), name) for name in SYSTEM if Path(name).is_symlink()]
    clock = Path("/etc/localtime")
    if clock.is_symlink():
        links.append((str(clock.readlink()), str(clock)))
    shown = [name for name in (*_TABLES, *(_NETWORK if network else ())) if Path(name).exists()]
    return SystemView(
        folders=(*folders, *shown),
        links=tuple(links),
        copies=tuple(_copies()),
        kept_from_root=tuple(name for name in _ROOT_CHANGES if os.getuid() == 0 and _holds_anything(Path(name))),
    )


def _holds_anything(place: Path) -> bool:
    return any(place.iterdir()) if place.is_dir() else place.exists()


def _copies() -> Iterator[tuple[str, str | bytes]]:
    uid, gid = os.getuid(), os.getgid()
    # Our own, not the machine's: who else has an account here is nobody's business inside.
    people = {0: "root", 65534: "nobody"} | {uid: "root" if uid == 0 else "user"}
    yield "/etc/passwd", "".join(f"{name}:x:{id_}:{id_}::/tmp:/bin/sh\n" for id_, name in people.items()).encode()
    groups = {0: "root", 65534: "nogroup"} | {gid: "root" if gid == 0 else "user"}
    yield "/etc/group", "".join(f"{name}:x:{id_}:\n" for id_, name in groups.items()).encode()
    yield "/etc/nsswitch.conf", _NAMES.encode()
    yield "/etc/hosts", _HOSTS.encode()
    if Path("/etc/ld.so.cache").exists():
        yield "/etc/ld.so.cache", "/etc/ld.so.cache"
