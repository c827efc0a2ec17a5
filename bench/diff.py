"""A unified diff from two versions of a file, against libgit2; suggestions against the clock.

libgit2 (through pygit2) is C and compares whole files; both sides take bytes and give the text of
the diff. A change at a known place needs no comparison: that is what `splice` is measured on. The
cases that no person would write are there to show that there is a bound, so they have another target.
The worst of them are as large as a file may be, and measured against the clock: libgit2 takes minutes
for some.

Nothing here waits for anything, so it is the processor's time that is taken, on both sides: what
else the machine has to do counts less.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import pygit2

from assent.diff import Diff, Edit, diff, splice, suggest
from bench._rounds import Measure, interleave, quietest, times
from bench._table import Table, at_most

_ROUNDS = 10
_BURST_SECONDS = 0.005
_SPARSE, _REWRITE, _SPLICE, _BOUND = 1.0, 2.5, 0.1, 15.0
_BOUND_SECONDS = 2.0
_BOUND_ROUNDS = 3
_LARGEST = 10_000_000
_SUGGEST_MS = 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """Two versions, how ours are compared, and the ratio to stay under."""

    name: str
    before: bytes
    after: bytes
    target: float
    edits: tuple[Edit, ...] | None = None

    def ours(self) -> Diff:
        return diff(self.before, self.after) if self.edits is None else splice(self.before, self.edits)

    def ours_as_text(self) -> bytes:
        return self.ours().text("file", "file")

    def libgit2(self) -> Any:  # noqa: ANN401 — pygit2 is not there where types are checked
        return pygit2.Patch.create_from(self.before, self.after, "file", "file")

    def libgit2_as_text(self) -> bytes:
        text: bytes = self.libgit2().data
        return text


def measure() -> Table:
    rows = [_row(case) for case in _cases(random.Random(20))]
    rows += [_bound_row(name, work) for name, work in _hostile(random.Random(20))]
    rows += [_suggestion_row(name, data, wanted) for name, data, wanted in _misremembered(random.Random(20))]
    return Table(
        title="A diff",
        about=(
            f"Medians of {_ROUNDS} interleaved rounds against libgit2 (pygit2), bytes in, text of the diff out, "
            "in processor time; the ratio is taken within each round. No case may take more than 15× or 2 s."
        ),
        columns=("work", "changed lines", "libgit2's", "ms", "of libgit2", "quietest", "target", "met"),
        rows=rows,
    )


def _row(case: _Case) -> tuple[str, ...]:
    rounds = interleave({"ours": _timed(case.ours_as_text), "libgit2": _timed(case.libgit2_as_text)}, rounds=_ROUNDS)
    found, (_, added, removed) = case.ours(), case.libgit2().line_stats
    ratios, seconds = times(rounds, "ours", "libgit2"), median(rounds["ours"])
    target = at_most(case.target, median(ratios), "×")
    if seconds > _BOUND_SECONDS:
        target = at_most(_BOUND_SECONDS, seconds, " s")
    shown = (f"{seconds * 1e3:.2f}", f"{median(ratios):.2f}×", f"{quietest(ratios):.2f}×")
    return case.name, str(found.added + found.removed), str(added + removed), *shown, *target


def _bound_row(name: str, work: Callable[[], Diff]) -> tuple[str, ...]:
    taken = interleave({name: _timed(lambda: work().text("file", "file"))}, rounds=_BOUND_ROUNDS, warm_up=0)[name]
    found = work()
    shown = (f"{median(taken) * 1e3:.2f}", "", "", *at_most(_BOUND_SECONDS, median(taken), " s"))
    return name, str(found.added + found.removed), "", *shown


def _suggestion_row(name: str, data: bytes, wanted: bytes) -> tuple[str, ...]:
    taken = interleave({name: _timed(partial(suggest, data, wanted))}, rounds=_ROUNDS)[name]
    shown = (f"{median(taken) * 1e3:.2f}", "", "", *at_most(_SUGGEST_MS, median(taken) * 1e3, " ms"))
    return name, "", "", *shown


def _timed(work: Callable[[], object]) -> Measure:
    """A burst that is long enough for the clock; one call if a call is."""
    before = time.process_time()
    work()
    repeat = 1 + int(_BURST_SECONDS / (time.process_time() - before))

    def burst() -> float:
        before = time.process_time()
        for _ in range(repeat):
            work()
        return (time.process_time() - before) / repeat

    return burst


def _cases(chance: random.Random) -> list[_Case]:
    words = [f"word{number}" for number in range(2_000)]

    def line() -> bytes:
        return " ".join(chance.choices(words, k=5)).encode() + b"\n"

    few = [line() for _ in range(10)]
    one_of_few = partial(chance.choice, few)

    def case(name: str, count: int, edits: int, make: Callable[[], bytes], target: float = _SPARSE) -> _Case:
        before = [make() for _ in range(count)]
        return _Case(
            name=name, before=b"".join(before), after=b"".join(_edited(before, edits, make, chance)), target=target
        )

    def independent(name: str, count: int, make: Callable[[], bytes], target: float) -> _Case:
        before, after = (b"".join(make() for _ in range(count)) for _ in range(2))
        return _Case(name=name, before=before, after=after, target=target)

    def code() -> bytes:
        return chance.choice([line(), line(), line(), b"\n", b"    }\n", b"    return x\n"])

    return [
        case("50 lines, 1 edit", 50, 1, line),
        case("2,000 lines, 20 edits", 2_000, 20, line),
        case("20,000 lines, 200 edits", 20_000, 200, line),
        case("100,000 lines, 1 edit", 100_000, 1, line),
        case("20,000 lines, 10 different ones, 200 edits", 20_000, 200, one_of_few),
        _spliced(b"".join(line() for _ in range(100_000))),
        independent("100,000 lines, all rewritten", 100_000, line, _REWRITE),
        independent("100,000 lines, rewritten but for braces", 100_000, code, _REWRITE),
        independent("20,000 lines, 10 different ones, independent", 20_000, one_of_few, _BOUND),
        independent("100,000 lines, 10 different ones, independent", 100_000, one_of_few, _BOUND),
        case("20,000 lines, 4,000 edits", 20_000, 4_000, line, _BOUND),
        case("20,000 lines, 20,000 edits", 20_000, 20_000, line, _BOUND),
        _endless_anchors(10_000),
    ]


def _endless_anchors(count: int) -> _Case:
    """Taking out one anchor makes the next."""
    before = b"".join(b"%d\n%d\n" % (number + 1, number) for number in range(count))
    after = b"".join(b"-%d\n%d\n%d\n" % (number, number + 1, number) for number in range(count))
    return _Case(name="20,000 lines, endless anchors", before=before, after=after, target=_BOUND)


def _hostile(chance: random.Random) -> list[tuple[str, Callable[[], Diff]]]:
    """Two files of up to 10 MB that are as much work as possible, each pair in its own way."""

    def filled(line: Callable[[int], bytes]) -> bytes:
        pieces: list[bytes] = []
        left = _LARGEST
        while (left := left - len(piece := line(len(pieces)))) >= 0:
            pieces.append(piece)
        return b"".join(pieces)

    def random_lines(letters: bytes) -> bytes:
        return chance.randbytes(_LARGEST).translate(bytes(letters[byte % len(letters)] for byte in range(256)))

    numbers = filled(lambda at: b"%d\n" % at)
    lines = numbers.splitlines(keepends=True)
    digits = filled(lambda at: b"%d\n" % (at % 10))
    runs = filled(lambda at: b"\n" * 60 + b"%d\n" % at)
    pairs = {
        "5 million empty lines and as many x": (b"\n" * _LARGEST, b"x\n" * (_LARGEST // 2)),
        "half of the empty lines": (b"\n" * _LARGEST, b"\n" * (_LARGEST // 2)),
        "three kinds of lines": (random_lines(b"ab\n"), random_lines(b"ab\n")),
        "lines in turn": (b"a\nb\nc\n" * (_LARGEST // 6), b"a\nc\nb\n" * (_LARGEST // 6)),
        "all lines different": (numbers, filled(lambda at: b"-%d\n" % at)),
        "shuffled": (numbers, b"".join(chance.sample(lines, len(lines)))),
        "reversed": (numbers, b"".join(lines[::-1])),
        "every 2nd line": (numbers, b"".join(b"x\n" if at % 2 else line for at, line in enumerate(lines))),
        "every 21st line": (digits, filled(lambda at: b"%d\n" % (at % 10) if at % 21 else b"x\n")),
        "every 100th line": (numbers, b"".join(b"x\n" if at % 100 == 0 else line for at, line in enumerate(lines))),
        "one more line in runs": (runs, runs.replace(b"\n" * 61, b"\n" * 62)[:_LARGEST]),
        "endless anchors": (
            filled(lambda at: b"%d\n%d\n" % (at + 1, at)),
            filled(lambda at: b"-%d\n%d\n%d\n" % (at, at + 1, at)),
        ),
        "one line": (b"a" * _LARGEST, b"a" * (_LARGEST // 2) + b"b" + b"a" * (_LARGEST // 2 - 1)),
        "random bytes": (chance.randbytes(_LARGEST), chance.randbytes(_LARGEST)),
    }
    found: list[tuple[str, Callable[[], Diff]]] = [
        (f"10 MB, {name}", partial(diff, before, after)) for name, (before, after) in pairs.items()
    ]
    edits = [Edit(start=at, end=at + 1, replacement=b"x") for at in range(0, _LARGEST, 100)]
    found += [
        ("10 MB, 100,000 edits at known places", partial(splice, numbers, edits[: len(numbers) // 100])),
        ("10 MB in one line, 100,000 edits at known places", partial(splice, b"a" * _LARGEST, edits)),
    ]
    return found


def _edited(before: list[bytes], edits: int, make: Callable[[], bytes], chance: random.Random) -> list[bytes]:
    """Lines replaced, removed and put in, as many of each."""
    after = list(before)
    for number, at in enumerate(sorted(chance.sample(range(len(before)), edits), reverse=True)):
        after[at : at + (number % 3 != 2)] = [make()] if number % 3 else []
    return after


def _spliced(before: bytes) -> _Case:
    start = before.index(b"\n", len(before) // 2) + 1
    end = before.index(b" ", start)
    after = before[:start] + b"changed" + before[end:]
    edit = Edit(start=start, end=end, replacement=b"changed")
    return _Case(name="100,000 lines, edit at a known place", before=before, after=after, target=_SPLICE, edits=(edit,))


def _misremembered(chance: random.Random) -> list[tuple[str, bytes, bytes]]:
    """Files, and what somebody wrongly believes to be in them."""
    names = [f"{verb}_{noun}" for verb in ("get", "set", "load", "save") for noun in ("user", "item", "path", "order")]
    lines = [f"    {chance.choice(names)}({chance.choice(names)}, {number % 97})" for number in range(50_000)]
    lines[40_000:40_003] = ["def total_of(items):", "    total = 0", "    return sum(items, start=total)"]
    code = "\n".join(lines).encode() + b"\n"
    return [
        ("suggestions, 50,000 lines, a slip", code, b"def total_of(itmes):\n    total = 0\n    return sum(items)\n"),
        ("suggestions, 50,000 lines, nothing alike", code, b"class Zebra(Quagga):\n    stripes: Final = 26\n"),
        ("suggestions, 50,000 equal lines", b"    total = 0\n" * 50_000, b"    total = 1\n"),
        ("suggestions, one line of 5 MB", b"0123456789 " * 500_000, b"012345678x 0123456789"),
        ("suggestions, 5,000 lines wanted", code, "\n".join(lines[100:5_100]).encode().replace(b"96", b"69")),
    ]
