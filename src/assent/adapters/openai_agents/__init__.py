"""The gate in the OpenAI Agents SDK: whole agents, or single tools, behind it."""

try:
    from assent.adapters.openai_agents._agent import gated
    from assent.adapters.openai_agents._pause import resuming
except ModuleNotFoundError as error:
    error.msg += "; this adapter needs its extra: pip install 'assent[openai-agents]'"
    raise

__all__ = ["gated", "resuming"]
