"""Text a terminal cannot be tricked with: what is invisible or acts is spelled out."""

from __future__ import annotations

import re

# Letters, marks and symbols to Unicode, and yet they draw nothing.
_BLANK = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\u2d7f\U00010a3f\U0001107f\U00013441\U00013442\U00016fe4\U0001d159\U000e0100-\U000e01ef"
)
# The bracket itself is spelled too, so that no text can pretend that something was spelled.
_SPELLED = re.compile(f"[⟨{_BLANK}]")


def visible(text: str, *, keep: str = "\n\t") -> str:
    """The text with every control, bidi and invisible character spelled as `⟨U+202E⟩`.

    Blanks other than the space are spelled as well: they look like one and are none. Two
    different texts never look the same, as far as characters go that draw nothing.
    """
    if text.isprintable() and _SPELLED.search(text) is None:
        return text
    return "".join(char if char in keep or not _is_hidden(char) else f"⟨U+{ord(char):04X}⟩" for char in text)


def _is_hidden(char: str) -> bool:
    return not char.isprintable() or (char > "~" and _SPELLED.match(char) is not None)
