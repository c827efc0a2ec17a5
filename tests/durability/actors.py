"""The people and agents of the story, each a process: `python -m tests.durability.actors who folder`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from assent.errors import AlreadyDecided, Refused
from assent.gate import Gate
from assent.model import Approve, Reject
from assent.runtime import execute
from assent.store import SQLiteStore
from tests.durability.effects import AppendLine, wanted


def say(*words: object) -> None:
    print(*words, flush=True)  # noqa: T201 — the test reads it


def agent(folder: Path, line: str) -> None:
    """Makes the call; a question is left on the desk for whoever comes."""
    gate = Gate(store=SQLiteStore(folder / "store.db"), approver=None)
    try:
        say("result", asyncio.run(execute(wanted("1", line), AppendLine(folder / "effects", say), gate)))
    except Refused as refusal:
        say("refused", refusal.code)


def approver(folder: Path, name: str) -> None:
    """Answers every question on the desk, and the one a colleague has answered."""
    store = SQLiteStore(folder / "store.db")
    gate = Gate(store=store)
    for pending in store.desk():
        say("sees", pending.call.id, pending.request.description)
        gate.answer(pending.id, Approve(by=name))
        say("approved")
        try:
            Gate(store=SQLiteStore(folder / "store.db")).answer(pending.id, Reject(by="ben"))
        except AlreadyDecided as lost:
            ruling = store.ruling(pending.id)
            say("ben lost to", lost.by, lost.outcome, ruling is not None and lost.at == ruling.at)


if __name__ == "__main__":
    {"agent": agent, "approver": approver}[sys.argv[1]](Path(sys.argv[2]), sys.argv[3])
