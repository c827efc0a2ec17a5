"""A file that is read for somebody else: the same approval, with the receiver in the question."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from assent.model import (
    ApprovalRequest,
    Permit,
    Presentation,
    Preview,
    Previews,
    ReadPresentation,
    Tool,
    ToolCall,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Attachment:
    """The reading tool for a file that the receiver will see."""

    inner: Tool
    receiver: str

    @property
    def name(self) -> str:
        """What the model calls it."""
        return self.inner.name

    def check_approval(self, call: ToolCall, /) -> Verdict | None:
        """As the reading tool says."""
        verdict = self.inner.check_approval(call)
        if not isinstance(verdict, ApprovalRequest):
            return verdict
        return ApprovalRequest(
            description=self._line(verdict.description),
            fingerprint=verdict.fingerprint,
            reason=verdict.reason,
            covers=verdict.covers,
            wider=verdict.wider,
        )

    async def preview(self, call: ToolCall, /) -> Preview:
        """What the reading tool shows, and to whom it goes."""
        preview = await cast("Previews", self.inner).preview(call)
        shown = preview.presentation
        if isinstance(shown, (Presentation, ReadPresentation)):
            return replace(preview, presentation=replace(shown, description=self._line(shown.description)))
        return preview

    async def run(self, permit: Permit, /) -> object:
        """Read it."""
        return await self.inner.run(permit)

    def _line(self, line: str) -> str:
        return f"{line}, to hand it to {self.receiver}"
