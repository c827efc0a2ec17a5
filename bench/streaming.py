"""Streaming: the output of `run_command` against a plain pipe, read in a loop and thrown away.

A call is measured whole: judged, started behind bubblewrap, read, and cut; beyond the limit all of it
is kept in a file, which the plain pipe does not do. Beside it stands the least that keeping it could
cost: the same loop that writes what it reads to a file. What is kept is removed outside of the time.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import cast

from assent import Gate, ToolCall
from assent.config import Sandbox, SandboxPath, Settings, Shell, ShellDefault
from assent.os_sandbox import Bubblewrap
from assent.runtime import execute
from assent.testing import memory_store
from assent.tools.command import CommandTool, Stream
from bench._rounds import Measure, interleave, times
from bench._table import NO_TARGET, Table, at_least

_ROUNDS = 11
_CHUNK = 65_536
_TARGET = 0.5
_SHAPES: Mapping[str, str] = {
    "300 MB in large pieces": "head -c 300000000 /dev/zero",
    "300 MB of lines": "seq 1 34000000",
    "200,000 writes of 100 bytes": "dd if=/dev/zero bs=100 count=200000 status=none",
}
_PLAIN = "plain pipe"
_TO_A_FILE = "plain pipe, written to a file"
_OURS = "`run_command`"
_HEARD = "`run_command`, with a listener"
_SEPARATE = "`run_command`, output and errors separate"
_OURS_ALL = frozenset({_OURS, _HEARD, _SEPARATE})


def measure() -> Table:
    missing = Bubblewrap().probe()
    assert missing is None, str(missing)
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner() as runner:
        rows = [row for shape in _SHAPES for row in _rows(shape, _measured(shape, Path(folder).resolve(), runner))]
    return Table(
        title="Streaming",
        about=(
            f"Median of {_ROUNDS} interleaved rounds; speed as a part of the plain pipe's within each round. "
            "Everything beyond 100 kB is kept in a file."
        ),
        columns=("output", "how", "MB/s", "of one that keeps it", "of a plain pipe", "target", "met"),
        rows=rows,
    )


def _measured(shape: str, folder: Path, runner: asyncio.Runner) -> dict[str, list[float]]:
    command = _SHAPES[shape]
    root = folder / "root"
    root.mkdir(exist_ok=True)
    return interleave(
        {
            _PLAIN: lambda: _plainly(command),
            _TO_A_FILE: lambda: _to_a_file(command, folder / "copy"),
            _OURS: _ours(command, runner, _tool(root)),
            _HEARD: _ours(command, runner, _tool(root, heard=True)),
            _SEPARATE: _ours(command, runner, _tool(root, separate=True)),
        },
        rounds=_ROUNDS,
    )


def _rows(shape: str, rounds: Mapping[str, list[float]]) -> list[tuple[str, ...]]:
    size = _size(_SHAPES[shape])
    rows: list[tuple[str, ...]] = []
    for name, seconds in rounds.items():
        speed, beside = median(times(rounds, _PLAIN, name)), median(times(rounds, _TO_A_FILE, name))
        target = at_least(_TARGET, speed, "×") if name in _OURS_ALL else NO_TARGET
        rows.append((shape, name, f"{size / median(seconds) / 1e6:.0f}", f"{beside:.2f}×", f"{speed:.2f}×", *target))
    return rows


def _size(command: str) -> int:
    with subprocess.Popen(command.split(), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        return sum(len(chunk) for chunk in iter(partial(process.stdout.read, _CHUNK), b""))


def _plainly(command: str) -> float:
    before = time.perf_counter()
    with subprocess.Popen(command.split(), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        while os.read(process.stdout.fileno(), _CHUNK):
            pass
    return time.perf_counter() - before


def _to_a_file(command: str, copy: Path) -> float:
    before = time.perf_counter()
    with subprocess.Popen(command.split(), stdout=subprocess.PIPE) as process, copy.open("wb", buffering=0) as file:
        assert process.stdout is not None
        while chunk := os.read(process.stdout.fileno(), _CHUNK):
            file.write(chunk)
    taken = time.perf_counter() - before
    copy.unlink()
    return taken


def _tool(root: Path, *, heard: bool = False, separate: bool = False) -> CommandTool:
    settings = Settings(
        sandbox=Sandbox(paths={"work": SandboxPath(root=root, mode="rw")}),
        shell=Shell(default=ShellDefault(approval=False)),
        store=root.parent / "state" / "assent.db",
    )
    return CommandTool.from_settings(settings, cwd=root, on_output=_hear if heard else None, separate=separate)


def _hear(_call: ToolCall, _text: str, _stream: Stream) -> None:
    """Who listens gets the text, and here does nothing with it."""


def _ours(command: str, runner: asyncio.Runner, tool: CommandTool) -> Measure:
    gate = Gate(store=memory_store())
    ids = count()

    def measured() -> float:
        call = ToolCall(run="bench", id=str(next(ids)), tool_name=tool.name, args={"command": command})
        before = time.perf_counter()
        result = runner.run(execute(call, tool, gate))
        taken = time.perf_counter() - before
        told = cast("dict[str, object]", result)
        assert told["exit_code"] == 0, told
        Path(str(told.get("full_output") or told["full_stdout"])).unlink()
        return taken

    return measured
