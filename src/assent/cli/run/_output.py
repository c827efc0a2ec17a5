"""The output of a command while it runs, line by line, and what is left to say when it has ended."""

from __future__ import annotations

from typing import Final

from assent.agent import ToolOutput, ToolResult
from assent.ui import visible

MOST_LINES: Final = 200
"""Of one command while it runs; more are counted. The agent reads its result, not this."""
_MOST_TEXT: Final = 1_000_000


class LiveOutput:
    """What was shown so far of the command that runs."""

    def __init__(self) -> None:
        self._call = ""
        self._text = ""
        self._begun = ""
        """The line that has not ended yet."""
        self._lines = 0

    def more(self, event: ToolOutput) -> list[str]:
        """The lines that are whole by now; of too many, none."""
        if event.tool_use_id != self._call:
            self._call, self._text, self._begun, self._lines = event.tool_use_id, "", "", 0
        # One character more than is compared: then it is known that it does not fit.
        self._text = (self._text + event.text)[: _MOST_TEXT + 1]
        *whole, self._begun = (self._begun + event.text).split("\n")
        return self._counted(whole)

    def rest(self, event: ToolResult) -> list[str] | None:
        """What the result says beyond what was shown; None if nothing was shown of it."""
        if event.tool_use_id != self._call:
            return None
        self._call = ""
        said = self._text.removesuffix("\n")
        if len(self._text) > _MOST_TEXT or not event.content.startswith(said):
            # Cut, or told in pieces: the result is not the same text any more.
            return None
        last = self._counted([self._begun]) if self._begun else []
        unseen = self._lines - MOST_LINES
        more = [f"… {unseen} more lines"] if unseen > 0 else []
        return [*last, *more, *visible(event.content[len(said) :]).strip("\n").splitlines()]

    def _counted(self, lines: list[str]) -> list[str]:
        room = max(0, MOST_LINES - self._lines)
        self._lines += len(lines)
        return [visible(line, keep="\t") for line in lines[:room]]
