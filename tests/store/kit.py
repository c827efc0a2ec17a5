"""Questions, answers and grants in few words, and other processes on the same file."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from os import fstat
from os.path import samestat
from pathlib import Path
from unittest.mock import patch

from assent.model import (
    Answered,
    ApprovalRequest,
    Approve,
    Grant,
    GrantId,
    Outcome,
    Pending,
    Permit,
    Reject,
    Ruling,
    Scope,
    ToolCall,
    arguments_preview,
    pending_id,
    wire,
)
from assent.store import SQLiteStore, _database, _open

ROOT = Path(__file__).resolve().parents[2]
OPERATION = '["write",{}]'
REQUEST = ApprovalRequest(description="the write that OPERATION names", fingerprint={})
NOW = 10.0


def call(call_id: str = "1", *, run: str = "run", agents: tuple[str, ...] = ()) -> ToolCall:
    return ToolCall(run=run, id=call_id, tool_name="write", args={"path": call_id}, agents=agents)


def question(call_id: str = "1", *, run: str = "run", created: float = 1.0, expires: float | None = None) -> Pending:
    wanted = call(call_id, run=run)
    return Pending(
        id=pending_id(wanted),
        call=wanted,
        request=ApprovalRequest(description=f"write {call_id}", fingerprint={}),
        preview=arguments_preview(wanted),
        digest=wanted.digest,
        created=created,
        expires=expires,
    )


def approved(pending: Pending, *, by: str = "ana", at: float = 5.0) -> Ruling:
    return Ruling(pending=pending.id, outcome=Outcome.APPROVED, by=by, at=at, decision=Approve(by=by))


def rejected(pending: Pending, *, by: str = "ben", at: float = 6.0) -> Ruling:
    return Ruling(pending=pending.id, outcome=Outcome.REJECTED, by=by, at=at, decision=Reject(by=by))


def stopped(pending: Pending, *, by: str = "ana", at: float = 5.0) -> Ruling:
    return Ruling(pending=pending.id, outcome=Outcome.STOPPED, by=by, at=at, decision=Reject(stop=True, by=by))


def expired(pending: Pending, *, at: float) -> Ruling:
    return Ruling(pending=pending.id, outcome=Outcome.EXPIRED, by="time", at=at, detail="nobody answered in time")


def grant(
    name: str = "g",
    *,
    allow: bool = True,
    run: str | None = None,
    agents: tuple[str, ...] | None = None,
    expires: float | None = None,
    calls: int | None = None,
) -> Grant:
    return Grant(
        id=GrantId(name),
        operation=OPERATION,
        tool_name="write",
        description="write",
        allow=allow,
        scope=Scope.ALWAYS if run is None else Scope.SESSION,
        run=run,
        agents=agents,
        by="ana",
        at=2.0,
        expires=expires,
        calls=calls,
    )


@contextmanager
def heard(store: SQLiteStore, *, on_sync: Callable[[], object] = lambda: None) -> Generator[list[str]]:
    """What the store does to its file, in order: "commit" and "sync", or "synced commit" where nobody sees it before."""
    done: list[str] = []

    def hear(statement: str) -> None:
        if statement == "COMMIT":
            done.append("synced commit" if store._db._level == "FULL" else "commit")

    def synced(file: _open.Log) -> None:
        _open.sync_file(file)
        on_sync()
        if samestat(fstat(file.fileno()), Path(f"{store._db.path}-wal").stat()):
            done.append("sync")

    store._db._writer.set_trace_callback(hear)
    try:
        with patch.object(_database, "sync_file", synced):
            yield done
    finally:
        store._db._writer.set_trace_callback(None)
    # What SQLite was told is what it understood.
    ((level,),) = store._db._writer.execute("PRAGMA synchronous").fetchall()
    assert level == {"NORMAL": 1, "FULL": 2}[store._db._level]


@contextmanager
def no_threads() -> Generator[None]:
    """The system has no memory for another thread: none can be that large."""
    before = threading.stack_size(2**56)
    try:
        yield
    finally:
        threading.stack_size(before)


def until(condition: Callable[[], object], *, seconds: float = 20.0) -> None:
    """Wait for something another thread or process does; it must come."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.002)


def child(*words: str | Path) -> subprocess.Popen[str]:
    """Another process; `children.py` says what it can do."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.store.children", *map(str, words)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def says(process: subprocess.Popen[str]) -> str:
    """The next line the other process prints."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def tell(process: subprocess.Popen[str], line: str = "go") -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def end(*processes: subprocess.Popen[str]) -> None:
    """Let the processes end by themselves, without an error."""
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0


def raw(path: Path, *statements: str) -> list[tuple[object, ...]]:
    """What somebody does who opens the file without asking us."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        found: list[tuple[object, ...]] = []
        for statement in statements:
            found = connection.execute(statement).fetchall()
        return found


def strictly_read(store: SQLiteStore) -> list[dict[str, object]]:
    """What the journal says, for whoever takes JSON as strictly as pydantic does."""
    return [wire.load(dict[str, object], body) for (body,) in store._db.rows("SELECT body FROM journal ORDER BY seq")]


def permit_for(pending: Pending) -> Permit:
    """What the gate would give for it."""
    return Permit(pending.call, "approved by ana", Answered(pending=pending.id, started=True))
