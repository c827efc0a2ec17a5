"""What a run looks like: text as it comes and calls as lines, or one line of JSON for each event."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TextIO

from assent.agent import (
    Event,
    RunResult,
    Superseded,
    TextDelta,
    ThinkingDelta,
    ToolBegun,
    ToolDelta,
    ToolOutput,
    ToolResult,
    ToolUse,
    message_of,
    usage_message,
)
from assent.agent import Text as WholeText
from assent.cli._printing import print_json
from assent.cli._screen import Screen
from assent.cli.run._output import LiveOutput
from assent.ui import visible

if TYPE_CHECKING:
    from assent.errors import AlreadyDecided
    from assent.model import ApprovalDecision, Clerk, Pending, PendingId
    from assent.ui import TerminalApprover

_MOST_LINES: Final = 8
_MOST_CHARACTERS: Final = 160


class _Signs(NamedTuple):
    """What stands before a line, to say what kind of line it is."""

    call: str
    failed: str
    again: str


_SIGNS: Final = _Signs("● ", "✗ ", "↺ ")
_WORDS: Final = _Signs("Call: ", "Failed: ", "Again: ")


class Lines:
    """Each event as one line of JSON; pieces are left out, since the whole follows."""

    def event(self, event: Event) -> None:
        """Print it; what a run used comes before its result."""
        if isinstance(event, (TextDelta, ThinkingDelta, ToolBegun, ToolDelta, ToolOutput)):
            return
        if isinstance(event, RunResult):
            print_json(usage_message(event))
        print_json(message_of(event), flush=True)


class Show:
    """Text as it comes, calls and what became of them as lines; nothing while a question is on the screen."""

    def __init__(self, out: TextIO, *, plain: bool = False) -> None:
        self._out = out
        self._screen = Screen() if plain else Screen.of(out)
        self._signs = _WORDS if plain else _SIGNS
        self._lock = threading.RLock()
        self._asking = 0
        self._waiting: list[str] = []
        self._in_line = False
        self._output = LiveOutput()

    def event(self, event: Event) -> None:
        """Draw it."""
        match event:
            case TextDelta():
                self._say(visible(event.text))
            case WholeText():
                self._end_line()
            case ToolUse():
                self._line(f"{self._indent(event)}{self._signs.call}{_called(event)}", strong=True)
            case ToolOutput():
                self._lines(event, map(_cut, self._output.more(event)))
            case ToolResult():
                rest = self._output.rest(event)
                self._lines(event, _told(event, self._signs) if rest is None else map(_cut, rest))
            case Superseded():
                self._line(f"{self._indent(event)}{self._signs.again}{visible(event.reason)}; asked again")
            case RunResult():
                self._end(event)
            case _:
                pass

    def hush(self) -> None:
        """A question is about to be shown: keep quiet until it is answered."""
        with self._lock:
            self._asking += 1
            self._out.flush()

    def speak(self) -> None:
        """It was answered: say what came meanwhile."""
        with self._lock:
            self._asking -= 1
            if not self._asking:
                waiting, self._waiting = self._waiting, []
                self._write("".join(waiting))

    def _end(self, result: RunResult) -> None:
        self._end_line()
        if not result.succeeded:
            self._line(f"assent: {visible(result.message)}")
        usage = result.usage
        read = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
        if read or usage.output_tokens:
            cached = f" ({usage.cache_read_tokens} from the cache)" if usage.cache_read_tokens else ""
            cost = "" if result.cost is None else f", cost {result.cost:.4f}"
            self._line(self._screen.faint(f"{read} tokens read{cached}, {usage.output_tokens} written{cost}"))

    @staticmethod
    def _indent(event: Event) -> str:
        return "  " * len(event.agents)

    def _lines(self, event: Event, lines: Iterable[str]) -> None:
        for line in lines:
            self._line(f"{self._indent(event)}  {line}")

    def _line(self, text: str, *, strong: bool = False) -> None:
        self._end_line()
        self._say(f"{self._screen.strong(text) if strong else text}\n")

    def _end_line(self) -> None:
        if self._in_line:
            self._say("\n")

    def _say(self, text: str) -> None:
        self._in_line = not text.endswith("\n") if text else self._in_line
        with self._lock:
            if self._asking:
                self._waiting.append(text)
            else:
                self._write(text)

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()


class Hushing:
    """The approver at the terminal, with everything else quiet while it asks."""

    def __init__(self, inner: TerminalApprover, show: Show) -> None:
        self._inner = inner
        self._show = show

    async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
        """As `Approver.decide`."""
        self._show.hush()
        try:
            return await self._inner.decide(batch)
        finally:
            self._show.speak()

    async def review(self, batch: Sequence[Pending], clerk: Clerk, /) -> Mapping[PendingId, ApprovalDecision]:
        """As `Reviews.review`."""
        self._show.hush()
        try:
            return await self._inner.review(batch, clerk)
        finally:
            self._show.speak()

    def lost(self, pending: Pending, first: AlreadyDecided) -> None:
        """As `TerminalApprover.lost`."""
        self._inner.lost(pending, first)


def _called(event: ToolUse) -> str:
    args = {name: value for name, value in event.input.items() if name in ("file_path", "command", "pattern", "path")}
    shown = ", ".join(str(value) for value in (args or event.input).values())
    return f"{visible(event.name, keep='')} {_cut(visible(shown, keep=''))}".rstrip()


def _told(event: ToolResult, signs: _Signs) -> list[str]:
    lines = [_cut(line) for line in visible(event.content).splitlines()]
    mark = signs.failed if event.is_error else ""
    rest = len(lines) - _MOST_LINES
    shown = [f"{mark}{line}" if not number else line for number, line in enumerate(lines[:_MOST_LINES])]
    return [*shown, f"… {rest} more lines"] if rest > 0 else shown


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 1]}…"
