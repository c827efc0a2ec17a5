"""`assent demo`: a scripted agent, real files, and one real gate between them."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from assent.cli.demo import _report as report
from assent.cli.demo._agent import work
from assent.cli.demo._files import fill, sandbox_in, what_became_of
from assent.cli.demo._mail import send_email
from assent.cli.demo._story import Story
from assent.errors import Stopped, StoreFailed
from assent.gate import Gate, Mode
from assent.runtime import Session
from assent.store import SQLiteStore
from assent.tools.files import file_tools
from assent.ui import TerminalApprover

__all__ = ["demo"]

NOBODY_TO_ASK = 3


def demo(mode: Mode) -> int:
    """Play the demo in a folder of its own; the number returned is the exit code."""
    unattended = mode == "interactive" and not TerminalApprover.is_possible()
    with tempfile.TemporaryDirectory(prefix="assent-demo-") as folder:
        fill(Path(folder))
        report.opening(Path(folder), mode, unattended=unattended)
        try:
            _play(Path(folder), "strict" if unattended else mode, unattended=unattended)
        except KeyboardInterrupt:
            report.interrupted()
            raise
    return NOBODY_TO_ASK if unattended else 0


def _play(folder: Path, mode: Mode, *, unattended: bool) -> None:
    # In memory: nothing of the demo is left behind.
    store = SQLiteStore(":memory:")
    try:
        gate = Gate(approver=TerminalApprover() if mode == "interactive" else None, store=store, mode=mode)
        with sandbox_in(folder) as sandbox, Session(gate, [*file_tools(sandbox), send_email]) as session:
            story = Story(session)
            stopped = asyncio.run(_stopped_early(story))
        report.summary(story.replies, what_became_of(folder), stopped=stopped)
        broken = store.verify()
        if broken is not None:
            message = f"the journal is not what was written, from entry {broken.seq} on: {broken.reason}"
            raise StoreFailed(message)
        report.closing(sum(1 for _ in store.journal()), unattended=unattended)
    finally:
        store.close()


async def _stopped_early(story: Story) -> bool:
    try:
        await work(story)
    except Stopped:
        return True
    return False
