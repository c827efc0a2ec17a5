"""A tool whose every run leaves a line in a file, so that runs can be counted after any crash."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from assent.model import ApprovalRequest, Permit, ToolCall

TOOL = "append_line"


def wanted(call_id: str, line: str, *, run: str = "run") -> ToolCall:
    return ToolCall(run=run, id=call_id, tool_name=TOOL, args={"line": line})


def lines(effects: Path, line: str) -> int:
    """How often the tool ran."""
    return effects.read_text().split("\n").count(line) if effects.exists() else 0


class AppendLine:
    """Appends a line, which takes it a moment; tells `say` before and after."""

    name = TOOL

    def __init__(self, effects: Path, say: Callable[[str], None] = lambda _: None, *, seconds: float = 0.0) -> None:
        self._effects = effects
        self._say = say
        self._seconds = seconds

    def check_approval(self, call: ToolCall, /) -> ApprovalRequest:
        return ApprovalRequest(description=f"append {call.args['line']}", fingerprint=call.args)

    async def run(self, permit: Permit, /) -> object:
        self._say("running")
        time.sleep(self._seconds)  # noqa: ASYNC251 — nobody else is on this loop; the work of the tool
        file = os.open(self._effects, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(file, f"{permit.call.args['line']}\n".encode())
        os.close(file)
        self._say("ran")
        return "appended"
