"""Somebody else in the same folders, as fast as can be: `python -m tests.tools.files.stranger what base`.

Goes on until its input ends, then says on its output what it did.
"""

# ruff: noqa: PTH102, PTH104, PTH106 (names relative to open folders, and names that pathlib would tidy up)
# ruff: noqa: T201 (it speaks by its output)

from __future__ import annotations

import json
import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from assent.tools.files.disk._renames import Renames

ROUND = 20
trade = Renames()


def main() -> None:
    what, base = sys.argv[1:]
    os.chdir(base)
    here = os.open(".", os.O_RDONLY)
    turns = {"links": links, "parents": parents, "contents": contents}[what](here)
    print("ready", flush=True)
    log: list[object] = []
    while not select.select([sys.stdin], [], [], 0)[0]:
        log += [said for said in (next(turns) for _ in range(ROUND)) if said]
    print(json.dumps(log), flush=True)


def links(here: int) -> Iterator[None]:
    """A folder, a file and a link in the middle trade places with links that lead out."""
    while True:
        for one, other in [("root/door", "root/decoy"), ("root/file", "root/trap"), ("root/door", "root/absolute")]:
            with suppress(OSError):
                trade.swap(here, one.encode(), other.encode())
            yield


def parents(here: int) -> Iterator[None]:
    """A folder is moved out of the root and back, and within it."""
    while True:
        for one, other in [("root/work", "work"), ("work", "root/work"), ("root/work", "root/moved")]:
            os.rename(one, other)
            yield
        # A stranger's empty folder in its place, and back.
        os.mkdir("root/work")
        yield
        with suppress(OSError):
            os.rmdir("root/work")
            os.rename("root/moved", "root/work")
            continue
        # Somebody put a file into the folder we made: that must not happen.
        os.rename("root/work", f"wrong-{os.getpid()}")
        os.rename("root/moved", "root/work")


def contents(here: int) -> Iterator[tuple[str, str]]:
    """A file is replaced, removed and made anew; whatever it held before is looked at."""
    number = 0

    def put() -> None:
        nonlocal number
        number += 1
        Path("mine").write_text(f"stranger {number}", encoding="ascii")

    def replace() -> str:
        put()
        if not trade.swap(here, b"mine", b"root/f"):
            raise SystemExit("this disk cannot trade names")
        return Path("mine").read_text(encoding="ascii")

    def remove() -> str:
        os.rename("root/f", "mine")
        return Path("mine").read_text(encoding="ascii")

    def make() -> str:
        put()
        trade.place(here, b"mine", here, b"root/f")
        return ""

    turns: list[Callable[[], str]] = [replace, replace, replace, remove, make]
    while True:
        for turn in turns:
            before = number
            try:
                seen = turn()
            except (FileNotFoundError, FileExistsError):
                continue  # nothing was put anywhere
            yield (f"stranger {number}" if number > before else "", seen)


if __name__ == "__main__":
    main()
