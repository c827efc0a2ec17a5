"""The Python engine: every file, in a process of its own that can be killed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from assent.tools.files.search._pattern import Pattern
from assent.tools.files.search._process import ChildFailed, Deadline, started, talk
from assent.tools.files.search._values import Found, Match, Search

if TYPE_CHECKING:
    from assent.tools.files.search._worker import Answer, Job

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


def by_python(wanted: Search, pattern: Pattern, deadline: Deadline) -> Found:
    """What is found in every file that may be looked into."""
    folders = map(str, [_PACKAGE, *_PACKAGE.parents])
    places = [part for pair in zip(_NAMES, folders, strict=False) for part in pair]
    # No environment, no site-packages, nothing from the working directory.
    command = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _START, *places]
    with started(command, folder=wanted.folder) as process:
        out, err = talk(process, json.dumps(job(wanted, pattern)).encode(), deadline)
    if process.returncode:
        last = err.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise ChildFailed(f"The search process failed: {last or f'exit code {process.returncode}'}.")
    answer: Answer = json.loads(out)
    return found(answer)


def job(wanted: Search, pattern: Pattern) -> Job:
    """The search in words that the process understands."""
    return {
        "folder": wanted.folder,
        "source": pattern.source,
        "ignore_case": pattern.ignore_case,
        "needles": [needle.decode("latin-1") for needle in pattern.needles],
        "glob": wanted.chosen,
        "suffixes": None if wanted.suffixes is None else sorted(wanted.suffixes),
        "skipped": sorted(wanted.skipped),
        "context_lines": wanted.context_lines,
        "max_results": wanted.max_results,
        "most_bytes": wanted.most_bytes,
        "seconds": int(wanted.timeout) + _SPARE_SECONDS,
    }


def found(answer: Answer) -> Found:
    """The answer of the process."""
    matches = [Match(path=path, line=line, content=content) for path, line, content in answer["matches"]]
    return Found(matches=matches, truncated=answer["truncated"])
