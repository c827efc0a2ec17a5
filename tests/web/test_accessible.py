"""For everybody: roles and names, a focus that never gets lost, contrast in both themes, no movement unasked."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.server.served import Play, Server, serving
from tests.web.conftest import Visit, link_to
from tests.web.page import Person
from tests.web.world import PRICES, OtherRun, wishes

pytestmark = pytest.mark.asyncio(loop_scope="session")
VIEWS = ("Inbox", "History", "Grants", "Settings", "Session")
NEEDS_A_NAME = {"button", "checkbox", "combobox", "dialog", "link", "radio", "switch", "tab", "table", "textbox"}
FAINT = """
() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a)];
  const behind = (each) => {
    const layers = [];
    for (let at = each; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((each) => each / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = new Set();
  for (const each of document.body.querySelectorAll("*")) {
    const words = [...each.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()).join("");
    if (!words || !each.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    // What cannot be used need not be seen so well.
    if (each.closest(":disabled, [aria-disabled=true], option, .sr-only")) continue;
    const style = getComputedStyle(each);
    const background = behind(each);
    const [one, two] = [light(over(rgba(style.color), background)), light(background)];
    const ratio = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    const isLarge = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) found.add(`${ratio.toFixed(2)} ${each.tagName}.${each.className}: ${words.slice(0, 40)}`);
  }
  return [...found];
}
"""
"""Text with less contrast than WCAG 1.4.3 asks for."""


async def working(play: Play) -> None:
    await play.say("I will write it.")
    await play.call("Write", {"file_path": str(play.wanted.prompt), "content": "one\ntwo\n"}, call_id="call")
    await play.say("Done.")


@pytest_asyncio.fixture(loop_scope="session")
async def server(tmp_path: Path) -> AsyncGenerator[Server]:
    async with serving(tmp_path, working) as started:
        (started.work / "prices.py").write_text(PRICES)
        yield started


@pytest_asyncio.fixture(loop_scope="session")
async def ana(server: Server, visit: Visit) -> Person:
    """Somebody who is asked something."""
    person = await visit(link_to(server))
    await person.asks_for(str(server.work / "plan.md"))
    await person.is_asked("plan.md")
    return person


@pytest_asyncio.fixture(loop_scope="session")
async def busy(server: Server, ana: Person) -> AsyncGenerator[Person]:
    """Somebody for whom there is something in every view."""
    other = OtherRun(server.settings)
    first = other.writes("first.txt", "1")
    await ana.goes_to("Inbox")
    await ana.waiting.filter(has_text="first.txt").get_by_role("link").click()
    await expect(ana.shown).to_contain_text("first.txt")
    await ana.may_answer()
    await ana.button("Remember …").click()
    await ana.button("Approve and remember").click()
    await asyncio.wait_for(first, 20)
    asked = asyncio.create_task(other.ask(wishes(server.work), group_id="new prices"))
    await expect(ana.waiting).to_have_count(4)
    yield ana
    asked.cancel()
    await asyncio.gather(asked, return_exceptions=True)
    other.close()


async def nameless(page: Page) -> list[str]:
    """What has a role and no name, as a screen reader meets it."""
    session = await page.context.new_cdp_session(page)
    tree = await session.send("Accessibility.getFullAXTree")
    await session.detach()
    nodes = [
        (each["role"]["value"], each.get("name", {}).get("value", "")) for each in tree["nodes"] if not each["ignored"]
    ]
    return [role for role, name in nodes if role in NEEDS_A_NAME and not name.strip()]


async def test_a_question_reads_as_what_it_is(ana: Person) -> None:
    await expect(ana.question).to_match_aria_snapshot(
        """
        - dialog "Waiting for you":
          - heading "Waiting for you" [level=2]
          - button "Decide later"
          - article /Write 2 lines to .*plan.md/:
            - heading /Write 2 lines to .*plan.md/ [level=3]
            - timer "Time left to answer"
            - tablist "What to show":
              - tab "Changes" [selected]
              - tab "Arguments"
              - tab "Edit"
            - toolbar "How to show it"
            - tabpanel:
              - region /Changes of .*plan.md/:
                - table /Changes of .*plan.md/:
                  - rowgroup:
                    - row "new line 1 + one":
                      - cell
                      - cell "new line 1"
                      - cell "+ one"
                    - row "new line 2 + two"
            - group "Your answer":
              - button "Approve"
              - button "Reject …"
              - button "Remember …"
        """
    )


async def test_every_view_reads_as_what_it_is(busy: Person) -> None:
    await busy.goes_to("Session")
    await busy.sees("A question waits for your answer")
    await expect(busy.page.locator("body")).to_match_aria_snapshot(
        """
        - banner:
          - navigation "Views":
            - link "Session"
            - link /Inbox/
            - link "History"
            - link "Grants"
            - link "Settings"
        - main:
          - heading "Session" [level=1]
          - list "Conversation":
            - listitem:
              - heading "You" [level=2]
            - listitem: I will write it.
            - listitem:
              - article:
                - button /Write .*plan.md Waiting for approval/
                - button "Review"
          - textbox "Prompt"
          - combobox "Mode"
        """
    )
    await busy.goes_to("Inbox")
    await expect(busy.waiting).to_have_count(4)
    await expect(busy.page.get_by_role("main")).to_match_aria_snapshot(
        """
        - main:
          - region "Questions":
            - heading /Inbox/ [level=1]
            - region /Run/:
              - checkbox "Select all of this run"
              - heading /Run/ [level=2]
              - button "Stop run"
              - list:
                - listitem:
                  - checkbox /Select Write 2 lines to .*plan.md/
                  - link /Write 2 lines to .*plan.md/
            - region /Run/:
              - list:
                - listitem:
                  - checkbox /Select Write \\d+ lines to .*prices.py/
          - region "Question":
            - article:
              - group "Your answer"
        """
    )


async def test_all_text_has_enough_contrast_and_every_control_a_name(busy: Person) -> None:
    for theme in ("Light", "Dark"):
        await busy.goes_to("Settings")
        await busy.page.get_by_role("group", name="Theme").get_by_text(theme).click()
        await expect(busy.page.locator("html")).to_have_attribute("data-theme", theme.lower())
        for view in VIEWS:
            await busy.goes_to(view)
            if view == "Inbox":
                await busy.waiting.filter(has_text=re.compile(r"Write .*prices\.py")).get_by_role("link").click()
                await expect(busy.diff).to_contain_text("books")
            if view == "Session":
                await busy.button("Review").first.click()
                await expect(busy.question).to_be_visible()
            assert (theme, view, await busy.page.evaluate(FAINT)) == (theme, view, [])
            assert (theme, view, await nameless(busy.page)) == (theme, view, [])


async def test_the_focus_is_kept_in_a_question_and_given_back(ana: Person) -> None:
    inside = "document.activeElement.closest('dialog') !== null || document.activeElement === document.body"
    for _ in range(25):
        await ana.presses("Tab")
        assert await ana.page.evaluate(inside)
    await ana.presses("Escape")
    await expect(ana.question).to_be_hidden()
    await ana.button("Review").first.focus()
    await ana.presses("Enter")
    await expect(ana.question).to_be_visible()
    focused = await ana.page.evaluate("document.activeElement.tagName")
    assert focused != "BUTTON", "a key pressed too early would decide something"


async def test_nothing_moves_for_who_asked_for_that(ana: Person) -> None:
    assert await ana.page.evaluate("matchMedia('(prefers-reduced-motion: reduce)').matches")
    assert (
        await ana.page.evaluate("document.getAnimations().filter((each) => each.playState === 'running').length") == 0
    )


async def test_what_happens_is_said_aloud(ana: Person, server: Server) -> None:
    await expect(ana.page.get_by_role("status").filter(has_text=re.compile("New question"))).to_be_attached()
    await ana.approves()
    await expect(ana.page.get_by_role("status").filter(has_text=re.compile("Run ended: Done"))).to_be_attached()
    assert (server.work / "plan.md").read_text() == "one\ntwo\n"
