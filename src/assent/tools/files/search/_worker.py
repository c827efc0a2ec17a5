"""The search process: everything that a pattern could make slow happens here, where it can be killed.

It is started for every search, so it imports next to nothing. A request comes in as JSON, and the
answer goes out as JSON; the folder is an open file descriptor that was passed on.
"""

from __future__ import annotations

import json
import os
import signal
import sys

from assent.tools.files.search._glob import name_glob
from assent.tools.files.search._lines import Lines, shown
from assent.tools.files.search._tree import Reach, Reader, in_order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class Job(TypedDict):
        """What to search, and how."""

        folder: int
        source: str
        ignore_case: bool
        needles: list[str]
        """Bytes, each spelled as the character of that number."""
        glob: str
        suffixes: list[str] | None
        skipped: list[str]
        context_lines: int
        max_results: int
        most_bytes: int
        seconds: int
        """After these it ends by itself, should nobody be left to kill it."""

    class Answer(TypedDict):
        """The first matches, as path, line number and content."""

        matches: list[tuple[str, int, str]]
        truncated: bool


def main() -> None:
    """Do the job that comes in, and print the answer."""
    job: Job = json.loads(sys.stdin.buffer.read())
    signal.alarm(job["seconds"])
    sys.stdout.write(json.dumps(search(job)))
    sys.stdout.flush()
    # Nothing is left to be cleaned up, and Python takes its time for that.
    os._exit(0)


def search(job: Job) -> Answer:
    """The first matches in the order of paths and lines."""
    lines = Lines(
        job["source"].encode("ascii"),
        ignore_case=job["ignore_case"],
        needles=[needle.encode("latin-1") for needle in job["needles"]],
    )
    reader = Reader(job["folder"])
    matches: list[tuple[str, int, str]] = []
    try:
        for path in _paths(job):
            data = reader.read(path, most=job["most_bytes"])
            if data is None:
                continue
            number, counted = 1, 0
            for start, end, hit in lines.find(data):
                if len(matches) == job["max_results"]:
                    return {"matches": matches, "truncated": True}
                number += data.count(b"\n", counted, start)
                counted = start
                matches.append((path, number, shown(data, start, end, hit, job["context_lines"])))
    finally:
        reader.close()
    return {"matches": matches, "truncated": False}


def _paths(job: Job) -> list[str]:
    """The files to look into, sorted by the bytes of their paths."""
    suffixes = job["suffixes"]
    reach = Reach(
        name_glob(job["glob"]),
        suffixes=None if suffixes is None else frozenset(suffixes),
        skipped=frozenset(job["skipped"]),
    )
    paths: list[str] = []
    reach.walk(job["folder"], lambda path, _: paths.append(path))
    return in_order(paths)
