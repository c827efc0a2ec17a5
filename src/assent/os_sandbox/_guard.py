"""The first program behind the walls: no command begins whose parent is gone already.

Bubblewrap ties each of its processes to the one above, but one after the other. Whoever is killed in
between leaves the rest behind, which would go on to run the command with nobody to end it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from assent.os_sandbox._programs import find_program
from assent.os_sandbox._system import SYSTEM

TIED: Final = "tied"
GO: Final = b"go\n"
_SHELLS: Final = "/bin:/usr/bin"
# The first process in here ties itself before it puts up its filter: with as many filters as we have
# (before Linux 5.9: with any) it is tied. Then all ties hold, and the parent is told. Only if it is
# still alive to answer, the command begins: from then on its death reaches everybody. A pipe that is
# still open proves nothing, since the kernel closes it late. Last, no SHLVL of ours is handed on.
_SCRIPT: Final = """\
type -P -- "$3" >/dev/null || { printf '%s: there is no such program\\n' "$3" >&2; exit 127; }
begin() {
  local own init= key=Seccomp_filters: tied=$1 go=$2
  IFS= read -rd '' own </proc/self/status
  [[ $own == *$key* ]] || key=Seccomp:
  own=${own##*"$key"} own=${own%%$'\\n'*}
  until [[ $init == "$own" ]]; do
    IFS= read -rd '' init </proc/1/status
    init=${init##*"$key"} init=${init%%$'\\n'*}
  done
  printf '{ "tied": 1 }\\n' >&"$tied" || exit 1
  read -ru "$go" || exit 1
  exec {tied}>&- {go}<&-
}
begin "$1" "$2"; shift 2
unset SHLVL OLDPWD REPLY
declare -n SHLVL=_
exec -- "$@"
"""


def find_shell(writable: Iterable[Path] = ()) -> str | None:
    """The bash that every confined process can see; none if there is none."""
    path = os.pathsep.join((_SHELLS, os.environ.get("PATH", "")))
    found = find_program("bash", writable=writable, path=path)
    real = None if found is None else os.path.realpath(found)
    return real if real is not None and any(Path(real).is_relative_to(place) for place in SYSTEM) else None


def guarded(argv: Sequence[str], *, shell: str, told: int, go: int) -> tuple[str, ...]:
    """The command behind the guard, which writes to `told` when it is tied, and waits for a line from `go`."""
    # `-p`: nothing in the environment makes it read or run something else.
    return (shell, "--noprofile", "--norc", "-p", "-c", _SCRIPT, "assent", str(told), str(go), *argv)
