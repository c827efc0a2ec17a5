"""The real bubblewrap for every test here; without it nothing is proven."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.os_sandbox.kit import processes_with


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder that commands may write to."""
    folder = tmp_path.resolve() / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def mark() -> Iterator[str]:
    """A word that marks the processes of one test."""
    word = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    yield word
    for pid in processes_with(word):
        os.kill(pid, signal.SIGKILL)
