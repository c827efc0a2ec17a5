"""Commands: judged by the shell rules, run behind the walls of the OS sandbox."""

from assent.tools.command._dialects import Dialect, command_tools
from assent.tools.command._output import Output
from assent.tools.command._result import CommandResult, SeparateResult
from assent.tools.command._tool import CommandTool, OnOutput, Stream
from assent.tools.command._walls import explicit_cuts, why_no_command_starts

__all__ = [
    "CommandResult",
    "CommandTool",
    "Dialect",
    "OnOutput",
    "Output",
    "SeparateResult",
    "Stream",
    "command_tools",
    "explicit_cuts",
    "why_no_command_starts",
]
