"""What one command may use of the machine: `prlimit` before its words, where there is one."""

from __future__ import annotations

import math
import os
import resource
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_PRLIMIT: Final = Path("/usr/bin/prlimit")
_MOST_PROCESSES: Final = 4096
_MOST_SECONDS: Final = 2**31 - 1
_LARGEST_FILE: Final = 16 * 2**30


def limited(argv: Sequence[str], seconds: float) -> tuple[str, ...]:
    """The same command, with limits that its children inherit; not set by `preexec_fn`, which is not safe."""
    if not _PRLIMIT.is_file():
        return tuple(argv)
    # The clock ends it first; this is for what got away from there.
    cpu = min(math.ceil(seconds) * (os.cpu_count() or 1) + 1, _MOST_SECONDS)
    limits = {
        "core": 0,
        "cpu": _at_most(resource.RLIMIT_CPU, cpu),
        "nproc": _at_most(resource.RLIMIT_NPROC, _MOST_PROCESSES),
        "fsize": _at_most(resource.RLIMIT_FSIZE, _LARGEST_FILE),
    }
    return (str(_PRLIMIT), *(f"--{name}={most}" for name, most in limits.items()), "--", *argv)


def _at_most(kind: int, wanted: int) -> int:
    """A hard limit that is lower already cannot be raised."""
    _, hard = resource.getrlimit(kind)
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
