"""The contract itself: what it declares, and the page that shows it."""

import asyncio
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from assent.testing import AdapterContract, AgentSpec, AgentUnderTest, ModelCall, RunResult, contract_table, scenarios
from tests.adapters.contract.page import HARNESSES, PAGE, written


class Ungated:
    """A framework whose tools run whatever the gate would say."""

    framework = "Ungated"

    def __init__(self, cannot: Mapping[str, str] | None = None) -> None:
        self.cannot = cannot or {}

    def agent(self, spec: AgentSpec) -> AgentUnderTest:
        return UngatedAgent(spec)


@dataclass(frozen=True)
class UngatedAgent:
    spec: AgentSpec

    async def run(self) -> RunResult:
        told = {
            call.id: await self._call(call) for turn in self.spec.turns if not isinstance(turn, str) for call in turn
        }
        return RunResult(answer="done", told=told)

    async def _call(self, call: ModelCall) -> str:
        (function,) = (each for each in self.spec.tools if each.__name__ == call.tool)
        result = function(**call.args)
        return str(await result if inspect.isawaitable(result) else result)

    def run_sync(self) -> RunResult:
        return asyncio.run(self.run())

    async def stream(self) -> RunResult:
        return await self.run()

    async def pause(self) -> bytes:
        return b""

    async def resume(self, paused: bytes) -> RunResult:
        return await self.run()

    async def resume_forged(self, paused: bytes) -> RunResult:
        return await self.run()


class Tried(AdapterContract):
    __test__ = False
    harness = Ungated()


@pytest.mark.parametrize("name", scenarios())
def test_no_scenario_passes_without_a_gate(name: str, tmp_path: Path) -> None:
    scenario = getattr(Tried(), f"test_{name}")
    with pytest.raises((Exception, pytest.fail.Exception)):
        scenario(*([tmp_path] if "tmp_path" in inspect.signature(scenario).parameters else []))


def test_the_page_shows_what_the_tests_declare() -> None:
    assert PAGE.read_text(encoding="utf-8") == written(), "run: python -m tests.adapters.contract.page"


def test_there_are_scenarios_enough_and_each_is_a_sentence() -> None:
    names = scenarios()
    assert len(names) == len(set(names)) >= 20
    assert all(len(name.split("_")) >= 4 for name in names)


def test_a_declaration_of_a_scenario_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(ValueError, match="no_such_scenario"):
        contract_table([Ungated({"no_such_scenario": "no wheels"})])


def test_a_reason_that_several_share_is_told_once() -> None:
    first, second, *_ = scenarios()
    table = contract_table([*HARNESSES, Ungated({first: "no wheels", second: "no wheels"})])
    assert table.count("no wheels") == 1
