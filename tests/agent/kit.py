"""An agent on the real SDK, against a scripted server, in a folder of its own."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from assent.agent import AgentConfig, AgentRunner, AnthropicModel, Event, RunResult, ToolResult
from assent.config import Agent, Settings
from assent.model import Approver, Tool
from assent.testing import FakeAnthropic
from assent.testing._fake_anthropic_script import Scripted


@dataclass
class Desk:
    """A runner and everything one may want to look at afterwards."""

    runner: AgentRunner
    server: FakeAnthropic
    work: Path
    events: list[Event] = field(default_factory=list[Event])

    async def run(self, prompt: str = "Go on.") -> RunResult:
        return await self.runner.run(prompt, self.events.append)

    @property
    def results(self) -> list[ToolResult]:
        return [each for each in self.events if isinstance(each, ToolResult)]

    def sent(self, request: int) -> list[dict[str, Any]]:
        """The messages of a request, as the conversation has them."""
        *before, last = cast("list[dict[str, Any]]", self.server.requests[request].body["messages"])
        return [*before, without_mark(last)]

    def answers(self, request: int) -> list[dict[str, Any]]:
        """The tool results at the end of a request."""
        return cast("list[dict[str, Any]]", self.sent(request)[-1]["content"])


def without_mark(last: Mapping[str, Any]) -> dict[str, Any]:
    """The last message without the word for the cache, and as plain text where it was that."""
    blocks = [{name: value for name, value in each.items() if name != "cache_control"} for each in last["content"]]
    plain = last["role"] == "user" and [each["type"] for each in blocks] == ["text"]
    return {**last, "content": blocks[0]["text"] if plain else blocks}


async def at_once(_seconds: float) -> None:
    """Nobody waits in a test."""


def model_at(server: FakeAnthropic) -> AnthropicModel:
    return AnthropicModel("claude-sonnet-5-5", api_key="a key", base_url=server.url)


def settings_at(folder: Path, **agent: Any) -> Settings:  # noqa: ANN401 — whatever the section takes
    return Settings(store=folder / "state" / "assent.db", agent=Agent(**agent))


@contextmanager
def an_agent(
    folder: Path,
    *script: Scripted,
    approver: Approver | None = None,
    config: Mapping[str, Any] | None = None,
    settings: Settings | None = None,
    tools: tuple[Tool | Callable[..., object], ...] = (),
    conversation: str | None = None,
) -> Generator[Desk]:
    work = folder / "work"
    work.mkdir(exist_ok=True)
    with FakeAnthropic(*script) as server:
        wanted = AgentConfig(cwd=work, model=model_at(server), **(config or {}))
        with AgentRunner(
            wanted,
            settings=settings or settings_at(folder),
            approver=approver,
            tools=tools,
            conversation=conversation,
            pause=at_once,
        ) as runner:
            yield Desk(runner=runner, server=server, work=work)
