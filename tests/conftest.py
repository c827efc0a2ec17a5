"""Hypothesis profiles (the same examples every time in CI, new ones elsewhere), and parts that many tests use."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from assent.os_sandbox import Bubblewrap
from tests.cli.tmux import Tmux

# No deadline: a slow machine is not a broken law; pytest-timeout ends what hangs.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")

# A shell starts what it puts in the background with interrupts ignored, and every child inherits that.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def terminal() -> Iterator[Tmux]:
    """A window of a real terminal."""
    if shutil.which("tmux") is None:
        if os.environ.get("CI"):
            pytest.fail("tmux is missing; in CI it must be there: scripts/system-packages tmux")
        pytest.skip("tmux is not installed")
    # Not tmp_path: the name of a socket has little room.
    with tempfile.TemporaryDirectory(prefix="assent-tmux-") as folder:
        window = Tmux(Path(folder))
        try:
            yield window
        finally:
            window.stop()


@pytest.fixture(scope="session")
def walls() -> Bubblewrap:
    """The sandbox that commands run in; in CI it must hold."""
    backend = Bubblewrap()
    missing = backend.probe()
    if missing is not None and not os.environ.get("CI"):
        pytest.skip(str(missing))
    assert missing is None, str(missing)
    return backend
