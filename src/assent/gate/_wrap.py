"""A function behind a gate: called as before, run only if the gate agrees."""

from __future__ import annotations

import functools
import itertools
import secrets
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, ParamSpec, Protocol, TypeVar, cast

from assent.errors import Responded
from assent.functions import FunctionTool
from assent.gate._bridge import run_sync
from assent.gate._here import here
from assent.gate._spend import Spending
from assent.model import Permit, Policy, ToolCall

P = ParamSpec("P")
R = TypeVar("R")

# Call ids are unique over processes, as a store outlives them: a random start and a count.
_PROCESS = secrets.token_hex(6)
_numbers = itertools.count()


class _Gate(Protocol):
    """What a wrapped function needs of its gate."""

    run: str

    def admitting(self, call: ToolCall, policy: Policy) -> Permit | Coroutine[object, object, Permit]: ...
    def spend(self, permit: Permit) -> Spending: ...


def new_call_id() -> str:
    """An id no other call has, in any process."""
    return f"{_PROCESS}-{next(_numbers)}"


def wrap(gate: _Gate, function: Callable[P, R], *, name: str, policy: Policy | None) -> Callable[P, R]:
    """The function behind the gate; async stays async, sync stays sync."""
    tool = FunctionTool(function, name=name, policy=policy)

    def call_of(args: tuple[object, ...], kwargs: Mapping[str, object]) -> ToolCall:
        around = here.get()
        named = tool.arguments(args, kwargs)
        if around is None:
            return ToolCall.of(gate.run, new_call_id(), tool.name, named, ())
        return ToolCall.of(around.run, new_call_id(), tool.name, named, around.agents)

    @functools.wraps(function)
    async def wrapped_async(*args: Any, **kwargs: Any) -> object:  # noqa: ANN401 — whatever the function takes
        try:
            admitted = gate.admitting(call_of(args, kwargs), tool)
            permit = admitted if isinstance(admitted, Permit) else await admitted
        except Responded as answer:
            return answer.result
        with gate.spend(permit):
            return await tool.run(permit)

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> object:  # noqa: ANN401 — whatever the function takes
        try:
            admitted = gate.admitting(call_of(args, kwargs), tool)
            permit = admitted if isinstance(admitted, Permit) else run_sync(admitted)
        except Responded as answer:
            return answer.result
        with gate.spend(permit):
            return tool.call(permit)

    return cast("Callable[P, R]", wrapped_async if tool.is_async else wrapped)
