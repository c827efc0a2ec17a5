"""The first program behind the walls: no command begins whose parent is gone already.

Bubblewrap ties each of its processes to the one above, but one after the other. Whoever is killed in
between leaves the rest behind, which would go on to run the command with nobody to end it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assent.os_sandbox._begin import program
from assent.os_sandbox._programs import find_program
from assent.os_sandbox._system import SYSTEM

TIED: Final = "tied"
GO: Final = b"\n\n"
"""A line for each who waits: the guard, and the watcher outside."""
PLACE: Final = "/.assent"
"""Where a program of our own lies behind the walls."""
_TOLD: Final = f'{{ "{TIED}": 1 }}\n'
_SHELLS: Final = "/bin:/usr/bin"
# The first process in here ties itself before it puts up its filter: with as many filters as we have
# (before Linux 5.9: with any) it is tied. Then all ties hold, and the parent is told. Only if it is
# still alive to answer, the command begins: from then on its death reaches everybody. A pipe that is
# still open proves nothing, since the kernel closes it late. Last, no SHLVL of ours is handed on.
_SCRIPT: Final = f"""\
type -P -- "$4" >/dev/null || {{ printf '%s: there is no such program\\n' "$4" >&2; exit 127; }}
begin() {{
  local said own init= tied=$1 go=$2 status=$3 filters='Seccomp:[^S]*(Seccomp_filters:[^S]*)?'
  IFS= read -rd '' said </proc/self/status
  [[ $said =~ $filters ]] || exit 1
  own=$BASH_REMATCH
  until [[ $init == "$own" ]]; do
    IFS= read -rd '' said </proc/1/status
    [[ $said =~ $filters ]] && init=$BASH_REMATCH
  done
  printf '{_TOLD.strip()}\\n' >&"$tied" || exit 1
  read -ru "$go" || exit 1
  exec {{tied}}>&- {{go}}<&- {{status}}<&-
}}
begin "$1" "$2" "$3"; shift 3
unset SHLVL OLDPWD REPLY
declare -n SHLVL=_
exec -- "$@"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """What begins a command."""

    argv: tuple[str, ...]
    """The command with the guard before it."""
    program: bytes | None = None
    """What has to lie at `PLACE`; none if a shell does it."""


def find_shell(writable: Iterable[Path] = ()) -> str | None:
    """The bash that every confined process can see; none if there is none."""
    path = os.pathsep.join((_SHELLS, os.environ.get("PATH", "")))
    found = find_program("bash", writable=writable, path=path)
    real = None if found is None else os.path.realpath(found)
    return real if real is not None and any(Path(real).is_relative_to(place) for place in SYSTEM) else None


def by_shell(argv: Sequence[str], *, shell: str, told: int, go: int, status: int) -> Guard:
    """A shell that writes to `told` when it is tied, and waits for a line from `go`; it closes all three."""
    fds = map(str, (told, go, status))
    # `-p`: nothing in the environment makes it read or run something else.
    return Guard(argv=(shell, "--noprofile", "--norc", "-p", "-c", _SCRIPT, "assent", *fds, *argv))


def by_program(argv: Sequence[str], *, path: str, told: int, go: int, status: int) -> Guard:
    """The same without a shell, where `knows_this_machine`; `path` is the command's PATH."""
    name = argv[0]
    places = [name] if "/" in name else [f"{folder or '.'}/{name}" for folder in path.split(":")]
    return Guard(
        argv=(PLACE, *argv),
        program=program(name, places, tied=_TOLD.encode(), told=told, go=go, status=status),
    )
