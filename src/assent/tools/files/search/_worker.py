"""The search process: everything that a pattern could make slow happens here, where it can be killed.

It is started for every search, so it imports next to nothing. A request comes in as JSON, and the
answer goes out as JSON; the folder is an open file descriptor that was passed on.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from itertools import islice

from assent.tools.files.search._answer import Room, answer, merged
from assent.tools.files.search._glob import name_glob
from assent.tools.files.search._lines import Lines
from assent.tools.files.search._tree import Limit, Reach, Reader, in_order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypedDict

    from assent.tools.files.search._answer import Answer, Seen

    class Job(TypedDict):
        """What to search, and how."""

        folder: int
        source: str
        ignore_case: bool
        multiline: bool
        needles: list[str]
        """Bytes, each spelled as the character of that number."""
        every_needle: list[list[str]]
        paths: list[str] | None
        """The only files to look into; None: all that may be."""
        glob: str
        suffixes: list[str] | None
        nested: dict[str, list[str] | None]
        context_lines: int
        max_results: int
        first_only: bool
        most_bytes: int
        nested_bytes: dict[str, int]
        seconds: int
        """After these it ends by itself, should nobody be left to kill it."""


_WORTH_SHARING = 400
"""So many files take longer than starting a process."""
_MOST_PROCESSES = 4


def main() -> None:
    """Do the job that comes in, and print the answer."""
    job: Job = json.loads(sys.stdin.buffer.read())
    signal.alarm(job["seconds"])
    paths = _paths(job) if job["paths"] is None else job["paths"]
    sys.stdout.write(json.dumps(shared(paths, job, processes=_processors())))
    sys.stdout.flush()
    # Nothing is left to be cleaned up, and Python takes its time for that.
    os._exit(0)


def search(job: Job) -> Answer:
    """The first matches in the order of paths and lines."""
    return _search(_paths(job), job)


def shared(paths: list[str], job: Job, *, processes: int) -> Answer:
    """The first matches in these files, found by several processes if there is enough to do."""
    count = min(processes, _MOST_PROCESSES, len(paths) // _WORTH_SHARING) or 1
    others = [_forked(paths[number::count], job) for number in range(1, count)]
    answers = [_search(paths[::count], job)]
    for receiver in others:
        with open(receiver, "rb") as received:  # noqa: PTH123 (pathlib would have to be loaded)
            answers.append(json.load(received))
    return merged(answers, room=Room(job["max_results"]))


def _forked(paths: list[str], job: Job) -> int:
    """Where the answer of another process comes out, which is killed with this one."""
    receiver, sender = os.pipe()
    if os.fork():
        os.close(sender)
        return receiver
    try:
        signal.alarm(job["seconds"])
        with open(sender, "w", encoding="ascii") as answered:  # noqa: PTH123 (see above)
            json.dump(_search(paths, job), answered)
    finally:
        # Half an answer is none: whoever reads it will fail.
        os._exit(0)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _search(paths: Iterable[str], job: Job) -> Answer:
    reader = Reader(job["folder"])
    try:
        seen = _seen(paths, reader, job)
        return answer(seen, context_lines=job["context_lines"], room=Room(job["max_results"]))
    finally:
        reader.close()


def _seen(paths: Iterable[str], reader: Reader, job: Job) -> Iterator[Seen]:
    lines = Lines(
        job["source"].encode("ascii"),
        ignore_case=job["ignore_case"],
        needles=_bytes(job["needles"]),
        every_needle=[_bytes(needles) for needles in job["every_needle"]],
        multiline=job["multiline"],
    )
    limit = Limit(job["most_bytes"], job["nested_bytes"])
    for path in paths:
        data = reader.read(path, most=limit.at(path))
        if data is not None:
            places = lines.find(data)
            for place in islice(places, 1) if job["first_only"] else places:
                yield path, data, (0, 1), place


def _bytes(needles: Iterable[str]) -> list[bytes]:
    return [needle.encode("latin-1") for needle in needles]


def _paths(job: Job) -> list[str]:
    """The files to look into, sorted by the bytes of their paths."""
    reach = Reach(name_glob(job["glob"]), suffixes=job["suffixes"], nested=job["nested"])
    paths: list[str] = []
    reach.walk(job["folder"], lambda prefix, files: paths.extend([prefix + file.name for file in files]))
    return in_order(paths)
