"""Editing a call in a real browser: what is approved is the edit, all of it, and only where it is seen."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import expect

from assent.model import ApprovalRequest, Approve, Pending, Permit, ToolCall
from tests.server.desk import Asker, asking
from tests.server.served import Server, serving
from tests.web.conftest import Visit, link_to
from tests.web.page import Person

pytestmark = pytest.mark.asyncio(loop_scope="session")
LARGE = 2**53 + 1


class Send:
    """A tool whose arguments are all there is to see."""

    name = "send"

    def check_approval(self, call: ToolCall, /) -> ApprovalRequest:
        return ApprovalRequest(description="Send a message", fingerprint=call.args)

    async def run(self, permit: Permit, /) -> object:
        return dict(permit.call.args)


@pytest_asyncio.fixture(loop_scope="session")
async def server(tmp_path: Path) -> AsyncGenerator[Server]:
    async with serving(tmp_path) as started:
        yield started


@pytest_asyncio.fixture(loop_scope="session")
async def asker(server: Server) -> AsyncGenerator[Asker]:
    async with asking(server, more={"send": Send()}) as found:
        yield found


async def edits(visit: Visit, server: Server, old: str, new: str, *, json: bool = False) -> Person:
    """Open the only question, and change a part of what is edited."""
    ana = await visit(link_to(server))
    await ana.goes_to("Inbox")
    await ana.may_answer()
    await tab(ana, "Edit")
    if json:
        await ana.button("All arguments (JSON)").click()
    field = ana.page.locator(".q-edit-text")
    before = await field.input_value()
    assert old in before
    await field.fill(before.replace(old, new))
    await ana.sees(re.compile("^Your edit, judged again"))
    return ana


async def tab(person: Person, name: str) -> None:
    await person.page.get_by_role("tab", name=name).click()


def approved(server: Server, asked: Pending) -> dict[str, object]:
    """The arguments that were approved instead of those that were asked for."""
    ruling = server.gate.store.ruling(asked.id)
    assert ruling is not None
    assert isinstance(ruling.decision, Approve)
    assert ruling.decision.override_args is not None
    return dict(ruling.decision.override_args)


async def approves(person: Person) -> None:
    await person.button("Approve edited").click()
    await expect(person.answers).to_be_hidden()


async def test_what_replaces_a_file_that_is_no_text_is_the_text_of_the_edit(
    server: Server, asker: Asker, visit: Visit
) -> None:
    (server.work / "a.bin").write_bytes(b"\x00\xff" * 50)
    asked = await asker.write("a.bin", "what was proposed\n")
    ana = await edits(visit, server, "proposed", "typed")
    pane = ana.page.get_by_role("table", name="What the edited call would do")
    await expect(pane).to_contain_text("what was typed")
    await expect(ana.page.get_by_role("tabpanel")).to_contain_text("Overwrites an existing file that is not text")
    await approves(ana)
    await asker.run(asked)
    assert (server.work / "a.bin").read_text() == "what was typed\n"


async def test_an_edit_offers_to_remember_what_it_would_itself_be(server: Server, asker: Asker, visit: Visit) -> None:
    asked = await asker.write("notes.txt", "x")
    ana = await edits(visit, server, "notes.txt", "deploy.sh", json=True)
    await ana.button("Remember …").click()
    offers = ana.page.get_by_role("region", name="Remember an answer")
    await expect(offers).to_contain_text("deploy.sh")
    await expect(offers).not_to_contain_text("notes.txt")
    await expect(ana.button("Reject and remember")).to_have_count(0)
    await ana.button("Approve and remember").click()
    await expect(ana.answers).to_be_hidden()
    await asker.run(asked)
    (grant,) = (await asker.get("/api/grants"))["grants"]
    assert "deploy.sh" in grant["description"]


async def test_an_edit_stays_in_its_other_form_and_is_approved_only_where_it_is_seen(
    server: Server, asker: Asker, visit: Visit
) -> None:
    asked = await asker.ask("Bash", command="touch q", timeout=60000)
    ana = await edits(visit, server, "60000", "1000", json=True)
    await ana.button("command").click()
    await expect(ana.button("Approve edited")).to_be_enabled()
    await tab(ana, "Command")
    await expect(ana.button("Approve edited")).to_be_disabled()
    await ana.presses("a")
    await expect(ana.page.get_by_role("alert")).to_contain_text("Your edit is in the Edit tab")
    assert server.gate.store.ruling(asked.id) is None
    await tab(ana, "Edit")
    await approves(ana)
    assert approved(server, asked) == {"command": "touch q", "timeout": 1000}


async def test_a_number_too_large_for_a_browser_is_shown_and_kept(server: Server, asker: Asker, visit: Visit) -> None:
    asked = await asker.ask("send", text="hi", chat_id=LARGE)
    ana = await edits(visit, server, "hi", "hello")
    await expect(ana.page.get_by_role("table", name="What the edited call would do")).to_contain_text(str(LARGE))
    await tab(ana, "Arguments")
    await expect(ana.shown).to_contain_text(str(LARGE))
    await tab(ana, "Edit")
    await approves(ana)
    assert approved(server, asked) == {"text": "hello", "chat_id": LARGE}
