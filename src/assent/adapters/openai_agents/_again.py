"""A call that comes again: the run paused, and a person was asked about it meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from assent.adapters.openai_agents._arguments import Shape
from assent.model import Asked, Store, ToolCall


def asked_before(call: ToolCall, store: Store) -> Asked | None:
    """What is known of the call, if somebody was asked about it."""
    earlier = store.history(call.run).calls.get(call.id)
    return store.asked(earlier) if earlier else None


def as_asked(call: ToolCall, shape: Shape, words: Mapping[str, Any], store: Store) -> ToolCall:
    """The call as a person was asked about it: a default may be another one every time it is filled in."""
    asked = asked_before(call, store)
    if asked is None or asked.pending.digest == call.digest:
        return call
    # What runs is what was shown, whatever the words leave out; what they do say must not differ.
    shown = asked.pending.call.arguments()
    return replace(call, args=shown) if shape.spelled(_filled(words, shown)) == shown else call


def _filled(words: Mapping[str, Any], shown: Mapping[str, Any]) -> dict[str, Any]:
    """The words; where they are silent, what was shown."""
    return {**shown, **{name: _with(word, shown.get(name)) for name, word in words.items()}}


def _with(word: Any, shown: Any) -> Any:  # noqa: ANN401 — JSON
    match word, shown:
        case dict(), dict():
            return _filled(cast("dict[str, Any]", word), cast("dict[str, Any]", shown))
        case list(), list() if len(cast("list[object]", word)) == len(cast("list[object]", shown)):
            return [*map(_with, cast("list[object]", word), cast("list[object]", shown))]
        case _:
            return word
