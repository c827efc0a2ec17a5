"""What a client may say: run a prompt, answer a question, stop."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, ClassVar, Final, Literal, cast

from pydantic import Field, TypeAdapter, ValidationError

_STRICT: Final = {"extra": "forbid", "strict": True}
_MOST_TEXT: Final = 500_000

PermissionMode = Literal["sdk", "bypassPermissions", "toolApproval"]
PERMISSION_MODES: Final[Mapping[PermissionMode, str]] = {
    "bypassPermissions": "Auto Execute",
    "sdk": "Review & Approve (SDK)",
    "toolApproval": "Review & Approve (CLI)",
}
"""Every permission mode, and what a page calls it."""
_COMMANDS: Final = "run, tool_approval_response and stop"


class WrongMessage(ValueError):
    """A message nobody can act on; the text says what is allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Start a run with this prompt."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT

    command: Literal["run"] = "run"
    prompt: Annotated[str, Field(min_length=1, max_length=_MOST_TEXT)]
    go_on: Annotated[bool, Field(alias="continue")] = False
    """Whether it goes on with the conversation before, or begins a new one."""
    permission_mode: PermissionMode = "sdk"
    auto_approve_safe: bool = True
    """false: reading asks too, whatever the server's settings say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A person's answer to the question that was shown under this id."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT

    command: Literal["tool_approval_response"] = "tool_approval_response"
    request_id: Annotated[str, Field(max_length=100)]
    approved: bool
    feedback: Annotated[str, Field(max_length=_MOST_TEXT)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """End the run that is under way."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = _STRICT

    command: Literal["stop"] = "stop"


Command = Run | Answer | Stop
_KINDS: Final[Mapping[str, type[Command]]] = {"run": Run, "tool_approval_response": Answer, "stop": Stop}


@cache
def _adapter(name: str) -> TypeAdapter[Command]:
    return TypeAdapter(_KINDS[name])


def read_command(text: str) -> Command:
    """What a client said.

    Raises:
        WrongMessage: it is no such message; nothing is done.
    """
    try:
        said: object = json.loads(text)
    except (ValueError, RecursionError):
        raise WrongMessage("that is no JSON; send one JSON object per message") from None
    if not isinstance(said, dict):
        raise WrongMessage("that is no JSON object; send one with a `command`")
    name = cast("dict[str, object]", said).get("command")
    if not isinstance(name, str) or name not in _KINDS:
        raise WrongMessage(f"there is no such command; {_COMMANDS} are allowed")
    try:
        return _adapter(name).validate_json(text)
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, each['loc'])) or name}: {each['msg']}" for each in error.errors(include_url=False)
        )
        raise WrongMessage(f"the command {name} is not as it should be: {wrong}") from None
