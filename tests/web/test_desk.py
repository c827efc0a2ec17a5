"""The inbox in a real browser: hunks, batches, remembering, several people, and questions of other runs."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Route, expect

from tests.server.served import Server, serving
from tests.web.conftest import Visit, link_to
from tests.web.page import Person
from tests.web.world import BETTER, PRICES, OtherRun, wishes

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def server(tmp_path: Path) -> AsyncGenerator[Server]:
    async with serving(tmp_path) as started:
        (started.work / "prices.py").write_text(PRICES)
        yield started


async def heard(wanted: asyncio.Task[object]) -> str:
    """What the other program was told in the end."""
    return str(await asyncio.wait_for(wanted, 20))


async def opened(person: Person, about: str) -> None:
    """Open a question in the inbox, and wait until it may be answered."""
    await person.waiting.filter(has_text=about).get_by_role("link").click()
    await person.may_answer()


async def test_of_three_changes_two_are_approved_and_these_are_written(
    server: Server, other: OtherRun, visit: Visit
) -> None:
    wanted = other.writes("prices.py", BETTER)
    ana = await visit(link_to(server))
    await ana.goes_to("Inbox")
    await opened(ana, "prices.py")
    await expect(ana.diff.get_by_role("checkbox")).to_have_count(3)
    await ana.diff.get_by_role("checkbox", name="Apply change 2").uncheck()
    await ana.button("Approve 2 of 3 changes").click()
    told = await heard(wanted)
    written = (server.work / "prices.py").read_text()
    assert '"books": 0.05' in written
    assert ":,.2f} €" in written
    assert "result = result + gross(net)" in written
    assert "change" in told


SCROLL = """
async (box) => {
  const moves = async (by) => {
    for (let before = -1; before !== box.scrollTop; ) {
      before = box.scrollTop;
      box.scrollBy({ top: by, behavior: "instant" });
      await new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)));
    }
  };
  await moves(200);
  await moves(-200);
}
"""
"""Down to the end and up again, as a person reads."""


async def test_a_batch_is_answered_together_and_each_has_its_preview(
    server: Server, other: OtherRun, visit: Visit
) -> None:
    wanted = asyncio.create_task(other.ask(wishes(server.work), group_id="new prices"))
    ana = await visit(link_to(server))
    await ana.goes_to("Inbox")
    await expect(ana.waiting).to_have_count(3)
    await ana.page.get_by_role("checkbox", name="Select all of this run").check()
    await ana.button("Review and answer").click()
    sheet = ana.page.get_by_role("dialog", name=re.compile(r"^Answer \d questions? together$"))
    await expect(sheet).to_contain_text('"books": 0.05')
    await expect(sheet).to_contain_text("Books have their own rate")
    await sheet.get_by_role("checkbox", name=re.compile("Include .*cp prices.py")).uncheck()
    await sheet.locator(".sheet-body").evaluate(SCROLL)
    await sheet.get_by_role("button", name="Approve 2", exact=True).click()
    await expect(ana.waiting).to_have_count(1)
    await opened(ana, "cp prices.py")
    await ana.rejects("not now")
    _, _, refused = await asyncio.wait_for(wanted, 20)
    assert "not now" in str(refused)
    assert (server.work / "prices.py").read_text() == BETTER
    assert (server.work / "CHANGELOG.md").exists()
    assert not (server.work / "prices.old.py").exists()


async def chosen(person: Person, count: int) -> Locator:
    """All questions of the run, chosen: the sheet that answers them together, with every preview."""
    await person.goes_to("Inbox")
    await expect(person.waiting).to_have_count(count)
    await person.page.get_by_role("checkbox", name="Select all of this run").check()
    await person.button("Review and answer").click()
    sheet = person.page.get_by_role("dialog", name=re.compile(r"^Answer \d+ questions? together$"))
    await expect(sheet.get_by_role("figure")).to_have_count(count)
    return sheet


async def test_of_a_batch_what_was_jumped_over_is_approved_only_by_whoever_was_told_so(
    server: Server, other: OtherRun, visit: Visit
) -> None:
    lines = "".join(f"line {number}\n" for number in range(15))
    wanted = [other.writes(f"{name}.txt", lines) for name in "abcdefghijkl"]
    ana = await visit(link_to(server))
    sheet = await chosen(ana, 12)
    # What lies between was never on the screen.
    await sheet.locator(".sheet-body").evaluate("box => { box.scrollTop = box.scrollHeight }")
    items = sheet.get_by_role("checkbox", name=re.compile("^Include"))
    approve, unseen = (sheet.get_by_role("button", name=re.compile(name)) for name in ("^Approve 11$", "^Approve 11, "))
    await items.nth(5).evaluate("box => box.click()")
    await approve.click()
    await expect(unseen).to_be_enabled()
    # As many as before, but not the same ones: nobody was told of this one.
    for number in (5, 6):
        await items.nth(number).evaluate("box => box.click()")
    told = await unseen.inner_text()
    await unseen.click()
    await expect(unseen).not_to_have_text(told, use_inner_text=True)
    assert not any(each.done() for each in wanted)
    await unseen.click()
    await expect(ana.waiting).to_have_count(1)
    await ana.may_answer()
    await ana.approves()
    for each in wanted:
        await heard(each)


async def test_a_line_that_is_cut_in_a_batch_was_not_seen_in_full(
    server: Server, other: OtherRun, visit: Visit
) -> None:
    wanted = other.wants("Bash", command=f"echo {'a' * 320} ; touch hidden")
    ana = await visit(link_to(server))
    sheet = await chosen(ana, 1)
    await sheet.get_by_role("button", name="Approve 1").click()
    unseen = sheet.get_by_role("button", name="Approve 1, 1 not seen in full")
    await expect(unseen).to_be_enabled()
    assert not wanted.done()
    await unseen.click()
    await heard(wanted)
    assert (server.work / "hidden").exists()


async def test_answers_of_a_batch_that_do_not_count_stay_with_their_reasons(
    server: Server, other: OtherRun, visit: Visit
) -> None:
    wanted = [other.writes(f"{number}.txt", "x\n") for number in range(6)]
    ana = await visit(link_to(server))
    sheet = await chosen(ana, 6)
    address = "**/api/inbox/decisions"
    await ana.page.route(address, lambda route: route.abort())
    await sheet.get_by_role("button", name="Approve 6").click()
    await expect(sheet.get_by_role("alert")).to_have_count(6)
    await ana.page.unroute(address)
    await sheet.get_by_role("button", name="Approve 6").click()
    await expect(sheet).to_be_hidden()
    for each in wanted:
        await heard(each)
    assert len(list(server.work.glob("*.txt"))) == 6


async def test_whoever_has_gone_on_is_told_of_a_failed_answer_and_left_where_they_are(
    server: Server, other: OtherRun, visit: Visit
) -> None:
    wanted = []
    ana = await visit(link_to(server))
    await ana.goes_to("Inbox")
    for number in range(3):
        wanted.append(other.writes(f"{number}.txt", "x\n"))
        await expect(ana.waiting).to_have_count(number + 1)
    for fails in (True, False):
        await opened(ana, "0.txt")
        sent, go_on = asyncio.Event(), asyncio.Event()

        async def slow(route: Route) -> None:
            sent.set()  # noqa: B023 (used before the next turn)
            await go_on.wait()  # noqa: B023 (the same)
            await (route.abort() if fails else route.continue_())  # noqa: B023 (the same)

        await ana.page.route("**/decision", slow)
        await ana.presses("a")
        await sent.wait()
        await ana.presses("j", "j")
        await expect(ana.shown).to_contain_text("2.txt")
        go_on.set()
        if fails:
            await ana.sees(re.compile(r"0\.txt.*: The server does not answer"))
            assert not wanted[0].done()
        else:
            await heard(wanted[0])
            await expect(ana.waiting).to_have_count(2)
        await expect(ana.shown).to_contain_text("2.txt")
        await ana.page.unroute("**/decision")


async def test_a_link_with_a_broken_code_leads_to_the_sign_in(server: Server, visit: Visit) -> None:
    ana = await visit(link_to(server))
    await ana.page.context.clear_cookies()
    await ana.page.goto("about:blank")
    await ana.page.goto(f"{server.address}/agent#code=%")
    await expect(ana.page.get_by_role("alert")).to_be_visible()


async def test_what_is_remembered_is_not_asked_again_until_it_is_revoked(
    server: Server, other: OtherRun, visit: Visit
) -> None:
    wanted = other.writes("one.txt", "1")
    ana = await visit(link_to(server))
    await ana.goes_to("Inbox")
    await opened(ana, "one.txt")
    await ana.button("Remember …").click()
    picker = ana.page.get_by_role("region", name="Remember an answer")
    await picker.get_by_role("group", name="For what").get_by_role("radio").nth(1).check()
    await picker.get_by_role("radio", name="always, until revoked").check()
    await ana.button("Approve and remember").click()
    await heard(wanted)
    await heard(other.writes("two.txt", "2"))
    assert (server.work / "two.txt").read_text() == "2"
    await ana.goes_to("Grants")
    await ana.button(re.compile("^Revoke")).click()
    await ana.sees("Nothing is remembered")
    asked = other.writes("three.txt", "3")
    await ana.goes_to("Inbox")
    await opened(ana, "three.txt")
    await ana.approves()
    await heard(asked)


async def test_the_first_answer_wins_and_the_other_page_says_whose_it_was(
    server: Server, other: OtherRun, visit: Visit
) -> None:
    wanted = other.writes("shared.txt", "x")
    ana, ben = await visit(link_to(server)), await visit(link_to(server, "ben"))
    for person in (ana, ben):
        await person.goes_to("Inbox")
        await opened(person, "shared.txt")
    await ben.rejects("mine")
    await ana.sees(re.compile("Rejected by ben"))
    await expect(ana.answers).to_be_hidden()
    assert "mine" in await heard(wanted)
    await expect(ana.page).to_have_title(re.compile(r"^(?!\()"))


async def test_a_second_tab_of_the_same_browser_shows_the_same(server: Server, other: OtherRun, visit: Visit) -> None:
    wanted = other.writes("shared.txt", "x")
    first = await visit(link_to(server))
    second = await visit(f"{server.address}/agent#/inbox", beside=first)
    await opened(second, "shared.txt")
    await second.approves()
    await heard(wanted)
    await first.goes_to("Inbox")
    await first.sees("Nothing waits for you")


async def test_with_the_keyboard_alone_everything_is_answered(server: Server, other: OtherRun, visit: Visit) -> None:
    ana = await visit(link_to(server))
    await ana.goes_to("Inbox")
    first = other.writes("first.txt", "1")
    await expect(ana.waiting).to_have_count(1)
    second = other.writes("second.txt", "2")
    await expect(ana.waiting).to_have_count(2)
    await ana.presses("?")
    await expect(ana.page.get_by_role("dialog", name="Keys")).to_be_visible()
    await ana.presses("Escape", "j")
    await expect(ana.shown).to_contain_text("second.txt")
    await ana.presses("k")
    await expect(ana.shown).to_contain_text("first.txt")
    await ana.may_answer()
    await ana.presses("a")
    await heard(first)
    await expect(ana.shown).to_contain_text("second.txt")
    await ana.may_answer()
    await ana.presses("r")
    await expect(ana.page.get_by_role("textbox", name="Feedback for the agent")).to_be_focused()
    await ana.page.keyboard.type("another name, please")
    await ana.presses("Control+Enter")
    assert "another name, please" in await heard(second)
    assert (server.work / "first.txt").exists()
    assert not (server.work / "second.txt").exists()


async def test_keys_that_are_switched_off_decide_nothing(server: Server, other: OtherRun, visit: Visit) -> None:
    ana = await visit(link_to(server))
    await ana.goes_to("Settings")
    await ana.page.get_by_role("switch", name="Keyboard shortcuts").uncheck()
    wanted = other.writes("first.txt", "1")
    await ana.goes_to("Inbox")
    await opened(ana, "first.txt")
    await ana.presses("a", "r", "x", "e")
    await expect(ana.page.get_by_role("textbox", name="Feedback for the agent")).to_have_count(0)
    await ana.may_answer()
    assert not wanted.done()
    await ana.approves()
    await heard(wanted)


async def test_a_long_change_must_be_seen_or_approved_unseen(server: Server, other: OtherRun, visit: Visit) -> None:
    wanted = other.writes("long.txt", "".join(f"line {number}\n" for number in range(500)))
    ana = await visit(link_to(server))
    await ana.goes_to("Inbox")
    await ana.waiting.filter(has_text="long.txt").get_by_role("link").click()
    approve = ana.answers.get_by_role("button", name="Approve", exact=True)
    await expect(ana.button("Approve unseen")).to_be_enabled()
    await ana.presses("a")
    await ana.sees(re.compile("You have not seen all of it"))
    assert not wanted.done()
    await expect(approve).to_be_disabled()
    await ana.reads_all()
    await ana.approves()
    await heard(wanted)
    assert (server.work / "long.txt").read_text().count("\n") == 500


async def test_a_question_that_nobody_answers_expires_and_says_so(tmp_path: Path, visit: Visit) -> None:
    async with serving(tmp_path, timeout=5) as server:
        other = OtherRun(server.settings)
        ana = await visit(link_to(server))
        await ana.goes_to("Inbox")
        wanted = other.writes("late.txt", "x")
        await expect(ana.shown).to_contain_text("late.txt")
        await ana.sees(re.compile("^Nobody answered in time"))
        await expect(ana.answers).to_be_hidden()
        assert "error" in await heard(wanted)
        other.close()
    assert not (tmp_path / "work/late.txt").exists()
