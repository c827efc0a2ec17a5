"""A law: killed at any point, nothing acknowledged is lost and nothing runs twice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 200
SEED = 20261115


def test_a_process_killed_at_any_point_loses_nothing_and_repeats_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.durability.killing", str(tmp_path), str(ROUNDS), str(SEED)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110, check=False)
    print(done.stdout)  # noqa: T201 — the seed and the phases, for whoever must repeat it
    assert done.returncode == 0, done.stdout + done.stderr
    phases = dict(line.rsplit(": ", 1) for line in done.stdout.splitlines()[1:])
    assert sum(map(int, phases.values())) == ROUNDS
    # The kills really fell into different phases: before the question, on the desk, decided, at work, done.
    assert len(phases) >= 5, phases
    assert {"asked", "decided"} <= phases.keys()
    assert any(name.startswith("unknown") for name in phases)
