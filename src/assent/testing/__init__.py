"""For your tests: scripted people and models, a clock you turn, sub-agents, the adapter contract."""

from importlib import import_module
from typing import TYPE_CHECKING

from assent.testing._answers import Answers
from assent.testing._clock import VirtualClock
from assent.testing._fake_anthropic import FakeAnthropic
from assent.testing._fake_anthropic_script import (
    Call,
    Cut,
    Drip,
    Drop,
    ErrorEvent,
    HangUp,
    Hold,
    Page,
    Raw,
    Received,
    Say,
    Status,
    Think,
    Turn,
)
from assent.testing._store import memory_store
from assent.testing._sub_agents import SubAgent, SubAgents

if TYPE_CHECKING:
    from assent.testing._contract import (
        AdapterContract,
        AgentSpec,
        AgentUnderTest,
        Harness,
        ModelCall,
        RunResult,
        contract_table,
        scenarios,
    )

__all__ = [
    "AdapterContract",
    "AgentSpec",
    "AgentUnderTest",
    "Answers",
    "Call",
    "Cut",
    "Drip",
    "Drop",
    "ErrorEvent",
    "FakeAnthropic",
    "HangUp",
    "Harness",
    "Hold",
    "ModelCall",
    "Page",
    "Raw",
    "Received",
    "RunResult",
    "Say",
    "Status",
    "SubAgent",
    "SubAgents",
    "Think",
    "Turn",
    "VirtualClock",
    "contract_table",
    "memory_store",
    "scenarios",
]

_PARTS = tuple(f"_contract{part}" for part in ("", "_answers", "_deferred", "_failures", "_runs", "_world"))


def __getattr__(name: str) -> object:
    """The contract needs pytest, which the rest of the kit does without."""
    if name not in __all__:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    import pytest

    # What a failed scenario says is worth as much as in a test of one's own.
    pytest.register_assert_rewrite(*(f"{__name__}.{part}" for part in _PARTS))
    return getattr(import_module("assent.testing._contract"), name)
