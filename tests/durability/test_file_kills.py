"""A law: killed at any point, a file is entirely before or entirely after, and the journal agrees."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 100
"""On each kind of disk."""
SEED = 20261116


@pytest.fixture(params=["disk", "memory"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A disk spends its time in syncing; in memory, the moments between two renames are a larger part of it."""
    memory = Path("/dev/shm")  # noqa: S108 (a random name in it)
    if request.param == "disk" or not memory.is_dir():
        yield tmp_path
        return
    with TemporaryDirectory(dir=memory) as made:
        yield Path(made)


def test_a_process_killed_while_it_changes_files_leaves_them_whole_and_the_record_true(folder: Path) -> None:
    command = [sys.executable, "-m", "tests.durability.file_killing", str(folder), str(ROUNDS), str(SEED)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110, check=False)
    print(done.stdout)  # noqa: T201 — the seed and the phases, for whoever must repeat it
    assert done.returncode == 0, done.stdout + done.stderr
    told = dict(line.rsplit(": ", 1) for line in done.stdout.splitlines()[1:])
    leftovers = int(told.pop("leftovers"))
    assert sum(map(int, told.values())) == ROUNDS
    # The kills fell into different phases, and into both halves of the change itself.
    assert len(told) >= 5, told
    assert {"unknown, before", "unknown, after"} <= told.keys(), told
    # A draft has no name until it is complete, so only a kill between two renames leaves one.
    assert leftovers <= ROUNDS // 10
