"""Long lists of names, written as one reads them."""

from __future__ import annotations


def names(text: str) -> frozenset[str]:
    """The names in a text, separated by blanks and line breaks."""
    return frozenset(text.split())
