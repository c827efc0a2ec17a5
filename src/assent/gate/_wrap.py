"""A function behind a gate: called as before, run only if the gate agrees."""

from __future__ import annotations

import functools
import itertools
import os
import secrets
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, Protocol, TypeVar, cast

from assent.errors import Responded
from assent.functions import LATER, FunctionTool
from assent.gate._bridge import run_sync
from assent.gate._here import here
from assent.gate._spend import Spender
from assent.model import Permit, Policy, ToolCall

P = ParamSpec("P")
R = TypeVar("R")

# Call ids are unique over processes, as a store outlives them: a random start and a count.
_process = secrets.token_hex(6)
_numbers = itertools.count()


def _begin_anew() -> None:
    global _process  # noqa: PLW0603 — a fork has the count of its parent
    _process = secrets.token_hex(6)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


class _Gate(Protocol):
    """What a wrapped function needs of its gate."""

    run: str
    spender: Spender

    def admitting(self, call: ToolCall, policy: Policy) -> Permit | Coroutine[object, object, Permit]: ...


def new_call_id() -> str:
    """An id no other call has, in any process."""
    return f"{_process}-{next(_numbers)}"


def wrap(gate: _Gate, function: Callable[P, R], *, name: str, policy: Policy | None) -> Callable[P, R]:
    """The function behind the gate; async stays async, sync stays sync."""
    tool = FunctionTool(function, name=name, policy=policy)
    wrapped = (_wrapped_async if tool.is_async else _wrapped)(gate, tool)
    return cast("Callable[P, R]", functools.wraps(function)(wrapped))


def _wrapped(gate: _Gate, tool: FunctionTool) -> Callable[..., object]:
    admitting, spender = gate.admitting, gate.spender
    start, end = spender.start, spender.end

    def wrapped(*args: Any, **kwargs: Any) -> object:  # noqa: ANN401 — whatever the function takes
        around = here.get()
        run, agents = (gate.run, ()) if around is None else (around.run, around.agents)
        call = ToolCall.of(run, f"{_process}-{next(_numbers)}", tool.name, tool.arguments(args, kwargs), agents)
        try:
            admitted = admitting(call, tool)
            permit = admitted if isinstance(admitted, Permit) else run_sync(admitted, abandon=spender.abandon)
        except Responded as answer:
            return answer.result
        # As `gate.spend` does, without its price: most calls are nobody's question, and nobody else has the permit.
        if permit.answered is not None:
            start(permit)
        try:
            result: object = tool.call(permit)
            # A decorator hides that the function is async, and has not run yet; or that it yields.
            if type(result) in LATER and tool.runs_later(result):
                return ending(permit, result)
        except BaseException as error:
            end(permit, error)
            raise
        if permit.answered is not None:
            end(permit, None)
        return result

    async def ending(permit: Permit, result: Any) -> object:  # noqa: ANN401 — anything that can be awaited
        try:
            ended = await result
        except BaseException as error:
            end(permit, error)
            raise
        if permit.answered is not None:
            end(permit, None)
        return ended

    return wrapped


def _wrapped_async(gate: _Gate, tool: FunctionTool) -> Callable[..., object]:
    admitting, start, end = gate.admitting, gate.spender.start, gate.spender.end

    async def wrapped(*args: Any, **kwargs: Any) -> object:  # noqa: ANN401 — whatever the function takes
        around = here.get()
        run, agents = (gate.run, ()) if around is None else (around.run, around.agents)
        call = ToolCall.of(run, f"{_process}-{next(_numbers)}", tool.name, tool.arguments(args, kwargs), agents)
        try:
            admitted = admitting(call, tool)
            permit = admitted if isinstance(admitted, Permit) else await admitted
        except Responded as answer:
            return answer.result
        if permit.answered is not None:
            start(permit)
        try:
            result = await tool.run(permit)
        except BaseException as error:
            end(permit, error)
            raise
        if permit.answered is not None:
            end(permit, None)
        return result

    return wrapped
