"""A store in memory and one in a file: every rule holds for both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assent.store import SQLiteStore

Open = Callable[[], SQLiteStore]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store's file lies."""
    return tmp_path / "state" / "store.db"


@pytest.fixture
def open_store(path: Path) -> Iterator[Open]:
    """Open the file, as one more process would; all are closed at the end."""
    opened: list[SQLiteStore] = []

    def open_one() -> SQLiteStore:
        opened.append(SQLiteStore(path))
        return opened[-1]

    yield open_one
    for each in opened:
        each.close()


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, path: Path) -> Iterator[SQLiteStore]:
    """The store, wherever it lies."""
    store = SQLiteStore(":memory:" if request.param == "memory" else path)
    yield store
    store.close()
