"""The output of a command is told while it runs, and the whole of it follows as its result."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assent.agent import Event, ToolOutput, ToolResult, message_of
from assent.agent._live import Live
from assent.config import Settings, Shell, ShellDefault
from assent.model import ToolCall
from assent.testing import Call, Say, Turn
from tests.agent.kit import an_agent


def allowing(folder: Path) -> Settings:
    return Settings(store=folder / "state" / "assent.db", shell=Shell(default=ShellDefault(approval=False)))


async def test_what_a_command_writes_is_told_while_it_runs(tmp_path: Path) -> None:
    command = "echo one; until [ -e go ]; do sleep 0.01; done; echo two; exit 3"
    events: list[Event] = []

    def listen(event: Event) -> None:
        events.append(event)
        if isinstance(event, ToolOutput) and "one" in event.text:
            # Only who hears the first line can let it go on.
            (tmp_path / "work" / "go").touch()

    script = Turn(Call("Bash", {"command": command}, id="toolu_1")), Turn(Say("Done!"))
    with an_agent(tmp_path, *script, settings=allowing(tmp_path)) as desk:
        await desk.runner.run("Run it.", listen)
    told = [each for each in events if isinstance(each, (ToolOutput, ToolResult))]
    assert isinstance(told[-1], ToolResult)
    assert told[-1].content == "one\ntwo\nExit code 3"
    assert "".join(each.text for each in told if isinstance(each, ToolOutput)) == "one\ntwo\n"
    assert {each.tool_use_id for each in told} == {"toolu_1"}


def test_it_is_a_message_that_plain_clients_are_not_sent() -> None:
    from assent.server.messages import is_plain

    made = message_of(ToolOutput(tool_use_id="toolu_1", text="one\n"))
    assert made == {
        "type": "user",
        "subtype": "tool_output_delta",
        "content": {"tool_use_id": "toolu_1", "text": "one\n"},
    }
    assert not is_plain(made)


CALL = ToolCall(run="run", id="toolu_1", tool_name="Bash", args={})


async def test_of_very_much_the_last_is_told_and_the_rest_is_counted() -> None:
    told: list[str] = []

    async def emit(event: Event) -> None:
        assert isinstance(event, ToolOutput)
        told.append(event.text)

    live = Live(None)
    live.use(emit)
    for _ in range(1000):
        live.heard(CALL, "x" * 1000, "stdout")
    await live.flush()
    assert told == [f"[… 992000 characters …]\n{'x' * 8000}"]


async def test_a_listener_that_is_slow_holds_nothing_up_and_misses_no_order() -> None:
    told: list[str] = []
    go_on = asyncio.Event()

    async def emit(event: Event) -> None:
        assert isinstance(event, ToolOutput)
        await go_on.wait()
        told.append(event.text)

    live = Live(None)
    live.use(emit)
    live.heard(CALL, "one ", "stdout")
    await asyncio.sleep(0)
    live.heard(CALL, "two ", "stdout")
    live.heard(CALL, "three", "stdout")
    go_on.set()
    await live.flush()
    assert told == ["one ", "two three"]


async def test_a_listener_that_fails_fails_the_run_and_not_in_silence() -> None:
    async def emit(_event: Event) -> None:
        raise RuntimeError("no screen")

    live = Live(None)
    live.use(emit)
    live.heard(CALL, "one", "stdout")
    with pytest.raises(RuntimeError, match="no screen"):
        await live.flush()
    live.use(None)
    live.heard(CALL, "two", "stdout")
    await live.flush()
