"""What a command writes while it runs, brought to whoever listens, at their pace and not at its own."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from assent.agent._events import Emit, ToolOutput
from assent.agent._model import spellable

if TYPE_CHECKING:
    from assent.model import ToolCall
    from assent.tools.command import OnOutput, Stream

_PIECE: Final = 8_000
"""Characters of a piece; of more, the last ones are told, and how many came before. The result has all."""
_PAUSE: Final = 0.05
"""Seconds between two pieces: a person reads no faster, and the others who listen have their turn."""


class Live:
    """Takes the output of commands as it comes and tells it in pieces; only on the loop of the run."""

    def __init__(self, also: OnOutput | None) -> None:
        self._also = also
        self._emit: Emit | None = None
        self._call: ToolCall | None = None
        self._text = ""
        self._left_out = 0
        self._telling: asyncio.Task[None] | None = None
        self._hurry = asyncio.Event()

    def use(self, emit: Emit | None) -> None:
        """Tell this one from now on; None: nobody."""
        self._emit = emit
        self._text, self._left_out = "", 0
        if self._telling is not None:
            self._telling.cancel()
            self._telling = None

    def heard(self, call: ToolCall, text: str, stream: Stream) -> None:
        """A command has written something."""
        if self._also is not None:
            self._also(call, text, stream)
        if self._emit is None:
            return
        self._call = call
        whole = self._text + text
        self._left_out += max(0, len(whole) - _PIECE)
        self._text = whole[-_PIECE:]
        if self._telling is None:
            # A new one each time: the next run may be on another loop.
            self._hurry = asyncio.Event()
            self._telling = asyncio.create_task(self._tell(self._emit), name="assent-output")

    async def flush(self) -> None:
        """Tell what is left; after that, the result may be told."""
        telling = self._telling
        if telling is not None:
            self._hurry.set()
            await telling

    async def _tell(self, emit: Emit) -> None:
        try:
            while self._text and self._call is not None:
                await emit(self._piece(self._call))
                with suppress(TimeoutError):
                    async with asyncio.timeout(_PAUSE):
                        await self._hurry.wait()
        finally:
            self._telling = None

    def _piece(self, call: ToolCall) -> ToolOutput:
        before = f"[… {self._left_out} characters …]\n" if self._left_out else ""
        text = spellable(before + self._text)
        self._text, self._left_out = "", 0
        return ToolOutput(tool_use_id=call.id, text=text, agents=call.agents)
