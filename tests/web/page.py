"""Somebody in front of the page: finds everything by its role and its name, as people and screen readers do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from playwright.async_api import Locator, Page, expect

if TYPE_CHECKING:
    from playwright.async_api import ConsoleMessage, Dialog, Error, Request

WATCH: Final = """
addEventListener("securitypolicyviolation", (event) => {
  console.error(`broken policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
});
"""
"""Runs before the page does, and tells what its policy forbade."""
_HARMLESS: Final = re.compile(r"^(?:Failed to load resource|WebSocket connection to)")
"""What Chromium itself says of an answer that is not 200, or of a server that went."""


class Person:
    """One browser tab, and whoever sits before it."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page = page
        self.origin = origin
        self.trouble: list[str] = []
        """What must never happen: a dialog, an error, a broken policy, a request to somebody else."""
        page.on("dialog", self._dialog)
        page.on("pageerror", self._error)
        page.on("console", self._console)
        page.on("request", self._request)

    # Going

    async def opens(self, link: str) -> None:
        await self.page.goto(link)
        await expect(self.page.get_by_role("navigation", name="Views")).to_be_visible()

    async def goes_to(self, view: str) -> None:
        if await self.question.is_visible():
            await self.presses("Escape")
            await expect(self.question).to_be_hidden()
        # On a phone, a question takes the whole screen.
        back = self.page.get_by_role("link", name="All questions")
        if await back.is_visible():
            await back.click()
        link = self.page.get_by_role("navigation", name="Views").get_by_role("link", name=view)
        await link.click()
        await expect(link).to_have_attribute("aria-current", "page")

    # Seeing

    def button(self, name: str | re.Pattern[str]) -> Locator:
        return self.page.get_by_role("button", name=name, exact=isinstance(name, str))

    def text(self, words: str | re.Pattern[str]) -> Locator:
        return self.page.get_by_text(words)

    @property
    def question(self) -> Locator:
        """The dialog in the session, above everything else."""
        return self.page.get_by_role("dialog", name=re.compile("^Waiting for you"))

    @property
    def answers(self) -> Locator:
        """Where the question that is shown is answered."""
        return self.page.get_by_role("group", name="Your answer")

    @property
    def diff(self) -> Locator:
        return self.page.get_by_role("table", name=re.compile("^Changes of"))

    @property
    def waiting(self) -> Locator:
        """The questions in the list."""
        return self.page.get_by_role("region", name="Questions").get_by_role("listitem")

    @property
    def shown(self) -> Locator:
        """The question that is open beside the list."""
        return self.page.get_by_role("region", name="Question", exact=True)

    def call(self, tool: str) -> Locator:
        """A tool call in the conversation."""
        return self.page.get_by_role("list", name="Conversation").get_by_role("article").filter(has_text=tool)

    async def sees(self, words: str | re.Pattern[str]) -> None:
        await expect(self.text(words).first).to_be_visible()

    async def is_asked(self, about: str) -> None:
        """A question opens above the conversation, and may be answered."""
        await expect(self.question).to_contain_text(about)
        await self.may_answer()

    async def may_answer(self) -> None:
        await expect(self.answers.get_by_role("button", name="Approve", exact=True)).to_be_enabled()

    # Doing

    async def reads_all(self) -> None:
        """Go from one part that was not seen yet to the next, until all of it was."""
        approve = self.answers.get_by_role("button", name="Approve", exact=True)
        more = self.button("Show the rest")
        while True:
            await expect(approve.and_(self.page.locator(":enabled")).or_(more).first).to_be_visible()
            if not await more.is_visible():
                return
            seen = await self.answers.inner_text()
            await more.click()
            await expect(self.answers).not_to_have_text(seen, use_inner_text=True)

    async def asks_for(self, prompt: str) -> None:
        await self.page.get_by_role("textbox", name="Prompt").fill(prompt)
        await self.button("Send").click()

    async def approves(self) -> None:
        await self.answers.get_by_role("button", name="Approve", exact=True).click()

    async def rejects(self, feedback: str) -> None:
        await self.answers.get_by_role("button", name=re.compile("^Reject")).click()
        await self.page.get_by_role("textbox", name="Feedback for the agent").fill(feedback)
        await self.page.get_by_role("textbox", name="Feedback for the agent").press("Control+Enter")

    async def opens_everything(self, within: Locator) -> None:
        """Open whatever is closed and says so."""
        closed = within.get_by_role("button", expanded=False)
        while await closed.count():
            await closed.first.click()

    async def presses(self, *keys: str) -> None:
        for key in keys:
            await self.page.keyboard.press(key)

    # Watching

    async def _dialog(self, dialog: Dialog) -> None:
        self.trouble.append(f"a dialog: {dialog.message}")
        await dialog.dismiss()

    def _error(self, error: Error) -> None:
        self.trouble.append(f"an error: {error}")

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not _HARMLESS.match(message.text):
            self.trouble.append(f"on the console: {message.text}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith((f"{self.origin}/", "data:", "blob:")):
            self.trouble.append(f"a request to {request.url}")
