"""An agent's tools behind a gate: in the SDK's tool runner, or in a loop of your own."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from typing import Any, overload
from uuid import uuid4

from anthropic.lib.tools import BetaAsyncStreamingToolRunner, BetaAsyncToolRunner, ToolError

from assent.adapters.anthropic._arguments import AsyncTool, Runnable, Shape, SyncTool
from assent.adapters.anthropic._blocks import Block, Message
from assent.adapters.anthropic._calls import OnReject, Settings, Style
from assent.adapters.anthropic._loops import AsyncRunner, Runner, loop, loop_sync
from assent.adapters.anthropic._run import Run
from assent.adapters.anthropic._tool import AsyncGatedTool, GatedTool, behind
from assent.errors import UnknownTool
from assent.gate import Gate, inherited, run_sync
from assent.model import Policy


class Gated:
    """Every call of the tools it is given passes the gate; without a gate, that of the surrounding run.

    `inline` waits for the answers while the loop waits; a turn's questions are one batch. `deferred`
    puts them on the desk and raises `Waiting`; another process goes on once they are answered. A tool
    without a policy (in `policies`, or its own `check_approval`) asks. `run` names the conversation,
    and `name` the agent.
    """

    def __init__(
        self,
        gate: Gate | None = None,
        *,
        policies: Mapping[str, Policy] | None = None,
        name: str = "",
        run: str = "",
        style: Style = "inline",
        on_reject: OnReject = "tell",
    ) -> None:
        if style == "deferred" and not run:
            raise ValueError("a deferred run is resumed by its name: give it one, as in Gated(gate, run='42')")
        self._settings = Settings(
            gate=gate, policies=policies or {}, name=name, run=run, style=style, on_reject=on_reject
        )
        self._tools: dict[str, GatedTool | AsyncGatedTool] = {}

    @overload
    def tools(self, *tools: SyncTool) -> list[GatedTool]: ...
    @overload
    def tools(self, *tools: AsyncTool) -> list[AsyncGatedTool]: ...
    def tools(self, *tools: Runnable) -> Sequence[GatedTool | AsyncGatedTool]:
        """The tools behind the gate, for `tool_runner(tools=…)`.

        Raises:
            ValueError: two of them have the same name.
        """
        made = [behind(tool, self._settings) for tool in tools]
        for each in made:
            # A call has nothing but the name: the policy of one would speak for the other.
            if self._tools.setdefault(each.name, each).shape.tool is not each.shape.tool:
                raise ValueError(f"two tools are named {each.name!r}: give one of them another name")
        return made

    @overload
    def run(self, runner: Runner) -> Generator[Any]: ...
    @overload
    def run(self, runner: AsyncRunner) -> AsyncGenerator[Any]: ...
    def run(self, runner: Runner | AsyncRunner) -> Generator[Any] | AsyncGenerator[Any]:
        """What the runner yields; a turn's calls are one batch, and a person can stop the run.

        Raises:
            Stopped: a person ended it.
            Waiting: in the deferred style; the last message is to be answered with `results`.
        """
        loops = loop if isinstance(runner, (BetaAsyncToolRunner, BetaAsyncStreamingToolRunner)) else loop_sync
        return loops(self._begin(runner.close), runner)

    async def results(self, message: object) -> dict[str, Any]:
        """The message that answers the model's calls, for a loop of your own or a run that is resumed.

        Raises:
            Stopped: a person ended the run.
            Waiting: in the deferred style, as long as an answer is missing.
        """
        if not self._settings.run and inherited() is None:
            raise ValueError("a loop of your own is a run with a name: give it one, as in Gated(gate, run='42')")
        said = Message(message)
        if not said.wants_tools:
            raise ValueError("the model does not wait for tools here: it stopped, and its last call may be cut off")
        run = self._begin()
        run.turn(said)
        await run.admit_all()
        if run.stopped is not None:
            raise run.stopped
        answers: list[dict[str, Any]] = []
        with run.looping():
            for block in said.calls:
                answers.append({"type": "tool_result", "tool_use_id": block.id, **await self._answer(block)})
                if run.stopped is not None:
                    raise run.stopped
        return {"role": "user", "content": answers}

    def results_sync(self, message: object) -> dict[str, Any]:
        """`results` for synchronous code."""
        return run_sync(self.results(message))

    async def _answer(self, block: Block) -> dict[str, Any]:
        tool = self._tools.get(block.name)
        if tool is None:
            return {"content": str(UnknownTool(block.name, list(self._tools))), "is_error": True}
        try:
            content = tool.call(block.input)
            return {"content": await content if inspect.isawaitable(content) else content}
        except ToolError as error:
            return {"content": error.content, "is_error": True}
        except Exception as error:  # noqa: BLE001 — a tool's failure is for the model to read, as in the SDK's runner
            return {"content": repr(error), "is_error": True}

    def _begin(self, end: Callable[[], Any] | None = None) -> Run:
        shapes: dict[str, Shape] = {name: tool.shape for name, tool in self._tools.items()}
        run = Run(self._settings, uuid4().hex, shapes)
        run.end = end
        return run
