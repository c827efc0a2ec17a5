"""What the model's server may keep of a request, and what that costs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from anthropic.types import MessageParam, TextBlockParam, ToolParam
from pydantic import TypeAdapter

from assent.agent._caching import messages_of, system_of, tools_of
from assent.agent._model import Block, Message, ModelRequest
from assent.config import Prices
from assent.testing import Call, Page, Say, Turn
from tests.agent.kit import an_agent, settings_at

KEEP = {"type": "ephemeral"}


def asked(*messages: Message, tools: tuple[Block, ...] = ()) -> ModelRequest:
    return ModelRequest(system="Be brief.", messages=messages, tools=tools, max_tokens=9)


def marks(value: object) -> int:
    return json.dumps(value).count("cache_control")


async def test_instructions_tools_and_the_last_word_are_kept_in_every_request(tmp_path: Path) -> None:
    file = tmp_path / "work" / "a.txt"
    script = Turn(Call("Read", {"file_path": str(file)})), Turn(Say("Done!")), Turn(Say("Again."))
    with an_agent(tmp_path, *script) as desk:
        file.write_text("text")
        await desk.run("Read it.")
        await desk.run("And?")
    for request in desk.server.requests:
        body = cast("dict[str, Any]", request.body)
        assert body["system"][-1]["cache_control"] == KEEP
        assert body["tools"][-1]["cache_control"] == KEEP
        assert body["messages"][-1]["content"][-1]["cache_control"] == KEEP
        # The API takes four; and what is kept must be what comes again, so nothing else is marked.
        assert marks(body) == 3
        TypeAdapter(list[TextBlockParam]).validate_python(body["system"])
        TypeAdapter(list[ToolParam]).validate_python(body["tools"])
        TypeAdapter(list[MessageParam]).validate_python(body["messages"])
    # Without the marks, each request begins with the one before.
    first, second = (desk.sent(number) for number in (0, 1))
    assert second[: len(first)] == first
    # The conversation on the disk knows nothing of it.
    assert not any("cache_control" in file.read_text() for file in (tmp_path / "state").rglob("*.jsonl"))


def test_a_block_that_may_not_be_marked_is_not() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    paused = {"role": "assistant", "content": [{"type": "text", "text": "well"}, thought]}
    assert messages_of(asked(paused)) == [paused]


def test_of_nothing_nothing_is_kept() -> None:
    empty = ModelRequest(system="", messages=[{"role": "user", "content": "hi"}], tools=[], max_tokens=9)
    assert (system_of(empty), tools_of(empty)) == ([], [])


def streamed(usage: dict[str, int]) -> Page:
    """A turn whose server has kept something, which the script has no words for."""
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi."}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]
    body = "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events)
    return Page(body.encode(), "text/event-stream")


async def test_what_was_kept_is_counted_and_costs_what_it_costs(tmp_path: Path) -> None:
    usage = {
        "input_tokens": 3,
        "output_tokens": 0,
        "cache_read_input_tokens": 1000,
        "cache_creation_input_tokens": 200,
    }
    prices = Prices(input=3.0, output=15.0, cache_read=0.3, cache_write=3.75)
    with an_agent(tmp_path, streamed(usage), settings=settings_at(tmp_path, prices=prices)) as desk:
        result = await desk.run("Hello.")
    assert (result.usage.input_tokens, result.usage.cache_read_tokens, result.usage.cache_write_tokens) == (
        3,
        1000,
        200,
    )
    assert result.cost is not None
    assert round(result.cost * 1_000_000) == 3 * 3 + 2 * 15 + 1000 * 0.3 + 200 * 3.75
