"""Somebody else in the folders of the file tools: `python -m tests.tools.files.stranger_tools what base`.

Goes on until its input ends, then says on its output what it put anywhere and what it took out.
"""

# ruff: noqa: PTH102, PTH104 (names relative to one folder, and names that pathlib would tidy up)
# ruff: noqa: T201 (it speaks by its output)

from __future__ import annotations

import json
import os
import random
import select
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import count, cycle
from pathlib import Path

from tests.tools.files.stranger import ROUND, trade

FILES = ("root/f", "root/sub/g")
"""What is replaced, removed and made anew."""


def main() -> None:
    what, base = sys.argv[1:]
    os.chdir(base)
    here = os.open(".", os.O_RDONLY)
    turns = {"links": links, "parents": parents, "contents": contents, "rules": rules}[what](here)
    print("ready", flush=True)
    log: list[object] = []
    while not select.select([sys.stdin], [], [], 0)[0]:
        log += [said for said in (next(turns) for _ in range(ROUND)) if said]
    print(json.dumps(log), flush=True)


def _linger(most: float) -> None:
    """Leave things as they are for a random while, so that a call gets as far as anywhere before the next turn."""
    end = time.perf_counter() + random.uniform(0, most)  # noqa: S311 (no secret)
    while time.perf_counter() < end:
        pass  # sleeping is too coarse


def links(here: int) -> Iterator[None]:
    """A folder, a file and a link in the middle trade places with links that lead out, for a moment each."""
    for linger in cycle([0.0, 0.002, 0.0005]):
        for one, other in [("door", "decoy"), ("file", "trap"), ("door", "absolute"), ("door/sub", "door/way")]:
            for most in (linger / 10, linger):
                with suppress(OSError):
                    trade.swap(here, f"root/{one}".encode(), f"root/{other}".encode())
                _linger(most)
                yield


def parents(_here: int) -> Iterator[None]:
    """A folder is moved out of the root and back, and within it; an empty one takes its place for a while."""
    aside = (f"aside-{number}" for number in count())
    for linger in cycle([0.0, 0.002, 0.0005]):
        for one, other in [("root/work", "away"), ("away", "root/work"), ("root/work", "root/moved")]:
            _shift(one, other, aside)
            _linger(linger if other == "root/work" else linger / 10)
            yield
        with suppress(FileExistsError):
            os.mkdir("root/work")
        _linger(linger / 10)
        yield
        _shift("root/moved", "root/work", aside)
        _linger(linger)
        yield


def _shift(one: str, other: str, aside: Iterator[str]) -> None:
    """Move a folder; what others made in the place where it goes is put aside."""
    while True:
        try:
            os.rename(one, other)
        except OSError:
            # Gone by now, if it was only being made.
            with suppress(FileNotFoundError):
                os.rename(other, next(aside))
        else:
            return


def rules(here: int) -> Iterator[None]:
    """The links to three folders, each under other rules, trade places."""
    for one, other in cycle([("door", "second"), ("door", "third"), ("second", "third")]):
        trade.swap(here, f"root/{one}".encode(), f"root/{other}".encode())
        _linger(0.0005)
        yield


def contents(here: int) -> Iterator[tuple[str, str]]:
    """Files are replaced, removed and made anew; whatever was there before is looked at."""
    numbers = count(1)
    turns = cycle(["replace", "replace", "replace", "remove", "make"])
    for file, turn in zip(cycle(FILES), _twice(turns), strict=False):
        with suppress(FileNotFoundError, FileExistsError):  # then nothing was put anywhere, or taken
            yield _turn(here, turn, file.encode(), numbers)
        _linger(0.0005)


def _twice(turns: Iterator[str]) -> Iterator[str]:
    for turn in turns:
        yield from (turn, turn)


def _turn(here: int, turn: str, file: bytes, numbers: Iterator[int]) -> tuple[str, str]:
    """What was put there, and what was there before."""
    mine = Path("mine")
    if turn == "remove":
        os.rename(file, mine)
        return "", mine.read_text(encoding="ascii")
    text = f"stranger {next(numbers)}: end\n"
    mine.write_text(text, encoding="ascii")
    if turn == "make":
        trade.place(here, b"mine", here, file)
        return text, ""
    if not trade.swap(here, b"mine", file):
        raise SystemExit("this disk cannot trade names")
    return text, mine.read_text(encoding="ascii")


if __name__ == "__main__":
    main()
