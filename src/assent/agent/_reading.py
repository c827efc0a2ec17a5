"""Reading a stream strictly: a call counts only if every character of it came and is JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NoReturn, cast

from assent.agent._model import (
    Answer,
    CallBegun,
    CallDone,
    CallPiece,
    ModelFailed,
    Piece,
    TextDone,
    TextPiece,
    ThinkingPiece,
    WantedCall,
    spellable,
)
from assent.agent._usage import Usage

if TYPE_CHECKING:
    from anthropic.lib.streaming import ParsedMessageStreamEvent
    from anthropic.types import Message
    from anthropic.types import Usage as SDKUsage


class Reading:
    """One stream of the SDK, from its first event to its last.

    The SDK's own snapshot is not enough: it completes JSON that was cut (`{"path": "/a"` without
    its brace is a whole call there), and a stream that just ends raises nothing.
    """

    def __init__(self) -> None:
        self.usage = Usage(requests=1)
        self._json: dict[int, str] = {}
        self._texts: dict[int, str] = {}
        self._begun: dict[int, CallBegun] = {}
        self._calls: dict[int, WantedCall] = {}
        self._broken: list[str] = []
        self._blocks = 0
        self._stopped = False

    def read(self, event: ParsedMessageStreamEvent[None]) -> Iterator[Piece]:
        """What the event brings."""
        match event.type:
            case "message_start":
                self.usage = _counted(event.message.usage)
            case "content_block_start":
                if event.index != self._blocks:
                    raise _garbled("its blocks are out of order")
                self._blocks += 1
                block = event.content_block
                if block.type == "tool_use":
                    _check_named(block.id, block.name)
                    self._begun[event.index] = begun = CallBegun(id=block.id, name=block.name)
                    self._json[event.index] = json.dumps(block.input) if block.input else ""
                    yield begun
                elif block.type == "text":
                    self._texts[event.index] = block.text
            case "content_block_delta":
                yield from self._more(event.index, event.delta)
            case "content_block_stop":
                yield from self._end(event.index)
            case "message_delta":
                pass
            case "message_stop":
                self._stopped = True
            case _:
                pass

    def answer(self, message: Message) -> Answer:
        """The whole turn.

        Raises:
            ModelFailed: the stream ended before it.
        """
        self.usage = _counted(message.usage)
        if not self._stopped or message.stop_reason is None:
            raise ModelFailed("the model's answer was cut off before its end", again=True, usage=self.usage)
        blocks = [block.to_dict(mode="json") for block in message.content]
        content = [*filter(_is_something, map(self._content, range(len(blocks)), blocks))]
        if not _is_spellable(content):
            raise _garbled("it holds half a character where it may not be changed", self.usage)
        unfinished = [each.name for index, each in self._begun.items() if index not in self._calls]
        return Answer(
            content=content,
            stop_reason=message.stop_reason,
            calls=tuple(self._calls.values()),
            broken=tuple(dict.fromkeys([*self._broken, *unfinished])),
            usage=self.usage,
        )

    def _more(self, index: int, delta: object) -> Iterator[Piece]:
        match getattr(delta, "type", ""):
            case "text_delta":
                text = str(getattr(delta, "text", ""))
                self._texts[index] = self._texts.get(index, "") + text
                yield TextPiece(text)
            case "thinking_delta":
                yield ThinkingPiece(str(getattr(delta, "thinking", "")))
            case "input_json_delta" if index in self._begun and index not in self._calls:
                piece = str(getattr(delta, "partial_json", ""))
                self._json[index] += piece
                yield CallPiece(id=self._begun[index].id, json=piece)
            case "input_json_delta":
                raise _garbled("arguments came for a call that is not open")
            case _:
                pass

    def _end(self, index: int) -> Iterator[Piece]:
        if index in self._texts:
            yield TextDone(self._texts.pop(index))
        begun = self._begun.get(index)
        if begun is None:
            return
        try:
            args = strict_object(self._json[index] or "{}")
        except ValueError:
            # Why it is broken is known only at the end: the model may have run out of tokens.
            self._broken.append(begun.name)
            return
        self._calls[index] = call = WantedCall(id=begun.id, name=begun.name, args=args)
        yield CallDone(call)

    def _content(self, index: int, block: dict[str, object]) -> dict[str, object]:
        block.pop("parsed_output", None)
        if isinstance(text := block.get("text"), str):
            block["text"] = spellable(text)
        call = self._calls.get(index)
        return block if call is None else {**block, "input": dict(call.args)}


def _check_named(*names: object) -> None:
    """That a call can be told from others, and sent back: one that cannot would end its conversation.

    Raises:
        ModelFailed: it cannot.
    """
    if not all(isinstance(each, str) and each and _is_spellable(each) for each in names):
        raise _garbled("a call has no id or no name that can be sent back")


def _is_spellable(value: object) -> bool:
    """Whether it can be sent as JSON: half a character cannot, nor a number without end."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        return False
    return True


def _is_something(block: Mapping[str, object]) -> bool:
    """Whether the API takes it back: it refuses a text without a word."""
    return block["type"] != "text" or bool(str(block["text"]).strip())


def strict_object(text: str) -> Mapping[str, object]:
    """A JSON object, whole, every key once.

    Raises:
        ValueError: it is not.
    """
    # `1e999` is JSON, and becomes a number that is not: it could neither be sent back nor shown.
    value: object = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    if not _is_spellable(value):
        message = "the arguments hold half a character, or a number beyond all that can be sent back"
        raise ValueError(message)
    if not isinstance(value, dict):
        message = "the arguments of a call are an object"
        raise ValueError(message)  # noqa: TRY004 — what callers catch
    return cast("dict[str, object]", value)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) < len(pairs):
        message = "a key is there twice, and which one counts nobody can say"
        raise ValueError(message)
    return value


def _no_constant(name: str) -> NoReturn:
    message = f"{name} is not JSON"
    raise ValueError(message)


def _garbled(why: str, usage: Usage | None = None) -> ModelFailed:
    return ModelFailed(f"the model's answer is garbled: {why}", again=True, usage=usage)


def _counted(usage: SDKUsage) -> Usage:
    return Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_input_tokens or 0,
        cache_write_tokens=usage.cache_creation_input_tokens or 0,
        requests=1,
    )
