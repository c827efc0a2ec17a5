"""The demo's first and last words."""
# ruff: noqa: T201 (a command speaks by printing)

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from assent.cli.demo._story import WIDTH, Reply
from assent.gate import Mode
from assent.ui import visible

_OPENING = """\
assent demo: a scripted agent meets a real gate
{line}
The agent puts a few notes right: real files, in a folder that is removed at the
end. No model, no network. It works in
  {folder}
    notes/      may be read; every change asks
    handbook/   may be read, never written
    private/    does not exist for the agent
A command runs behind the operating system's sandbox, which follows from the
same three lines; where there is none, it does not run.
Every call passes the gate, which answers:
  allow   it runs at once
  ask     you see exactly what would happen, and decide
  deny    it never runs, whatever anybody says

{mode}"""
_MODES: Final[dict[Mode, str]] = {
    "interactive": """\
You are asked in this terminal. Worth a try: reject the news with a reason (n);
approve the e-mail for the session (s); change the plan in another window while
you are asked about it, and then approve.""",
    "approve_all": """\
Mode approve-all: what would ask is approved, unseen. For trusted work only.
What the policy denies stays denied.""",
    "strict": "Mode strict: nobody is asked, and what would ask is denied.",
}
_UNATTENDED = """\
There is no terminal to ask at, so this run is strict: what would ask is denied.
Start it in a terminal to decide yourself, or choose --approve-all or --strict."""
_CLOSING = """
All of this is in the gate's journal: {count} entries, and its hash chain is whole.

Next:
  {command} demo --strict    the same run with nobody to ask
  {command} doctor           every way out of that sandbox, tried
  {command} config show      the settings in force

  gate = Gate(approver=TerminalApprover())             # in your own code:
  send_email = gate.wrap(send_email)                   # asks, then runs
  tools = file_tools(FileSandbox.at("notes"))          # the tools you just saw
  Session(gate, tools).call_sync("read_file", {{"path": "plan.md"}})"""


def opening(folder: Path, mode: Mode, *, unattended: bool, plain: bool) -> None:
    """What this is, where it happens, and who decides."""
    who = _UNATTENDED if unattended else _MODES[mode]
    print(_OPENING.format(line="" if plain else "─" * WIDTH, folder=folder, mode=who))


def summary(replies: Sequence[Reply], files: Iterable[tuple[str, str]], *, stopped: bool, plain: bool) -> None:
    """Every call, its answer and why; and what became of every file."""
    print(f"\n{'Summary' if plain else ' Summary '.center(WIDTH, '─')}\n{_table(replies)}")
    if stopped:
        print("\nStopped: you ended the run, so nothing after that was even tried.")
    print("\nThe files, before they are removed:")
    for name, fate in files:
        print(f"  {visible(name, keep=''):<24}{fate}")


def closing(count: int, *, unattended: bool) -> None:
    """That the record holds, and where to go from here."""
    print(_CLOSING.format(count=count, command=_command()))
    if unattended:
        print("\nThere was no terminal to ask at: what would ask was denied (exit code 3).")


def _command() -> str:
    """How this program is started here: it may not be on the path."""
    if shutil.which("assent"):
        return "assent"
    started = Path(sys.argv[0])
    return "python -m assent" if started.name == "__main__.py" else os.path.relpath(started)


def interrupted() -> None:
    """The last word after Ctrl-C."""
    print("\n\nInterrupted: the open question is closed, and nothing more was approved.")


def _table(replies: Sequence[Reply]) -> str:
    rows = [("call", "answer", "why"), *((each.answer.call, each.answer.name, _why(each)) for each in replies)]
    call, answer = (max(len(row[column]) for row in rows) + 2 for column in (0, 1))
    return "\n".join(line for row in rows for line in _lines(row, call, answer))


def _why(reply: Reply) -> str:
    """In a table, a limit's code says it all; and what was approved may still have failed."""
    if reply.is_limit:
        return reply.error
    if reply.blocked:
        return "but blocked by the OS"
    failed = reply.error and not reply.answer.refused
    return f"{reply.answer.why}; but {reply.error}" if failed else reply.answer.why


def _lines(row: tuple[str, str, str], call: int, answer: int) -> Iterator[str]:
    """A row of the table; the last column takes as many lines as it needs."""
    first, *rest = textwrap.wrap(visible(row[2], keep=""), WIDTH - call - answer)
    yield f"{row[0]:<{call}}{row[1]:<{answer}}{first}"
    yield from (f"{'':<{call + answer}}{line}" for line in rest)
