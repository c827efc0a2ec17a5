"""Programs that take the names of files from elsewhere than their words, where no verdict sees them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from assent.tools.shell._names import names
from assent.tools.shell._options import tool_name
from assent.tools.shell._unwrap import base_name
from assent.tools.shell._word import Word

_SUMS: Final = names("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum")
_LONG: Final[Mapping[str, str]] = {
    **dict.fromkeys(("sort", "wc", "du"), "--files0-from"),
    **dict.fromkeys(("file", "tar", "rsync"), "--files-from"),
    **dict.fromkeys(_SUMS, "--check"),
    "find": "-files0-from",
    "git": "--pathspec-from-file",
}
_LETTER: Final[Mapping[str, str]] = {**dict.fromkeys(_SUMS, "c"), "file": "f", "tar": "T", "zip": "@"}
# They read more of their own words from a file behind @.
_READS_WORDS: Final = re.compile(
    r"(?:.+-)?(?:gcc|cc|clang|[gc]\+\+|clang\+\+|ld|as|ar|nm|objcopy|objdump|ranlib|readelf|size|strings|strip)(?:-[0-9.]+)?"
    r"|javac?|javadoc|7z[ar]?|rar|pytest"
)
# Words that make names: a program that sets awk's operands, an address that curl spells out.
_MAKES: Final[Mapping[str, re.Pattern[str]]] = {
    "awk": re.compile(r"ARGV|SYMTAB"),
    "curl": re.compile(r"[{\[]|\A--proto"),
}
# What an address like this leads to may be spelled in many ways.
_ADDRESS: Final = re.compile(r"file:", re.IGNORECASE)


def names_come_from(words: Sequence[Word]) -> int | None:
    """Which word makes the program read names from elsewhere, or makes names of its own; none if none does."""
    name = base_name(words[0].value or "")
    makes = _MAKES.get(tool_name(name), _ADDRESS)
    reads_words = _READS_WORDS.fullmatch(name) is not None
    for at, word in enumerate(words[1:], start=1):
        value = word.value or ""
        if reads_words and (value.startswith("@") or ",@" in value):
            return at
        if makes.search(value) or _ADDRESS.search(value):
            return at
        if _is_long(value, _LONG.get(name, "")) or _has_letter(value, _LETTER.get(name), first=at == 1):
            return at
    return None


def _is_long(value: str, option: str) -> bool:
    given = value.partition("=")[0]
    return len(given) > len("--") and option.startswith(given)


def _has_letter(value: str, letter: str | None, *, first: bool) -> bool:
    # The letters of tar need no dash in its first word.
    dash = "-?" if first and letter == "T" else "-"
    return letter is not None and re.match(rf"{dash}[A-Za-z0-9]*{letter}", value) is not None
