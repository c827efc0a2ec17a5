"""What a person is shown, and what it was drawn from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from json.encoder import encode_basestring as _quoted
from types import MappingProxyType
from typing import Final

from assent.model._call import ToolCall
from assent.model._frozen import EMPTY, FrozenDict, canonical, freeze, thaw
from assent.model._presentation import Presentation, Shown

_NOTHING: Final[Mapping[str, bytes]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A fact about the world the drawing was made from; the tool checks it before it runs."""

    subject: str
    facts: Mapping[str, object] = field(default_factory=lambda: EMPTY)

    def __post_init__(self) -> None:
        object.__setattr__(self, "facts", freeze(self.facts, "evidence"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What is shown, and the evidence an approval binds to."""

    presentation: Shown
    evidence: tuple[Evidence, ...] = ()
    contents: Mapping[str, bytes] = field(
        default_factory=lambda: _NOTHING, repr=False, compare=False, metadata={"exclude": True}
    )
    """The versions of files that it speaks of, whole, by their SHA-256; a store keeps them beside the question."""


def arguments_preview(call: ToolCall, description: str = "") -> Preview:
    """The arguments as they are: what is shown for a tool that draws nothing itself."""
    flat = type(call.args) is FrozenDict and call.args.flat
    content = _lines(call.args) if flat else json.dumps(thaw(call.args), indent=2, ensure_ascii=False)
    line = description or call.tool_name
    return Preview(presentation=Presentation(type="structured", description=line, content=content, language="json"))


def _lines(args: Mapping[str, object]) -> str:
    """As `json.dumps` indents it, in a third of the time."""
    lines = [
        f"  {_quoted(name)}: {_quoted(value) if type(value) is str else canonical(value)}"
        for name, value in args.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}" if lines else "{}"
