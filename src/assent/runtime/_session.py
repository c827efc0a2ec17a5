"""A run of an agent: its tools, its gate, and answers a model can read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import Self, cast
from uuid import uuid4

from assent.errors import (
    AlreadySpent,
    AssentError,
    DeniedByPolicy,
    InvalidArguments,
    OutcomeUnknown,
    Refused,
    Responded,
    Stopped,
    StoreFailed,
    ToolError,
    UnknownTool,
    words_of,
)
from assent.functions import FunctionTool
from assent.gate import Gate, Inherited, inherit, new_call_id, run_sync
from assent.model import Permit, Tool, ToolCall


class Session:
    """One run behind one gate; what was approved "for this session" ends with it.

    Tools are `Tool`s or plain functions, called by the name the model uses.
    """

    def __init__(
        self,
        gate: Gate,
        tools: Iterable[Tool | Callable[..., object]],
        *,
        run: str = "",
        agents: tuple[str, ...] = (),
    ) -> None:
        self.gate = gate
        self.run = run or uuid4().hex
        self.agents = agents
        self.tools: dict[str, Tool] = {}
        for tool in map(_as_tool, tools):
            # A call has nothing but the name: the answer for one would run the other.
            if self.tools.setdefault(tool.name, tool) is not tool:
                message = f"two tools are named {tool.name!r}: give one of them another name, or leave it out"
                raise ValueError(message)

    async def call(
        self, name: str, args: Mapping[str, object], *, call_id: str = "", group_id: str | None = None
    ) -> object:
        """The tool's result, or `{"error": code, "message": text}` that the model can read.

        Raises:
            Stopped: a person ended the run; there is nobody left to answer to.
        """
        try:
            tool = self._tool(name)
            permit = await self.gate.admit(self._call(tool, args, call_id, group_id), tool, starts=True)
        except Stopped:
            raise
        except Responded as answer:
            return answer.result
        except (Refused, ToolError) as error:
            return error_result(error)
        try:
            with inherit(Inherited(gate=self.gate, run=self.run, agents=self.agents)), self.gate.spend(permit):
                return announced(permit, await tool.run(permit))
        except Stopped:
            raise
        except (ToolError, AlreadySpent, OutcomeUnknown, StoreFailed) as error:
            return error_result(error)
        except Refused as error:
            # The tool ran, and something it called was refused: that is its failure, not its refusal.
            return error_result(ToolError(f"{name} did not finish: {words_of(error)}"))

    def _tool(self, name: str) -> Tool:
        tool = self.tools.get(name)
        if tool is None:
            raise UnknownTool(name, list(self.tools))
        return tool

    def _call(self, tool: Tool, args: Mapping[str, object], call_id: str, group_id: str | None) -> ToolCall:
        """The call as it would run: wrong arguments bother nobody, and defaults are shown."""
        if not isinstance(cast("object", args), Mapping):  # a model may have written anything
            message = f"the arguments of {tool.name} are to be an object with names, not {type(args).__name__}"
            raise InvalidArguments(message)
        # Asking a protocol takes longer than all the rest: the name is enough.
        validate: Callable[[Mapping[str, object]], Mapping[str, object]] | None = getattr(tool, "validate", None)
        return ToolCall(
            run=self.run,
            id=call_id or new_call_id(),
            tool_name=tool.name,
            args=args if validate is None else validate(args),
            agents=self.agents,
            group_id=group_id,
        )

    def call_sync(
        self, name: str, args: Mapping[str, object], *, call_id: str = "", group_id: str | None = None
    ) -> object:
        """`call` for synchronous code, also inside a running loop."""
        return run_sync(self.call(name, args, call_id=call_id, group_id=group_id))

    def close(self) -> None:
        """End the run: what was approved for this session is forgotten."""
        self.gate.end(self.run)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def announced(permit: Permit, result: object) -> object:
    """The result, and before it what the model must know: that a person changed its call."""
    if not permit.announcement:
        return result
    if isinstance(result, str):
        return f"{permit.announcement}\n\n{result}"
    return {"note": permit.announcement, "result": result}


def error_result(error: AssentError) -> dict[str, object]:
    """The one shape in which an error reaches a model."""
    return {"error": error.code, "message": words_of(error)}


def told(error: AssentError) -> str:
    """The same as text: a person's words as they are, all else with its code."""
    if isinstance(error, ToolError) or (isinstance(error, DeniedByPolicy) and error.code != DeniedByPolicy.code):
        return json.dumps(error_result(error), ensure_ascii=False)
    return words_of(error)


def _as_tool(tool: Tool | Callable[..., object]) -> Tool:
    return tool if isinstance(tool, Tool) else FunctionTool(tool)
