"""Whatever files, contents and agents are called: on the page it is text, and nothing of it runs.

That no dialog opened, no policy was broken and nothing was asked of others is what the fixture `visit` asserts
at the end of every test.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.server.served import Play, Server, serving
from tests.web.conftest import Visit, link_to
from tests.web.page import Person
from tests.web.world import OtherRun

pytestmark = pytest.mark.asyncio(loop_scope="session")
IMAGE = "<img src=x onerror=alert(1)>"
SCRIPT = "<script>alert(2)</script>"
QUOTES = "\" autofocus onfocus=alert(3) x='"
SCHEME = "[click](javascript:alert(4)) <a href=javascript:alert(4)>x</a>"
TEMPLATE = "${alert(5)} {{alert(5)}} </script></style></textarea><svg onload=alert(5)>"
EVERYTHING = f"{IMAGE}\n{SCRIPT}\n{QUOTES}\n{SCHEME}\n{TEMPLATE}\n"
NAME = '<img src=x onerror=alert(1)> " onfocus=alert(3).txt'
HIDDEN = "a\u202eb\x1b[31mc\u200bd"


async def speaks(play: Play) -> None:
    """An agent whose every word is an attack."""
    await play.say(f"{EVERYTHING}```\n{SCRIPT}\n```\n**{IMAGE}** `{SCRIPT}`")
    place = play.wanted.prompt.splitlines()[0]
    await play.call("Write", {"file_path": place, "content": EVERYTHING}, call_id=IMAGE)
    await play.call("Bash", {"command": f"echo '{SCRIPT}'", "description": IMAGE}, call_id=SCRIPT)
    await play.say(HIDDEN)


@pytest_asyncio.fixture(loop_scope="session")
async def server(tmp_path: Path) -> AsyncGenerator[Server]:
    async with serving(tmp_path, speaks) as started:
        yield started


async def opens_every_tab(person: Person) -> None:
    for tab in await person.page.get_by_role("tab").all():
        await tab.click()
        await expect(tab).to_have_attribute("aria-selected", "true")


async def test_what_an_agent_says_and_does_in_a_session_is_only_text(server: Server, visit: Visit) -> None:
    ana = await visit(link_to(server))
    await ana.asks_for(f"{server.work / NAME}\n{EVERYTHING}")
    await ana.is_asked(NAME)
    await expect(ana.diff).to_contain_text(SCRIPT)
    await opens_every_tab(ana)
    await ana.approves()
    await ana.is_asked("echo")
    await opens_every_tab(ana)
    await ana.page.get_by_role("tab", name="Arguments").click()
    await expect(ana.question).to_contain_text(IMAGE)
    await ana.rejects(EVERYTHING)
    await ana.sees(re.compile("a⟨U\\+202E⟩b⟨U\\+001B⟩\\[31mc⟨U\\+200B⟩d"))
    await ana.opens_everything(ana.page.get_by_role("list", name="Conversation"))
    assert (server.work / NAME).read_text() == EVERYTHING
    await expect(ana.page.locator("main img, main script, main a[href^=javascript]")).to_have_count(0)


async def test_what_other_runs_ask_is_only_text_in_every_view(server: Server, visit: Visit) -> None:
    other = OtherRun(server.settings, agents=(IMAGE, SCRIPT))
    wanted = other.writes(NAME, EVERYTHING + HIDDEN)
    ana = await visit(link_to(server))
    await ana.goes_to("Inbox")
    await ana.waiting.filter(has_text=NAME).get_by_role("link").click()
    await ana.may_answer()
    await ana.sees(re.compile("invisible or control characters are shown as"))
    await opens_every_tab(ana)
    await ana.button("Remember …").click()
    await ana.page.get_by_role("radio", name="always, until revoked").check()
    await ana.button("Approve and remember").click()
    await asyncio.wait_for(wanted, 20)
    for view in ("History", "Grants"):
        await ana.goes_to(view)
        await ana.sees(re.compile(re.escape(NAME)))
        await ana.opens_everything(ana.page.get_by_role("main"))
        await expect(ana.page.locator("main img, main script, main a[href^=javascript]")).to_have_count(0)
    other.close()


async def test_an_address_with_an_attack_in_it_is_only_an_address(server: Server, visit: Visit) -> None:
    ana = await visit(link_to(server))
    for place in (f"#/inbox/{IMAGE}", f"#/{SCRIPT}", "#javascript:alert(1)", "#/inbox/../../api/session"):
        await ana.page.evaluate("(place) => { location.hash = place; }", place)
        await expect(ana.page.get_by_role("navigation", name="Views")).to_be_visible()
    await expect(ana.page.locator("main img, main script")).to_have_count(0)
