"""The world of one scenario: tools that write down what they did, a person with a script, a gate."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest

from assent.errors import ToolError
from assent.gate import Gate
from assent.model import (
    Allow,
    ApprovalDecision,
    ApprovalRequest,
    Approver,
    Deny,
    Fixed,
    Pending,
    PendingId,
    Policy,
    Preview,
    ToolCall,
    Verdict,
    arguments_preview,
)
from assent.store import SQLiteStore
from assent.testing._answers import Answer, Answers
from assent.testing._contract_harness import AgentSpec, AgentUnderTest, Harness, ModelCall, RunResult, Style, Turn
from assent.testing._store import memory_store

ALLOW: Policy = Fixed(Allow(reason="harmless"))
DENY: Policy = Fixed(Deny(reason="never on a Friday"))


def write(path: str, call_id: str = "", **more: object) -> ModelCall:
    """The model wants a file written; the path names the call, unless something else does."""
    return ModelCall(tool="write", args={"path": path, **more}, id=call_id or path)


def call(tool: str, **args: object) -> ModelCall:
    """The model calls a tool, and the tool's name names the call."""
    return ModelCall(tool=tool, args=args, id=tool)


class World:
    """What a scenario can see: the tools' effects, the questions, the record."""

    def __init__(
        self,
        harness: Harness,
        *answers: Answer,
        approver: Approver | None = None,
        gate: Gate | None = None,
        style: Style = "inline",
        wrote: list[str] | None = None,
    ) -> None:
        self.harness = harness
        self.person = Answers(*answers)
        self.gate = gate or Gate(approver=approver or self.person, store=memory_store())
        self.store = self.gate.store
        self.wrote: list[str] = [] if wrote is None else wrote
        self.spec = AgentSpec(gate=self.gate, tools=_tools(self.wrote), turns=("done",), style=style)

    def agent(self, *turns: Turn, **changes: Any) -> AgentUnderTest:  # noqa: ANN401 — fields of the spec
        """An agent whose model makes these calls and is then done."""
        return self.harness.agent(replace(self.spec, turns=(*turns, "done"), **changes))

    def run(self, *turns: Turn, **changes: Any) -> RunResult:  # noqa: ANN401 — fields of the spec
        """Run such an agent to its end."""
        return asyncio.run(self.agent(*turns, **changes).run())

    @property
    def asked(self) -> list[Pending]:
        """What the person was asked."""
        return self.person.asked

    @property
    def kinds(self) -> list[str]:
        """What the journal says happened, in order."""
        return [entry.kind for entry in self.store.journal()]


def _tools(wrote: list[str]) -> tuple[Callable[..., object], ...]:
    """Functions as users write them; what they did is in the list."""

    def write(path: str, times: int = 1) -> str:
        """Write a file, so many times."""
        wrote.extend([path] * times)
        return f"wrote {path}"

    async def send(path: str) -> str:
        """Send a file."""
        await asyncio.sleep(0)
        wrote.append(path)
        return f"sent {path}"

    def burn(path: str) -> str:
        """Burn a file, which does not work."""
        wrote.append(path)
        raise OSError("the match is wet")

    def lose(path: str) -> str:
        """Lose a file, which does not work either."""
        wrote.append(path)
        raise ToolError("it is still there")

    return write, send, burn, lose


class Processes:
    """Processes that share nothing but a store's file: each has a world of its own."""

    def __init__(self, harness: Harness, folder: Path) -> None:
        self._harness = harness
        self._file = folder / "desk.db"
        self.wrote: list[str] = []

    def another(self) -> World:
        """A process that has just started."""
        gate = Gate(store=SQLiteStore(self._file))
        return World(self._harness, gate=gate, style="deferred", wrote=self.wrote)

    def pause(self, *turns: Turn, **changes: Any) -> bytes:  # noqa: ANN401 — fields of the spec
        """One process runs until it pauses."""
        return asyncio.run(self.another().agent(*turns, **changes).pause())

    def decide(self, *decisions: ApprovalDecision) -> None:
        """Another one answers all that is on the desk, in the order of the calls' ids."""
        gate = self.another().gate
        waiting = sorted(gate.store.desk(), key=lambda pending: str(pending.call.args.get("path", "")))
        assert len(waiting) == len(decisions)
        for pending, decision in zip(waiting, decisions, strict=True):
            gate.answer(pending.id, decision)

    def resume(self, paused: bytes, *turns: Turn, **changes: Any) -> RunResult:  # noqa: ANN401 — fields of the spec
        """A third one resumes it."""
        return asyncio.run(self.another().agent(*turns, **changes).resume(paused))


class Asking:
    """A policy that asks, and denies what it is told to."""

    def __init__(self, *denied: str) -> None:
        self._denied = denied

    def check_approval(self, call: ToolCall, /) -> Verdict:
        path = str(call.args.get("path", ""))
        if path in self._denied:
            return Deny(reason=f"{path} is off limits")
        return ApprovalRequest(description=f"Write {path}", fingerprint={"path": path})


class Hunks(Asking):
    """A policy of a tool whose path names its hunks, one letter each."""

    async def narrow(self, call: ToolCall, hunks: Sequence[int], _shown: Preview, /) -> Mapping[str, object]:
        path = str(call.args["path"])
        return {**call.args, "path": "".join(path[each] for each in hunks)}

    async def preview(self, call: ToolCall, /) -> Preview:
        return arguments_preview(call)


class AtOnce(Answers):
    """Somebody with a script who need not be waited for."""

    def at_once(self, pending: Pending, /) -> ApprovalDecision:
        """The next answer."""
        self.batches.append([pending])
        return self._next(pending)


class Silent:
    """A person who looks at the question and never answers; `looking` runs when they look."""

    def __init__(self, looking: object = None) -> None:
        self._looking = looking

    async def decide(self, _batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
        if callable(self._looking):
            self._looking()
        return cast("Mapping[PendingId, ApprovalDecision]", await asyncio.get_running_loop().create_future())


class Scenarios:
    """What every part of the contract has: the harness, and what it declares impossible."""

    harness: ClassVar[Harness]

    @pytest.fixture(autouse=True)
    def _declared(self, request: pytest.FixtureRequest) -> None:
        """A scenario that is declared impossible must fail: if it works, the declaration is out of date."""
        node = cast("pytest.Function", request.node)
        why = self.harness.cannot.get(node.originalname.removeprefix("test_"))
        if why is not None:
            node.add_marker(pytest.mark.xfail(reason=why, strict=True))
