"""The real store, on no disk."""

from __future__ import annotations

from assent.store import SQLiteStore


def memory_store() -> SQLiteStore:
    """A store nobody else can open, gone with the process."""
    return SQLiteStore(":memory:")
