"""For your tests: a scripted approver, a clock you turn, a record in memory, sub-agents."""

from assent.testing._answers import Answers
from assent.testing._clock import VirtualClock
from assent.testing._store import memory_store
from assent.testing._sub_agents import SubAgent, SubAgents

__all__ = ["Answers", "SubAgent", "SubAgents", "VirtualClock", "memory_store"]
