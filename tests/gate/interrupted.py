"""A program that interrupts `run_sync` at every moment in which Python looks for signals; it fails if anybody hangs."""

from __future__ import annotations

import asyncio
import sys
import threading
from itertools import count
from types import FrameType

from assent.gate import run_sync


class Attempt(threading.Thread):
    """Runs some steps, and is interrupted once: as a function begins, or behind something that is called in C."""

    def __init__(self, at: int) -> None:
        super().__init__(daemon=True)
        self.ended: list[str] = []
        self.left = at

    def run(self) -> None:
        async def steps() -> None:
            try:
                await asyncio.sleep(0.001)
            finally:
                self.ended.append("steps")

        sys.setprofile(self._interrupt)
        try:
            run_sync(steps())
            self.ended.append("caller")
        except (KeyboardInterrupt, RuntimeError):  # Python's own locks make the latter of it, here and there
            self.ended.append("interrupted caller")
        finally:
            sys.setprofile(None)

    def _interrupt(self, _frame: FrameType, event: str, _arg: object) -> None:
        self.left -= event in ("call", "c_return")
        if self.left == 0:
            sys.setprofile(None)
            raise KeyboardInterrupt


def main() -> None:
    for at in count(1):
        attempt = Attempt(at)
        attempt.start()
        attempt.join(20)
        if attempt.is_alive():
            sys.exit(f"interrupted at moment {at}, it waits for ever")
        if attempt.ended[-1] == "steps":
            sys.exit(f"interrupted at moment {at}, the caller left before its steps")
        if attempt.left > 0:
            sys.stdout.write(f"interrupted at {at - 1} moments")
            return


if __name__ == "__main__":
    main()
