"""Which walls there are on this machine, by trying, and what follows if there are none."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from assent.os_sandbox._backend import Backend, Missing
from assent.os_sandbox._bubblewrap import Bubblewrap
from assent.os_sandbox._landlock import Landlock
from assent.os_sandbox._programs import find_program
from assent.os_sandbox._seatbelt import Seatbelt

Fallback = Literal["fail_fast", "refuse_tools"]
ToolKind = Literal["file", "shell"]

_BOTH: Final[frozenset[ToolKind]] = frozenset({"file", "shell"})
_SHELL: Final[frozenset[ToolKind]] = frozenset({"shell"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """No walls that would do, and what is refused because of that."""

    missing: tuple[Missing, ...]
    fatal: bool
    """True: do not start at all. False: start, with `tools` refused."""
    tools: frozenset[ToolKind]

    def __str__(self) -> str:
        opening = {
            (True, 2): "sandbox.require_os_sandbox is true, and there is no OS sandbox on this machine.",
            (False, 2): (
                "sandbox.require_os_sandbox is true, and there is no OS sandbox on this machine, so file and shell "
                "tools are refused (sandbox.os_sandbox_fallback: refuse_tools)."
            ),
            (False, 1): "There is no OS sandbox on this machine, so commands are refused.",
        }[self.fatal, len(self.tools)]
        ending = (
            "\nOr set sandbox.os_sandbox_fallback to refuse_tools, to start without file and shell tools."
            if self.fatal
            else ""
        )
        return "\n".join([opening, *(f"- {each}" for each in self.missing)]) + ending


def backends(writable: Iterable[Path] = ()) -> tuple[Backend, ...]:
    """The kinds of wall there are on this system, best first; no program of theirs lies in a writable folder."""
    if sys.platform == "darwin":
        return (Seatbelt(),)
    return Bubblewrap(program=find_program("bwrap", writable=writable)), Landlock()


def choose_backend(
    *,
    required: bool,
    fallback: Fallback = "fail_fast",
    candidates: Sequence[Backend] | None = None,
    writable: Iterable[Path] = (),
) -> Backend | Refusal:
    """The first that holds, tried for real; where a sandbox is required, a weaker one does not count.

    `writable` is where commands may write: what lies there is not even tried.
    """
    missing: list[Missing] = []
    for each in backends(writable) if candidates is None else candidates:
        if required and each.weaker:
            missing.append(_too_weak(each))
        elif (lack := each.probe()) is not None:
            missing.append(lack)
        else:
            return each
    return Refusal(
        missing=tuple(missing),
        fatal=required and fallback == "fail_fast",
        tools=_BOTH if required else _SHELL,
    )


def _too_weak(backend: Backend) -> Missing:
    return Missing(
        backend=backend.name,
        what=f"it is weaker than what is required ({len(backend.gaps)} known gaps), so it was not considered",
        remedy="Set sandbox.require_os_sandbox to false to accept it; `assent doctor` then shows what it leaves open",
    )
