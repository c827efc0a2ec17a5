"""What the model's server may keep of a request: the next one reads it again, for less."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, cast

from assent.agent._model import Block, Message, ModelRequest, blocks_of

if TYPE_CHECKING:
    from anthropic.types import CacheControlEphemeralParam, MessageParam, TextBlockParam, ToolParam

_KEEP: Final[CacheControlEphemeralParam] = {"type": "ephemeral"}
_MARKABLE: Final = frozenset({"text", "tool_use", "tool_result"})
"""Blocks that may carry the mark; thinking, for one, may not."""


def system_of(request: ModelRequest) -> list[TextBlockParam]:
    """The standing instructions, kept; the API refuses an empty text."""
    if not request.system:
        return []
    return [{"type": "text", "text": request.system, "cache_control": _KEEP}]


def tools_of(request: ModelRequest) -> list[ToolParam]:
    """The tools; the mark on the last one is for all of them."""
    return cast("list[ToolParam]", _marked(request.tools))


def messages_of(request: ModelRequest) -> list[MessageParam]:
    """The conversation, kept up to its last word: the next request begins with all of it."""
    *before, last = request.messages
    return cast("list[MessageParam]", [*before, _kept(last)])


def _kept(message: Message) -> Message:
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else blocks_of(message)
    return {**message, "content": _marked(blocks)}


def _marked(blocks: Sequence[Block]) -> list[Block]:
    """The same blocks, the last one with the mark where it may have one."""
    if not blocks or blocks[-1].get("type", "text") not in _MARKABLE:
        return list(blocks)
    return [*blocks[:-1], {**blocks[-1], "cache_control": _KEEP}]
