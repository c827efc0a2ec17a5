"""An operator with a project of their own, at a pseudo-terminal or in tmux."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.operator import Operator
from tests.ui.conftest import person
from tests.ui.person import Person

__all__ = ["operator", "person"]


@pytest.fixture
def operator(tmp_path: Path, person: Person) -> Operator:
    return Operator(tmp_path, person)
