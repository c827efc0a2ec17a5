"""The real bubblewrap for every test here; without it nothing is proven."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder that commands may write to."""
    folder = tmp_path.resolve() / "root"
    folder.mkdir()
    return folder
