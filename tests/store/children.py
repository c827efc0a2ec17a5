"""What other processes do to a store: `python -m tests.store.children what path`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from assent.errors import StoreFailed
from assent.model import PendingId
from assent.store import SQLiteStore
from tests.store.kit import approved, call, question


def say(*words: object) -> None:
    print(*words, flush=True)  # noqa: T201 — the test reads it


def run_and_hang(path: str) -> None:
    """Start an approved effect, and never end."""
    store = SQLiteStore(path)
    pending = question()
    store.park([pending])
    store.decide(approved(pending))
    store.start(pending.id, 7.0)
    say("started")
    sys.stdin.read()


def append(path: str) -> None:
    """Write many entries, queued and at once, when told to."""
    store = SQLiteStore(path)
    say("ready")
    name = sys.stdin.readline().strip()
    for number in range(40):
        store.note("allowed", float(number), call(f"{name}{number}", run=name), "rule")
        if number % 4 == 0:
            store.park([question(f"{name}{number}", run=name)])
    store.close()


def open_together(path: str) -> None:
    """Open new files as soon as the parent has named them."""
    say("ready")
    for line in sys.stdin:
        store = SQLiteStore(f"{path}/{line.strip()}/store.db")
        store.park([question(str(os.getpid()))])
        store.close()
        say("opened")


def read_rulings(path: str) -> None:
    """Say how each question ended that the parent names."""
    store = SQLiteStore(path)
    say("ready")
    for line in sys.stdin:
        ruling = store.ruling(PendingId(line.strip()))
        say("it waits" if ruling is None else f"{ruling.outcome.value} by {ruling.by}")
    store.close()


def note_and_exit(path: str) -> None:
    """The end of an ordinary program, which closes nothing."""
    SQLiteStore(path).note("allowed", 1.0, call(), "rule")


def fork(path: str) -> None:
    """Use in a forked process what its parent opened."""
    store = SQLiteStore(path)
    store.note("allowed", 1.0, call(), "rule")
    attempts: list[Callable[[], object]] = [
        lambda: store.note("allowed", 2.0, call("2"), "rule"),
        lambda: store.park([question()]),
        store.desk,
        store.verify,
    ]
    pid = os.fork()
    if pid:
        os.waitpid(pid, 0)
        store.close()
        return
    for attempt in attempts:
        try:
            attempt()
        except StoreFailed as error:
            say(error)
    store.close()
    with_its_own = SQLiteStore(path)
    with_its_own.note("allowed", 3.0, call("3"), "rule")
    sys.exit()


if __name__ == "__main__":
    known = [run_and_hang, append, open_together, read_rulings, note_and_exit, fork]
    {each.__name__: each for each in known}[sys.argv[1]](sys.argv[2])
