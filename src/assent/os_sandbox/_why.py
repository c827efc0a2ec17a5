"""Why bubblewrap does not hold on this machine, in words that say what to do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from assent.os_sandbox._backend import Missing

_NAME: Final = "bubblewrap"
_INSTALL: Final = (
    "Install it: `apt-get install bubblewrap` (Debian, Ubuntu), `dnf install bubblewrap` (Fedora), "
    "`pacman -S bubblewrap` (Arch), `apk add bubblewrap` (Alpine)"
)
# Each switch that turns user namespaces off, the value that does, and how it is turned on.
_SWITCHES: Final = (
    ("/proc/sys/user/max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=15000"),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "add an AppArmor profile for bwrap, or sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)


def not_installed() -> Missing:
    """There is no bwrap on PATH."""
    return Missing(backend=_NAME, what="it is not installed: there is no `bwrap` on PATH", remedy=_INSTALL)


def too_old(program: str, lacks: Sequence[str]) -> Missing:
    """It is there, and cannot do what is needed."""
    what = f"{program} is too old: it has no {', '.join(lacks)}"
    return Missing(
        backend=_NAME,
        what=what,
        remedy=f"Version 0.10 or later is needed, or one with these options added, as Debian's 0.8 is. {_INSTALL}",
    )


def no_shell() -> Missing:
    """The command has nobody to begin it."""
    what = "there is no bash in the system's own folders, and on this machine a command begins with it"
    return Missing(backend=_NAME, what=what, remedy="Install it: `apt-get install bash`, `apk add bash` …")


def unknown_machine(machine: str) -> Missing:
    """No system call numbers are known for it."""
    what = f"there is no seccomp filter for {machine}"
    return Missing(backend=_NAME, what=what, remedy="x86_64 and aarch64 have one")


def broken(said: str) -> Missing:
    """It could not even be started."""
    return Missing(backend=_NAME, what=f"it cannot be started: {said}", remedy=_INSTALL)


def failed(said: str) -> Missing:
    """It was started, and could not build the walls."""
    words = " ".join(said.split()).removeprefix("bwrap: ") or "it said nothing"
    if "proc" in words and "mount" in words.lower():
        return Missing(
            backend=_NAME,
            what=f"it may not mount /proc ({words}): a container or another sandbox around us hides parts of it",
            remedy=(
                "Start the container with an unmasked /proc (`docker run --security-opt systempaths=unconfined`, "
                "`podman run --security-opt unmask=ALL`), or run assent outside it"
            ),
        )
    if "namespace" in words or "uid map" in words or "clone" in words:
        return _no_namespaces(words)
    return Missing(backend=_NAME, what=f"it failed: {words}", remedy="Run `assent doctor` for all that was tried")


def _no_namespaces(words: str) -> Missing:
    found = [remedy for switch, off, remedy in _SWITCHES if _reads(switch) == off]
    what = f"user namespaces are switched off ({words})"
    nested = (
        "No switch of this machine does that, so a container or another sandbox around us does: "
        "allow user namespaces there, or run assent outside it"
    )
    return Missing(backend=_NAME, what=what, remedy=f"Switch them on: {'; '.join(found)}" if found else nested)


def _reads(switch: str) -> str:
    try:
        return Path(switch).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
