"""The loop of an agent: ask the model, run what it may run, tell it what became of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final, Protocol

from assent.agent._calls import NOT_RUN, Outcome, TurnCalls, result_block
from assent.agent._events import (
    Emit,
    Status,
    Superseded,
    Text,
    TextDelta,
    ThinkingDelta,
    ToolBegun,
    ToolDelta,
    ToolResult,
    ToolUse,
)
from assent.agent._model import (
    Answer,
    Block,
    CallBegun,
    CallDone,
    CallPiece,
    Message,
    Model,
    ModelFailed,
    ModelRequest,
    Piece,
    TextDone,
    TextPiece,
    ThinkingPiece,
    WantedCall,
    blocks_of,
)
from assent.agent._usage import Usage
from assent.errors import OutcomeUnknown, Stopped
from assent.runtime import Session

Pause = Callable[[float], Awaitable[object]]
"""How to wait before a broken answer is asked for again."""
_FIRST_PAUSE: Final = 0.5
_MOST_CUTS: Final = 2
"""How many answers in a row may be cut by max_tokens before the run ends."""


class Messages(Protocol):
    """The conversation, as far as a loop needs it."""

    @property
    def messages(self) -> Sequence[Message]:
        """Everything said so far."""
        ...

    def add(self, message: Message, /) -> None:
        """Something more was said."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a loop may do."""

    max_tokens: int
    max_turns: int
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a loop ended."""

    status: Status
    message: str
    text: str = ""


class Loop:
    """One agent at work; a sub-agent is another loop on the same gate."""

    def __init__(
        self,
        model: Model,
        session: Session,
        *,
        system: str,
        tools: Sequence[Block],
        limits: Limits,
        emit: Emit,
        pause: Pause = asyncio.sleep,
        grouped: bool = True,
    ) -> None:
        self.usage = Usage()
        self.refused = 0
        self._model = model
        self._session = session
        self._system = system
        self._tools = tools
        self._limits = limits
        self._emit = emit
        self._pause = pause
        self._grouped = grouped
        self._agents = session.agents
        self._turns = 0
        self._cuts = 0

    async def run(self, said: Messages) -> Ending:
        """Work until the model comes to an end, or something ends it.

        Raises:
            ModelFailed: it gave no answer that can be trusted, as often as it was asked.
            Stopped: a person ended the run.
        """
        while self._turns < self._limits.max_turns:
            self._turns += 1
            answer, calls = await self._turn(said)
            try:
                ending = await self._follow(answer, calls, said)
            finally:
                # Whatever was asked about and not run is not wanted any more.
                await calls.cancel()
            if ending is not None:
                return ending
        text = f"the run was ended after {self._limits.max_turns} answers of the model (agent.max_turns)"
        return Ending(status="failed", message=text)

    async def _follow(self, answer: Answer, calls: TurnCalls, said: Messages) -> Ending | None:
        """Do what the answer asks for; how the loop ends, if it does."""
        self._cuts = self._cuts + 1 if answer.stop_reason == "max_tokens" else 0
        match answer.stop_reason:
            case "tool_use":
                _add(answer, said)
                await self._work(answer.calls, calls, said)
            case "pause_turn":
                # The model's server needs a rest: sent back as it is, the turn goes on.
                _add(answer, said)
            case "max_tokens" if _asked(answer):
                await calls.cancel()
                await self._cut(answer, said)
                return self._out_of_tokens(answer) if self._cuts >= _MOST_CUTS else None
            case _:
                return self._end(answer, said)
        return None

    # One turn

    async def _turn(self, said: Messages) -> tuple[Answer, TurnCalls]:
        """An answer that can be trusted, and its calls; nothing has run yet."""
        for attempt in range(1, self._limits.attempts + 1):
            group = f"turn-{len(said.messages)}-{attempt}" if self._grouped else None
            calls = TurnCalls(self._session, group)
            try:
                return await self._stream(said, calls), calls
            except ModelFailed as failure:
                await calls.cancel()
                self.usage += failure.usage
                if not failure.again or attempt == self._limits.attempts:
                    raise
                await self._emit(Superseded(reason=str(failure), attempt=attempt, agents=self._agents))
            except BaseException:
                await calls.cancel()
                raise
            await self._pause(_FIRST_PAUSE * 2 ** (attempt - 1))
        raise AssertionError  # the last attempt returns or raises

    async def _stream(self, said: Messages, calls: TurnCalls) -> Answer:
        used = _ids_in(said.messages)
        request = ModelRequest(
            system=self._system, messages=said.messages, tools=self._tools, max_tokens=self._limits.max_tokens
        )
        async with aclosing(self._model.stream(request)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Answer):
                    _check(piece)
                    self.usage += piece.usage
                    return piece
                if isinstance(piece, CallDone):
                    if piece.call.id in calls.ids | used:
                        raise ModelFailed(f"the model used the id {piece.call.id!r} for two calls", again=True)
                    # Shown first, asked second: whoever is asked has seen the call.
                    await self._show(piece)
                    calls.take(piece.call)
                else:
                    await self._show(piece)
        raise ModelFailed("the model's answer has no end", again=True)

    async def _show(self, piece: Piece) -> None:
        agents = self._agents
        match piece:
            case TextPiece():
                await self._emit(TextDelta(text=piece.text, agents=agents))
            case ThinkingPiece():
                await self._emit(ThinkingDelta(text=piece.text, agents=agents))
            case TextDone():
                await self._emit(Text(text=piece.text, agents=agents))
            case CallBegun():
                await self._emit(ToolBegun(id=piece.id, name=piece.name, agents=agents))
            case CallPiece():
                await self._emit(ToolDelta(id=piece.id, json=piece.json, agents=agents))
            case CallDone(call=call):
                await self._emit(ToolUse(id=call.id, name=call.name, input=call.args, agents=agents))
            case Answer():
                pass

    # What becomes of it

    async def _work(self, wanted: Sequence[WantedCall], calls: TurnCalls, said: Messages) -> None:
        """Run the calls in order; whatever happens, the conversation has a result for each of them."""
        outcomes: list[Outcome] = []
        why = Outcome(content=NOT_RUN.format(why="the run was cancelled before it"), is_error=True, code="cancelled")
        try:
            for call in wanted:
                outcome = await calls.run(call)
                outcomes.append(outcome)
                self.refused += outcome.refused
                await self._emit(_result(call.id, outcome, self._agents))
        except Stopped as stop:
            why = Outcome(content=str(stop), is_error=True, code=stop.code, refused=True)
            raise
        finally:
            left = [_unseen(call) if calls.started(call.id) else why for call in wanted[len(outcomes) :]]
            blocks = [result_block(call.id, each) for call, each in zip(wanted, [*outcomes, *left], strict=True)]
            said.add({"role": "user", "content": blocks})

    async def _cut(self, answer: Answer, said: Messages) -> None:
        """Calls of an answer that was cut are not run, not even those that look complete."""
        why = f"the answer was cut off at {self._limits.max_tokens} tokens. Do it in smaller steps."
        outcome = Outcome(content=NOT_RUN.format(why=why), is_error=True, code="max_tokens")
        ids = [str(block["id"]) for block in answer.content if block["type"] == "tool_use"]
        _add(answer, said)
        said.add({"role": "user", "content": [result_block(each, outcome) for each in ids]})
        for each in ids:
            await self._emit(_result(each, outcome, self._agents))

    def _out_of_tokens(self, answer: Answer) -> Ending:
        most = self._limits.max_tokens
        advice = f"the model's answer does not fit into {most} tokens; raise agent.max_tokens, or ask for less at once"
        return Ending(status="max_tokens", message=advice, text=_text_of(answer))

    def _end(self, answer: Answer, said: Messages) -> Ending:
        match answer.stop_reason:
            case "end_turn" | "stop_sequence":
                _add(answer, said)
                return Ending(status="success", message="Conversation complete", text=_text_of(answer))
            case "max_tokens":
                _add(answer, said)
                return self._out_of_tokens(answer)
            case "refusal":
                text = "the model refused to go on; this exchange was taken out of the conversation. Ask differently."
                return Ending(status="refusal", message=text, text=_text_of(answer))
            case "model_context_window_exceeded":
                text = "the conversation is too long for the model; start a new one"
                return Ending(status="failed", message=text, text=_text_of(answer))
            case reason:
                text = f"the model stopped for a reason this version does not know ({reason}); nothing of it was run"
                return Ending(status="failed", message=text, text=_text_of(answer))


def _check(answer: Answer) -> None:
    """What no answer may be, whatever it says of itself.

    Raises:
        ModelFailed: it is not to be trusted.
    """
    if answer.stop_reason == "tool_use":
        if answer.broken:
            tools = ", ".join(answer.broken)
            raise ModelFailed(f"the model's call of {tools} is not readable", again=True, usage=answer.usage)
        if not answer.calls:
            raise ModelFailed("the model stopped for a call and made none", again=True, usage=answer.usage)
    elif answer.stop_reason in ("end_turn", "stop_sequence", "pause_turn") and _asked(answer):
        why = f"the model made calls and then stopped with {answer.stop_reason}"
        raise ModelFailed(why, again=True, usage=answer.usage)


def _add(answer: Answer, said: Messages) -> None:
    # The API refuses a message without content, also when it was its own.
    if answer.content:
        said.add({"role": "assistant", "content": answer.content})


def _asked(answer: Answer) -> bool:
    return bool(answer.calls or answer.broken)


def _text_of(answer: Answer) -> str:
    return "".join(str(block["text"]) for block in answer.content if block["type"] == "text")


def _ids_in(messages: Sequence[Message]) -> frozenset[str]:
    """Every call the conversation knows."""
    blocks = [block for message in messages for block in blocks_of(message)]
    return frozenset(str(block["id"]) for block in blocks if block["type"] == "tool_use")


def _result(call_id: str, outcome: Outcome, agents: tuple[str, ...]) -> ToolResult:
    return ToolResult(
        tool_use_id=call_id, content=outcome.content, is_error=outcome.is_error, code=outcome.code, agents=agents
    )


def _unseen(call: WantedCall) -> Outcome:
    """The call at hand when the run was ended: it had begun."""
    return Outcome(content=str(OutcomeUnknown(call.name)), is_error=True, code=OutcomeUnknown.code)
