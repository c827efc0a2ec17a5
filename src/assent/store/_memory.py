"""What every call looks up: kept in memory, forgotten when another process writes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from time import monotonic
from typing import TypeVar

from assent.model import ApprovalRequest, Grant, Pending, RunHistory, ToolCall, operation, wider_operation

FRESH_SECONDS = 0.05
_KEPT = 4096
_WORTH_IT = 8
"""After so many runs without a history, all runs that have one are looked up at once."""
_MOST_RUNS = 10_000
_NOTHING = RunHistory(calls={})

T = TypeVar("T")
LoadRuns = Callable[[int, int], tuple[int, set[str]]]
"""Up to where questions were read before, and how many runs at most; up to where they are now, and their runs."""


class Remembered:
    """Grants and run histories, at most 50 ms behind another process; what is written here is told at once."""

    def __init__(
        self,
        *,
        version: Callable[[], object] | None,
        load_grants: Callable[[str], Iterable[Grant]],
        load_wider: Callable[[], frozenset[str]],
        load_history: Callable[[str], tuple[RunHistory, bool]],
        load_runs: LoadRuns,
        refuse_fork: Callable[[], None],
    ) -> None:
        self._version = version
        # Before every lock: in a fork, nobody would ever let go of one that another thread held.
        self._refuse_fork = refuse_fork
        self._load_grants = load_grants
        self._load_wider = load_wider
        self._load_history = load_history
        self._runs = _Runs(load_runs)
        self._seen: object = None
        # Held while something is loaded and while all is forgotten: a revoked grant that was
        # being read meanwhile must not be kept.
        self._lock = threading.Lock()
        self._grants: dict[str, list[Grant]] = {}
        self._wider: frozenset[str] | None = None
        self._histories: dict[str, RunHistory] = {}
        self._granted: set[str] = set()
        self._fresh_until = 0.0 if version else float("inf")

    def add(self, pendings: Iterable[Pending]) -> None:
        """Questions were put on the desk: the histories that are known grow."""
        with self._lock:
            for pending in pendings:
                self._runs.add(pending.call.run)
                known = self._histories.get(pending.call.run)
                if known is not None:
                    calls = {**known.calls, pending.call.id: pending.id}
                    self._histories[pending.call.run] = RunHistory(calls=calls, stopped=known.stopped)

    def forget(self, run: str | None = None) -> None:
        """Something changed, be it in one run only: read again at the next look-up."""
        with self._lock:
            if run is not None:
                self._histories.pop(run, None)
                return
            self._grants = {}
            self._wider = None
            self._histories = {}
            self._granted = set()
            self._runs.look_again()

    def history(self, run: str, /) -> RunHistory:
        """Which calls of the run were asked about."""
        if monotonic() > self._fresh_until:
            self._refresh()
        return self._histories.get(run) or self._read_history(run)

    def is_untouched(self, run: str) -> bool:
        """Whether nobody was asked in the run, and nothing is remembered for it alone."""
        return not self.history(run).calls and run not in self._granted

    def grant(self, call: ToolCall, request: ApprovalRequest, at: float, /) -> Grant | None:
        """The remembered answer that covers the call; a refusal before a grant, what counts last."""
        if monotonic() > self._fresh_until:
            self._refresh()
        exact = self._first(call, operation(call, request), at)
        if not request.wider:
            return exact
        names = self._read_wider() if self._wider is None else self._wider
        # Most of what a call belongs to was never granted: its name tells so before its text is made.
        wider = (self._first(call, wider_operation(each), at) for each in request.wider if each.name in names)
        return min(filter(None, (exact, *wider)), key=_first_to_use, default=None)

    def _first(self, call: ToolCall, operation: str, at: float) -> Grant | None:
        known = self._grants.get(operation)
        for grant in self._read_grants(operation) if known is None else known:
            if grant.holds_for(call, at):
                return grant
        return None

    def _read_wider(self) -> frozenset[str]:
        self._refuse_fork()
        with self._lock:
            self._wider = names = self._load_wider()
            return names

    def _read_history(self, run: str) -> RunHistory:
        self._refuse_fork()
        with self._lock:
            if self._runs.lack(run):
                return _keep(self._histories, run, _NOTHING)
            history, granted = self._load_history(run)
            if granted:
                self._granted.add(run)
            return _keep(self._histories, run, history)

    def _read_grants(self, operation: str) -> list[Grant]:
        self._refuse_fork()
        with self._lock:
            return _keep(self._grants, operation, sorted(self._load_grants(operation), key=_first_to_use))

    def _refresh(self) -> None:
        if self._version is not None:
            if (version := self._version()) != self._seen:
                self._seen = version
                self.forget()
            self._fresh_until = monotonic() + FRESH_SECONDS


class _Runs:
    """Every run with a history: most runs are new, and need not be looked up one by one."""

    def __init__(self, load: LoadRuns) -> None:
        self._load = load
        self._known: set[str] = set()
        self._seen = 0
        self._current = False
        self._in_vain = 0

    def add(self, run: str) -> None:
        """The run has a history now."""
        if len(self._known) <= _MOST_RUNS:
            self._known.add(run)

    def look_again(self) -> None:
        """Others may have written: those that are known stay, and more may have come."""
        self._current = False
        self._in_vain = 0

    def lack(self, run: str) -> bool:
        """Whether the run surely has none; False, if it must be looked up."""
        if run in self._known or len(self._known) > _MOST_RUNS:
            return False
        if not self._current:
            # For a few runs it is not worth it.
            self._in_vain += 1
            if self._in_vain <= _WORTH_IT:
                return False
            self._seen, more = self._load(self._seen, _MOST_RUNS)
            self._known |= more
            self._current = True
        return run not in self._known and len(self._known) <= _MOST_RUNS


def _first_to_use(grant: Grant) -> tuple[bool, bool]:
    """The strictest first; and what counts is spared where something else covers the call too."""
    return grant.allow, grant.calls is not None


def _keep(kept: dict[str, T], key: str, value: T) -> T:
    if len(kept) >= _KEPT:
        kept.clear()
    kept[key] = value
    return value
