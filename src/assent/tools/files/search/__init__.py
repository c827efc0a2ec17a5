"""Searching in files with a regular expression, by ripgrep or by Python, with the same answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from assent.errors import InvalidArguments, RipgrepNotFound
from assent.tools.files.search._answer import Room
from assent.tools.files.search._glob import name_glob
from assent.tools.files.search._pattern import parse
from assent.tools.files.search._process import ChildFailed, Deadline
from assent.tools.files.search._program import find_ripgrep
from assent.tools.files.search._python import by_python
from assent.tools.files.search._ripgrep import by_ripgrep
from assent.tools.files.search._values import Found, Match, Search

Engine: TypeAlias = Literal["auto", "ripgrep", "python"]


def search(wanted: Search, *, engine: Engine = "auto", roots: Sequence[int] = ()) -> Found:
    """The lines that match, one match for each; it blocks, and leaves no process behind.

    With `multiline` a match is all the lines it goes over, and matches that share a line are one. The
    answer ends at `max_results` matches or about a million characters, whatever comes first.

    Hidden and ignored files are searched; links, pipes, devices and binary files (with a NUL byte) are
    not. `roots` are further open folders that no `rg` is started from, since others may write there.

    Raises:
        InvalidPattern: the pattern or the glob is not what both engines understand, or takes too long.
        RipgrepNotFound: ripgrep is demanded and there is none.
    """
    if wanted.context_lines < 0 or wanted.max_results < 1:
        raise InvalidArguments("context_lines must be 0 or more, and max_results 1 or more.")
    pattern = parse(wanted.pattern, ignore_case=not wanted.case_sensitive, multiline=wanted.multiline)
    name_glob(wanted.chosen)
    rg = None if engine == "python" else find_ripgrep([wanted.folder, *roots])
    if rg is None and engine == "ripgrep":
        raise RipgrepNotFound(
            "The configuration demands ripgrep (search.engine: ripgrep), and there is no rg on PATH. "
            "Install it (pip install 'assent[ripgrep]'), or set search.engine to auto."
        )
    deadline = Deadline(wanted.timeout)
    if rg is not None:
        try:
            return by_ripgrep(rg, wanted, pattern, deadline)
        except ChildFailed:
            if engine == "ripgrep":
                raise
    return by_python(wanted, pattern, deadline)


__all__ = ["Engine", "Found", "Match", "Room", "Search", "find_ripgrep", "search"]
