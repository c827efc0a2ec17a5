"""The scripted server, as the real SDK sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from anthropic import APIStatusError, AsyncAnthropic, BadRequestError, OverloadedError, RateLimitError

from assent.testing import (
    Call,
    Cut,
    Drip,
    ErrorEvent,
    FakeAnthropic,
    Hold,
    Say,
    Status,
    Think,
    Turn,
)

if TYPE_CHECKING:
    from anthropic.types import Message, MessageParam

HELLO: list[MessageParam] = [{"role": "user", "content": "hello"}]


def client(server: FakeAnthropic) -> AsyncAnthropic:
    return AsyncAnthropic(base_url=server.url, api_key="any", max_retries=0)


async def streamed(server: FakeAnthropic, messages: list[MessageParam] = HELLO) -> tuple[list[str], Message]:
    async with client(server) as sdk, sdk.messages.stream(model="m", max_tokens=9, messages=messages) as stream:
        kinds: list[str] = [event.type async for event in stream]
        return kinds, await stream.get_final_message()


async def test_a_turn_is_streamed_as_the_sdk_expects_it() -> None:
    turn = Turn(Think("Hm."), Say("Reading."), Call("Read", {"file_path": "/a"}), input_tokens=7, output_tokens=3)
    with FakeAnthropic(turn) as server:
        kinds, message = await streamed(server)
    assert kinds[0] == "message_start"
    assert kinds[-2:] == ["message_delta", "message_stop"]
    assert [block.to_dict() for block in message.content] == [
        {"type": "thinking", "thinking": "Hm.", "signature": "signed"},
        {"type": "text", "text": "Reading."},
        {"type": "tool_use", "id": "toolu_000002", "name": "Read", "input": {"file_path": "/a"}},
    ]
    assert (message.stop_reason, message.usage.input_tokens, message.usage.output_tokens) == ("tool_use", 7, 3)


async def test_the_same_turn_comes_whole_where_nobody_streams() -> None:
    with FakeAnthropic(Turn(Say("Hi."), Call("Read", {"file_path": "/a"}))) as server:
        async with client(server) as sdk:
            message = await sdk.messages.create(model="m", max_tokens=9, messages=HELLO)
    assert [block.type for block in message.content] == ["text", "tool_use"]
    assert message.stop_reason == "tool_use"


async def test_requests_are_kept_as_they_came() -> None:
    with FakeAnthropic(Turn(Say("Hi."))) as server:
        await streamed(server)
    (request,) = server.requests
    assert request.path == "/v1/messages"
    assert request.headers["authorization"] == "Bearer any"
    assert request.body["messages"] == HELLO


async def test_a_turn_may_depend_on_the_request() -> None:
    with FakeAnthropic(lambda body: Turn(Say(f"You said {len(str(body['messages']))} characters."))) as server:
        _, message = await streamed(server)
    assert message.content[0].to_dict()["text"] == f"You said {len(str(HELLO))} characters."


@pytest.mark.parametrize(
    ("code", "kind", "raised"),
    [(429, "rate_limit_error", RateLimitError), (529, "overloaded_error", OverloadedError)],
)
async def test_an_http_error_is_the_sdks_error(code: int, kind: str, raised: type[Exception]) -> None:
    with FakeAnthropic(Status(code, kind)) as server, pytest.raises(raised):
        await streamed(server)


async def test_an_error_in_the_stream_and_a_cut_are_what_the_field_showed() -> None:
    with FakeAnthropic(Turn(Say("x"), ErrorEvent()), Turn(Say("x"), Cut())) as server:
        with pytest.raises(APIStatusError) as caught:
            await streamed(server)
        assert (caught.value.status_code, caught.value.type) == (200, "overloaded_error")
        _, message = await streamed(server)
    assert message.stop_reason is None


async def test_bytes_may_drip_and_a_stream_may_stand_still() -> None:
    hold = Hold()
    hold.event.set()
    with FakeAnthropic(Turn(Drip(), Say("slow"), hold, Say("ly"))) as server:
        _, message = await streamed(server)
    assert hold.reached.is_set()
    assert [block.to_dict()["text"] for block in message.content] == ["slow", "ly"]


async def test_a_request_beyond_the_script_fails_and_does_not_hang() -> None:
    with FakeAnthropic() as server, pytest.raises(BadRequestError, match="no answer left"):
        await streamed(server)


CALL: MessageParam = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "R", "input": {}}]}
RESULT: MessageParam = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]}


@pytest.mark.parametrize(
    ("messages", "complaint"),
    [
        ([*HELLO, CALL], "do not match"),
        ([*HELLO, CALL, *HELLO], "do not match"),
        ([*HELLO, RESULT], "do not match|tool_result"),
        ([*HELLO, CALL, RESULT, CALL, RESULT], "unique"),
        ([{"role": "user", "content": ""}], "non-empty"),
        ([*HELLO, {"role": "assistant", "content": [{"type": "text", "text": " "}]}, *HELLO], "non-empty"),
        ([], "messages"),
    ],
)
async def test_what_the_api_would_refuse_is_refused_and_takes_nothing(
    messages: list[MessageParam], complaint: str
) -> None:
    with FakeAnthropic(Turn(Say("Hi."))) as server:
        with pytest.raises(BadRequestError, match=complaint):
            await streamed(server, messages)
        assert server.left == 1


async def test_the_ids_are_the_same_in_every_server() -> None:
    ids: list[str] = []
    for _ in range(2):
        with FakeAnthropic(Turn(Call("Read")), Turn(Call("Read"))) as server:
            ids += [str((await streamed(server))[1].content[0].to_dict()["id"]) for _ in range(2)]
    assert ids[:2] == ids[2:]
    assert ids[0] != ids[1]
