"""Characters that are not what they look like, or look like nothing."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_ODD_ASCII: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_ODD_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
# Letters and marks by category that nevertheless draw nothing.
_BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")


def first_odd(text: str) -> int | None:
    """Where the first control, bidi or invisible character stands; line breaks and tabs are none."""
    if text.isascii():
        found = _ODD_ASCII.search(text)
        return found.start() if found else None
    return next((index for index, char in enumerate(text) if _is_odd(char)), None)


def _is_odd(char: str) -> bool:
    if char in "\n\t ":
        return False
    selector = "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"
    return selector or char in _BLANK or unicodedata.category(char) in _ODD_CATEGORIES


def name_of(char: str) -> str:
    """The character in words."""
    return f"U+{ord(char):04X} {unicodedata.name(char, 'a control character')}"
