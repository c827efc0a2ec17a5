"""The walls on macOS: a Seatbelt profile, generated and tested as text; nobody has run it yet."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from assent.os_sandbox._backend import Launch, Missing
from assent.os_sandbox._descriptors import close_all
from assent.os_sandbox._profile import OSProfile

_PROGRAM: Final = "/usr/bin/sandbox-exec"
_ALWAYS: Final = """\
(version 1)
(deny default)
(import "system.sb")
(allow process-exec process-fork)
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow file-read-metadata)
(allow file-ioctl (literal "/dev/null") (literal "/dev/zero"))
(allow file-write-data (literal "/dev/null") (literal "/dev/zero"))"""
_SYSTEM: Final = (
    *("/usr", "/bin", "/sbin", "/System", "/Library/Apple", "/Library/Developer", "/opt/homebrew"),
    *("/private/etc/ssl", "/private/etc/localtime", "/private/var/db/timezone", "/private/var/select"),
)
_NETWORK: Final = """\
(allow network*)
(allow system-socket)
(allow mach-lookup (global-name "com.apple.trustd.agent") (global-name "com.apple.SystemConfiguration.configd"))"""


def seatbelt_profile(profile: OSProfile) -> str:
    """The text for `sandbox-exec -p`; of two rules about one place, the later counts."""
    return "\n".join(_lines(profile)) + "\n"


def _lines(profile: OSProfile) -> Iterator[str]:
    yield _ALWAYS
    yield f"(allow file-read* {_places([*_SYSTEM, *sorted(map(str, profile.readable | profile.writable))])})"
    if profile.writable:
        yield f"(allow file-write* {_places(sorted(map(str, profile.writable)))})"
    if profile.masked:
        yield f"(deny file-write* {_places(sorted(map(str, profile.masked)))})"
        # Moving away a folder above would take what is masked with it, and leave room for another.
        above = {
            folder for place in profile.masked for folder in place.parents if profile.may_write(folder)
        } | profile.writable
        yield f"(deny file-write-unlink {' '.join(f'(literal {_quoted(str(each))})' for each in sorted(above))})"
    if profile.network:
        yield _NETWORK


def _places(names: Sequence[str]) -> str:
    return " ".join(f"(subpath {_quoted(name)})" for name in names)


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Seatbelt:
    """The sandbox of macOS."""

    name: str = field(default="seatbelt", init=False)
    weaker: bool = field(default=False, init=False)
    gaps: tuple[str, ...] = field(default=("it is generated and not tried by us: run `assent doctor`",), init=False)

    def probe(self) -> Missing | None:
        """Whether this is a Mac with sandbox-exec."""
        if sys.platform == "darwin" and Path(_PROGRAM).exists():
            return None
        return Missing(backend="seatbelt", what="this is not macOS", remedy="Use bubblewrap on Linux")

    def command(self, argv: Sequence[str], *, profile: OSProfile, cwd: Path, env: Mapping[str, str]) -> Launch:
        """The command behind sandbox-exec; see `Backend`."""
        status, told = os.pipe()
        fds, left = [told], [status]
        os.set_blocking(status, False)
        # sandbox-exec has no option for the folder; `env -C` is not there on every Mac.
        entered = ("/bin/sh", "-c", 'cd -- "$0" && exec "$@"', str(cwd), *argv)
        return Launch(
            argv=(_PROGRAM, "-p", seatbelt_profile(profile), *entered),
            env=dict(env),
            pass_fds=(),
            status=status,
            ran=lambda _said: True,
            inner=lambda _said: None,
            waits=lambda _said: False,
            go=lambda: None,
            started=lambda: close_all(fds),
            fallen=tuple,
            release=lambda: close_all(fds, left),
        )
