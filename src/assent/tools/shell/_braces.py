"""Brace expansion, to see which commands hide in it."""

from __future__ import annotations

import re
from typing import Final

_INNERMOST: Final = re.compile(r"\{([^{}]*,[^{}]*)\}")
_MOST: Final = 64


def spread(word: str) -> list[str]:
    """The words that braces make of one, in order; ranges and what is too much stay as they are."""
    done: list[str] = []
    ahead = [word]
    while ahead and len(done) + len(ahead) <= _MOST:
        text = ahead.pop(0)
        found = _INNERMOST.search(text)
        if found is None:
            done.append(text)
        else:
            choices = found.group(1).split(",")
            ahead[:0] = [f"{text[: found.start()]}{choice}{text[found.end() :]}" for choice in choices]
    return [text for text in done + ahead if text]
