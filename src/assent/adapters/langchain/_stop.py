"""A person's stop, which ends the run whatever LangChain is told to do about failures."""

from __future__ import annotations

from langgraph.errors import GraphBubbleUp

from assent.errors import Rejected, Stopped


class StoppedRun(Stopped, GraphBubbleUp):
    """What passes through LangChain's retries and error handlers, as LangGraph's own pauses do."""

    @classmethod
    def of(cls, error: Stopped | Rejected) -> StoppedRun:
        """The same person's words."""
        return cls(note=error.note, by=error.by)
