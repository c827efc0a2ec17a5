"""One question and the keys that answer it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal

from assent.errors import AssentError
from assent.model import ApprovalDecision, Approve, Pending, Reject, ToolCall, arguments_preview
from assent.ui._editor import Draft, EditFailed, arguments_of, draft_of, edit
from assent.ui._hunks import choose_hunks, hunks_of
from assent.ui._picker import remember
from assent.ui._talk import Talk, bar
from assent.ui._tty import EndOfInput
from assent.ui._visible import visible
from assent.ui.draw import Drawing, Look, View, difference, question, views, whole, why

Turn = Literal["list", "all", "none"]
"""What concerns the whole batch: its list, an approval of all of it, a rejection of all of it."""

_WHY: Final = "Why? The agent will read it. (Enter for no reason, Esc to go back)"
_UNSEEN: Final = "You have not seen all of it. v = view, Y = approve anyway."
_NOT_YOURS: Final = "Your last edit is not in it: this would approve {}. v = view, Y = approve it."
_STOP: Final = "Stop the run? q = stop it; any other key goes back."
_JUDGED: Final = "Approved, it is judged again with these arguments: only then it is known what they do."


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Edited:
    """Other arguments, and the question they would make."""

    args: Mapping[str, object]
    pending: Pending
    judged: bool
    """Whether the question was drawn from them by who will run it."""


class Question:
    """A question that a person looks at for as long as they like."""

    def __init__(self, talk: Talk, pending: Pending, *, position: tuple[int, int]) -> None:
        self.pending = pending
        self._talk = talk
        self._position = position
        self._view = 0
        # Each drawing by itself, None is the original: who has seen one has not seen the other.
        self._seen: set[_Edited | None] = set()
        self._paged: set[_Edited | None] = set()
        self._edited: _Edited | None = None
        self._draft: Draft | None = None
        self._failed = False

    @property
    def seen(self) -> bool:
        """Whether all that would be approved was on the screen, or in the pager to its end."""
        return self._drawn in self._seen

    @property
    def is_edited(self) -> bool:
        """Whether an approval is one of other arguments than those that were asked for."""
        return self._edited is not None

    @property
    def misses_edit(self) -> bool:
        """Whether an approval is not of the last edit, which could not be taken over."""
        return self._failed

    @property
    def _other(self) -> str:
        """What an approval is of, if not of the last edit."""
        return "" if not self._failed else "the edit before" if self._edited else "the original"

    async def answer(self) -> ApprovalDecision | Turn:
        """The person's answer, or what they want to do with the whole batch.

        Raises:
            EndOfInput: nobody is there any more.
            Interrupted: they want the program to end.
        """
        while True:
            await self._draw()
            choices = self._choices()
            shown = bar(choices, self._talk.look())
            key = await self._talk.choose(shown, choices, expires=self.pending.expires)
            if (answer := await self._do(key)) is not None:
                return answer

    async def _do(self, key: str) -> ApprovalDecision | Turn | None:  # noqa: PLR0911 — an arm for each key
        match key:
            case "y":
                return self.approval() if await self.is_sure() else None
            case "n":
                return await self.rejection()
            case "s":
                return await self._remembered()
            case "h":
                return await choose_hunks(self._talk, self.pending, view=self._view_all, seen=lambda: self.seen)
            case "q":
                return Reject(by=self._talk.by, stop=True) if await self._talk.confirm(_STOP, "q") else None
            case "b":
                return "list"
            case "A":
                return "all"
            case "R":
                return "none"
            case _:
                await self._do_not_answer(key)
                return None

    async def _do_not_answer(self, key: str) -> None:
        match key:
            case "e":
                await self._edit()
            case "o":
                self._edited = self._draft = None
                self._failed = False
            case "v":
                await self._view_all()
            case "d":
                self._view += 1
            case "?":
                await self._talk.read(partial(why, self._shown))
            case _:
                pass

    # What is on the screen

    @property
    def _drawn(self) -> _Edited | None:
        """The edit, if it can be drawn; of one that cannot, the difference stands above the original."""
        return self._edited if self._edited and self._edited.judged else None

    @property
    def _shown(self) -> Pending:
        return self._drawn.pending if self._drawn else self.pending

    async def _draw(self) -> None:
        look = self._talk.look()
        drawing = self._drawing(look)
        if drawing.opens_pager and self._drawn not in self._paged:
            await self._view_all()
            drawing = self._drawing(look := self._talk.look())
        if self._edited is not None:
            self._talk.say("\n".join(difference(self.pending, self._edited.pending, look)))
        if self._edited is None or self._edited.judged:
            self._talk.say(drawing.text)
            if self._talk.shows(drawing):
                self._seen.add(self._drawn)
        else:
            self._talk.tell(_JUDGED)

    def _drawing(self, look: Look) -> Drawing:
        # On the line of the prompt the time runs; a number that stands still would be wrong a second later.
        now = self._talk.clock() if self._talk.tty.simple else None
        found = views(self._shown, look)
        view: View = found[self._view % len(found)] if found and self._view else "auto"
        # The last of them is for the prompt.
        keys = len(bar(self._choices(), look).splitlines()) + 1
        return question(self._shown, look, position=self._position, now=now, view=view, keys=keys)

    def _choices(self) -> dict[str, str]:
        look, edited = self._talk.look(), self._edited
        judged = edited is None or edited.judged
        several = self._position[1] > 1
        offered = {
            "y": (f"Approve {self._other}".rstrip(), True),
            "n": ("Reject", True),
            "s": ("Remember…", judged),
            "e": ("Edit", True),
            "o": ("Original", edited is not None or self._draft is not None),
            "v": ("View all", True),
            "d": ("Other view", len(views(self._shown, look)) > 1),
            "h": ("Hunks", edited is None and len(hunks_of(self.pending)) > 1),
            "?": ("Why", True),
            "b": ("Batch list", several),
            "A": ("Approve all", several),
            "R": ("Reject all", several),
            "q": ("Stop the run", True),
        }
        return {key: label for key, (label, possible) in offered.items() if possible}

    async def _view_all(self) -> None:
        pending, clerk = self._shown, self._talk.clerk
        content = None if clerk is None else partial(clerk.content, pending)

        def lines(look: Look) -> Iterator[str]:
            return whole(pending, look, content=content)

        self._paged.add(self._drawn)
        if await self._talk.read(lines):
            self._seen.add(self._drawn)

    # Answers

    def approval(self) -> Approve:
        """A yes to what is on the screen: with the person's edit, if there is one."""
        return Approve(by=self._talk.by, override_args=self._edited.args if self._edited else None)

    async def is_sure(self) -> bool:
        """Whether it was seen and is what they mean, or is approved all the same by a second, deliberate key."""
        if self.seen and not self._other:
            return True
        self._talk.tell(_NOT_YOURS.format(self._other) if self._other else _UNSEEN)
        key = await self._talk.choose("[v] View all  [Y] Approve anyway  [b] Back", {"v", "Y", "b", "escape"})
        if key == "v":
            await self._view_all()
        return key == "Y"

    async def rejection(self, what: str = "") -> Reject | None:
        """A no with the person's words; None if they think better of it."""
        try:
            note = await self._talk.words(f"{what}{_WHY}")
        except EndOfInput:
            note = ""
        return None if note is None else Reject(by=self._talk.by, note=note)

    async def _remembered(self) -> ApprovalDecision | None:
        decision = await remember(self._talk, self._shown, refusals=self._edited is None)
        if not isinstance(decision, Approve):
            return decision
        if not await self.is_sure():
            return None
        return decision if self._edited is None else replace(decision, override_args=self._edited.args)

    # Editing

    async def _edit(self) -> None:
        """Other arguments; where they do not fit, what the person wrote is there when they try again."""
        try:
            self._draft = await edit(self._draft or draft_of(self.pending.call), self._talk.tty)
        except EditFailed as error:
            self._talk.tell(visible(str(error), keep=""))
            return
        self._failed = True
        try:
            args = arguments_of(self._draft, self.pending.call)
            if ToolCall(run="", id="", tool_name="", args=args).args == self.pending.call.args:
                self._talk.say("Nothing was changed.")
                self._edited = self._draft = None
                self._failed = False
                return
            self._edited = await self._redrawn(args)
            self._failed = False
        except (EditFailed, AssentError, TypeError, ValueError, RecursionError) as error:
            self._talk.tell(f"{visible(str(error), keep='')}\nYour edit is kept: e opens it again, o drops it.")

    async def _redrawn(self, args: Mapping[str, object]) -> _Edited:
        asked = self.pending
        if self._talk.clerk is not None:
            redrawn = await self._talk.clerk.redraw(asked, args)
            if redrawn is not None:
                return _Edited(args=args, pending=redrawn, judged=True)
        call = replace_args(asked.call, args)
        return _Edited(args=args, pending=replace(asked, call=call, preview=arguments_preview(call)), judged=False)


def replace_args(call: ToolCall, args: Mapping[str, object]) -> ToolCall:
    """The same call with other arguments."""
    return ToolCall(
        run=call.run,
        id=call.id,
        tool_name=call.tool_name,
        args=args,
        agents=call.agents,
        group_id=call.group_id,
        metadata=call.metadata,
    )
