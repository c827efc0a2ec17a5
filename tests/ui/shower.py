"""A program that shows one question after the other at its terminal, for tests: one for each thing that can be shown."""

from __future__ import annotations

import asyncio

from assent.ui import TerminalApprover
from tests.ui.draw.screens import screens


async def show() -> None:
    approver = TerminalApprover()
    for name, pending in screens().items():
        (answer,) = (await approver.decide([pending])).values()
        print(f"{name}: {answer.kind}", flush=True)  # noqa: T201 (what it is for)


if __name__ == "__main__":
    asyncio.run(show())
