"""A program that interrupts the gate at every moment in which Python looks for signals; it fails if anybody hangs."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from itertools import count
from types import FrameType

from assent.gate import Gate, run_sync
from assent.model import Approve, Pending
from assent.testing import Answers, memory_store
from tests.gate.kit import Recorder, asking, call


class Interrupted(threading.Thread):
    """Does something, and is interrupted once: as a function begins, or behind something that is called in C."""

    def __init__(self, work: Callable[[], object], at: int) -> None:
        super().__init__(daemon=True)
        self.left = at
        self._work = work

    def run(self) -> None:
        sys.setprofile(self._interrupt)
        try:
            self._work()
        except KeyboardInterrupt:
            pass
        finally:
            sys.setprofile(None)

    def _interrupt(self, _frame: FrameType, event: str, _arg: object) -> None:
        self.left -= event in ("call", "c_return")
        if self.left == 0:
            sys.setprofile(None)
            raise KeyboardInterrupt


def ends(thread: threading.Thread) -> bool:
    thread.start()
    thread.join(20)
    return not thread.is_alive()


def nothing() -> None:
    pass


def waiting_for_steps(at: int) -> bool:
    """Whether it was interrupted; nobody waits for ever, and nobody leaves before what it waits for."""
    running: list[str] = []

    async def steps() -> None:
        running.append("steps")
        try:
            await asyncio.sleep(0.001)
        finally:
            running.pop()

    caller = Interrupted(lambda: run_sync(steps()), at)
    if not ends(caller):
        sys.exit(f"interrupted at moment {at}, it waits for ever")
    if running:
        sys.exit(f"interrupted at moment {at}, the caller left before its steps")
    return caller.left <= 0


def answering(at: int) -> bool:
    """Whether it was interrupted; another question can be asked then."""
    gate = Gate(approver=Answers(Approve()), store=memory_store())
    pending = asyncio.run(gate.judge(call(), Recorder(asking())))
    assert isinstance(pending, Pending)
    person = Interrupted(lambda: gate.answer(pending.id, Approve()), at)
    if not ends(person):
        sys.exit(f"interrupted at moment {at}, the answer is never given")
    if not ends(threading.Thread(target=gate.wrap(nothing), daemon=True)):
        sys.exit(f"an answer was interrupted at moment {at}, and who asks then waits for ever")
    return person.left <= 0


def main() -> None:
    for attempt in (waiting_for_steps, answering):
        moments = next(at for at in count(1) if not attempt(at)) - 1
        sys.stdout.write(f"{attempt.__name__} {moments}\n")


if __name__ == "__main__":
    main()
