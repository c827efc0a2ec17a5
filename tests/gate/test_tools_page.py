"""The page for tool authors lists every way in which a call can be refused."""

import re
from collections.abc import Iterator
from pathlib import Path

from assent import errors

PAGE = Path(__file__).parents[2] / "docs" / "tools.md"


def kinds(kind: type[errors.Refused]) -> Iterator[type[errors.Refused]]:
    for each in kind.__subclasses__():
        if each.__module__ == errors.__name__:
            yield each
            yield from kinds(each)


def test_the_table_of_refusals_is_whole() -> None:
    section = PAGE.read_text().partition("## Refusals\n")[2].partition("\n## ")[0]
    told = {
        (name, code)
        for code, names in re.findall(r"^\| `(\w+)` \| (.*?) \|", section, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", names)
    }
    assert told == {(each.__name__, each.code) for each in kinds(errors.Refused)}
