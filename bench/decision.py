"""A person's answer on the record, against the least that is as durable.

`store.decide` checks that the question stands and is not answered, files the answer and chains the
journal's entry, in one transaction that survives the loss of power. The least is one row in one
table with the same promise: SQLite, WAL, `synchronous = FULL`. Both files lie in the same folder and
take turns, write by write.

While SQLite's log (the WAL) still grows, every sync also writes the file's new length, which can
cost as much as the rest; once it has its full size, it does not. The store writes more and gets
there sooner, so a plain race of two new files compares a log that has stopped growing with one
that has not, and flatters the store. Here both grow, or both have stopped.

A write right behind another sync finds processor and disk awake and takes a third less time. So
before each of them, and not timed, a question is put on a desk, which waits for no disk; before the
one row, on the desk of another file.
"""

from __future__ import annotations

import itertools
import sqlite3
import time
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from assent.functions import simple_approval_request
from assent.model import Approve, Outcome, Pending, Ruling, ToolCall, arguments_preview, pending_id
from assent.store import SQLiteStore
from bench._rounds import Measure, Rounds, interleave, quietest, times
from bench._table import NO_TARGET, Table, at_least

_ROUNDS = 400
_GROWING = 50
"""Writes before the files are replaced by new ones; the store's log has its full size after about 100."""
_MOST_WRITES = 5_000
"""SQLite starts its log again after 1,000 pages."""
_BARE = "one row inserted, nothing else"
_DECIDE = "`store.decide`"


def measure() -> Table:
    with TemporaryDirectory() as folder:
        new = [_new_files(Path(folder, f"new-{number}")) for number in range(_ROUNDS // _GROWING)]
        settled = _settled_files(Path(folder, "settled"))
    rows = [*_rows("logs growing", _joined(new)), *_rows("logs at full size", settled)]
    return Table(
        title="A decision",
        about=f"Median of {_ROUNDS} interleaved writes for each pair; the ratio of rates is taken within each round.",
        columns=("write", "files", "ms", "of the bare rate", "quietest", "target", "met"),
        rows=rows,
    )


def _new_files(folder: Path) -> Rounds:
    with _pair(folder) as (insert, decide):
        rounds = interleave({_BARE: insert, _DECIDE: decide}, rounds=_GROWING)
        assert _grows(folder, 0, insert), "the log of one row stopped growing"
        assert _grows(folder, 1, decide), "the store's log stopped growing"
        return rounds


def _settled_files(folder: Path) -> Rounds:
    with _pair(folder) as (insert, decide):
        for which, write in enumerate((insert, decide)):
            _fill(folder, which, write)
        return interleave({_BARE: insert, _DECIDE: decide}, rounds=_ROUNDS)


def _fill(folder: Path, which: int, write: Measure) -> None:
    """Write until the log has its full size; it is never larger than a few thousand writes."""
    for _ in range(_MOST_WRITES):
        if not _grows(folder, which, write):
            return
    message = "the log does not reach the size at which SQLite folds it into the file"
    raise RuntimeError(message)


def _grows(folder: Path, which: int, write: Measure) -> bool:
    before = _log_bytes(folder)[which]
    write()
    return _log_bytes(folder)[which] > before


@contextmanager
def _pair(folder: Path) -> Generator[tuple[Measure, Measure]]:
    folder.mkdir()
    with (
        closing(_bare(folder / "bare.sqlite3")) as bare,
        closing(SQLiteStore(folder / "store.sqlite3")) as store,
        closing(SQLiteStore(folder / "elsewhere.sqlite3")) as elsewhere,
    ):
        yield _inserting(bare, elsewhere), _deciding(store)


def _log_bytes(folder: Path) -> tuple[int, int]:
    bare, store = (folder / f"{name}.sqlite3-wal" for name in ("bare", "store"))
    return bare.stat().st_size, store.stat().st_size


def _joined(parts: Sequence[Rounds]) -> Rounds:
    return {name: [value for part in parts for value in part[name]] for name in (_BARE, _DECIDE)}


def _rows(files: str, rounds: Rounds) -> list[tuple[str, ...]]:
    ratios = times(rounds, _BARE, _DECIDE)
    best = -quietest([-ratio for ratio in ratios])
    bare, decide = (f"{median(rounds[name]) * 1e3:.2f}" for name in (_BARE, _DECIDE))
    shown = (f"{median(ratios):.2f}×", f"{best:.2f}×", *at_least(0.7, median(ratios), "×"))
    return [(_BARE, files, bare, "1", "", *NO_TARGET), (_DECIDE, files, decide, *shown)]


def _bare(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE answers (id INTEGER PRIMARY KEY, by TEXT, at REAL, body TEXT)")
    return connection


def _inserting(connection: sqlite3.Connection, elsewhere: SQLiteStore) -> Measure:
    numbers = itertools.count()

    def insert() -> float:
        ruling = _asked(elsewhere, next(numbers))
        row = (ruling.by, ruling.at, '{"kind":"approve"}')
        before = time.perf_counter()
        connection.execute("INSERT INTO answers (by, at, body) VALUES (?, ?, ?)", row)
        seconds = time.perf_counter() - before
        elsewhere.decide(ruling)
        return seconds

    return insert


def _deciding(store: SQLiteStore) -> Measure:
    numbers = itertools.count()

    def decide() -> float:
        ruling = _asked(store, next(numbers))
        before = time.perf_counter()
        store.decide(ruling)
        seconds = time.perf_counter() - before
        assert store.ruling(ruling.pending) == ruling
        return seconds

    return decide


def _asked(store: SQLiteStore, number: int) -> Ruling:
    """An answer to a question that was put on the desk just now."""
    pending = _question(number)
    store.park([pending])
    return Ruling(pending=pending.id, outcome=Outcome.APPROVED, by="ada", at=time.time(), decision=Approve(by="ada"))


def _question(number: int) -> Pending:
    # A run of its own for every ten questions: the runs of people are short.
    args = {"path": "work/notes.txt", "line": number, "keep": True}
    call = ToolCall(run=f"run-{number // 10}", id=f"call-{number}", tool_name="edit", args=args)
    now = time.time()
    return Pending(
        id=pending_id(call),
        call=call,
        request=simple_approval_request("edit", args),
        preview=arguments_preview(call),
        digest=call.digest,
        created=now,
        expires=now + 300,
    )
