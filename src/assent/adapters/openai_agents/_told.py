"""What the model reads: results, refusals and failures as tool results."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agents import AgentsException, ToolOutputFileContent, ToolOutputImage, ToolOutputText
from agents.editor import ApplyPatchResult
from agents.tool import ShellCommandOutput, ShellResult

from assent import runtime
from assent.errors import AssentError, Rejected, Stopped
from assent.model import Permit
from assent.runtime import announced

_BLOCKS = (ToolOutputText, ToolOutputImage, ToolOutputFileContent)


class RunStopped(Stopped, AgentsException):
    """A person ended the run; the SDK lets only exceptions of its own kind through as they are."""

    def __init__(self, why: Stopped | Rejected) -> None:
        AgentsException.__init__(self)
        Stopped.__init__(self, note=why.note, by=why.by)


class Told(str):
    """What the model reads where the tool has no result."""

    __slots__ = ()


def told(error: AssentError) -> Told:
    """A person's words as they are, all else with its code."""
    return Told(runtime.told(error))


def changed(permit: Permit, result: Any) -> Any:  # noqa: ANN401 — whatever a tool returns
    """The result, and before it what the model must know: that a person changed its call."""
    match result:
        case ToolOutputText() | ToolOutputImage() | ToolOutputFileContent():
            return [ToolOutputText(text=permit.announcement), result]
        case [*blocks] if blocks and all(isinstance(each, _BLOCKS) for each in blocks):
            return [ToolOutputText(text=permit.announcement), *blocks]
        case ShellResult():
            return replace(result, output=[ShellCommandOutput(stdout=permit.announcement), *result.output])
        case ApplyPatchResult():
            return replace(result, output=f"{permit.announcement}\n\n{result.output or ''}")
        case None:
            return permit.announcement
        case _:
            return announced(permit, result)
