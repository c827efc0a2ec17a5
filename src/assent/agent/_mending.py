"""A conversation that broke off in the middle of its calls, made whole so that it can go on."""

from __future__ import annotations

from typing import Final

from assent.agent._calls import NOT_RUN, Outcome, result_block
from assent.agent._conversation import Conversation
from assent.agent._model import Block, blocks_of
from assent.errors import OutcomeUnknown
from assent.model import EffectState, Store

_ENDED: Final = "the process ended before it"


def mend(said: Conversation, store: Store) -> None:
    """Give every call without a result one: what the record knows of it, never a guess that it did not run."""
    messages = said.messages
    if not messages or messages[-1]["role"] != "assistant":
        return
    calls = [block for block in blocks_of(messages[-1]) if block["type"] == "tool_use"]
    if calls:
        results = [result_block(str(each["id"]), _fate(each, said.id, store)) for each in calls]
        said.add({"role": "user", "content": results})


def _fate(block: Block, run: str, store: Store) -> Outcome:
    name = str(block["name"])
    unknown = Outcome(content=str(OutcomeUnknown(name)), is_error=True, code=OutcomeUnknown.code)
    pending = store.history(run).calls.get(str(block["id"]))
    asked = None if pending is None else store.asked(pending)
    if asked is None:
        # Nobody was asked, so the record does not say whether it ran.
        return unknown
    if asked.effect is None:
        return Outcome(content=NOT_RUN.format(why=_ENDED), is_error=True, code="cancelled")
    if asked.effect.state is EffectState.DONE:
        return Outcome(content=f"{name} ran to its end; what it answered was lost. Look at what it changed.")
    return unknown
