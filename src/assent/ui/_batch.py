"""A batch of questions: one after the other, or as a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from assent.gate import grant_from
from assent.model import (
    ApprovalDecision,
    Approve,
    Grant,
    Pending,
    PendingId,
    Reject,
    operations,
)
from assent.ui._keys import REDRAW
from assent.ui._question import Question, Turn
from assent.ui._talk import Talk, bar
from assent.ui._visible import visible
from assent.ui.draw import batch_list

_MOVES: Final = {"up": -1, "k": -1, "down": 1, "j": 1}
_BAR: Final = {
    "j/k": "Move",
    "y": "Approve",
    "n": "Reject",
    "u": "No answer yet",
    "enter": "Look at it",
    "A": "Approve all",
    "R": "Reject all",
    "b": "Back",
}
_HOW_MANY: Final = "that {} not answered yet"


class Batch:
    """What is asked together; every item has its own answer, and none is given before all are."""

    def __init__(self, talk: Talk, pendings: Sequence[Pending]) -> None:
        self._talk = talk
        self._questions = [
            Question(talk, pending, position=(number, len(pendings))) for number, pending in enumerate(pendings, 1)
        ]
        self._answers: dict[PendingId, ApprovalDecision] = {}
        self._wanted: int | None = None
        self._looked_at: PendingId | None = None

    async def answers(self) -> Mapping[PendingId, ApprovalDecision]:
        """An answer for each question; stopping the run answers the rest too.

        Raises:
            EndOfInput: nobody is there any more.
            Interrupted: they want the program to end.
        """
        while (question := self._next()) is not None:
            self._looked_at = question.pending.id
            match await question.answer():
                case "list":
                    await self._list()
                case "all" | "none" as turn:
                    await self._all(turn)
                case Reject(stop=True) as stop:
                    return self.filled(stop)
                case decision:
                    self._take(question, decision)
        return {each.pending.id: self._answers[each.pending.id] for each in self._questions}

    def filled(self, rest: ApprovalDecision) -> Mapping[PendingId, ApprovalDecision]:
        """What was answered, and the same for everything else; whoever leaves a question has not answered it."""
        answers = {name: answer for name, answer in self._answers.items() if name != self._looked_at}
        return {each.pending.id: answers.get(each.pending.id, rest) for each in self._questions}

    def _next(self) -> Question | None:
        """The one that was asked for, else the first that has no answer."""
        wanted, self._wanted = self._wanted, None
        return self._questions[wanted] if wanted is not None else next(iter(self._open()), None)

    def _open(self) -> list[Question]:
        return [each for each in self._questions if each.pending.id not in self._answers]

    def _take(self, question: Question, decision: ApprovalDecision) -> None:
        """Keep the answer; what it is remembered for answers the other questions it covers."""
        pending = question.pending
        self._answers[pending.id] = decision
        grant = grant_from(decision, pending.call, pending.request, by=self._talk.by, at=self._talk.clock())
        if grant is None or grant.calls is not None or _is_edit(decision):
            return
        for other in self._open():
            # What it is remembered for was never asked with the person's own arguments.
            if not other.is_edited and _covers(grant, other.pending):
                by = self._talk.by
                self._answers[other.pending.id] = Approve(by=by) if grant.allow else Reject(by=by, note=grant.note)
                self._talk.say(f"Answered by that too: {visible(other.pending.request.description, keep='')}")

    async def _all(self, turn: Turn) -> None:
        """Approve or reject all that have no answer; what was not seen is counted."""
        questions = self._open()
        unseen = sum(not each.seen for each in questions)
        count = "the question" if len(questions) == 1 else f"all {len(questions)} questions"
        what = f"{count} {_HOW_MANY.format('is' if len(questions) == 1 else 'are')}"
        if turn == "none":
            if (rejection := await questions[0].rejection(f"Reject {what}? ")) is not None:
                self._answers.update({each.pending.id: rejection for each in questions})
            return
        warning = f" You have not seen {unseen} of them in full." if unseen else ""
        if missed := sum(each.misses_edit for each in questions):
            warning += f" Your last edit of {missed} of them is not in it."
        sure = f"Approve {what}?{warning} Y = approve; any other key goes back."
        # Not the key that led here: one that is held is no second thought.
        if await self._talk.confirm(sure, "Y"):
            self._answers.update({each.pending.id: each.approval() for each in questions})

    # The list

    async def _list(self) -> None:
        """Move through the batch and answer where one likes, until all is answered or the person goes back."""
        self._looked_at = None
        cursor = self._questions.index(self._open()[0])
        self._talk.keys.fresh()
        with self._talk.tty.alternate():
            while self._open():
                key = await self._key(cursor)
                if key in _MOVES:
                    cursor = max(0, min(len(self._questions) - 1, cursor + _MOVES[key]))
                    continue
                if key in ("b", "escape", "enter"):
                    self._wanted = cursor if key == "enter" else None
                    return
                await self._mark(self._questions[cursor], key)
                self._looked_at = None
                self._talk.keys.fresh()

    async def _key(self, cursor: int) -> str:
        look = self._talk.look()
        pendings = [each.pending for each in self._questions]
        edited = {each.pending.id for each in self._questions if each.is_edited}
        self._talk.tty.show(batch_list(pendings, self._answers, look, cursor=cursor, edited=edited))
        self._talk.say(bar(_BAR, look))
        while True:
            key = await self._talk.key(at_once=_MOVES, ready=lambda: self._talk.tty.say("> ", end=""))
            if key in _MOVES or key in _BAR or key in ("escape", REDRAW):
                return key

    async def _mark(self, question: Question, key: str) -> None:
        self._looked_at = question.pending.id if key in ("y", "n") else None
        match key:
            case "y":
                if await question.is_sure():
                    self._take(question, question.approval())
            case "n":
                if (rejection := await question.rejection()) is not None:
                    self._take(question, rejection)
            case "u":
                self._answers.pop(question.pending.id, None)
            case "A":
                await self._all("all")
            case "R":
                await self._all("none")
            case _:
                pass


def _is_edit(decision: ApprovalDecision) -> bool:
    # Not by its truth: an edit that leaves no arguments is one too.
    return isinstance(decision, Approve) and decision.override_args is not None


def _covers(grant: Grant, pending: Pending) -> bool:
    call, request = pending.call, pending.request
    if grant.run not in (None, call.run) or grant.agents not in (None, call.agents):
        return False
    return grant.operation in operations(call, request)
