"""The tool for commands as a model of a dialect knows it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from assent.tools.command._tool import CommandTool, OnOutput
from assent.tools.command._wording import ASSENT, CLAUDE

if TYPE_CHECKING:
    from assent.config import Settings

Dialect = Literal["assent", "claude"]
"""run_command, Bash"""


def command_tools(
    settings: Settings,
    dialect: Dialect = "assent",
    *,
    cwd: str | Path = ".",
    on_output: OnOutput | None = None,
    separate: bool = False,
) -> list[CommandTool]:
    """The tools that run commands, under the names a model of that dialect knows.

    With `separate`, what a command writes to its output and to its errors is told each for itself;
    without, together in the order it came.

    Raises:
        CannotConfine: an OS sandbox is required, there is none, and `os_sandbox_fallback` is fail_fast.
        ConfigError: a `match` or `not_match` example of a rule fails.
    """
    wording = CLAUDE if dialect == "claude" else ASSENT
    return [CommandTool.from_settings(settings, cwd=cwd, wording=wording, on_output=on_output, separate=separate)]
