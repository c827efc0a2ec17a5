"""Searching against plain ripgrep, and listing against `rglob` and `stat`, in a tree like a large project.

The tree is this environment's own packages, copied until there are enough files. Plain ripgrep gets the
flags that make it look at the same files, and prints every line it finds; ours find the same number of
lines, open each of those files again beneath the folder, and come back with values. Both of our engines
start processes for every search, which is part of what is measured.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from statistics import median

from assent.tools.files.search import Engine, Search, find_ripgrep, search
from assent.tools.files.search._listing import list_files
from bench._rounds import Measure, interleave, quietest, times
from bench._table import NO_TARGET, Table, at_most

_ROUNDS = 20
_FILES = 12_000
_MANY = 1_000_000
_RIPGREP, _PYTHON, _LISTING = 1.2, 3.0, 0.5
_PATTERNS = {
    "some hits": r"def\s+__aenter__",
    "no hit": r"no_such_thing\d+here",
    "any case": r"(?i)recursionerror",
}


def measure() -> Table:
    with tempfile.TemporaryDirectory() as place:
        files = _plant(Path(place))
        folder = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
        try:
            rows = [row for name, pattern in _PATTERNS.items() for row in _search_rows(name, pattern, folder, place)]
            rows += _listing_rows(folder, Path(place))
        finally:
            os.close(folder)
    return Table(
        title="Searching and listing",
        about=(
            f"{files} files, in the disk's cache. Median of {_ROUNDS} interleaved rounds; the ratio to the first "
            "of each group is taken within each round."
        ),
        columns=("what", "how", "ms", "ratio", "quietest", "target", "met"),
        rows=rows,
    )


def _plant(root: Path) -> int:
    packages = Path(sysconfig.get_path("purelib"))
    # A project has none of it, and here it would be every other file.
    no_byte_code = shutil.ignore_patterns("__pycache__")
    files = copies = 0
    while files < _FILES:
        shutil.copytree(packages, root / f"copy_{copies}", symlinks=True, ignore=no_byte_code)
        copies += 1
        files = sum(len(names) for _, _, names in os.walk(root))
    return files


def _search_rows(name: str, pattern: str, folder: int, place: str) -> list[tuple[str, ...]]:
    rg = find_ripgrep([folder])
    assert rg, "ripgrep is not installed"
    wanted = Search(folder=folder, pattern=pattern, max_results=_MANY)
    measures = {
        "plain rg": partial(_plain, rg, pattern, place),
        "ripgrep engine": partial(_ours, wanted, "ripgrep"),
        "Python engine": partial(_ours, wanted, "python"),
    }
    hits = {how: count() for how, count in measures.items()}
    assert len(set(hits.values())) == 1, hits
    targets = {"ripgrep engine": _RIPGREP, "Python engine": _PYTHON}
    return _rows(f"{name} ({hits['plain rg']})", measures, targets)


def _plain(rg: str, pattern: str, place: str) -> int:
    flags = ["--no-config", "--hidden", "--no-ignore", "--max-filesize=10000000", "--line-number", "--no-heading"]
    done = subprocess.run([rg, *flags, "-e", pattern, "."], cwd=place, capture_output=True, check=False)
    return sum(b"WARNING: stopped searching binary file" not in line for line in done.stdout.splitlines())


def _ours(wanted: Search, engine: Engine) -> int:
    return len(search(wanted, engine=engine).matches)


def _listing_rows(folder: int, root: Path) -> list[tuple[str, ...]]:
    def rglob() -> int:
        return len([(path, path.stat()) for path in root.rglob("*.py")])

    def ours() -> int:
        return len(list_files(folder, "**/*.py"))

    measures: dict[str, Callable[[], int]] = {"rglob and stat": rglob, "list_files": ours}
    hits = {how: count() for how, count in measures.items()}
    assert len(set(hits.values())) == 1, hits
    return _rows(f"**/*.py ({hits['list_files']})", measures, {"list_files": _LISTING})


def _rows(what: str, measures: Mapping[str, Callable[[], int]], targets: dict[str, float]) -> list[tuple[str, ...]]:
    rounds = interleave({how: _timed(count) for how, count in measures.items()}, rounds=_ROUNDS)
    base = next(iter(measures))
    rows: list[tuple[str, ...]] = []
    for how, seconds in rounds.items():
        ratios = times(rounds, how, base)
        target = at_most(targets[how], median(ratios), "×") if how in targets else NO_TARGET
        shown = ("1", "") if how == base else (f"{median(ratios):.2f}×", f"{quietest(ratios):.2f}×")
        rows.append((what, how, f"{median(seconds) * 1e3:.0f}", *shown, *target))
    return rows


def _timed(count: Callable[[], int]) -> Measure:
    def timed() -> float:
        before = time.perf_counter()
        count()
        return time.perf_counter() - before

    return timed
