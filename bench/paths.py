"""Opening a file beneath a root, against a plain open of the same file.

`Root.open` resolves the path so that nothing leads out, in one system call (`openat2`); `os.open` is
the least that any program does, and promises nothing. Beside them, for information: `Root.regular`,
which first holds the file without opening it, so that a pipe or device is not touched, and the
component walk, which is the way where the kernel has no openat2. Each includes the close.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from assent.tools.files.disk._root import Root
from bench._rounds import Measure, Rounds, interleave, quietest, times
from bench._table import NO_TARGET, Table, at_most

_ROUNDS = 60
_CALLS = 1000
_PLAIN = "`os.open`"
_RESOLVED = "`Root.open`"
_LIMIT = 2.0
_FILES = {"1 level": "file.txt", "4 levels": "a/b/c/file.txt"}


def measure() -> Table:
    rows: list[tuple[str, ...]] = []
    with (
        TemporaryDirectory() as folder,
        closing(Root(Path(folder))) as root,
        closing(Root(Path(folder), way="walk")) as walk,
    ):
        assert root.way == "openat2", "this kernel has no openat2"
        for depth, path in _FILES.items():
            file = Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
            rows += _rows(depth, interleave(_ways(root, walk, file, path), rounds=_ROUNDS))
    return Table(
        title="Opening beneath a root",
        about=f"Median of {_ROUNDS} interleaved bursts of {_CALLS} opens and closes; ratios within each round.",
        columns=("open and close", "file", "µs", "of `os.open`", "quietest", "target", "met"),
        rows=rows,
    )


def _ways(root: Root, walk: Root, file: Path, path: str) -> dict[str, Measure]:
    absolute = str(file)
    return {
        _PLAIN: _burst(lambda: os.open(absolute, os.O_RDONLY)),
        _RESOLVED: _burst(lambda: root.open(path)),
        "`Root.regular`": _burst(lambda: root.regular(path)),
        "`Root.open`, component walk": _burst(lambda: walk.open(path)),
    }


def _burst(opening: Callable[[], int]) -> Measure:
    def burst() -> float:
        close = os.close
        before = time.perf_counter()
        for _ in range(_CALLS):
            close(opening())
        return (time.perf_counter() - before) / _CALLS

    return burst


def _rows(depth: str, rounds: Rounds) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for name, seconds in rounds.items():
        ratios = times(rounds, name, _PLAIN)
        target = at_most(_LIMIT, median(ratios), "×") if name == _RESOLVED else NO_TARGET
        shown = (f"{median(ratios):.2f}×", f"{quietest(ratios):.2f}×") if name != _PLAIN else ("1", "")
        rows.append((name, depth, f"{median(seconds) * 1e6:.2f}", *shown, *target))
    return rows
