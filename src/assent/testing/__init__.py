"""For your tests: a scripted approver, a clock you turn, a record in memory."""

from assent.testing._answers import Answers
from assent.testing._clock import VirtualClock
from assent.testing._store import memory_store

__all__ = ["Answers", "VirtualClock", "memory_store"]
