"""The gate in the OpenAI Agents SDK: whole agents, or single tools, behind it."""

from assent.adapters.openai_agents._agent import gated
from assent.adapters.openai_agents._pause import resuming

__all__ = ["gated", "resuming"]
