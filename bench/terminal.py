"""How soon a question is on the screen, and what a thousand remembered patterns cost.

The program that asks is a process of its own with a terminal of its own: it says when it wanted the
call and when it asked, and the screen is read here until the keys are on it (or, where the pager opens
by itself, the pager's own line). Both clocks are the system's. What is "loaded" has drawn a question
before, and so has every module and every lexer it needs; where it is not, loading them is in the time.

A remembered pattern is found by what a call belongs to, not by trying every pattern: a file's request
names the folders and suffixes around it, and each is looked up. The grants are given as people give
them, each for the folder of another file, into a store on disk.
"""

from __future__ import annotations

import os
import pty
import struct
import subprocess
import sys
import termios
import time
from contextlib import closing
from dataclasses import dataclass, field
from fcntl import ioctl
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from assent.config import SandboxPath
from assent.gate import grant_from
from assent.model import ApprovalRequest, Approve, Scope, ToolCall
from assent.store import SQLiteStore
from assent.tools.files import FileSandbox, file_tools
from bench._rounds import Measure, interleave, quietest
from bench._table import NO_TARGET, Table, at_most

_ROUNDS = 15
_LINES = 20_000
"""Of the diff: of three lines of the file, one is as it was and two are changed."""
_COLUMNS, _ROWS = 120, 40
_GRANTS = 1_000
_CALLS = 2_000
_KEYS, _PAGER = b"[q] Stop the run", b"q = back to the question"
_PROGRAM = """
import asyncio, fcntl, os, sys, termios, time
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from pathlib import Path
from assent.config import SandboxPath
from assent.gate import Gate
from assent.model import Reject, ToolCall
from assent.store import SQLiteStore
from assent.tools.files import FileSandbox, file_tools

report, folder, name, content, loaded = int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4], sys.argv[5]

async def main():
    store = SQLiteStore(":memory:")
    with FileSandbox({"work": SandboxPath(root=folder, mode="rw")}) as sandbox:
        (tool,) = (each for each in file_tools(sandbox) if each.name == "write_file")
        def call(id):
            args = {"path": f"work/{name}", "content": Path(content).read_text()}
            return ToolCall(run=id, id=id, tool_name=tool.name, args=args)
        desk = Gate(store=store)
        if loaded == "loaded":
            from assent.ui import TerminalApprover
            from assent.ui.draw import Look, question
            first = await desk.judge(call("before"), tool)
            question(first, Look(width=120, height=40, colours="true"))
            desk.answer(first.id, Reject(by="nobody"))
        wanted = call("now")
        judged_at = time.monotonic()
        pending = await desk.judge(wanted, tool)
        asked_at = time.monotonic()
        from assent.ui import TerminalApprover
        os.write(report, f"{judged_at} {asked_at}".encode())
        os.close(report)
        await Gate(approver=TerminalApprover(), store=store).ask(pending)

asyncio.run(main())
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A question, and what shows that it is on the screen."""

    name: str
    content: Path
    """What the file of the same name in the folder is to hold."""
    loaded: bool
    mark: bytes
    limit: float
    whole: list[float] = field(default_factory=list[float])
    """What the request took, judging and drawing the diff included."""


def measure() -> Table:
    with TemporaryDirectory() as folder:
        rows = [*_prompts(Path(folder)), *_lookups(Path(folder))]
    return Table(
        title="The terminal",
        about=f"Median of {_ROUNDS} interleaved rounds; prompts in fresh processes, {_COLUMNS}×{_ROWS}, in colour.",
        columns=("what", "from", "median", "quietest", "target", "met"),
        rows=rows,
    )


# A question on the screen


def _prompts(folder: Path) -> list[tuple[str, ...]]:
    cases = _cases(folder)
    rounds = interleave({case.name: _asking(case, folder / "work") for case in cases}, rounds=_ROUNDS)
    rows: list[tuple[str, ...]] = []
    for case in cases:
        for start, seconds in (("`Gate.ask`", rounds[case.name]), ("`Gate.judge`", case.whole[-_ROUNDS:])):
            found = [each * 1e3 for each in seconds]
            shown = f"{median(found):.0f} ms", f"{quietest(found):.0f} ms"
            rows.append((case.name, start, *shown, *at_most(case.limit, median(found), " ms")))
    return rows


def _cases(folder: Path) -> list[_Case]:
    (folder / "work").mkdir()
    lines = [
        f"def price_{number}(x, y={number}):  # of item {number * 7919 % 1000}\n" for number in range(_LINES * 3 // 5)
    ]
    small, large = folder / "small.py", folder / "large.py"
    (folder / "work/small.py").write_text("".join(lines[:40]))
    small.write_text("".join(lines[:40]).replace("price_7(x", "price_7(z"))
    (folder / "work/large.py").write_text("".join(lines))
    large.write_text("".join(line.replace("(x", "(z") if at % 3 else line for at, line in enumerate(lines)))
    first = f"the first screen of a diff of {_LINES:,} lines"
    questions = (("a small edit and its keys", small, _KEYS, 300.0), (first, large, _PAGER, 500.0))
    return [
        _Case(name=f"{what}, {how} loaded", loaded=how == "all", content=new, mark=mark, limit=limit)
        for what, new, mark, limit in questions
        for how in ("all", "nothing")
    ]


def _asking(case: _Case, folder: Path) -> Measure:
    def ask() -> float:
        terminal, inside = pty.openpty()
        ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
        heard, report = os.pipe()
        loaded = "loaded" if case.loaded else ""
        arguments = [str(report), str(folder), case.content.name, str(case.content), loaded]
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "xterm-256color"}
        with subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, *arguments],
            stdin=inside,
            stdout=inside,
            stderr=inside,
            pass_fds=[report],
            env=environment | {"COLORTERM": "truecolor"},
            start_new_session=True,
        ):
            os.close(inside)
            os.close(report)
            seen_at = _seen(terminal, case.mark)
            judged_at, asked_at = map(float, os.read(heard, 100).split())
            # The window is closed: that answers the question, and ends the program.
            os.close(terminal)
            os.close(heard)
        case.whole.append(seen_at - judged_at)
        return seen_at - asked_at

    return ask


def _seen(terminal: int, mark: bytes) -> float:
    """When the mark was on the screen."""
    shown = b""
    while mark not in shown:
        try:
            shown += os.read(terminal, 65536)
        except OSError as error:
            message = f"the program ended before it showed {mark!r}; it showed {shown.decode(errors='replace')}"
            raise RuntimeError(message) from error
    return time.monotonic()


# Remembered patterns


def _lookups(folder: Path) -> list[tuple[str, ...]]:
    deep = "work/a/b/c/plan.md"
    with (
        FileSandbox({"work": SandboxPath(root=folder / "work", mode="rw")}) as sandbox,
        closing(SQLiteStore(folder / "none.db")) as none,
        closing(SQLiteStore(folder / "some.db")) as some,
    ):
        (tool,) = (each for each in file_tools(sandbox) if each.name == "write_file")

        def request(path: str) -> tuple[ToolCall, ApprovalRequest]:
            call = ToolCall(run="run", id=path, tool_name=tool.name, args={"path": path, "content": ""})
            asked = tool.check_approval(call)
            assert isinstance(asked, ApprovalRequest)
            return call, asked

        for number in range(_GRANTS):
            _grant(some, *request(f"work/folder-{number}/notes.txt"), covers=1)
        uncovered, covered = request(deep), request(f"work/folder-{_GRANTS // 2}/a/b/notes.txt")
        assert none.remembered(*uncovered, time.time()) is None
        assert some.remembered(*uncovered, time.time()) is None
        assert some.remembered(*covered, time.time()) is not None
        wider = len(uncovered[1].wider)
        names = {
            f"a call with {wider} wider patterns, nothing remembered": (none, uncovered),
            f"the same, {_GRANTS:,} patterns remembered, none of them for it": (some, uncovered),
            f"a call that one of {_GRANTS:,} remembered patterns covers": (some, covered),
        }
        rounds = interleave({name: _looking(*about) for name, about in names.items()}, rounds=_ROUNDS)
    rows: list[tuple[str, ...]] = []
    for name, seconds in rounds.items():
        found = [each * 1e6 for each in seconds]
        target = at_most(20.0, median(found), " µs") if str(_GRANTS // 1000) + ",000" in name else NO_TARGET
        shown = f"{median(found):.1f} µs", f"{quietest(found):.1f} µs"
        rows.append((name, "`store.remembered`", *shown, *target))
    return rows


def _grant(store: SQLiteStore, call: ToolCall, request: ApprovalRequest, *, covers: int) -> None:
    """Remember an approval of this wider pattern, always."""
    decision = Approve(by="ana", scope=Scope.ALWAYS, covers=request.wider[covers].name, every_agent=True)
    grant = grant_from(decision, call, request, by="ana", at=time.time())
    assert grant is not None
    store.remember(grant)


def _looking(store: SQLiteStore, about: tuple[ToolCall, ApprovalRequest]) -> Measure:
    call, request = about

    def look() -> float:
        now = time.time()
        before = time.perf_counter()
        for _ in range(_CALLS):
            store.remembered(call, request, now)
        return (time.perf_counter() - before) / _CALLS

    return look
