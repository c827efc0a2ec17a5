"""`assent demo`: a scripted agent, real files, and one real gate between them."""

from __future__ import annotations

import asyncio
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Final

from assent.cli._parsing import is_plain, mode_options, plain_option
from assent.cli._printing import print_json
from assent.cli.demo import _report as report
from assent.cli.demo._agent import work
from assent.cli.demo._answers import Answer
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
You are asked at this terminal; without one, or with --strict, what would ask is
denied. Then the last line is a JSON object for programs: "nobody_asked", and
under "denied" the "call" and the "why" of each."""
_EPILOG: Final = """\
examples:
  assent demo
  assent demo --strict
  assent demo --plain

exit codes:
  0    it ran to its end, or you stopped it with q
  1    the record could not be kept
  2    the command line is wrong
  3    nobody was asked (no terminal, or --strict), so what would ask was denied
  130  interrupted with Ctrl-C; nothing more was approved"""


def describe(parser: ArgumentParser) -> None:
    """What `assent demo` takes."""
    parser.description, parser.epilog = _DESCRIPTION, _EPILOG
    mode_options(parser)
    plain_option(parser)
    parser.set_defaults(command=_command, mode="interactive")


def _command(options: Namespace) -> int:
    mode: Mode = options.mode
    return demo(mode, plain=is_plain(options))


def demo(mode: Mode, *, plain: bool = False) -> int:
    """Play the demo in a folder of its own; the number returned is the exit code."""
    unattended = mode == "interactive" and not TerminalApprover.is_possible()
    with tempfile.TemporaryDirectory(prefix="assent-demo-") as folder:
        fill(Path(folder))
        report.opening(Path(folder), mode, unattended=unattended, plain=plain)
        try:
            denied = _play(Path(folder), "strict" if unattended else mode, unattended=unattended, plain=plain)
        except KeyboardInterrupt:
            report.interrupted()
            raise
    if denied:
        print_json({"nobody_asked": True, "denied": [{"call": each.call, "why": each.why} for each in denied]})
    return NOBODY_TO_ASK if denied else 0


def _play(folder: Path, mode: Mode, *, unattended: bool, plain: bool) -> list[Answer]:
    """Play it to its end; what was denied because nobody is asked in this mode."""
    # In memory: nothing of the demo is left behind.
    store = SQLiteStore(":memory:")
    try:
        gate = Gate(approver=TerminalApprover(plain=plain) if mode == "interactive" else None, store=store, mode=mode)
        settings = settings_in(folder)
        # The same places for both: the OS sandbox around the command follows from them.
        command = CommandTool.from_settings(settings, cwd=folder / "notes")
        with (
            FileSandbox.from_settings(settings) as sandbox,
            Session(gate, [*file_tools(sandbox), command, send_email]) as session,
        ):
            story = Story(session)
            stopped = asyncio.run(_stopped_early(story))
        report.summary(story.replies, what_became_of(folder), stopped=stopped, plain=plain)
        broken = store.verify()
        if broken is not None:
            message = f"the journal is not what was written, from entry {broken.seq} on: {broken.reason}"
            raise StoreFailed(message)
        report.closing(sum(1 for _ in store.journal()), unattended=unattended)
        return [each.answer for each in story.replies if each.answer.would_ask]
    finally:
        store.close()


async def _stopped_early(story: Story) -> bool:
    try:
        await work(story)
    except Stopped:
        return True
    return False
