"""Looking at a question from every side: columns, the whole file, far rows, several edits, arguments, why."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import TimeoutError as TooLate
from playwright.async_api import expect

from tests.server.served import Server, serving
from tests.web.conftest import Visit, assent_serve, link_to
from tests.web.page import Person
from tests.web.world import BETTER, PRICES, OtherRun, fill

pytestmark = pytest.mark.asyncio(loop_scope="session")
LONG = [f"value_{number} = {number}\n" for number in range(3000)]


@pytest_asyncio.fixture(loop_scope="session")
async def server(tmp_path: Path) -> AsyncGenerator[Server]:
    async with serving(tmp_path) as started:
        (started.work / "prices.py").write_text(PRICES)
        (started.work / "long.py").write_text("".join(LONG))
        yield started


async def tab(person: Person, name: str) -> None:
    await person.page.get_by_role("tab", name=name).click()


async def test_a_change_is_shown_in_one_column_in_two_and_as_the_whole_file(
    server: Server, other: OtherRun, visit: Visit
) -> None:
    wanted = other.writes("prices.py", BETTER)
    ana = await visit(link_to(server))
    await ana.goes_to("Inbox")
    await ana.sees(re.compile("Overwrites an existing file: was 26 → now 23 lines"))
    row = ana.diff.get_by_role("row").filter(has_text="books")
    await expect(row).not_to_contain_text("−")
    await ana.button("Split").click()
    await expect(row).to_contain_text('"reduced": 0.07}')
    await expect(ana.diff).not_to_contain_text("The price after a discount")
    await tab(ana, "Whole file")
    await expect(ana.shown).to_contain_text("The price after a discount")
    await tab(ana, "Arguments")
    await expect(ana.shown).to_contain_text('"file_path"')
    await ana.page.reload()
    await expect(ana.button("Split")).to_have_attribute("aria-pressed", "true")
    await ana.approves()
    await asyncio.wait_for(wanted, 20)


async def test_far_rows_are_found_although_they_are_not_drawn(server: Server, other: OtherRun, visit: Visit) -> None:
    changed = "".join(line.replace("value", "price") for line in LONG)
    wanted = other.writes("long.py", changed)
    ana = await visit(link_to(server))
    await ana.goes_to("Inbox")
    await expect(ana.diff).to_contain_text("value_0 = 0")
    assert await ana.diff.get_by_role("row").count() < 200
    await expect(ana.button("Approve unseen")).to_be_enabled()
    await ana.presses("/")
    await expect(ana.page.get_by_role("searchbox")).to_be_focused()
    await ana.page.keyboard.type("price_2987 ")
    await ana.presses("Enter")
    await expect(ana.diff).to_contain_text("price_2987 = 2987")
    await ana.presses("Escape")
    await ana.button("Approve unseen").click()
    await asyncio.wait_for(wanted, 20)
    assert (server.work / "long.py").read_text() == changed


async def test_what_stands_far_to_the_right_must_be_seen_too(server: Server, other: OtherRun, visit: Visit) -> None:
    wanted = other.writes("far.py", "x = 1" + " " * 400 + "; print('far')\nshort = 2\n")
    ana = await visit(link_to(server))
    await ana.goes_to("Inbox")
    await ana.button("Wrap lines").click()
    await ana.page.reload()
    await expect(ana.button("Approve unseen")).to_be_enabled()
    await expect(ana.answers.get_by_role("button", name="Approve", exact=True)).to_be_disabled()
    box = ana.page.get_by_role("region", name=re.compile("^Changes of"))
    await box.evaluate("box => { box.scrollLeft = box.scrollWidth; }")
    await expect(ana.answers).to_contain_text("50 % seen")
    await box.evaluate("box => { box.scrollLeft = 0; }")
    rest = ana.button("Show the rest")
    while await rest.is_visible():
        before = await box.evaluate("box => box.scrollLeft")
        try:
            await rest.click(timeout=3000)
        except TooLate:
            break  # it went while it was still looked at, as all was seen
        assert await box.evaluate("box => box.scrollLeft") > before
    await ana.may_answer()
    await ana.approves()
    await asyncio.wait_for(wanted, 20)


async def test_several_edits_are_one_question(server: Server, other: OtherRun, visit: Visit) -> None:
    edits = [{"old_string": "EUR", "new_string": "€"}, {"old_string": "0.19", "new_string": "0.20"}]
    wanted = other.wants("MultiEdit", file_path=str(server.work / "prices.py"), edits=edits)
    ana = await visit(link_to(server))
    await ana.goes_to("Inbox")
    await expect(ana.diff).to_contain_text("0.20")
    await expect(ana.diff).to_contain_text("€")
    await ana.approves()
    await asyncio.wait_for(wanted, 20)
    written = (server.work / "prices.py").read_text()
    assert "0.20" in written
    assert "€" in written


async def test_arguments_that_cannot_be_are_refused_while_they_are_typed(tmp_path: Path, visit: Visit) -> None:
    fill(tmp_path)
    async with assent_serve(tmp_path, tmp_path / "shop") as link:
        ana = await visit(link)
        await ana.asks_for('Create a file called notes.txt with the content "hello"')
        await ana.is_asked("notes.txt")
        await tab(ana, "Edit")
        await ana.button("All arguments (JSON)").click()
        field = ana.page.get_by_role("textbox", name="All arguments (JSON)")
        await field.fill('{"file_path": 1')
        await ana.sees(re.compile("This is no JSON"))
        await field.fill('{"file_path": 1, "content": "x"}')
        await ana.sees(re.compile("It cannot run like this"))
        await field.fill('{"file_path": "/etc/passwd", "content": "x"}')
        await ana.sees(re.compile("Denied, so it cannot be approved"))
        await expect(ana.button("Approve edited")).to_be_disabled()
        await ana.button("Drop the edit").click()
        await tab(ana, "Changes")
        await ana.approves()
        await ana.sees(re.compile("^Done. Wrote 5 characters"))
    assert (tmp_path / "shop/notes.txt").read_text() == "hello"


async def test_a_refusal_can_be_remembered_too(server: Server, other: OtherRun, visit: Visit) -> None:
    wanted = other.writes("never.txt", "1")
    ana = await visit(link_to(server))
    await ana.goes_to("Inbox")
    await ana.may_answer()
    await ana.button("Remember …").click()
    await ana.button("Reject and remember").click()
    await asyncio.wait_for(wanted, 20)
    again = await asyncio.wait_for(other.writes("never.txt", "1"), 20)
    assert "error" in str(again)
    await ana.goes_to("Grants")
    await ana.sees("Refuses")
    assert not (server.work / "never.txt").exists()


async def test_when_the_server_ends_the_page_says_so_and_decides_nothing(tmp_path: Path, visit: Visit) -> None:
    fill(tmp_path)
    async with assent_serve(tmp_path, tmp_path / "shop") as link:
        ana = await visit(link)
        await ana.asks_for('Create a file called notes.txt with the content "hello"')
        await ana.is_asked("notes.txt")
        await ana.presses("Escape")
    await ana.sees(re.compile("The connection to the server is lost. Nothing is approved meanwhile"))
    assert not (tmp_path / "shop/notes.txt").exists()
