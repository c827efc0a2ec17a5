"""The whole story in a real browser: from a prompt to a file on disk, with the real `assent serve`."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.web.conftest import Visit, assent_serve
from tests.web.page import Person
from tests.web.world import fill

pytestmark = pytest.mark.asyncio(loop_scope="session")
PROMPT = 'Create a new file called test_sdk.txt with the content "Hello from SDK mode!"'


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    fill(tmp_path)
    return tmp_path / "shop"


@pytest_asyncio.fixture(loop_scope="session")
async def ana(shop: Path, visit: Visit) -> AsyncGenerator[Person]:
    """Somebody who has just opened the link that the program printed."""
    async with assent_serve(shop.parent, shop) as link:
        yield await visit(link)


async def test_from_the_prompt_to_the_file_on_disk(ana: Person, shop: Path) -> None:
    await expect(ana.page).to_have_url(re.compile(r"/agent(?!.*code=)"))
    await ana.page.get_by_role("combobox", name="Mode").select_option(label="Review & Approve (SDK)")
    await ana.asks_for(PROMPT)
    await ana.is_asked("test_sdk.txt")
    await expect(ana.diff).to_contain_text("Hello from SDK mode!")
    assert not (shop / "test_sdk.txt").exists()
    await ana.approves()
    await expect(ana.question).to_be_hidden()
    await expect(ana.call("Write")).to_contain_text("Done")
    await ana.sees(re.compile("^Done. Wrote 20 characters to"))
    assert (shop / "test_sdk.txt").read_text() == "Hello from SDK mode!"


async def test_a_rejection_with_feedback_reaches_the_agent_and_it_adapts(ana: Person, shop: Path) -> None:
    await ana.asks_for(PROMPT)
    await ana.is_asked("test_sdk.txt")
    await ana.rejects("Use other.txt")
    await ana.sees("You would rather have it another way. I will try that.")
    await ana.is_asked("other.txt")
    await ana.approves()
    await ana.sees(re.compile("^Done. Wrote 20 characters to"))
    await expect(ana.call("test_sdk.txt")).to_contain_text("Use other.txt")
    assert (shop / "other.txt").read_text() == "Hello from SDK mode!"
    assert not (shop / "test_sdk.txt").exists()


async def test_an_edit_is_drawn_again_and_what_was_approved_is_what_runs(ana: Person, shop: Path) -> None:
    await ana.asks_for(PROMPT)
    await ana.is_asked("test_sdk.txt")
    await ana.page.get_by_role("tab", name="Edit").click()
    content = ana.page.get_by_role("textbox", name="content")
    await content.fill("Hello from ana!")
    await expect(ana.page.get_by_role("table", name="What the edited call would do")).to_contain_text("Hello from ana!")
    await ana.button("Approve edited").click()
    await expect(ana.call("Write")).to_contain_text("Done")
    assert (shop / "test_sdk.txt").read_text() == "Hello from ana!"
    await ana.goes_to("History")
    await ana.sees("changed")


async def test_a_command_shows_its_parts_and_what_a_rule_denies_is_never_asked(ana: Person, shop: Path) -> None:
    await ana.asks_for("Run `ls && cp plan.md copy.md`")
    await ana.is_asked("cp plan.md copy.md")
    parts = ana.page.get_by_role("list", name="Parts of the command").get_by_role("listitem")
    await expect(parts).to_have_text([re.compile(r"allow\s*ls"), re.compile(r"ask\s*cp plan.md copy.md")])
    await ana.approves()
    await ana.sees(re.compile("^It ran"))
    assert (shop / "copy.md").read_text() == (shop / "plan.md").read_text()
    await ana.asks_for("Run `rm plan.md`")
    await ana.sees(re.compile("nothing is deleted here"))
    assert (shop / "plan.md").exists()


async def test_a_reload_in_the_middle_loses_nothing(ana: Person, shop: Path) -> None:
    await ana.asks_for(PROMPT)
    await ana.is_asked("test_sdk.txt")
    await ana.page.reload()
    await ana.is_asked("test_sdk.txt")
    await expect(ana.text(PROMPT).first).to_be_attached()
    await ana.approves()
    await ana.sees(re.compile("^Done. Wrote 20 characters to"))
    assert (shop / "test_sdk.txt").exists()


async def test_a_question_put_off_waits_in_the_bar_and_in_the_inbox(ana: Person, shop: Path) -> None:
    await ana.asks_for(PROMPT)
    await ana.is_asked("test_sdk.txt")
    await ana.presses("Escape")
    await expect(ana.question).to_be_hidden()
    await ana.sees("A question waits for your answer")
    assert not (shop / "test_sdk.txt").exists()
    await ana.goes_to("Inbox")
    await expect(ana.page).to_have_title(re.compile(r"^\(1\)"))
    await ana.goes_to("Session")
    await ana.sees("A question waits for your answer")
    await expect(ana.question).to_be_hidden()
    await ana.goes_to("Inbox")
    await ana.waiting.first.get_by_role("link").click()
    await ana.may_answer()
    await ana.approves()
    await ana.sees("Nothing waits for you")
    await expect(ana.page).to_have_title(re.compile(r"^(?!\()"))
    await ana.goes_to("Session")
    await ana.sees(re.compile("^Done. Wrote 20 characters to"))


async def test_a_run_can_be_stopped(ana: Person, shop: Path) -> None:
    await ana.asks_for(PROMPT)
    await ana.is_asked("test_sdk.txt")
    await ana.presses("Escape")
    await ana.button("Stop").click()
    await ana.sees(re.compile("^Stopped"))
    await expect(ana.button("Send")).to_be_attached()
    assert not (shop / "test_sdk.txt").exists()
