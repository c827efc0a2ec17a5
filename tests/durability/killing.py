"""Kills a process at random points of judging, deciding and spending, and looks at what it left.

`python -m tests.durability.killing folder rounds seed`, a process of its own: it forks, so it starts no thread.
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
from dataclasses import dataclass
from pathlib import Path

from assent.errors import AlreadySpent, OutcomeUnknown
from assent.gate import Gate
from assent.model import Approve, Asked, EffectState, Pending, Permit, ToolCall, pending_id
from assent.store import SQLiteStore
from tests.durability.effects import AppendLine, lines, wanted

MILESTONES = ("born", "opened", "asked", "answered", "running", "ran", "done")
ROUNDS_PER_FILE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a round happens: its record, its effects and its call."""

    store: Path
    effects: Path
    call: ToolCall

    def ran(self) -> int:
        return lines(self.effects, str(self.call.args["line"]))

    def tool(self, say: Callable[[str], None] = lambda _: None, *, seconds: float = 0.0) -> AppendLine:
        return AppendLine(self.effects, say, seconds=seconds)


async def story(place: Place, say: Callable[[str], None]) -> None:
    """Judge, answer and spend; every acknowledgement is said after it was given."""
    say("born")
    gate = Gate(store=SQLiteStore(place.store))
    colleague = Gate(store=SQLiteStore(place.store))
    say("opened")
    tool = place.tool(say, seconds=0.002)
    pending = await gate.judge(place.call, tool)
    assert isinstance(pending, Pending)
    say("asked")
    answer = Approve(by="ana")
    colleague.answer(pending.id, answer)
    say("answered")
    async with gate.spend(await gate.settle(pending, answer, tool)) as permit:
        await tool.run(permit)
    say("done")


def begin(place: Place) -> tuple[int, int]:
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
        asyncio.run(story(place, say))
        status = 0
    finally:
        os._exit(status)


def heard(hears: int, milestone: str, already: str = "") -> str:
    """What the child says, up to the milestone or its end."""
    while milestone not in already.split("\n")[:-1] and (said := os.read(hears, 4096)):
        already += said.decode()
    return already


def durations(place: Place) -> dict[str, float]:
    """How long a child takes from each milestone to the next, if nobody kills it."""
    child, hears = begin(place)
    times: list[float] = []
    said = ""
    for milestone in MILESTONES:
        said = heard(hears, milestone, said)
        times.append(time.perf_counter())
    os.waitpid(child, 0)
    os.close(hears)
    assert said.split() == list(MILESTONES), said
    spans = [later - earlier for earlier, later in zip(times, [*times[1:], times[-1] + 0.001], strict=True)]
    return dict(zip(MILESTONES, spans, strict=True))


def kill(place: Place, milestone: str, seconds: float) -> list[str]:
    """Kill the child some time after the milestone; what it acknowledged before."""
    child, hears = begin(place)
    said = heard(hears, milestone)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass  # sleeping is too coarse for the shorter phases
    os.kill(child, signal.SIGKILL)
    said = heard(hears, "", said)
    os.waitpid(child, 0)
    os.close(hears)
    return said.split()


def phase(asked: Asked | None, ran: int) -> str:
    """How far the killed child got, as the record says."""
    if asked is None:
        return "nothing"
    if asked.effect is not None:
        return f"{asked.effect.state}, {ran} lines"
    return "asked" if asked.ruling is None else "decided"


def check_record(store: SQLiteStore, asked: Asked | None, said: list[str], ran: int) -> None:
    """The journal is whole, agrees with the rest, and holds what was acknowledged."""
    assert store.verify() is None
    assert ran <= 1
    assert ran == 1 or "ran" not in said
    assert asked is not None or "asked" not in said
    ruling, effect = (asked.ruling, asked.effect) if asked is not None else (None, None)
    assert "answered" not in said or (ruling is not None and ruling.decision == Approve(by="ana"))
    assert "running" not in said or effect is not None
    assert "done" not in said or (effect is not None and effect.state is EffectState.DONE)
    assert effect is None or effect.state in {EffectState.DONE, EffectState.UNKNOWN}
    if asked is not None:
        expected = ["asked"]
        expected += [] if ruling is None else [ruling.outcome.value]
        expected += [] if effect is None else ["started", effect.state.value]
        told = [entry.kind for entry in store.journal() if entry.body.get("pending") == asked.pending.id]
        assert told == expected, (told, expected)


async def resume(place: Place, store: SQLiteStore) -> str:
    """Make the same call again, as another process would, and answer if it asks."""
    gate, tool, before = Gate(store=store), place.tool(), place.ran()
    try:
        judged = await gate.judge(place.call, tool)
        if isinstance(judged, Pending):
            gate.answer(judged.id, Approve(by="eve"))
            judged = await gate.judge(place.call, tool)
        assert isinstance(judged, Permit)
        async with gate.spend(judged) as permit:
            await tool.run(permit)
    except (AlreadySpent, OutcomeUnknown) as refusal:
        asked = store.asked(pending_id(place.call))
        assert asked is not None
        assert asked.effect is not None
        if isinstance(refusal, AlreadySpent):
            assert (asked.effect.state, place.ran()) == (EffectState.DONE, 1)
        else:
            assert asked.effect.state is EffectState.UNKNOWN
        assert place.ran() == before
        return refusal.code
    assert (before, place.ran()) == (0, 1)
    return "ran"


def check(place: Place, said: list[str]) -> str:
    """Look at what a killed child left, resume its call twice; the phase it was killed in."""
    store = SQLiteStore(place.store)
    asked = store.asked(pending_id(place.call))
    found = phase(asked, place.ran())
    check_record(store, asked, said, place.ran())
    first = asyncio.run(resume(place, store))
    again = asyncio.run(resume(place, store))
    assert again == ("already_spent" if first == "ran" else first)
    assert place.ran() <= 1
    assert store.verify() is None
    store.close()
    return found


def main(folder: Path, rounds: int, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 — no secret
    print(f"seed {seed}, {rounds} rounds", flush=True)  # noqa: T201 — the test shows it

    def place(number: int, file: int) -> Place:
        call = wanted(str(number), f"round {number}", run=f"run {number}")
        return Place(store=folder / str(file) / "store.db", effects=folder / "effects", call=call)

    spans = durations(place(-1, -1))
    phases: Counter[str] = Counter()
    for number in range(rounds):
        here = place(number, number // ROUNDS_PER_FILE)
        milestone = chance.choice(MILESTONES)
        seconds = chance.uniform(0, spans[milestone])
        said = kill(here, milestone, seconds)
        try:
            phases[check(here, said)] += 1
        except BaseException:
            print(f"round {number}: killed {seconds} s after {milestone!r}, said {said}", flush=True)  # noqa: T201
            raise
    for name, count in sorted(phases.items()):
        print(f"{name}: {count}", flush=True)  # noqa: T201 — the test reads it


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
