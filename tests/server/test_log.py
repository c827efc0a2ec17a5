"""What everybody is told, and what becomes of who cannot follow."""

from __future__ import annotations

import asyncio
import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed

from assent.server._limits import Bucket, Buckets
from assent.server._log import EventLog
from assent.server.messages import spelled
from assent.testing import VirtualClock
from tests.server.desk import asking
from tests.server.served import Play, serving


@given(st.lists(st.booleans(), max_size=60), st.integers(1, 10))
def test_whoever_reads_on_from_a_number_misses_nothing_or_is_told(steps: list[bool], kept: int) -> None:
    log = EventLog(most=kept)
    start = log.head
    seen: list[int] = []
    missed = False
    for number, read in enumerate(steps):
        log.publish({"type": "x", "number": number})
        if read:
            entries = log.after(start + len(seen)) if not missed else ()
            missed = missed or entries is None
            seen += [each.seq - start for each in entries or ()]
    assert seen == list(range(1, len(seen) + 1))
    assert len(log.all()) == min(kept, len(steps))


def test_what_is_kept_is_bounded_by_its_size_too() -> None:
    log = EventLog(most_characters=1000)
    for _ in range(10):
        log.publish({"type": "x", "text": "y" * 400})
    assert len(log.all()) == 2


def test_a_question_that_has_ended_takes_no_room() -> None:
    log = EventLog(most_characters=1000)
    for _ in range(10):
        log.let_go(log.publish({"type": "tool_approval_request", "text": "y" * 400}))
    assert len(log.all()) == 10


def test_numbers_of_a_later_process_are_larger() -> None:
    first = EventLog()
    first.publish({"type": "x"})
    assert EventLog().head >= first.head - 1


def test_a_bucket_fills_with_time() -> None:
    clock = VirtualClock()
    bucket = Bucket(most=2, rate=1, clock=clock)
    assert [bucket.take() for _ in range(3)] == [True, True, False]
    clock.advance(1)
    assert [bucket.take() for _ in range(2)] == [True, False]


def test_everybody_has_a_bucket_of_their_own() -> None:
    buckets = Buckets(most=1, rate=0, clock=VirtualClock())
    assert [buckets.take(each) for each in ("a", "b", "a")] == [True, True, False]


async def test_a_client_that_does_not_read_holds_up_nobody_and_is_let_go(tmp_path: Path) -> None:
    turns: asyncio.Queue[str] = asyncio.Queue()

    async def flooding(play: Play) -> None:
        while await turns.get():
            for _ in range(20):
                await play.emit({"type": "assistant", "subtype": "text", "content": {"text": "x" * 50_000}})

    async with (
        serving(tmp_path, flooding, kept=40) as server,
        server.client("ana") as reader,
        server.client("ben") as sleeper,
    ):
        await reader.run()
        for _ in range(30):
            turns.put_nowait("more")
            for _ in range(20):
                await reader.until("assistant")
        turns.put_nowait("")
        await reader.until("result")
        # It wakes up: some of it is still there, but then it is told to come again.
        with pytest.raises(ConnectionClosed) as closed:
            await sleeper.until("result")
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1013


@given(st.lists(st.text() | st.sampled_from(["\ud83d", "\ude00", "\\"])).map("".join))
def test_whatever_is_said_can_be_sent_and_is_read_as_it_was_said(text: str) -> None:
    sent = spelled({"type": "x", text: text}).encode()
    # Two halves beside each other are one character to every reader of JSON.
    assert json.loads(sent)[whole(text)] == whole(text)


def test_what_is_sent_stays_readable() -> None:
    assert spelled({"text": "é 😀 \ud83d\\"}) == r'{"text":"é 😀 \ud83d\\"}'


def test_a_number_that_json_does_not_have_is_sent_as_a_word() -> None:
    said = {"type": "x", "content": {"most": [math.inf, (-math.inf, 1.5)], "none": math.nan}}
    assert spelled(said, seq=1) == '{"type":"x","content":{"most":["inf",["-inf",1.5]],"none":"nan"},"seq":1}'


def test_a_number_that_was_never_told_has_missed_something() -> None:
    log = EventLog()
    for text in ("one", "two"):
        log.publish({"type": "x", "text": text})
    assert log.after(log.head) == ()
    assert log.after(log.head + 1) is None


async def test_whoever_comes_from_the_future_is_told_all_that_waits(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, asking(server) as asker:
        await asker.write("a.txt")
        async with server.client(since=server.log.head + 1_000_000) as client:
            hello = await client.until("hello")
            assert hello["content"]["missed"]
            assert hello["content"]["head"] == server.log.head


def whole(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
