"""`assent demo`: a scripted agent, real files, and one real gate between them."""

from __future__ import annotations

import asyncio
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Final

from assent.cli.demo import _report as report
from assent.cli.demo._agent import work
from assent.cli.demo._files import fill, settings_in, what_became_of
from assent.cli.demo._mail import send_email
from assent.cli.demo._story import Story
from assent.errors import Stopped, StoreFailed
from assent.gate import Gate, Mode
from assent.runtime import Session
from assent.store import SQLiteStore
from assent.tools.command import CommandTool
from assent.tools.files import FileSandbox, file_tools
from assent.ui import TerminalApprover

__all__ = ["demo", "describe"]

NOBODY_TO_ASK = 3
_DESCRIPTION: Final = """\
A scripted agent corrects notes in a scratch folder: real files, one plain
Python function, and a real gate in front of both. No model, no network.
You are asked at this terminal; without one, what would ask is denied."""
_EPILOG: Final = """\
examples:
  assent demo
  assent demo --strict

exit codes:
  0    it ran to its end, or you stopped it with q
  1    the record could not be kept
  2    the command line is wrong
  3    there was no terminal to ask at, so what would ask was denied
  130  interrupted with Ctrl-C; nothing more was approved"""


def describe(parser: ArgumentParser) -> None:
    """What `assent demo` takes."""
    parser.description, parser.epilog = _DESCRIPTION, _EPILOG
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument(
        "--approve-all",
        dest="mode",
        action="store_const",
        const="approve_all",
        help="approve unseen what would ask: for trusted work only; what policy denies stays denied",
    )
    modes.add_argument(
        "--strict", dest="mode", action="store_const", const="strict", help="never ask: deny what would ask"
    )
    parser.set_defaults(command=_command, mode="interactive")


def _command(options: Namespace) -> int:
    mode: Mode = options.mode
    return demo(mode)


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
        settings = settings_in(folder)
        # The same places for both: the OS sandbox around the command follows from them.
        command = CommandTool.from_settings(settings, cwd=folder / "notes")
        with (
            FileSandbox.from_settings(settings) as sandbox,
            Session(gate, [*file_tools(sandbox), command, send_email]) as session,
        ):
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
