"""The gate in the Claude Agent SDK: every tool call of Claude Code, and tools of your own."""

try:
    from assent.adapters.claude_agent._gated import Gated
except ModuleNotFoundError as error:
    error.msg += "; this adapter needs its extra: pip install 'assent[claude-agent]'"
    raise

__all__ = ["Gated"]
