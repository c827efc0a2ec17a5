"""The calls of one message of the model: which of them are still to come."""

from __future__ import annotations

from contextlib import suppress

from assent.adapters.anthropic._blocks import Block, Message
from assent.gate import new_call_id


class Turn:
    """A tool is handed its input and nothing else: here it is found which call that is."""

    def __init__(self) -> None:
        self.open: list[Block] = []
        self.group: str | None = None
        self._early: list[Block] = []

    def begin(self, message: Message) -> None:
        """The model wants these calls; those that ran while it still wrote are not to come any more."""
        self.open = list(message.calls)
        self.group = message.id or None if len(message.calls) > 1 else None
        early, self._early = self._early, []
        for block in early:
            with suppress(LookupError):
                self._out(block)

    def take(self, name: str, given: object) -> Block:
        """The call that this is; one that the message does not have is a call of its own."""
        wanted = Block(id=new_call_id(), name=name, input=given)
        try:
            return self._out(wanted)
        except LookupError:
            self._early.append(wanted)
            return wanted

    def _out(self, wanted: Block) -> Block:
        for place, block in enumerate(self.open):
            if (block.name, block.input) == (wanted.name, wanted.input):
                return self.open.pop(place)
        raise LookupError(wanted.name)
