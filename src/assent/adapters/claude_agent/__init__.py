"""The gate in the Claude Agent SDK: every tool call of Claude Code, and tools of your own."""

from assent.adapters.claude_agent._gated import Gated

__all__ = ["Gated"]
