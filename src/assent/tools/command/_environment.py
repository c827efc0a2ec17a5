"""The environment of a command: what is on the list, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

_PASSED: Final = ("LANG", "TZ")
_SYSTEM_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
_OURS: Final = {"TERM": "dumb", "TMPDIR": "/tmp"}  # noqa: S108 (the sandbox has its own /tmp)


def clean_environment(
    outer: Mapping[str, str], *, names: Iterable[str] = (), writable: Iterable[Path] = ()
) -> dict[str, str]:
    """What a command gets of this process's environment, and what is set for all of them.

    By name, never by what it is not: a list of what to drop is never complete.
    """
    passed = {name: value for name, value in outer.items() if name in _PASSED or name.startswith("LC_")}
    named = {name: outer[name] for name in names if name in outer}
    path = safe_path(outer.get("PATH", _SYSTEM_PATH), writable)
    return {**passed, **named, "PATH": path, "HOME": outer.get("HOME", "/"), **_OURS}


def safe_path(path: str, writable: Iterable[Path]) -> str:
    """The absolute entries of PATH that no agent can put a program into."""
    roots = [Path(os.path.realpath(root)) for root in writable]
    entries = [each for each in path.split(os.pathsep) if os.path.isabs(each)]  # noqa: PTH117 (plain text)
    safe = [each for each in entries if not any(_lies_in(each, root) for root in roots)]
    return os.pathsep.join(safe) or _SYSTEM_PATH


def _lies_in(entry: str, root: Path) -> bool:
    # As spelled and where it leads: a link in the root could be turned to another folder.
    places = (Path(os.path.abspath(entry)), Path(os.path.realpath(entry)))  # noqa: PTH100 (`resolve` follows links)
    return any(place.is_relative_to(root) for place in places)
