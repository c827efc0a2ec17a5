"""Synchronous code that leaves, by any exception, leaves nothing running behind it."""

import asyncio
import gc
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from assent import Approve, Gate, Pending, Permit, SQLiteStore
from assent.gate import run_sync
from assent.model import EffectState, Outcome, Ruling, pending_id
from assent.testing import Answers, memory_store
from tests.gate.kit import Recorder, asking, call


def left_running() -> list[threading.Thread]:
    """Which inner loops do not end by themselves."""
    inner = [thread for thread in threading.enumerate() if thread.name == "assent-sync"]
    for thread in inner:
        thread.join(timeout=5)
    return [thread for thread in inner if thread.is_alive()]


@pytest.fixture(autouse=True)
def nothing_is_collected() -> Iterator[None]:
    """What a signal raises while Python collects garbage, and somebody looks on, is lost: nobody could tell its caller."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def interrupted() -> Iterator[list[type[BaseException]]]:
    """What a signal raises in the main thread, as Ctrl-C does."""
    raised: list[type[BaseException]] = []

    def interrupt(_number: int, _frame: object) -> None:
        raise raised[-1]

    before = signal.signal(signal.SIGUSR1, interrupt)
    yield raised
    signal.signal(signal.SIGUSR1, before)


async def interrupt_until_it_is_noticed() -> None:
    """Interrupt the main thread; Python may miss a signal that comes just as a thread begins to wait."""
    while True:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)
        await asyncio.sleep(5)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, TimeoutError])
def test_whoever_is_interrupted_while_steps_run_takes_them_along(
    interrupted: list[type[BaseException]], kind: type[BaseException]
) -> None:
    interrupted.append(kind)
    ended: list[str] = []

    async def steps() -> None:
        try:
            await interrupt_until_it_is_noticed()
        except asyncio.CancelledError:
            await asyncio.sleep(0)  # what the steps must still do, they do
            ended.append("cancelled")
            raise

    times = 20  # the interrupt comes while the thread starts, or later
    for _ in range(times):
        with pytest.raises(kind):
            run_sync(steps())
    assert ended == ["cancelled"] * times
    assert left_running() == []


def test_a_keyboard_interrupt_takes_the_question_back(interrupted: list[type[BaseException]]) -> None:
    interrupted.append(KeyboardInterrupt)

    class Interrupts:
        async def decide(self, _batch: object, /) -> dict[object, object]:
            await interrupt_until_it_is_noticed()
            return {}

    store = memory_store()
    tool = Recorder(asking())
    gate = Gate(approver=Interrupts(), store=store)  # type: ignore[arg-type]
    with pytest.raises(KeyboardInterrupt):
        gate.admit_sync(call(), tool)
    ruling = store.ruling(pending_id(call()))
    assert ruling is not None
    assert (ruling.outcome, ruling.by) == (Outcome.CANCELLED, "caller")
    assert tool.ran == []
    assert left_running() == []


class Program(Answers):
    def at_once(self, _pending: Pending, /) -> Approve:
        return Approve()


class TooLate(SQLiteStore):
    """Whoever waits is interrupted while the start is written, too late to stop it."""

    def __init__(self) -> None:
        super().__init__()
        self.noticed = threading.Event()
        self.before = signal.signal(signal.SIGUSR1, self._interrupt)

    def _interrupt(self, _number: int, _frame: object) -> None:
        self.noticed.set()
        raise KeyboardInterrupt

    def start_at_once(self, pending: Pending, ruling: Ruling, /, *, permit: Permit) -> bool:
        self.noticed.clear()
        while not self.noticed.is_set():
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)
            self.noticed.wait(5)
        return super().start_at_once(pending, ruling, permit=permit)


def test_an_interrupt_leaves_no_call_that_has_started_and_does_not_run() -> None:
    store, tool = TooLate(), Recorder(asking())
    gate = Gate(approver=Program(), store=store)
    try:
        with pytest.raises(KeyboardInterrupt):
            gate.admit_sync(call(), tool, starts=True)
        with pytest.raises(KeyboardInterrupt):
            gate.wrap(tool.ran.append)({})
    finally:
        signal.signal(signal.SIGUSR1, store.before)
    ends = [(asked.effect.state, asked.effect.detail) for asked in store.recent(9) if asked.effect]
    assert ends == [(EffectState.FAILED, "the caller was interrupted before it ran")] * 2
    assert tool.ran == []
    assert left_running() == []


def test_an_interrupt_at_any_moment_leaves_nobody_waiting() -> None:
    # In a program of its own: a thread of Python's that is interrupted as it starts another is never the same again.
    command = [sys.executable, "-m", "tests.gate.interrupted"]
    here = Path(__file__).parents[2]
    program = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False, timeout=100)
    assert program.returncode == 0, program.stderr
    moments = [int(line.split()[1]) for line in program.stdout.splitlines()]
    assert min(moments) > 20, program.stdout


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, ValueError, asyncio.CancelledError])
async def test_what_the_steps_raise_reaches_the_caller_and_not_the_loop_around_it(kind: type[BaseException]) -> None:
    async def steps() -> None:
        raise kind

    with pytest.raises(kind):
        run_sync(steps())
    assert left_running() == []
    await asyncio.sleep(0)


def test_what_the_steps_raised_keeps_nothing_alive() -> None:
    class Large:
        pass

    async def steps() -> None:
        raise ValueError

    def caller() -> weakref.ref[Large]:
        large = Large()
        with suppress(ValueError):
            run_sync(steps())
        return weakref.ref(large)

    assert caller()() is None
