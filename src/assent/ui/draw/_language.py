"""From the name of a language to a file name that says the same."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Final

_COMMON: Final = {"json": "args.json", "bash": "run.sh", "shell": "run.sh", "sh": "run.sh", "python": "x.py"}


@lru_cache(maxsize=64)
def file_name(language: str) -> str:
    """A name that a file in this language could have; none for an unknown one."""
    if not language or language in _COMMON:
        return _COMMON.get(language, "")
    found = import_module("pygments.lexers").find_lexer_class_by_name
    nothing_known: type[Exception] = import_module("pygments.util").ClassNotFound
    try:
        patterns: list[str] = found(language).filenames
    except nothing_known:
        return ""
    return next((pattern.replace("*", "x") for pattern in patterns if "[" not in pattern), "")
