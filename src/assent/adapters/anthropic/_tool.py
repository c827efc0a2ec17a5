"""A tool of the SDK behind a gate."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, overload

from anthropic.lib.tools import (
    BetaAsyncBuiltinFunctionTool,
    BetaAsyncFunctionTool,
    BetaBuiltinFunctionTool,
    BetaFunctionTool,
)
from anthropic.types.beta import BetaToolUnionParam

from assent.adapters.anthropic._arguments import AsyncTool, Runnable, Shape, SyncTool
from assent.adapters.anthropic._calls import OnReject, Settings
from assent.adapters.anthropic._run import Run
from assent.adapters.anthropic._told import Content, given, read, told
from assent.errors import (
    AlreadySpent,
    AssentError,
    OutcomeUnknown,
    Refused,
    Responded,
    Stopped,
    StoreFailed,
    ToolError,
)
from assent.gate import Gate, inherit
from assent.model import Permit, Policy


class _StandIn:
    """What a gated tool has of the one it stands for."""

    def __init__(self, tool: Any, settings: Settings) -> None:  # noqa: ANN401 — sync or async, as the subclass says
        self.shape = Shape(tool)
        self.close = getattr(tool, "close", None)
        self._tool = tool
        self._settings = settings

    def to_dict(self) -> BetaToolUnionParam:
        """What the model sees."""
        definition: BetaToolUnionParam = self._tool.to_dict()
        return definition

    @property
    def name(self) -> str:
        """What the model calls it."""
        return self.shape.name


class GatedTool(_StandIn, BetaBuiltinFunctionTool):
    """Looks like the tool it stands for; the permit is taken where that tool runs."""

    def call(self, input: object) -> Content:  # noqa: A002 — the SDK's name
        """Run the tool if the gate agrees; a refusal is an error the model reads."""
        run = None
        try:
            run = Run.of(self._settings)
            permit = run.admit_sync(self.shape, input)
            with running(run, permit):
                return read(permit, self._tool.call(permit.call.arguments()))
        except Responded as answer:
            return given(answer.result)
        except AssentError as error:
            if run is not None and run.stopped is not None and run.end is not None:
                run.end()
            raise told(error) from error


class AsyncGatedTool(_StandIn, BetaAsyncBuiltinFunctionTool):
    """The same for asynchronous code."""

    async def call(self, input: object) -> Content:  # noqa: A002 — the SDK's name
        """Run the tool if the gate agrees; a refusal is an error the model reads."""
        run = None
        try:
            run = Run.of(self._settings)
            permit = await run.admit(self.shape, input)
            with running(run, permit):
                return read(permit, await self._tool.call(permit.call.arguments()))
        except Responded as answer:
            return given(answer.result)
        except AssentError as error:
            if run is not None and run.stopped is not None and run.end is not None:
                ending = run.end()
                if ending is not None:
                    await ending
            raise told(error) from error


@contextmanager
def running(run: Run, permit: Permit) -> Generator[None]:
    """The time in which the tool runs; how it ended is on the record."""
    try:
        with run.here.gate.spend(permit), inherit(run.here):
            yield
    except (AlreadySpent, OutcomeUnknown, StoreFailed):
        raise
    except Refused as error:
        if isinstance(error, Stopped):
            run.stopped = run.stopped or error
        # The tool ran, and something it called was refused: that is its failure, not its refusal.
        raise ToolError(f"{permit.call.tool_name} did not finish: {error}") from error


@overload
def behind(tool: SyncTool, settings: Settings) -> GatedTool: ...
@overload
def behind(tool: AsyncTool, settings: Settings) -> AsyncGatedTool: ...
def behind(tool: object, settings: Settings) -> GatedTool | AsyncGatedTool:
    """The tool behind a gate, as synchronous or asynchronous as it was.

    Raises:
        TypeError: it is something the gate cannot stand in for, such as a toolset.
    """
    if isinstance(tool, (BetaAsyncFunctionTool, BetaAsyncBuiltinFunctionTool)):
        return AsyncGatedTool(tool, settings)
    if isinstance(tool, (BetaFunctionTool, BetaBuiltinFunctionTool)):
        return GatedTool(tool, settings)
    message = f"{type(tool).__name__} is no tool that can be put behind a gate; give it @beta_tool functions"
    raise TypeError(message)


@overload
def gated(tool: SyncTool, gate: Gate, *, policy: Policy | None = None, on_reject: OnReject = "tell") -> GatedTool: ...
@overload
def gated(
    tool: AsyncTool, gate: Gate, *, policy: Policy | None = None, on_reject: OnReject = "tell"
) -> AsyncGatedTool: ...
def gated(
    tool: Runnable, gate: Gate, *, policy: Policy | None = None, on_reject: OnReject = "tell"
) -> GatedTool | AsyncGatedTool:
    """One tool behind the gate, for any runner: it is called as before, and runs only if the gate agrees.

    It knows nothing of the message it is called from: `Gated` does, and asks about a turn's calls at once.
    """
    policies = {} if policy is None else {tool.name: policy}
    return behind(tool, Settings(gate=gate, policies=policies, on_reject=on_reject))
