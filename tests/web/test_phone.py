"""The same page on a phone: everything is there, nothing sticks out, and fingers hit what they aim at."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.server.served import serving
from tests.web.conftest import Visit, assent_serve, link_to
from tests.web.page import Person
from tests.web.world import BETTER, PRICES, OtherRun, fill

pytestmark = pytest.mark.asyncio(loop_scope="session")
OUTSIDE = """
() => [...document.querySelectorAll("main *, header *, nav *, dialog *")]
  .filter((each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
  .filter((each) => each.getBoundingClientRect().right > screen.width + 1)
  .filter((each) => {
    // What can be scrolled to, and what is cut with a sign that it is, is not lost.
    for (let at = each; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (/auto|scroll/.test(style.overflowX) || style.textOverflow === "ellipsis") return false;
    }
    return true;
  })
  .map((each) => each.outerHTML.slice(0, 120))
"""
"""What sticks out of the screen, or is cut off by its edge."""
CROWDED = """
() => {
  const boxes = [...document.querySelectorAll("button, a[href], input, select, summary, [role=tab]")]
    .filter((each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .map((each) => [each, (each.closest("label") ?? each).getBoundingClientRect()])
    .filter(([, box]) => box.width > 1);
  const grown = ({ x, y, width, height }) => {
    const [wide, high] = [Math.max(width, 24), Math.max(height, 24)];
    return { left: x + width / 2 - wide / 2, right: x + width / 2 + wide / 2, top: y + height / 2 - high / 2, bottom: y + height / 2 + high / 2 };
  };
  const meet = (one, two) => one.left < two.right && two.left < one.right && one.top < two.bottom && two.top < one.bottom;
  return boxes
    .filter(([, box]) => box.width < 24 || box.height < 24)
    .filter(([one, box]) => boxes.some(([two, other]) => one !== two && !two.contains(one) && meet(grown(box), other)))
    .map(([each, box]) => `${each.outerHTML.slice(0, 120)} ${Math.round(box.width)}×${Math.round(box.height)}`);
}
"""
"""What is smaller than 24 pixels and has another target within them (WCAG 2.5.8)."""


async def everything_fits(person: Person) -> None:
    assert await person.page.evaluate("document.scrollingElement.scrollWidth <= screen.width"), person.page.url
    assert await person.page.evaluate(OUTSIDE) == []
    assert await person.page.evaluate(CROWDED) == []


async def test_from_the_prompt_to_the_file_on_a_phone(tmp_path: Path, visit: Visit) -> None:
    fill(tmp_path)
    shop = tmp_path / "shop"
    async with assent_serve(tmp_path, shop) as link:
        ana = await visit(link, phone=True)
        await everything_fits(ana)
        await ana.asks_for('Replace "Thursday" with "Friday" in plan.md')
        await ana.is_asked("plan.md")
        await everything_fits(ana)
        await expect(ana.diff).to_contain_text("Release on Friday")
        await ana.approves()
        await ana.sees(re.compile("^Done"))
        await everything_fits(ana)
    assert "Release on Friday" in (shop / "plan.md").read_text()


async def test_every_view_fits_a_phone(tmp_path: Path, visit: Visit) -> None:
    async with serving(tmp_path) as server:
        (server.work / "prices.py").write_text(PRICES)
        other = OtherRun(server.settings)
        wanted = other.writes("prices.py", BETTER)
        long = other.writes("a-name-that-is-far-too-long-for-a-small-screen-" * 3 + ".txt", "x" * 1000)
        ana = await visit(link_to(server), phone=True)
        await ana.goes_to("Inbox")
        await expect(ana.waiting).to_have_count(2)
        await everything_fits(ana)
        await ana.waiting.filter(has_text="prices.py").get_by_role("link").click()
        await ana.reads_all()
        await everything_fits(ana)
        await ana.approves()
        await asyncio.wait_for(wanted, 20)
        await expect(ana.waiting).to_have_count(1)
        for view in ("History", "Grants", "Settings", "Session", "Inbox"):
            await ana.goes_to(view)
            await everything_fits(ana)
        await ana.waiting.get_by_role("link").click()
        await ana.rejects("too long")
        await asyncio.wait_for(long, 20)
        other.close()
