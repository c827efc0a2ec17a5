"""The real bubblewrap for every test here; without it nothing is proven."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assent.os_sandbox import Bubblewrap


@pytest.fixture(scope="session")
def walls() -> Bubblewrap:
    backend = Bubblewrap()
    missing = backend.probe()
    if missing is not None and not os.environ.get("CI"):
        pytest.skip(str(missing))
    assert missing is None, str(missing)
    return backend


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder that commands may write to."""
    folder = tmp_path.resolve() / "root"
    folder.mkdir()
    return folder
