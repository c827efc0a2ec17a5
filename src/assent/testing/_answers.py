"""An approver that answers from a script."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from assent.model import ApprovalDecision, Pending, PendingId

Answer = ApprovalDecision | Callable[[Pending], ApprovalDecision] | BaseException


class Answers:
    """Gives these answers in order, one a question; the last one for all that follow.

    An answer may be a function of the question, or an exception to raise. `asked` holds the
    questions in the order they came, `batches` the way they were grouped.
    """

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.batches: list[list[Pending]] = []

    @property
    def asked(self) -> list[Pending]:
        """Every question so far."""
        return [pending for batch in self.batches for pending in batch]

    async def decide(self, batch: Sequence[Pending], /) -> Mapping[PendingId, ApprovalDecision]:
        """An answer for each question, from the script."""
        self.batches.append(list(batch))
        return {pending.id: self._next(pending) for pending in batch}

    def _next(self, pending: Pending) -> ApprovalDecision:
        if not self._answers:
            message = f"no answer is scripted for {pending.request.description}"
            raise LookupError(message)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, BaseException):
            raise answer
        return answer(pending) if callable(answer) else answer
