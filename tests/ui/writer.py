"""A program that asks at its terminal before it writes files, for tests: it says how each question ended.

Its arguments: a folder, the seconds a question waits, and for each file its name and the lines that change in it
(`a.txt=2,20`), or how many lines a new one has (`b.txt:150`). Where the folder has a file `lee`, somebody else
answers as soon as there is a question.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from pathlib import Path

from assent.config import SandboxPath
from assent.errors import AssentError
from assent.gate import Gate
from assent.model import Approve, ToolCall
from assent.runtime import execute
from assent.store import SQLiteStore
from assent.tools.files import FileSandbox, file_tools
from assent.ui import TerminalApprover

LINES = [f"line {number}" for number in range(1, 41)]


def content_of(wanted: str) -> tuple[str, str]:
    """The name of a file and what is to be in it."""
    name, changes, numbers = wanted.partition("=")
    if not changes:
        name, _, count = wanted.partition(":")
        return name, "".join(f"new line {number}\n" for number in range(1, int(count) + 1))
    changed = {int(number) for number in numbers.split(",")}
    return name, "".join(f"{line}{' changed' if at in changed else ''}\n" for at, line in enumerate(LINES, 1))


async def write(gate: Gate, folder: Path, wanted: list[str]) -> None:
    """Ask about all of them at once."""
    with FileSandbox({"work": SandboxPath(root=folder, mode="rw")}) as sandbox:
        (tool,) = (each for each in file_tools(sandbox) if each.name == "write_file")

        async def one(name: str, content: str) -> None:
            args = {"path": f"work/{name}", "content": content}
            call = ToolCall(run="run", id=name, tool_name=tool.name, args=args, group_id="all", agents=("lead",))
            try:
                await execute(call, tool, gate)
                print(f"{name}: written", flush=True)  # noqa: T201 (what it is for)
            except AssentError as error:
                print(f"{name}: {error.code}: {error}", flush=True)  # noqa: T201

        await asyncio.gather(*(one(*content_of(each)) for each in wanted))


def answer_elsewhere(gate: Gate, store: SQLiteStore, sign: Path) -> None:
    """Be somebody else, who answers as soon as the sign is there."""
    while not sign.exists() or not store.desk():
        time.sleep(0.02)
    gate.answer(store.desk()[0].id, Approve(by="lee"))


def main() -> None:
    """Ask, and say what came of it."""
    folder, seconds, wanted = Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
    store = SQLiteStore(":memory:")
    gate = Gate(approver=TerminalApprover(by="kim", where="the record"), store=store, timeout=seconds)
    threading.Thread(target=answer_elsewhere, args=(gate, store, folder / "lee"), daemon=True).start()
    try:
        asyncio.run(write(gate, folder, wanted))
    except KeyboardInterrupt:
        print("interrupted", flush=True)  # noqa: T201
        sys.exit(130)
    finally:
        store.close()


if __name__ == "__main__":
    main()
