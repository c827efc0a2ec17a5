"""A tool that runs in this process: the permit is spent where it runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from claude_agent_sdk import SdkMcpTool

from assent.adapters.claude_agent._arguments import Shape
from assent.adapters.claude_agent._told import announced, failed
from assent.errors import (
    AlreadySpent,
    AssentError,
    ForgedApproval,
    OutcomeUnknown,
    Refused,
    StoreFailed,
    ToolError,
)
from assent.gate import Inherited, inherit
from assent.model import Permit, digest, freeze


@dataclass(frozen=True, slots=True, eq=False)
class Ready:
    """A call that may run, and what surrounds it."""

    tool: str
    permit: Permit
    here: Inherited


class Counter:
    """A session's permits that wait for their tool to be called; each is handed out once, and to that session."""

    def __init__(self) -> None:
        self._waiting: defaultdict[str, list[Ready]] = defaultdict(list)

    def serving(self) -> AbstractContextManager[None]:
        """Tools of a session that starts in here come to this counter, and those of no other session."""
        return _at(self)

    def put(self, ready: Ready) -> None:
        """The call will come; asked twice about it, Claude Code makes it once."""
        waiting = self._waiting[_key(ready.tool, ready.permit.call.args)]
        if ready not in waiting:
            waiting.append(ready)

    def take(self, tool: str, args: Mapping[str, object]) -> Ready | None:
        """The permit for a call that came; none if nobody agreed to it."""
        key = _key(tool, args)
        ready = self._waiting[key][0] if self._waiting.get(key) else None
        if ready is not None:
            self.drop(ready)
        return ready

    def drop(self, ready: Ready) -> bool:
        """The call will not come any more; whether it was still waited for."""
        key = _key(ready.tool, ready.permit.call.args)
        waiting = self._waiting.get(key, [])
        if ready not in waiting:
            return False
        waiting.remove(ready)
        if not waiting:
            del self._waiting[key]
        return True


_current: ContextVar[Counter | None] = ContextVar("assent_claude_agent_counter", default=None)


@contextmanager
def _at(counter: Counter | None) -> Generator[None]:
    token = _current.set(counter)
    try:
        yield
    finally:
        _current.reset(token)


class _Failed(Exception):
    """The tool says of its own result that it failed."""


def behind(shape: Shape) -> SdkMcpTool[Any]:
    """The tool, run only with a permit for exactly these arguments."""

    async def handler(args: dict[str, Any]) -> dict[str, Any]:
        try:
            counter = _current.get()
            ready = None if counter is None else counter.take(shape.tool.name, shape.validated(args))
            if ready is None:
                raise ForgedApproval(shape.tool.name)
            return await _run(shape, ready)
        except AssentError as error:
            return failed(error)

    return replace(shape.tool, handler=handler, input_schema=shape.schema)


async def _run(shape: Shape, ready: Ready) -> dict[str, Any]:
    permit, here = ready.permit, ready.here
    result: dict[str, Any] = {}
    try:
        # A session that starts inside of the tool has permits of its own, or none.
        with suppress(_Failed), here.gate.spend(permit), inherit(here), _at(None):
            result = await shape.tool.handler(permit.call.arguments())
            if result.get("is_error"):
                raise _Failed(str(result.get("content")))
    except (AlreadySpent, OutcomeUnknown, StoreFailed):
        raise
    except Refused as error:
        # The tool ran, and something it called was refused: that is its failure, not its refusal.
        raise ToolError(f"{shape.tool.name} did not finish: {error}") from error
    return announced(permit, result)


def _key(tool: str, args: Mapping[str, object]) -> str:
    return digest((tool, freeze(args)))
