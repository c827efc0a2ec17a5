"""A person at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ui.person import Person


@pytest.fixture
def person() -> Iterator[Person]:
    somebody = Person()
    yield somebody
    somebody.leaves()
