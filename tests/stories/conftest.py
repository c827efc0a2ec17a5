"""An operator with a project of their own, at a pseudo-terminal or in tmux."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.operator import Operator
from tests.tools.command.conftest import walls
from tests.ui.conftest import person
from tests.ui.person import Person
from tests.ui.test_in_tmux import terminal

__all__ = ["operator", "person", "terminal", "walls"]


@pytest.fixture
def operator(tmp_path: Path, person: Person) -> Operator:
    return Operator(tmp_path, person)
