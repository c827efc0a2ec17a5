"""A scripted turn as the Messages API would send it: events for a stream, or one message."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, cast

from assent.testing._fake_anthropic_script import Call, Cut, Drip, Drop, ErrorEvent, Hold, Raw, Say, Think, Turn

_PIECE: Final = 7
_NOTHING: Final[Mapping[str, object]] = {}
_Object = dict[str, object]
Control = Cut | Drop | Hold | Drip
"""What the connection itself must do."""


def events(turn: Turn, model: str, ids: Iterator[int]) -> Iterator[bytes | Control]:
    """Every event of the stream, and what happens to the connection between them."""
    yield _sse("message_start", {"message": {**_message(turn, model, ids), "content": [], "stop_reason": None}})
    index = 0
    for step in turn.steps:
        match step:
            case Say() | Think() | Call():
                yield from _block(index, step, ids)
                index += 1
            case ErrorEvent():
                yield _sse("error", {"error": {"type": step.type, "message": step.message}})
                yield Cut()
            case Raw():
                yield step.data
            case _:
                yield step
    delta = {"stop_reason": turn.stop_reason, "stop_sequence": None}
    yield _sse("message_delta", {"delta": delta, "usage": {"output_tokens": turn.output_tokens}})
    yield _sse("message_stop", {})


def message(turn: Turn, model: str, ids: Iterator[int]) -> bytes:
    """The same turn for a request that does not stream; what only a stream can do is left out."""
    blocks = [_whole(step, ids) for step in turn.steps if isinstance(step, (Say, Think, Call))]
    return json.dumps({**_message(turn, model, ids), "content": blocks}).encode()


def error_body(kind: str, text: str) -> bytes:
    """An error as the API spells it."""
    return json.dumps({"type": "error", "error": {"type": kind, "message": text}}).encode()


def complaint(body: Mapping[str, object]) -> str:
    """What the API would refuse this request for; empty if it would not.

    Every call must be answered in the message after it, no id may be used twice, and no text be empty.
    """
    missing = [name for name in ("model", "max_tokens", "messages") if not body.get(name)]
    if missing:
        return f"{missing[0]}: Field required"
    messages = cast("Sequence[Mapping[str, object]]", body["messages"])
    if any(not str(each["content"]).strip() or not all(map(_is_said, _blocks(each))) for each in messages):
        return "messages: text content blocks must be non-empty"
    seen: set[object] = set()
    for number, each in enumerate(messages):
        asked = _field_of(each, "tool_use", "id")
        answered = _field_of((*messages, _NOTHING)[number + 1], "tool_result", "tool_use_id")
        if asked != answered and (asked or answered):
            return f"messages.{number}: `tool_use` ids {asked} do not match the `tool_result` blocks {answered} after"
        if len({*asked}) < len(asked) or seen & {*asked}:
            return f"messages.{number}: `tool_use` ids must be unique"
        seen |= {*asked}
    return ""


def _field_of(message: Mapping[str, object], kind: str, name: str) -> list[object]:
    return [block[name] for block in _blocks(message) if block["type"] == kind]


def _blocks(message: Mapping[str, object]) -> Sequence[Mapping[str, object]]:
    content = message.get("content", ())
    return () if isinstance(content, str) else cast("Sequence[Mapping[str, object]]", content)


def _is_said(block: Mapping[str, object]) -> bool:
    return block["type"] != "text" or bool(str(block["text"]).strip())


def _message(turn: Turn, model: str, ids: Iterator[int]) -> _Object:
    usage = {"input_tokens": turn.input_tokens, "output_tokens": turn.output_tokens}
    return {
        "id": f"msg_{next(ids):06}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "stop_reason": turn.stop_reason,
        "stop_sequence": None,
        "usage": usage,
    }


def _whole(step: Say | Think | Call, ids: Iterator[int]) -> _Object:
    match step:
        case Say():
            return {"type": "text", "text": step.text}
        case Think():
            return {"type": "thinking", "thinking": step.text, "signature": step.signature}
        case Call():
            return {"type": "tool_use", "id": _id_of(step, ids), "name": step.name, "input": dict(step.args)}


def _block(index: int, step: Say | Think | Call, ids: Iterator[int]) -> Iterator[bytes]:
    empty = _whole(_begun(step), ids)
    yield _sse("content_block_start", {"index": index, "content_block": empty})
    for delta in _deltas(step):
        yield _sse("content_block_delta", {"index": index, "delta": delta})
    if not isinstance(step, Call) or step.ends:
        yield _sse("content_block_stop", {"index": index})


def _begun(step: Say | Think | Call) -> Say | Think | Call:
    match step:
        case Say():
            return Say("")
        case Think():
            return Think("", "")
        case Call():
            return replace(step, args={})


def _deltas(step: Say | Think | Call) -> list[_Object]:
    match step:
        case Say():
            return [{"type": "text_delta", "text": piece} for piece in _pieces(step.text)]
        case Think():
            thoughts: list[_Object] = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(step.text)]
            return [*thoughts, {"type": "signature_delta", "signature": step.signature}]
        case Call():
            return [{"type": "input_json_delta", "partial_json": piece} for piece in _pieces(step.json)]


def _id_of(call: Call, ids: Iterator[int]) -> str:
    return call.id or f"toolu_{next(ids):06}"


def _pieces(text: str) -> list[str]:
    return [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]


def _sse(kind: str, data: Mapping[str, object]) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode()
