"""Spawn: `/bin/true` behind the walls against a plain `subprocess.run(["/bin/true"])`.

A command is confined as `run_command` would do it: a writable root, its masks, the filter. It is
started by a large parent as well: what a spawn costs must not depend on who starts it. That one is a
process of its own, which has filled its memory long before: filling it empties every cache.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import subprocess
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median

from assent.os_sandbox import Backend, Bubblewrap, Landlock, OSProfile, start
from bench._rounds import Measure, interleave, quietest, times
from bench._table import NO_TARGET, Table, at_most

_ROUNDS = 60
_LARGE = 500_000_000
_PLAIN = "plain `subprocess.run`"
_EMPTY = "bubblewrap, no root"
_ROOT = "bubblewrap, a root and its 2 masks"
_GIT = "bubblewrap, a root with a repository and its 5 mounts"
_LARGE_PARENT = "the same root, from a parent of 500 MB"
_WEAKER = "landlock (the weaker fallback)"


def measure() -> Table:
    missing = Bubblewrap().probe()
    assert missing is None, str(missing)
    large = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _fill)
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner() as runner, large:
        root, repository = Path(folder).resolve() / "root", Path(folder).resolve() / "repository"
        root.mkdir()
        _make_repository(repository)
        walls = Bubblewrap()
        with_root = _profile(root, ".git", "assent.yaml")
        with_git = _profile(repository, ".git/config", ".git/hooks", ".git/commondir", "assent.yaml")
        rounds = interleave(
            {
                _PLAIN: _plainly,
                _EMPTY: _confined(runner, walls, OSProfile(), Path("/")),
                _ROOT: _confined(runner, walls, with_root, root),
                _GIT: _confined(runner, walls, with_git, repository),
                _LARGE_PARENT: lambda: large.submit(_in_large, with_root, root).result(),
                _WEAKER: _confined(runner, Landlock(), with_root, root),
            },
            rounds=_ROUNDS,
        )
    limits = {_EMPTY: 10.0, _ROOT: 10.0, _LARGE_PARENT: 10.0}
    rows: list[tuple[str, ...]] = []
    for name, seconds in rounds.items():
        ratios = times(rounds, name, _PLAIN)
        target = at_most(limits[name], median(ratios), "×") if name in limits else NO_TARGET
        shown = f"{median(ratios):.2f}×", f"{quietest(ratios):.2f}×"
        rows.append((name, f"{median(seconds) * 1e3:.1f}", *(shown if name != _PLAIN else ("1", "")), *target))
    return Table(
        title="Spawn",
        about=f"Median of {_ROUNDS} interleaved starts of /bin/true, each with its end; ratios within each round.",
        columns=("how", "ms", "of plain", "quietest", "target", "met"),
        rows=rows,
    )


def _profile(root: Path, *masked: str) -> OSProfile:
    return OSProfile(writable=frozenset({root}), masked=frozenset(root / name for name in masked))


def _plainly() -> float:
    before = time.perf_counter()
    subprocess.run(["/bin/true"], check=True)
    return time.perf_counter() - before


def _confined(runner: asyncio.Runner, backend: Backend, profile: OSProfile, cwd: Path) -> Measure:
    async def run() -> float:
        before = time.perf_counter()
        async with await start(
            ["/bin/true"], backend=backend, profile=profile, cwd=cwd, env={}, stdout=None, stderr=None
        ) as confined:
            ended = await confined.wait()
        taken = time.perf_counter() - before
        assert ended.ran
        assert ended.exit_code == 0
        return taken

    return lambda: runner.run(run())


_pages = bytearray()


def _fill() -> None:
    """Make this process large: every page of it is its own."""
    _pages.extend(bytes(_LARGE))
    _pages[::4096] = b"x" * len(range(0, _LARGE, 4096))


def _in_large(profile: OSProfile, cwd: Path) -> float:
    assert len(_pages) == _LARGE
    with asyncio.Runner() as runner:
        return _confined(runner, Bubblewrap(), profile, cwd)()


def _make_repository(folder: Path) -> None:
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
