"""Kills a process at random points while it writes, edits and patches files, and looks at what it left.

`python -m tests.durability.file_killing folder rounds seed`, a process of its own: it forks, so it keeps no thread.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import cast

from assent.gate import Gate
from assent.model import Approve, Asked, EffectState, Pending, pending_id
from assent.runtime import Session, execute
from assent.store import SQLiteStore
from assent.tools.files import FileSandbox, file_tools
from assent.tools.files.disk._renames import spare_name
from tests.durability.file_rounds import KINDS, SIGN, VERSIONS, Round, Telling, has_unnamed_files, planted
from tests.durability.killing import heard

Say = Callable[[str], None]

MILESTONES = ("born", "opened", "asked", "answered", "running", "held", "changed", "done")
# Most kills fall into the time in which the file is changed.
WEIGHTS = (1, 1, 1, 2, 3, 9, 3, 1)


async def story(here: Round, say: Say) -> None:
    """Judge, answer and spend; every acknowledgement is said after it was given."""
    say("born")
    gate = Gate(store=SQLiteStore(here.store), mode="interactive" if here.asks else "approve_all")
    with Telling(here.files, say) as sandbox:
        tool = here.tool(sandbox)
        say("opened")
        if not here.asks:
            say("asked\nanswered\nrunning")
            sandbox.changes = True
            await execute(here.call, tool, gate)
        else:
            pending = await gate.judge(here.call, tool)
            assert isinstance(pending, Pending)
            say("asked")
            answer = Approve(by="ana")
            Gate(store=SQLiteStore(here.store)).answer(pending.id, answer)
            say("answered")
            async with gate.spend(await gate.settle(pending, answer, tool)) as permit:
                say("running")
                sandbox.changes = True
                await tool.run(permit)
    say("done")


def begin(here: Round) -> tuple[int, int]:
    """Tell the story in a child: its process id, and where to hear what it says."""
    hears, says = os.pipe()
    child = os.fork()
    if child:
        os.close(says)
        return child, hears

    def say(word: str) -> None:
        os.write(says, f"{word}\n".encode())

    status = 1
    try:
        asyncio.run(story(here, say))
        status = 0
    finally:
        os._exit(status)


def durations(here: Round) -> dict[str, float]:
    """How long a child takes from each milestone to the next, if nobody kills it."""
    child, hears = begin(here)
    times: list[float] = []
    said = ""
    for milestone in MILESTONES:
        said = heard(hears, milestone, said)
        times.append(time.perf_counter())
    os.waitpid(child, 0)
    os.close(hears)
    assert said.split() == list(MILESTONES), said
    assert here.state() == "after"
    spans = [later - earlier for earlier, later in zip(times, [*times[1:], times[-1] + 0.001], strict=True)]
    return dict(zip(MILESTONES, spans, strict=True))


def kill(here: Round, milestone: str, seconds: float) -> list[str]:
    """Kill the child some time after the milestone; what it acknowledged before."""
    child, hears = begin(here)
    said = heard(hears, milestone)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass  # sleeping is too coarse for the shorter phases
    os.kill(child, signal.SIGKILL)
    said = heard(hears, "", said)
    os.waitpid(child, 0)
    os.close(hears)
    return said.split()


def check_record(here: Round, store: SQLiteStore, asked: Asked | None, said: list[str]) -> str:
    """The journal is whole and agrees with the file: the phase the child was killed in."""
    assert store.verify() is None
    state = here.state()
    assert "changed" not in said or state == "after"
    if not here.asks:
        assert asked is None
        return f"nobody asked, {state}"
    effect = asked.effect if asked is not None else None
    if effect is None:
        # Not started: the file is as it was, and nobody was told otherwise.
        assert state == "before"
        assert "running" not in said
        return "nothing" if asked is None else "asked" if asked.ruling is None else "decided"
    assert effect.state in {EffectState.DONE, EffectState.UNKNOWN}, effect
    assert effect.state is not EffectState.DONE or state == "after"
    assert "done" not in said or effect.state is EffectState.DONE
    assert effect.state is not EffectState.UNKNOWN or "ended before it did" in effect.detail
    told = [entry.kind for entry in store.journal() if entry.body.get("pending") == effect.pending]
    assert told == ["asked", "approved", "started", effect.state.value]
    return f"{effect.state.value}, {state}"


async def resume(here: Round, store: SQLiteStore) -> str:
    """Make the same call again, as another process would, and answer if it asks: `done` or a code."""
    gate = Gate(store=store)
    with Telling(here.files) as sandbox:
        waiting = store.asked(pending_id(here.call))
        if waiting is None:
            await gate.judge(here.call, here.tool(sandbox))
        if waiting is None or waiting.ruling is None:
            gate.answer(pending_id(here.call), Approve(by="eve"))
        session = Session(gate, file_tools(sandbox), run=here.call.run)
        result = await session.call(here.call.tool_name, here.call.args, call_id=here.call.id)
    return str(cast("dict[str, object]", result).get("error", "done"))


def check(here: Round, said: list[str]) -> str:
    """Look at what a killed child left, resume its call twice; the phase it was killed in."""
    store = SQLiteStore(here.store)
    phase = check_record(here, store, store.asked(pending_id(here.call)), said)
    state = here.state()
    if here.asks:
        first = asyncio.run(resume(here, store))
        expected = {"done": "already_spent", "unknown": "outcome_unknown"}.get(phase.partition(",")[0], "done")
        assert first == expected
        # What is refused leaves the file as it is.
        assert here.state() == ("after" if first == "done" else state)
        assert asyncio.run(resume(here, store)) == ("already_spent" if first == "done" else first)
        assert here.state() == ("after" if first == "done" else state)
    assert store.verify() is None
    store.close()
    return phase


async def check_unseen(files: Path) -> None:
    """What killed processes left behind is neither listed nor found."""
    # Kills that leave a file are rare; so here is one more, to see that it is not seen.
    (files / spare_name().decode()).write_text(SIGN)
    with FileSandbox.at(files) as sandbox:
        session = Session(Gate(store=SQLiteStore()), file_tools(sandbox))
        for tool, args in (("list_files", {"pattern": "**/*"}), ("search_files", {"pattern": SIGN})):
            result = await session.call(tool, args)
            assert isinstance(result, dict)
            assert "error" not in result
            assert ".assent-" not in str(result)
            assert "file.txt" in str(result)


def check_leftovers(folder: Path) -> int:
    """How many files killed processes left behind; each is a whole one."""
    leftovers = list(folder.rglob(".assent-*"))
    assert all(path.suffix == ".tmp" for path in leftovers)
    # Where a draft needs a name from the beginning, it may be killed half written.
    assert not has_unnamed_files(folder) or all(path.read_bytes() in VERSIONS for path in leftovers)
    return len(leftovers)


def main(folder: Path, rounds: int, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 (no secret)
    print(f"seed {seed}, {rounds} rounds", flush=True)  # noqa: T201 (the test shows it)
    spans = {
        (kind, asks): durations(planted(folder, -1 - 2 * number - asks, kind, asks=bool(asks)))
        for number, kind in enumerate(KINDS)
        for asks in (0, 1)
    }
    phases: Counter[str] = Counter()
    for number in range(rounds):
        kind, asks = chance.choice(KINDS), int(chance.random() < 0.8)
        here = planted(folder, number, kind, asks=bool(asks))
        (milestone,) = chance.choices(MILESTONES, WEIGHTS)
        seconds = chance.uniform(0, spans[kind, asks][milestone])
        said = kill(here, milestone, seconds)
        try:
            phases[check(here, said)] += 1
        except BaseException:
            print(f"round {number}, {kind}: {seconds} s after {milestone!r}, said {said}", flush=True)  # noqa: T201
            raise
    leftovers = check_leftovers(folder / "files")
    asyncio.run(check_unseen(folder / "files"))
    for name, count in [*sorted(phases.items()), ("leftovers", leftovers)]:
        print(f"{name}: {count}", flush=True)  # noqa: T201 (the test reads it)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
