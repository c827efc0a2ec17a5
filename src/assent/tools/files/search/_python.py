"""The Python engine: every file, in a process of its own that can be killed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assent.tools.files.search._pattern import Pattern
from assent.tools.files.search._process import ChildFailed, Deadline, started, talk
from assent.tools.files.search._values import Found, Search, Suffixes, found

if TYPE_CHECKING:
    from assent.tools.files.search._answer import Answer
    from assent.tools.files.search._worker import Job

_PACKAGE = Path(__file__).parent
_NAMES = ("assent.tools.files.search", "assent.tools.files", "assent.tools", "assent")
# The packages without what their `__init__` would load: the process starts for every search.
_START = """
import sys
for name, folder in zip(sys.argv[1::2], sys.argv[2::2]):
    sys.modules[name] = package = type(sys)(name)
    package.__path__ = [folder]
from assent.tools.files.search import _worker
_worker.main()
"""
_SPARE_SECONDS = 5


def by_python(wanted: Search, pattern: Pattern, deadline: Deadline, *, paths: Sequence[str] | None = None) -> Found:
    """What is found in these files, or else in every file that may be looked into."""
    folders = map(str, [_PACKAGE, *_PACKAGE.parents])
    places = [part for pair in zip(_NAMES, folders, strict=False) for part in pair]
    # No environment, no site-packages, nothing from the working directory.
    command = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _START, *places]
    with started(command, folder=wanted.folder) as process:
        out, err = talk(process, json.dumps(job(wanted, pattern, paths=paths)).encode(), deadline)
    if process.returncode:
        last = err.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise ChildFailed(f"The search process failed: {last or f'exit code {process.returncode}'}.")
    answer: Answer = json.loads(out)
    return found(answer)


def job(wanted: Search, pattern: Pattern, *, paths: Sequence[str] | None = None) -> Job:
    """The search in words that the process understands."""
    return {
        "folder": wanted.folder,
        "source": pattern.source,
        "ignore_case": pattern.ignore_case,
        "multiline": wanted.multiline,
        "needles": _spelled(pattern.needles),
        "every_needle": [_spelled(needles) for needles in pattern.every_needle],
        "paths": None if paths is None else list(paths),
        "glob": wanted.chosen,
        "suffixes": _listed(wanted.suffixes),
        "nested": {path: _listed(suffixes) for path, suffixes in wanted.nested.items()},
        "context_lines": wanted.context_lines,
        "max_results": wanted.max_results,
        "first_only": wanted.first_only,
        "most_bytes": wanted.most_bytes,
        "nested_bytes": dict(wanted.nested_bytes),
        "seconds": int(wanted.timeout) + _SPARE_SECONDS,
    }


def _spelled(needles: Iterable[bytes]) -> list[str]:
    return [needle.decode("latin-1") for needle in needles]


def _listed(suffixes: Suffixes) -> list[str] | None:
    return None if suffixes is None else list(suffixes)
