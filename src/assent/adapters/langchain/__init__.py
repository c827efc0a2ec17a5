"""The gate in LangChain, LangGraph and deepagents: a middleware, and single tools behind a gate."""

try:
    from assent.adapters.langchain._inbox import resuming
    from assent.adapters.langchain._middleware import Gated
    from assent.adapters.langchain._tool import GatedTool, gated
except ModuleNotFoundError as error:
    error.msg += "; this adapter needs its extra: pip install 'assent[langchain]'"
    raise

__all__ = ["Gated", "GatedTool", "gated", "resuming"]
