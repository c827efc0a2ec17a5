"""`Task`: a sub-agent on the same gate; every file it is handed passes its own read approval."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from assent.agent._loop import Ending
from assent.errors import InvalidArguments, Refused, Stopped, ToolError
from assent.gate import inherited, new_call_id
from assent.model import (
    Allow,
    Permit,
    Tool,
    ToolCall,
    Verdict,
    thaw,
)
from assent.runtime import Attachment, execute

if TYPE_CHECKING:
    from pydantic import TypeAdapter

TASK: Final = "Task"
_ABOUT: Final = (
    "Hand a part of the work to a sub-agent with the same tools (but this one) and a conversation of its own. "
    "It knows only the prompt and the attached files, and answers with its last words."
)
_WHY: Final = "a sub-agent can do nothing by itself: each of its calls, and each attachment, is judged"

Work = Callable[[str], Awaitable[Ending]]
"""What a sub-agent does with its prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What `Task` takes."""

    __pydantic_config__: ClassVar = {"extra": "forbid", "use_attribute_docstrings": True}

    description: str
    """What it is about, in a few words."""
    prompt: str
    """All that the sub-agent is told."""
    attachments: tuple[str, ...] = ()
    """Absolute paths of files whose content it is given."""


class TaskTool:
    """Starts a sub-agent and waits for its last words."""

    name = TASK
    description = _ABOUT

    def __init__(self, read: Tool, work: Work) -> None:
        self._read = read
        self._work = work

    def validate(self, args: Mapping[str, object], /) -> Mapping[str, object]:
        """The arguments as they would run.

        Raises:
            InvalidArguments: they do not fit.
        """
        from pydantic import ValidationError

        try:
            filled = self._adapter.validate_python(thaw(dict(args)))
        except ValidationError as error:
            wrong = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
            raise InvalidArguments(f"{TASK}: {wrong}; it takes description, prompt and attachments") from error
        return cast("Mapping[str, object]", self._adapter.dump_python(filled))

    def check_approval(self, _call: ToolCall, /) -> Verdict:
        """Allowed: what the sub-agent does is judged call by call."""
        return Allow(reason=_WHY)

    async def run(self, permit: Permit, /) -> object:
        """The sub-agent's last words.

        Raises:
            ToolError: an attachment was refused, or the sub-agent came to no good end.
            Stopped: a person ended the run.
        """
        wanted: Task = self._adapter.validate_python(permit.call.arguments())
        attached = [await self._attached(permit, path) for path in wanted.attachments]
        ending = await self._work("\n\n".join([wanted.prompt, *attached]))
        if ending.status != "success":
            raise ToolError(f"the sub-agent did not finish: {ending.message}")
        return ending.text or "The sub-agent said nothing."

    async def _attached(self, permit: Permit, path: str) -> str:
        around = inherited()
        if around is None:
            raise ToolError("a sub-agent is started within a run, by its gate")
        call = ToolCall(
            run=permit.call.run,
            id=new_call_id(),
            tool_name=self._read.name,
            args={"file_path": path},
            agents=(*permit.call.agents, TASK),
            group_id=f"{permit.call.id}/attachments",
        )
        try:
            content = await execute(call, Attachment(self._read, "a sub-agent"), around.gate)
        except Stopped:
            raise
        except Refused as error:
            raise ToolError(f"{path} was not handed over, so the sub-agent was not started: {error}") from error
        return f'<attachment path="{path}">\n{content}\n</attachment>'

    @cached_property
    def schema(self) -> Mapping[str, object]:
        """The JSON Schema of the arguments, for the model."""
        return self._adapter.json_schema()

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        from pydantic import TypeAdapter

        return TypeAdapter(Task)
