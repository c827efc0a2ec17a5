"""A judged call of any tool the configuration describes; nothing is run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assent.cli._screen import Screen, wrapped
from assent.cli.check._command import TOOL
from assent.cli.check._words import happens, header, remembered
from assent.config import Settings
from assent.errors import ToolError, UnknownTool
from assent.model import ApprovalRequest, Deny, ToolCall, Verdict
from assent.tools.files import FileSandbox, file_tools
from assent.ui import visible

_LABEL: Final = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What becomes of a call."""

    tool: str
    verdict: Verdict
    description: str
    folder: Path
    works: bool = True
    """Whether the call makes sense at all: a bad argument is no matter of policy."""


def answer(name: str, args: Mapping[str, object], settings: Settings, folder: Path) -> Answered:
    """What the tool itself says of the call; what cannot work is denied with its code.

    Raises:
        UnknownTool: the configuration describes no such tool.
    """
    if not settings.sandbox.paths:
        _check_name(name, folder)
    with FileSandbox.from_settings(settings) as sandbox:
        tools = {tool.name: tool for tool in file_tools(sandbox)}
        if name not in tools:
            raise UnknownTool(name, [*tools, TOOL])
        tool = tools[name]
        try:
            call = ToolCall(run="check", id="check", tool_name=name, args=tool.validate(args))
            verdict: Verdict = tool.check_approval(call)
        except ToolError as error:
            return refused(name, error, tool.description, folder)
    line = verdict.description if isinstance(verdict, ApprovalRequest) else tool.description
    return Answered(tool=name, verdict=verdict, description=line, folder=folder)


def _check_name(name: str, folder: Path) -> None:
    """Where no path is named there are no tools to look among; their names are known all the same."""
    with FileSandbox.at(folder) as sandbox:
        known = [tool.name for tool in file_tools(sandbox)]
    if name not in known:
        raise UnknownTool(name, [*known, TOOL])


def refused(name: str, error: ToolError, description: str, folder: Path) -> Answered:
    """A call that policy forbids, or that could not work."""
    verdict = Deny(reason=str(error), code=error.code)
    works = isinstance(error, PermissionError)
    return Answered(tool=name, verdict=verdict, description=description, folder=folder, works=works)


def spelled_answer(answered: Answered, settings: Settings) -> dict[str, object]:
    """The answer as JSON data."""
    verdict = answered.verdict
    return {
        "verdict": verdict.kind,
        "reason": verdict.reason,
        "code": verdict.code if isinstance(verdict, Deny) else None,
        "mode": settings.approvals.mode,
        "tool": answered.tool,
        "description": answered.description,
        "config": str(settings.file) if settings.file else None,
        "remember": remembered(verdict),
    }


def described(answered: Answered, settings: Settings, screen: Screen) -> Iterator[str]:
    """The answer for people."""
    verdict = answered.verdict
    yield from header(settings, str(answered.folder), screen)
    yield ""
    rows = [("tool", answered.tool), ("about", answered.description), ("why", verdict.reason)]
    rows += [("code", verdict.code)] if isinstance(verdict, Deny) else []
    rows += [("covers" if not index else "", str(each["covers"])) for index, each in enumerate(remembered(verdict))]
    for label, text in rows:
        first, *rest = wrapped(visible(text, keep=""), screen.width - _LABEL - 2)
        yield f"  {screen.faint(label.ljust(_LABEL))}{first}"
        yield from (f"  {' ' * _LABEL}{line}" for line in rest)
    yield ""
    yield happens(verdict, settings.approvals.mode, screen, works=answered.works)
