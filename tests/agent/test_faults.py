"""What the model's server can do wrong, with the real SDK: nothing runs unapproved, nothing runs twice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from assent.agent import RunResult, Superseded
from assent.errors import StoreFailed
from assent.functions import requires_approval
from assent.model import Approve, EffectState, Outcome, Pending, Store
from assent.testing import Answers, Call, Cut, Drip, Drop, ErrorEvent, HangUp, Hold, Page, Raw, Say, Status, Think, Turn
from assent.testing._fake_anthropic_script import Scripted
from tests.agent.kit import Desk, an_agent, settings_at

SOON = {"retry-after-ms": "1"}
YES = Approve(by="ana")
END = Turn(Say("Done."))


class Notes:
    """A tool that remembers what it was called with."""

    def __init__(self) -> None:
        self.made: list[str] = []

    @property
    def tool(self) -> Callable[..., object]:
        @requires_approval()
        def note(text: str, more: str = "") -> str:
            """Make a note."""
            self.made.append(text)
            return f"noted {text}{more}"

        return note


def note(text: str = "once", call_id: str = "") -> Call:
    return Call("note", {"text": text}, id=call_id)


def raw(kind: str, rest: str) -> Raw:
    return Raw(f'event: {kind}\ndata: {{"type": "{kind}", {rest}}}\n\n'.encode())


def by_hand(call: str) -> Turn:
    """A turn of one call, with this for its id and name."""
    block = f'{{"type": "tool_use", {call}, "input": {{"text": "first"}}}}'
    start = raw("content_block_start", f'"index": 0, "content_block": {block}')
    return Turn(start, raw("content_block_stop", '"index": 0'), stop_reason="tool_use")


@dataclass(frozen=True)
class Case:
    script: tuple[Scripted, ...]
    made: tuple[str, ...] = ()
    status: str = "success"
    superseded: int = 0


CASES = {
    "overloaded after a complete call": Case(
        (Turn(note("first"), ErrorEvent()), Turn(note()), END), ("once",), superseded=1
    ),
    "overloaded before anything": Case((Turn(ErrorEvent()), Turn(note()), END), ("once",), superseded=1),
    "overloaded in the middle of a text": Case((Turn(Say("I will"), ErrorEvent()), END), superseded=1),
    "overloaded at every attempt": Case((Turn(note(), ErrorEvent()),) * 4, status="failed", superseded=3),
    "an api_error in the stream": Case((Turn(note("first"), ErrorEvent("api_error")), END), superseded=1),
    "an error in the stream that will not pass": Case(
        (Turn(note(), ErrorEvent("invalid_request_error")),), status="failed"
    ),
    "cut after a complete call": Case((Turn(note("first"), Cut()), Turn(note()), END), ("once",), superseded=1),
    "cut inside a call": Case(
        (Turn(Call("note", text='{"text": "fir', ends=False), Cut()), Turn(note()), END), ("once",), superseded=1
    ),
    "connection lost after a complete call": Case(
        (Turn(note("first"), Drop()), Turn(note()), END), ("once",), superseded=1
    ),
    "connection lost inside a call": Case(
        (Turn(Call("note", text='{"text": "fir', ends=False), Drop()), END), superseded=1
    ),
    "arguments that are no JSON": Case(
        (Turn(Call("note", text='{"text": nope}')), Turn(note()), END), ("once",), superseded=1
    ),
    "arguments without their last brace": Case(
        (Turn(Call("note", text='{"text": "first"')), Turn(note()), END), ("once",), superseded=1
    ),
    "arguments cut inside a text": Case(
        (Turn(Call("note", text='{"text": "first", "more": "and')), Turn(note()), END), ("once",), superseded=1
    ),
    "arguments with a key twice": Case(
        (Turn(Call("note", text='{"text": "seen", "text": "run"}')), Turn(note()), END), ("once",), superseded=1
    ),
    "arguments with half a character": Case((Turn(Call("note", text=r'{"text": "\ud83d"}')), END), superseded=1),
    "arguments with a number beyond all": Case(
        (Turn(Call("note", text='{"text": "first", "limit": 1e999}')), Turn(note()), END), ("once",), superseded=1
    ),
    "arguments nested without end": Case(
        (Turn(Call("note", text=f'{{"text": {"[" * 5000}{"]" * 5000}}}')), Turn(note()), END), ("once",), superseded=1
    ),
    "thinking with half a character": Case(
        (Turn(Think("Hm \ud83d"), note("first")), Turn(note()), END), ("once",), superseded=1
    ),
    "a signature with half a character": Case((Turn(Think("Hm", "\ud83d"), Say("x")), END), superseded=1),
    "a text with half a character": Case((Turn(Say("Hm \ud83d")),)),
    "an id with half a character": Case(
        (Turn(note("first", "toolu_\ud83d")), Turn(note()), END), ("once",), superseded=1
    ),
    "a name with half a character": Case((Turn(Call("not\ud83d", {})), Turn(note()), END), ("once",), superseded=1),
    "an id that is a number": Case((by_hand('"id": 5, "name": "note"'), END), superseded=1),
    "an id that is nothing": Case((by_hand('"id": null, "name": "note"'), END), superseded=1),
    "an empty id": Case((by_hand('"id": "", "name": "note"'), END), superseded=1),
    "a call without a name": Case((by_hand('"id": "toolu_1"'), END), superseded=1),
    "arguments that are no object": Case((Turn(Call("note", text='["first"]')), END), superseded=1),
    "a call that is never closed": Case((Turn(Call("note", {"text": "first"}, ends=False)), END), superseded=1),
    "the same id twice": Case(
        (Turn(note("first", "toolu_1"), note("second", "toolu_1")), Turn(note()), END), ("once",), superseded=1
    ),
    "the same call twice under one id": Case(
        (Turn(note("first", "toolu_1"), note("first", "toolu_1")), Turn(note()), END), ("once",), superseded=1
    ),
    "the id of an earlier turn": Case(
        (Turn(note("once", "toolu_1")), Turn(note("again", "toolu_1")), Turn(note("then")), END),
        ("once", "then"),
        superseded=1,
    ),
    "max_tokens inside a call": Case(
        (Turn(Call("note", text='{"text": "fir', ends=False), stop_reason="max_tokens"), Turn(note()), END), ("once",)
    ),
    "max_tokens after a complete call": Case((Turn(note("first"), stop_reason="max_tokens"), END)),
    "max_tokens again and again": Case((Turn(note("first"), stop_reason="max_tokens"),) * 2, status="max_tokens"),
    "max_tokens in a text": Case((Turn(Say("And then"), stop_reason="max_tokens"),), status="max_tokens"),
    "a refusal after a call": Case((Turn(note("first"), stop_reason="refusal"),), status="refusal"),
    "a refusal after work": Case((Turn(note()), Turn(Say("No."), stop_reason="refusal")), ("once",), status="refusal"),
    "a pause": Case((Turn(Say("Hm"), stop_reason="pause_turn"), Turn(note()), END), ("once",)),
    "an empty text beside a call": Case((Turn(Say(""), note()), Turn(Say(" \n"))), ("once",)),
    "nothing at all": Case((Turn(),)),
    "a pause without a word": Case((Turn(stop_reason="pause_turn"), END)),
    "max_tokens without a word": Case((Turn(stop_reason="max_tokens"),), status="max_tokens"),
    "a pause with a call": Case((Turn(note("first"), stop_reason="pause_turn"), END), superseded=1),
    "an end with a call": Case(
        (Turn(note("first"), stop_reason="end_turn"), Turn(note()), END), ("once",), superseded=1
    ),
    "a stop for a call that is not there": Case((Turn(Say("Now"), stop_reason="tool_use"), END), superseded=1),
    "a conversation that is too long": Case(
        (Turn(note("first"), stop_reason="model_context_window_exceeded"),), status="failed"
    ),
    "a reason to stop that nobody knows": Case(
        (Turn(note("first"), stop_reason=cast("Any", "coffee_break")),), status="failed"
    ),
    "429 and then an answer": Case((Status(429, "rate_limit_error", headers=SOON), Turn(note()), END), ("once",)),
    "429 to the end": Case((Status(429, "rate_limit_error", headers=SOON),) * 3, status="failed"),
    "529 to the end": Case((Status(529, "overloaded_error", headers=SOON),) * 3, status="failed"),
    "500 to the end": Case((Status(500, headers=SOON),) * 3, status="failed"),
    "401": Case((Status(401, "authentication_error", "invalid x-api-key"),), status="failed"),
    "400": Case((Status(400, "invalid_request_error"),), status="failed"),
    "an error after work": Case((Turn(note()), Status(400, "invalid_request_error")), ("once",), status="failed"),
    "hung up and then an answer": Case((HangUp(), Turn(note()), END), ("once",)),
    "a slow drip": Case((Turn(Drip(), note()), END), ("once",)),
    "a page of a proxy": Case((Page(), Turn(note()), END), ("once",), superseded=1),
    "an empty stream": Case((Page(b"", "text/event-stream"), Turn(note()), END), ("once",), superseded=1),
    "an answer of another kind": Case((Page(b'{"hello": 1}', "application/json"), END), superseded=1),
    "bytes that are no text": Case((Turn(note("first"), Raw(b"\xff\xfe\n\n")), END), superseded=1),
    "an event that is no JSON": Case(
        (Turn(note("first"), Raw(b"event: message_delta\ndata: {no\n\n")), END), superseded=1
    ),
    "blocks out of order": Case(
        (
            Turn(
                note("first"), raw("content_block_start", '"index": 5, "content_block": {"type": "text", "text": ""}')
            ),
            END,
        ),
        superseded=1,
    ),
    "arguments for a call that was complete": Case(
        (
            Turn(
                note("first"),
                raw("content_block_delta", '"index": 0, "delta": {"type": "input_json_delta", "partial_json": "{}"}'),
            ),
            END,
        ),
        superseded=1,
    ),
    "the end of a block that never began": Case((Turn(raw("content_block_stop", '"index": 7')), END), superseded=1),
    "an event of a kind nobody knows": Case((Turn(raw("news", '"x": 1'), note()), END), ("once",)),
}


def check_the_record(store: Store, made: list[str]) -> None:
    """What ran was approved, once each; what did not run has no effect, and nobody is still asked."""
    asked = store.recent(100)
    done = [each for each in asked if each.effect is not None]
    assert sorted(str(each.pending.call.args["text"]) for each in done) == sorted(made)
    assert all(each.effect is not None and each.effect.state is EffectState.DONE for each in done)
    assert all(each.ruling is not None and each.ruling.outcome is Outcome.APPROVED for each in done)
    assert store.desk() == []


def an_agent_with(
    folder: Path, notes: Notes, *script: Scripted, approver: Answers | None = None
) -> AbstractContextManager[Desk]:
    return an_agent(
        folder,
        *script,
        approver=approver or Answers(YES),
        tools=(notes.tool,),
        settings=settings_at(folder, attempts=4),
    )


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
async def test_a_fault_runs_nothing_unapproved_and_nothing_twice(case: Case, tmp_path: Path) -> None:
    notes = Notes()
    with an_agent_with(tmp_path, notes, *case.script) as desk:
        result = await desk.run()
        assert (result.status, desk.server.left) == (case.status, 0), result.message
        assert tuple(notes.made) == case.made
        assert sum(isinstance(each, Superseded) for each in desk.events) == case.superseded
        assert desk.events[-1] is result
        assert result.message
        check_the_record(desk.runner.gate.store, notes.made)
        # And the session goes on: the server refuses a conversation that is not whole.
        desk.server.add(Turn(note("later")), Turn(Say("Fine.")))
        later = await desk.run("And now?")
        assert (later.status, later.text) == ("success", "Fine.")
        assert tuple(notes.made) == (*case.made, "later")
        check_the_record(desk.runner.gate.store, notes.made)


async def test_what_a_person_approved_in_a_turn_that_failed_is_not_run(tmp_path: Path) -> None:
    notes, hold = Notes(), Hold()

    def approve(pending: Pending) -> Approve:
        hold.event.set()
        return YES

    with an_agent_with(
        tmp_path, notes, Turn(note("first"), hold, ErrorEvent()), END, approver=Answers(approve)
    ) as desk:
        result = await desk.run()
        assert result.status == "success"
        assert notes.made == []
        check_the_record(desk.runner.gate.store, [])


async def test_a_question_of_a_turn_that_failed_is_taken_back(tmp_path: Path) -> None:
    notes, hold, asked = Notes(), Hold(), asyncio.Event()

    async def never(_pending: Pending) -> bool:
        asked.set()
        await asyncio.Event().wait()
        return True

    with an_agent_with(tmp_path, notes, Turn(note("first"), hold, Cut()), END) as desk:
        running = asyncio.create_task(desk.runner.run("Go.", None, never))
        await asked.wait()
        hold.event.set()
        assert (await running).status == "success"
        (question,) = desk.runner.gate.store.recent(9)
        assert question.ruling is not None
        assert question.ruling.outcome is Outcome.CANCELLED
        check_the_record(desk.runner.gate.store, [])


async def test_the_waits_between_attempts_grow(tmp_path: Path) -> None:
    waits: list[float] = []

    async def wait(seconds: float) -> None:
        waits.append(seconds)

    with an_agent(tmp_path, *(Turn(ErrorEvent()),) * 4) as desk:
        object.__setattr__(desk.runner._parts, "pause", wait)
        await desk.run()
    assert waits == [0.5, 1.0, 2.0]


async def test_what_went_wrong_is_said(tmp_path: Path) -> None:
    async def said(*script: Scripted) -> str:
        with an_agent(tmp_path, *script) as desk:
            return (await desk.run()).message

    assert "ANTHROPIC_API_KEY" in await said(Status(401, "authentication_error", "invalid x-api-key"))
    assert "429 (rate_limit_error): slow down" in await said(*(Status(429, "rate_limit_error", "slow down", SOON),) * 3)
    assert "max_tokens" in await said(*(Turn(note(), stop_reason="max_tokens"),) * 2)
    assert "overloaded_error" in await said(*(Turn(ErrorEvent()),) * 4)


# Cancelling


async def cancelled(desk: Desk, until: asyncio.Event) -> RunResult:
    running = asyncio.create_task(desk.run())
    await until.wait()
    desk.runner.cancel()
    return await running


async def test_a_run_can_be_cancelled_while_the_model_speaks(tmp_path: Path) -> None:
    notes, hold = Notes(), Hold()
    with an_agent_with(tmp_path, notes, Turn(Say("Hm"), note("first"), hold, Say("and"))) as desk:
        running = asyncio.create_task(desk.run())
        await asyncio.to_thread(hold.reached.wait)
        desk.runner.cancel()
        result = await running
        hold.event.set()
        assert result.status == "cancelled"
        assert notes.made == []
        check_the_record(desk.runner.gate.store, [])
        desk.server.add(END)
        assert (await desk.run()).status == "success"


async def test_a_run_can_be_cancelled_while_a_person_is_asked(tmp_path: Path) -> None:
    notes, asked = Notes(), asyncio.Event()

    async def never(_pending: Pending) -> bool:
        asked.set()
        await asyncio.Event().wait()
        return True

    with an_agent_with(tmp_path, notes, Turn(note("first"), note("second"))) as desk:
        running = asyncio.create_task(desk.runner.run("Go.", None, never))
        await asked.wait()
        desk.runner.cancel()
        assert (await running).status == "cancelled"
        check_the_record(desk.runner.gate.store, [])
        desk.server.add(END)
        assert (await desk.run()).status == "success"
        assert [each["is_error"] for each in desk.sent(1)[2]["content"]] == [True, True]


async def test_a_run_can_be_cancelled_while_a_tool_runs_and_the_model_is_told_it_may_have_run(tmp_path: Path) -> None:
    running_now = asyncio.Event()

    @requires_approval()
    async def slow() -> str:
        running_now.set()
        await asyncio.Event().wait()
        return "never"

    script = Turn(Call("slow", id="toolu_1"), Call("slow", id="toolu_2"))
    with an_agent(tmp_path, script, approver=Answers(YES), tools=(slow,)) as desk:
        result = await cancelled(desk, running_now)
        assert result.status == "cancelled"
        desk.server.add(END)
        assert (await desk.run()).status == "success"
        first, second = desk.sent(1)[2]["content"]
    assert "may have taken effect" in first["content"]
    assert second["content"] == "Not executed: the run was cancelled before it"


async def test_a_caller_who_is_cancelled_takes_the_run_with_it(tmp_path: Path) -> None:
    notes, hold = Notes(), Hold()
    with an_agent_with(tmp_path, notes, Turn(note("first"), hold)) as desk:
        running = asyncio.create_task(desk.run())
        await asyncio.to_thread(hold.reached.wait)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        hold.event.set()
        check_the_record(desk.runner.gate.store, [])
        desk.server.add(END)
        assert (await desk.run()).status == "success"


async def test_a_listener_that_breaks_ends_the_run_and_nothing_runs(tmp_path: Path) -> None:
    notes = Notes()

    def broken(_event: object) -> None:
        message = "the screen is gone"
        raise OSError(message)

    with an_agent_with(tmp_path, notes, Turn(Say("Hm"), note("first"))) as desk:
        with pytest.raises(OSError, match="the screen is gone"):
            await desk.runner.run("Go.", broken)
        check_the_record(desk.runner.gate.store, [])
        desk.server.add(END)
        assert (await desk.run()).status == "success"


async def test_a_conversation_that_cannot_be_kept_runs_nothing(tmp_path: Path) -> None:
    notes, hold = Notes(), Hold()
    with an_agent_with(tmp_path, notes, Turn(note("first"), hold)) as desk:
        running = asyncio.create_task(desk.run())
        await asyncio.to_thread(hold.reached.wait)
        desk.runner.conversation.close()
        hold.event.set()
        with pytest.raises(StoreFailed, match="closed"):
            await running
        check_the_record(desk.runner.gate.store, [])
    assert notes.made == []


async def test_an_exchange_that_the_model_refused_is_not_said_again(tmp_path: Path) -> None:
    script = Turn(Say("Hi.")), Turn(Say("No."), stop_reason="refusal"), Turn(Say("Sure."))
    with an_agent(tmp_path, *script) as desk:
        await desk.run("Hello")
        refused = await desk.run("Something bad")
        await desk.run("Something good")
    assert "taken out of the conversation" in refused.message
    assert [each["content"] for each in desk.sent(2) if each["role"] == "user"] == ["Hello", "Something good"]


async def test_the_very_same_call_under_the_same_id_is_not_asked_about_twice_and_runs_once(tmp_path: Path) -> None:
    notes, hold, asked = Notes(), Hold(), asyncio.Event()
    questions: list[Pending] = []

    def ask(pending: Pending) -> bool:
        questions.append(pending)
        asked.set()
        return True

    script = Turn(note("first", "toolu_1"), hold, ErrorEvent()), Turn(note("first", "toolu_1")), END
    with an_agent_with(tmp_path, notes, *script) as desk:
        running = asyncio.create_task(desk.runner.run("Go.", None, ask))
        await asked.wait()
        while desk.runner.gate.store.desk():  # noqa: ASYNC110 — the answer is written by the desk's own thread
            await asyncio.sleep(0.01)
        hold.event.set()
        assert (await running).status == "success"
        assert (len(questions), notes.made) == (1, ["first"])
        check_the_record(desk.runner.gate.store, notes.made)


async def test_another_call_under_an_id_that_was_asked_about_does_not_run(tmp_path: Path) -> None:
    notes, hold, asked = Notes(), Hold(), asyncio.Event()

    def ask(_pending: Pending) -> bool:
        asked.set()
        return True

    script = Turn(note("first", "toolu_1"), hold, ErrorEvent()), Turn(note("other", "toolu_1")), END
    with an_agent_with(tmp_path, notes, *script) as desk:
        running = asyncio.create_task(desk.runner.run("Go.", desk.events.append, ask))
        await asked.wait()
        hold.event.set()
        assert (await running).status == "success"
        assert notes.made == []
        assert desk.results[0].code in ("conflicting_call", "cancelled")
        check_the_record(desk.runner.gate.store, [])
