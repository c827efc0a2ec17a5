"""How calls are decided, and the runs in which they are."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any, Literal, get_args
from weakref import WeakKeyDictionary

from agents import RunContextWrapper

from assent.adapters.openai_agents._over import ends
from assent.errors import AssentError
from assent.gate import Gate, inherited, new_call_id
from assent.model import Permit, Policy

Style = Literal["inline", "deferred"]
OnReject = Literal["tell", "stop"]


def check_words(style: str, on_reject: str) -> None:
    """A word that nobody knows would silently mean the default."""
    for name, word, allowed in (("style", style, get_args(Style)), ("on_reject", on_reject, get_args(OnReject))):
        if word not in allowed:
            raise ValueError(f"{name} is {' or '.join(map(repr, allowed))}, not {word!r}")


@dataclass(slots=True, kw_only=True, eq=False)
class Run:
    """One run of the SDK, which one context stands for."""

    name: str
    token: str = field(default_factory=new_call_id)
    turn: int = 0
    judged: dict[str, tuple[str, Permit | AssentError]] = field(default_factory=dict[Any, Any])
    """What the gate said before the SDK comes with the call: the arguments' digest, and its word."""


Tools = dict[tuple["Settings", str], tuple[list[Any], list[Any]]]
"""The tools that each agent had of late in a run, and the same behind the gate.

Agents of one name may have other settings. The tools know their run; were they a part of
it, both would stay until Python looks for such rings.
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Settings:
    """How calls are decided; the same for all agents that were put behind the gate together."""

    gate: Gate | None
    policies: Mapping[str, Policy] = field(default_factory=dict[str, Policy])
    style: Style = "inline"
    on_reject: OnReject = "tell"
    run: str = ""
    runs: MutableMapping[RunContextWrapper[Any], tuple[Run, Tools]] = field(
        default_factory=WeakKeyDictionary[RunContextWrapper[Any], tuple[Run, Tools]]
    )
    known: MutableMapping[Any, Any] = field(default_factory=WeakKeyDictionary[Any, Any])
    """What was worked out for a tool, by what runs it; a tool that is gone is forgotten."""

    def run_of(self, context: RunContextWrapper[Any]) -> tuple[Run, Tools]:
        """The run that a context belongs to, and its tools."""
        known = self.runs.get(context)
        if known is None:
            known = self.runs[context] = Run(name=self.run or token_hex(16)), {}
            if not self.run and self.gate is not None and inherited() is None:
                ends(context, self.gate, known[0].name)
        return known
