"""What other processes do to a store: `python -m tests.store.children what path`."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from math import inf
from pathlib import Path

from assent.errors import StoreFailed
from assent.model import ApprovalRequest, PendingId, Wider
from assent.store import SQLiteStore
from tests.store.kit import NOW, REQUEST, approved, call, question

OTHER = ApprovalRequest(description="another write", fingerprint={"path": "2"})
WIDER = ApprovalRequest(
    description="a write among others", fingerprint={}, wider=[Wider(name="all", description="all", fingerprint={})]
)


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


def is_parent() -> bool:
    """Fork, and wait until the child has ended; a child that hangs is ended."""
    pid = os.fork()
    if pid:
        os.waitpid(pid, 0)
    else:
        signal.alarm(30)
    return bool(pid)


def attempt(*attempts: Callable[[], object]) -> None:
    """Say why each of them fails."""
    for each in attempts:
        try:
            each()
        except StoreFailed as error:
            say(error)
        else:
            say("done")


def fork(path: str) -> None:
    """Use in a forked process what its parent has open."""
    store = SQLiteStore(path)
    store.note("allowed", 1.0, call(), "rule")
    if is_parent():
        store.close()
        return
    attempt(
        lambda: store.note("allowed", 2.0, call("2"), "rule"),
        lambda: store.park([question()]),
        store.desk,
        store.verify,
    )
    store.close()
    sys.exit()


def fork_and_open(path: str) -> None:
    """Open in a forked process, and in one that was forked there, what the first one has open."""
    store = SQLiteStore(path)
    Path(f"{path}-link").symlink_to(path)
    if is_parent():
        store.close()
        return
    del store
    gc.collect()
    attempt(lambda: SQLiteStore(path), lambda: SQLiteStore(f"{path}-link"))
    if not is_parent():
        attempt(lambda: SQLiteStore(path))
    sys.exit()


def close_and_fork(path: str) -> None:
    """Open in a forked process what its parent has closed before."""
    SQLiteStore(path).close()
    if not is_parent():
        attempt(lambda: SQLiteStore(path).park([question()]))


def fork_while_locked(path: str) -> None:
    """Look something up in a forked process while another thread of its parent holds every lock."""
    store = SQLiteStore(path)
    store.remembered(call(), REQUEST, NOW)  # kept from now on: what is wider is looked up next
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with store._memory._lock, store._db._write_lock, store._db._read_lock:
            held.set()
            done.wait()

    threading.Thread(target=hold).start()
    held.wait()
    if is_parent():
        done.set()
        return
    looks: Sequence[Callable[[], object]] = (
        lambda: store.history("run"),
        lambda: store.remembered(call(), OTHER, NOW),
        lambda: store.remembered(call(), WIDER, NOW),
        store.version,
    )
    attempt(*looks)
    store._memory._fresh_until = inf  # as it is for a moment after each look at what others wrote
    attempt(*looks)
    sys.stdout.flush()
    os._exit(0)  # nobody waits for a thread that is not here


if __name__ == "__main__":
    known = [
        *(run_and_hang, append, open_together, read_rulings, note_and_exit),
        *(fork, fork_and_open, close_and_fork, fork_while_locked),
    ]
    {each.__name__: each for each in known}[sys.argv[1]](sys.argv[2])
