"""Text that can be written and read back: half a character is spelled out."""

from __future__ import annotations

import re
from typing import Final

# What is kept, or the backslash of a half: an escaped backslash is none, and two halves are one character.
_HALF: Final = re.compile(r"(\\\\|\\ud[89ab]..\\ud[c-f]..)|\\(?=ud[89a-f])")


def whole(text: str) -> str:
    r"""The text, with half a character as `\udcff`."""
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


def whole_json(text: str) -> str:
    """The same for the JSON of `canonical`; whoever is strict does not read a half."""
    return _HALF.sub(lambda found: found[1] or r"\\", text) if r"\ud" in text else text
