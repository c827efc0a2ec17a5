"""One browser for all tests of a worker, a visitor for whoever needs one, and a server to visit."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, ViewportSize, async_playwright, expect

import hatch_build
from tests.server.served import Server
from tests.web.browser import FLAGS, chromium
from tests.web.page import WATCH, Person
from tests.web.world import OtherRun

DESKTOP = ViewportSize(width=1280, height=800)
PHONE = ViewportSize(width=390, height=844)
# Many tests share two cores: what takes a while is not wrong.
expect.set_options(timeout=20_000)

Visit = Callable[..., Awaitable[Person]]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncGenerator[Browser]:
    """The system's Chromium, started once."""
    path = chromium()
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("Chromium is missing; in CI it must be there: scripts/system-packages chromium")
        pytest.skip("Chromium is not installed: scripts/system-packages chromium")
    assert hatch_build.built_from() == hatch_build.sources(), "the page is older than its sources: make web"
    async with async_playwright() as play:
        started = await play.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        await started.close()


@pytest_asyncio.fixture(loop_scope="session")
async def other(server: Server) -> AsyncGenerator[OtherRun]:
    """Another program, with the same record."""
    run = OtherRun(server.settings)
    yield run
    run.close()


@pytest_asyncio.fixture(loop_scope="session")
async def visit(browser: Browser) -> AsyncGenerator[Visit]:
    """Lets somebody come by a link, in a browser profile of their own; nothing bad may happen to them."""
    came: list[Person] = []
    async with AsyncExitStack() as opened:

        async def come(link: str, *, phone: bool = False, beside: Person | None = None) -> Person:
            if beside is not None:
                context = beside.page.context
            else:
                size = PHONE if phone else DESKTOP
                context = await browser.new_context(
                    viewport=size, has_touch=phone, is_mobile=phone, reduced_motion="reduce"
                )
                opened.push_async_callback(context.close)
                context.set_default_timeout(20_000)
                await context.add_init_script(WATCH)
            parts = urlsplit(link)
            person = Person(await context.new_page(), f"{parts.scheme}://{parts.netloc}")
            came.append(person)
            await person.opens(link)
            return person

        yield come
    assert [trouble for person in came for trouble in person.trouble] == []


def link_to(server: Server, who: str = "ana") -> str:
    return f"{server.address}/agent#code={server.access.new_link(who)}"


@asynccontextmanager
async def assent_serve(folder: Path, root: Path) -> AsyncGenerator[str]:
    """The real program, started as a user would start it; the link it prints."""
    command = ["-m", "assent", "serve", "--config", str(folder / "assent.yaml"), "--root", str(root)]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *command,
        *("--port", "0", "--model", "offline"),
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    try:
        while not (line := (await process.stdout.readline()).decode()).startswith("Open "):
            assert line, "the server ended"
        yield line.removeprefix("Open ").strip()
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()
