"""The environment of a command: what is on the list, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from assent.os_sandbox import safe_path

_PASSED: Final = ("LANG", "TZ")
_OURS: Final = {"TERM": "dumb", "TMPDIR": "/tmp"}  # noqa: S108 (the sandbox has its own /tmp)


def clean_environment(
    outer: Mapping[str, str], *, names: Iterable[str] = (), writable: Iterable[Path] = ()
) -> dict[str, str]:
    """What a command gets of this process's environment, and what is set for all of them.

    By name, never by what it is not: a list of what to drop is never complete.
    """
    passed = {name: value for name, value in outer.items() if name in _PASSED or name.startswith("LC_")}
    named = {name: outer[name] for name in names if name in outer}
    path = safe_path(outer.get("PATH", ""), writable)
    return {**passed, **named, "PATH": path, "HOME": outer.get("HOME", "/"), **_OURS}
