"""The gate in LangChain, LangGraph and deepagents: a middleware, and single tools behind a gate."""

from assent.adapters.langchain._inbox import resuming
from assent.adapters.langchain._middleware import Gated
from assent.adapters.langchain._tool import GatedTool, gated

__all__ = ["Gated", "GatedTool", "gated", "resuming"]
