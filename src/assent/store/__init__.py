"""The durable record: questions, answers, grants, effects and the journal."""

from assent.store._sqlite import SQLiteStore

__all__ = ["SQLiteStore"]
