"""What is no gate or no policy is said where it is given, not in the middle of a run."""

from importlib import import_module
from typing import Any

import pytest

from assent import Allow, TerminalApprover
from tests.gate.kit import gate

CLASSES = ["anthropic", "claude_agent", "langchain", "pydantic_ai"]


@pytest.mark.parametrize("name", CLASSES)
def test_an_approver_in_place_of_a_gate_is_named(name: str) -> None:
    gated: Any = import_module(f"assent.adapters.{name}").Gated
    with pytest.raises(TypeError, match=r"is no Gate: write Gate\(approver=TerminalApprover\(…\)\)"):
        gated(TerminalApprover())
    with pytest.raises(TypeError, match=r"Fixed\(verdict\)"):
        gated(gate(), policies={"send": Allow(reason="fine")})


def test_also_where_an_agent_is_put_behind_it() -> None:
    from agents import Agent

    from assent.adapters.openai_agents import gated

    with pytest.raises(TypeError, match="is no Gate"):
        gated(Agent(name="clerk"), TerminalApprover())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"Fixed\(verdict\)"):
        gated(Agent(name="clerk"), gate(), policies={"send": Allow(reason="fine")})  # type: ignore[dict-item]
