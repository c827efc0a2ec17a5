"""Nothing is approved by accident: not by typing, jumping or tapping, and not below a dialog or after a restart."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Locator, WebSocketRoute, expect
from playwright.async_api import TimeoutError as TooLate

from assent.model import Reject
from tests.server.served import Play, Server, serving
from tests.web.conftest import Visit, link_to
from tests.web.page import Person
from tests.web.world import OtherRun

pytestmark = pytest.mark.asyncio(loop_scope="session")
LINES = [f"line {number}\n" for number in range(100)]


class Slow:
    """An agent that writes a file, once it is told to."""

    def __init__(self) -> None:
        self.goes_on = asyncio.Event()

    async def work(self, play: Play) -> None:
        await play.say("Let me see.")
        await self.goes_on.wait()
        await play.call("Write", {"file_path": play.wanted.prompt, "content": "x\n"}, call_id="call_1")
        await play.say("That is all.")


@pytest.fixture
def agent() -> Slow:
    return Slow()


@pytest_asyncio.fixture(loop_scope="session")
async def server(tmp_path: Path, agent: Slow) -> AsyncGenerator[Server]:
    async with serving(tmp_path, agent.work) as started:
        yield started


def approve(person: Person) -> Locator:
    return person.answers.get_by_role("button", name="Approve", exact=True)


async def test_a_question_does_not_take_a_prompt_from_under_the_fingers(
    server: Server, agent: Slow, visit: Visit
) -> None:
    ana = await visit(link_to(server))
    await ana.asks_for(str(server.work / "a.txt"))
    await ana.sees("Let me see.")
    prompt = ana.page.get_by_role("textbox", name="Prompt")
    await prompt.click()
    await ana.page.keyboard.type("ple")
    agent.goes_on.set()
    await ana.sees("A question waits for your answer")
    await ana.page.keyboard.type("ase also")
    await expect(prompt).to_have_value("please also")
    await expect(ana.question).to_be_hidden()
    await ana.presses("Tab")
    await ana.is_asked("a.txt")
    assert not (server.work / "a.txt").exists()
    await ana.approves()
    await ana.sees("That is all.")
    await expect(prompt).to_have_value("please also")


async def test_a_word_that_begins_like_an_answer_is_none(server: Server, agent: Slow, visit: Visit) -> None:
    ana = await visit(link_to(server))
    agent.goes_on.set()
    await ana.asks_for(str(server.work / "a.txt"))
    await ana.is_asked("a.txt")
    await ana.page.keyboard.type("also")
    await ana.presses("Escape")
    await ana.sees("A question waits for your answer")
    await ana.button("Review").first.click()
    await ana.is_asked("a.txt")
    assert not (server.work / "a.txt").exists()
    await ana.presses("a")
    await ana.sees("That is all.")
    assert (server.work / "a.txt").exists()


UNDER = "([x, y]) => document.elementFromPoint(x, y)?.closest('button')?.innerText ?? null"


async def test_who_taps_on_at_the_same_place_does_not_approve(server: Server, other: OtherRun, visit: Visit) -> None:
    wanted = other.writes("long.txt", "".join(LINES[:60]))
    ana = await visit(link_to(server), phone=True)
    await ana.goes_to("Inbox")
    await ana.waiting.get_by_role("link").click()
    rest = ana.button("Show the rest")
    await expect(ana.button("Approve unseen")).to_be_enabled()
    box = await rest.bounding_box()
    assert box is not None
    place = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    while await ana.page.evaluate(UNDER, place) == "Show the rest":
        seen = await ana.answers.inner_text()
        await ana.page.touchscreen.tap(*place)
        await expect(ana.answers).not_to_have_text(seen, use_inner_text=True)
    await expect(ana.answers).to_contain_text("100 % seen")
    assert await ana.page.evaluate(UNDER, place) is None
    assert not wanted.done()
    await ana.may_answer()
    await ana.approves()
    await asyncio.wait_for(wanted, 20)


FRAMES = "() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"


async def test_the_end_of_a_line_that_fills_many_screens_is_not_all_of_it(
    server: Server, other: OtherRun, visit: Visit
) -> None:
    wanted = other.writes("one.js", "x=1;" * 3000 + "\n")
    ana = await visit(link_to(server))
    await ana.goes_to("Inbox")
    await expect(ana.button("Approve unseen")).to_be_enabled()
    rest = ana.button("Show the rest")
    await rest.click()
    box = ana.page.get_by_role("region", name=re.compile("^Changes of"))
    await expect(ana.page.get_by_role("button", name=re.compile("more characters"))).to_have_count(0)
    await box.evaluate("box => { box.scrollTop = box.scrollHeight; }")
    # What was seen is looked at once the frame is drawn.
    await box.evaluate(FRAMES)
    await expect(rest).to_be_visible()
    await expect(approve(ana)).to_be_disabled()
    places = set[int]()
    while await rest.is_visible():
        try:
            await rest.click(timeout=3000)
        except TooLate:
            continue  # it went while it was still looked at, as all was seen; or the machine is slow
        await box.evaluate(FRAMES)
        places.add(await box.evaluate("box => Math.round(box.scrollTop)"))
    assert len(places) > 2
    await ana.approves()
    await asyncio.wait_for(wanted, 20)


async def test_what_a_jump_leaves_out_was_not_seen(server: Server, other: OtherRun, visit: Visit) -> None:
    wanted = other.writes("long.txt", "".join(LINES))
    ana = await visit(link_to(server))
    await ana.goes_to("Inbox")
    await expect(ana.button("Approve unseen")).to_be_enabled()
    seen = await ana.answers.inner_text()
    box = ana.page.get_by_role("region", name=re.compile("^Changes of"))
    await box.evaluate("box => { box.scrollTop = box.scrollHeight; }")
    await expect(ana.answers).not_to_have_text(seen, use_inner_text=True)
    await expect(ana.button("Show the rest")).to_be_visible()
    await expect(approve(ana)).to_be_disabled()
    await ana.reads_all()
    await ana.approves()
    await asyncio.wait_for(wanted, 20)


async def test_in_a_window_with_little_room_all_of_it_is_reached(server: Server, other: OtherRun, visit: Visit) -> None:
    wanted = other.writes("a-long-name-" * 15 + ".txt", "".join(LINES[:60]))
    ana = await visit(link_to(server))
    await ana.page.set_viewport_size({"width": 800, "height": 360})
    await ana.goes_to("Inbox")
    await ana.waiting.get_by_role("link").click()
    await ana.reads_all()
    await ana.approves()
    await asyncio.wait_for(wanted, 20)


async def test_what_comes_below_a_dialog_is_not_seen_before_that_is_closed(
    server: Server, other: OtherRun, visit: Visit
) -> None:
    ana = await visit(link_to(server))
    await ana.goes_to("Inbox")
    await ana.presses("?")
    await expect(ana.page.get_by_role("dialog", name="Keys")).to_be_visible()
    await ana.page.clock.install()
    wanted = other.writes("below.txt", "x\n")
    await expect(ana.shown).to_contain_text("0 % seen")
    await ana.page.clock.run_for(2000)
    await expect(ana.shown).to_contain_text("0 % seen")
    await expect(approve(ana)).to_be_disabled()
    await ana.presses("Escape")
    await ana.may_answer()
    await ana.approves()
    await asyncio.wait_for(wanted, 20)


async def test_what_was_answered_while_the_server_was_away_is_not_asked_any_more(
    server: Server, other: OtherRun, visit: Visit
) -> None:
    """As after a restart: the page is told what waits, and nothing of what ended meanwhile."""
    wanted = other.writes("old.txt", "x\n")
    ana = await visit(link_to(server))
    links: list[WebSocketRoute] = []

    def relay(page: WebSocketRoute) -> None:
        links.append(page)
        far = page.connect_to_server()
        far.on_message(lambda said: None if json.loads(said)["type"] == "tool_approval_ended" else page.send(said))

    await ana.page.route_web_socket(re.compile("/ws/"), relay)
    await ana.page.reload()
    await ana.goes_to("Inbox")
    await ana.may_answer()
    (pending,) = server.gate.store.desk()
    server.gate.answer(pending.id, Reject(by="ben"))
    await asyncio.wait_for(wanted, 20)
    await links[0].close()
    await ana.sees(re.compile("Rejected by ben"))
    await expect(ana.answers).to_be_hidden()


DRAWN = """
(cell) => {
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let text = texts.nextNode(); text; text = texts.nextNode())
    for (let at = 0; at < text.length; at++) {
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      found.push([range.getBoundingClientRect().left, text.data[at]]);
    }
  return found.sort((one, other) => one[0] - other[0]).map(([, letter]) => letter).join("");
}
"""


async def test_a_command_is_drawn_in_the_order_in_which_it_runs(server: Server, other: OtherRun, visit: Visit) -> None:
    command = "cp \N{HEBREW LETTER ALEF} \N{HEBREW LETTER BET}"
    wanted = other.wants("Bash", command=command)
    ana = await visit(link_to(server))
    await ana.goes_to("Inbox")
    await ana.may_answer()
    rows = ana.page.get_by_role("table", name="Command").get_by_role("row")
    assert await rows.locator(".d-code").first.evaluate(DRAWN) == command
    await ana.rejects("no")
    await asyncio.wait_for(wanted, 20)
