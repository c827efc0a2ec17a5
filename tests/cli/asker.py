"""A program of its own that asks, for tests: it says how each of its questions ended.

Its arguments: the folder of the project, a run, and the files it wants to write.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from assent.config import load_settings
from assent.errors import Refused
from assent.gate import Gate
from assent.model import ToolCall
from assent.tools.files import FileSandbox, file_tools


async def ask(folder: Path, run: str, paths: list[str]) -> None:
    """Ask about all files at once; a line for each answer, as it comes."""
    settings = load_settings(folder / "assent.yaml")
    gate = Gate.from_settings(settings)
    with FileSandbox.from_settings(settings) as sandbox:
        tool = next(each for each in file_tools(sandbox) if each.name == "write_file")

        async def one(path: str) -> None:
            call = ToolCall(run=run, id=path, tool_name=tool.name, args={"path": path, "content": "new\n"})
            try:
                async with gate.spend(await gate.admit(call, tool)) as permit:
                    await tool.run(permit)
                print(f"{path}: written", flush=True)  # noqa: T201 (what it is for)
            except Refused as refused:
                print(f"{path}: {refused.code}", flush=True)  # noqa: T201

        await asyncio.gather(*map(one, paths))


if __name__ == "__main__":
    asyncio.run(ask(Path(sys.argv[1]), sys.argv[2], sys.argv[3:]))
