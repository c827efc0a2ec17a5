"""YAML text as plain data that remembers where everything stands.

Only what every version of YAML reads alike: `no` is text and `1:30` is not a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple, cast

import yaml
from yaml.reader import ReaderError

MOST_PROBLEMS: Final = 20
"""How many mistakes are named at once; a file with more is mended in steps."""
_DEEPEST: Final = 20
# Each starts a line for YAML and for hardly any editor: a setting behind it looks like part of a comment, and counts.
_HIDDEN_BREAK: Final = re.compile("[\x85\u2028\u2029]|\r(?!\n)")
_NOT_YAML: Final = "this is not YAML: {}; check the quotes, colons and indentation here"
_HIDES: Final = (
    "{0} starts a new line for YAML but not in most editors, so a setting could hide behind it; "
    "end lines with \\n or \\r\\n, and where the character is meant, write {0} in double quotes"
)
_CONSTANTS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
# At most 100 digits: Python refuses to read integers of more than 4300, with a ValueError.
_INTEGER: Final = re.compile(r"[-+]?(0|[1-9][0-9]{0,99})")
_DECIMAL: Final = re.compile(r"[-+]?(0|[1-9][0-9]*)\.[0-9]*([eE][-+][0-9]+)?")

Place = tuple[str, ...]


class Spot(NamedTuple):
    """Where in the file, counted from 1."""

    line: int
    column: int


class Problem(NamedTuple):
    """Something wrong in the file, and where."""

    spot: Spot
    text: str


@dataclass(slots=True, kw_only=True)
class Document:
    """What a file says, where it says it, and what of it cannot be meant."""

    data: object = field(default_factory=dict[str, object])
    keys: dict[Place, Spot] = field(default_factory=dict[Place, Spot])
    values: dict[Place, Spot] = field(default_factory=dict[Place, Spot])
    problems: list[Problem] = field(default_factory=list[Problem])

    def refuse(self, spot: Spot, text: str) -> None:
        """Note what is wrong and go on, to find the rest."""
        self.problems.append(Problem(spot, text))


def parse(text: str) -> Document:
    """The text as data; all that is wrong with it as YAML is among the problems."""
    return _hidden(text) or _fast(text) or _careful(text)


def _hidden(text: str) -> Document | None:
    """What is wrong with the text where lines begin that nobody sees; none if all are plain to see."""
    breaks = islice(_HIDDEN_BREAK.finditer(text), MOST_PROBLEMS + 1)
    problems = [Problem(spot_of(text[: each.start()]), _HIDES.format(repr(each.group())[1:-1])) for each in breaks]
    return Document(problems=problems) if problems else None


def _fast(text: str) -> Document | None:
    """The text as libyaml reads it, ten times faster; none where that is missing or anything is wrong."""
    loader: type[yaml.CSafeLoader] | None = getattr(yaml, "CSafeLoader", None)
    document = Document()
    try:
        document.data = _Builder(text, document, loader).whole() if loader else None
    except (yaml.YAMLError, _TooDeep, _TooMany, ValueError, OverflowError):
        return None
    return document if loader and not document.problems else None


def _careful(text: str) -> Document:
    """The text as PyYAML reads it, which knows best how to say what is wrong."""
    document = Document()
    builder = _Builder(text, document, yaml.SafeLoader)
    try:
        document.data = builder.whole()
    except ReaderError as error:
        document.refuse(spot_of(text[: error.position]), f"{chr(error.character)!r} is not allowed in YAML; remove it")
    except yaml.MarkedYAMLError as error:
        said = ", ".join(" ".join(part.split()) for part in (error.context, error.problem) if part)
        mark = error.problem_mark or error.context_mark
        document.refuse(Spot(mark.line + 1, mark.column + 1) if mark else builder.spot, _NOT_YAML.format(said))
    except _TooDeep:
        document.refuse(builder.spot, f"this is nested more than {_DEEPEST} levels deep; no setting is")
    except _TooMany:
        pass
    except (ValueError, OverflowError):
        # PyYAML lets these escape from a version or an escaped character that is too large.
        document.refuse(builder.spot, _NOT_YAML.format("a number in what follows is too large"))
    return document


def spot_of(before: str) -> Spot:
    """Where the text after `before` begins."""
    return Spot(before.count("\n") + 1, len(before) - before.rfind("\n"))


class _TooDeep(Exception):
    """Stops at once: PyYAML takes hours for a file of brackets."""


class _TooMany(Exception):
    """Stops where enough is wrong already: a file of nothing but mistakes takes half a minute."""


class _Builder:
    """Builds data from YAML events; refuses every way to say a thing in another place."""

    def __init__(self, text: str, document: Document, loader: type[yaml.SafeLoader | yaml.CSafeLoader]) -> None:
        events = yaml.parse(text, loader)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        self._events = cast("Iterator[yaml.Event]", events)
        self._depth = 0
        self._document = document
        self.spot = Spot(1, 1)

    def whole(self) -> object:
        """The data of the one document; an empty one says nothing."""
        self._next()
        if isinstance(self._next(), yaml.StreamEndEvent):
            return {}
        data = self._value(self._next(), ())
        self._next()
        if not isinstance(self._next(), yaml.StreamEndEvent):
            self._document.refuse(self.spot, "a second document begins here; put all settings into one")
        return {} if data is None else data

    def _next(self) -> yaml.Event:
        event = next(self._events)
        if event.start_mark:
            self.spot = Spot(event.start_mark.line + 1, event.start_mark.column + 1)
        self._depth += isinstance(event, yaml.CollectionStartEvent)
        self._depth -= isinstance(event, yaml.CollectionEndEvent)
        if self._depth > _DEEPEST:
            raise _TooDeep
        if len(self._document.problems) > MOST_PROBLEMS:
            raise _TooMany
        return event

    def _value(self, event: yaml.Event, place: Place) -> object:
        self._document.values[place] = self.spot
        self._refuse_smuggling(event)
        match event:
            case yaml.MappingStartEvent():
                return self._mapping(place)
            case yaml.SequenceStartEvent():
                return self._sequence(place)
            case yaml.ScalarEvent(style=None | ""):
                return _plain(event.value)
            case yaml.ScalarEvent():
                return self._text(event)
            case _:
                return None

    def _sequence(self, place: Place) -> list[object]:
        items: list[object] = []
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            items.append(self._value(event, (*place, str(len(items)))))
        return items

    def _mapping(self, place: Place) -> dict[str, object]:
        data: dict[str, object] = {}
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            key = self._key(event)
            if key is None:
                self._skip(self._next())
                continue
            here, spot = (*place, key), self.spot
            first = self._document.keys.setdefault(here, spot)
            if key in data:
                text = f"the key {key!r} is written twice, on lines {first.line} and {spot.line}; keep one"
                self._document.refuse(spot, text)
                self._skip(self._next())
                continue
            data[key] = self._value(self._next(), here)
        return data

    def _key(self, event: yaml.Event) -> str | None:
        self._refuse_smuggling(event)
        if isinstance(event, yaml.CollectionStartEvent):
            self._document.refuse(self.spot, "a key must be text, not a list or a mapping")
            self._skip(event)
        if not isinstance(event, yaml.ScalarEvent):
            return None
        if not event.style and event.value == "<<":
            self._document.refuse(self.spot, "merge keys (<<) are not allowed; write the settings out")
            return None
        return self._text(event)

    def _refuse_smuggling(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.NodeEvent) and event.anchor is not None:
            self._document.refuse(self.spot, "anchors (&) and aliases (*) are not allowed; write the value out")
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag is not None:
            self._document.refuse(self.spot, "tags (!) are not allowed; write the value without one")

    def _skip(self, event: yaml.Event) -> None:
        """Pass over a value that is refused already."""
        outside = self._depth - isinstance(event, yaml.CollectionStartEvent)
        while self._depth > outside:
            self._next()

    def _text(self, event: yaml.ScalarEvent) -> str:
        clean = event.value.encode("utf-8", "replace").decode()
        if clean != event.value:
            self._document.refuse(self.spot, "half a surrogate pair is not a character; write the character itself")
        return clean


def _plain(text: str) -> str | float | bool | None:
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else text
