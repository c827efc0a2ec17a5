"""One server for all tests of a module that cannot disturb each other."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.server.served import Play, Server, serving


async def writing(play: Play) -> None:
    await play.call("Write", {"file_path": play.wanted.prompt, "content": "x"}, call_id=play.wanted.prompt)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    """A server in a thread of its own, with an agent that writes the file its prompt names."""
    found: list[Server] = []
    started, stop = threading.Event(), asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def run(folder: Path) -> None:
        loops.append(asyncio.get_running_loop())
        try:
            async with serving(folder, writing) as server:
                found.append(server)
                started.set()
                await stop.wait()
        finally:
            started.set()

    thread = threading.Thread(target=lambda: asyncio.run(run(tmp_path_factory.mktemp("served"))))
    thread.start()
    started.wait(30)
    assert found, "the server did not start"
    yield found[0]
    loops[0].call_soon_threadsafe(stop.set)
    thread.join(30)
