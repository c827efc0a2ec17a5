"""Plain data as settings, and every way it can fail in words a person can act on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from itertools import chain, islice
from pathlib import Path
from reprlib import Repr
from types import UnionType
from typing import TYPE_CHECKING, Final, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from assent.config._marks import NO_NAME
from assent.config._settings import Sections, exposures
from assent.config._shell import unnamed_paths
from assent.config._yaml import MOST_PROBLEMS, Document, Place, Problem, Spot
from assent.errors import ConfigError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

TOOL_RULES: Final = (
    "tool_rules is gone: approval is part of each tool's own settings "
    "(sandbox.paths.<name>.write_approval, shell.rules)"
)
# What is not here says it itself, in its mark.
_ALLOWED: Final = {
    "string_type": "allowed: a path, as text; put it in quotes if it looks like something else",
    "string_too_short": "allowed: a path, as text; write . for the folder of this file",
}
_brief: Final = Repr()
_brief.maxstring = _brief.maxother = 60


@cache
def _adapter() -> TypeAdapter[Sections]:
    return TypeAdapter(Sections)


def schema() -> dict[str, object]:
    """The JSON Schema of the file."""
    return _adapter().json_schema()


def check(document: Document, folder: Path) -> Sections | list[Problem]:
    """The sections the document spells, or everything that is wrong with it."""
    problems = list(document.problems)
    known = {problem.spot for problem in problems}
    try:
        sections = _adapter().validate_python(document.data, context=str(folder))
    except ValidationError as error:
        # Where the text itself is at fault, what came of it says nothing new.
        errors = islice(error.errors(include_url=False), MOST_PROBLEMS + 1)
        found = [_problem(each, document) for each in errors]
        return sorted(problems + [each for each in found if each.spot not in known])
    problems += islice(chain(_exposed(sections, document), _unnamed(sections, document)), MOST_PROBLEMS + 1)
    return sorted(problems) or sections


def _exposed(sections: Sections, document: Document) -> Iterator[Problem]:
    store = document.values.get(("store",))
    try:
        for place, why in exposures(sections):
            yield Problem(store or document.values[place], why)
    except ConfigError as error:
        yield Problem(store or Spot(1, 1), f"store: {error}")


def _unnamed(sections: Sections, document: Document) -> Iterator[Problem]:
    for index, why in unnamed_paths(sections.shell, sections.sandbox.paths):
        place = ("shell", "rules", str(index), "sandbox_paths")
        yield Problem(document.values[place], f"{_dotted(place)} {why}")


def _problem(error: ErrorDetails, document: Document) -> Problem:
    place = tuple(str(part) for part in error["loc"])
    if error["type"] == "unexpected_keyword_argument":
        return Problem(document.keys[place], _unknown(place))
    if error["type"] == "missing":
        keys = ", ".join(_keys(place[:-1]))
        # An item of a list has no key of its own.
        spots = document.keys if place[:-1] in document.keys else document.values
        return Problem(_nearest(spots, place), f"{_dotted(place)} is missing; allowed here: {keys}")
    if error["type"] == NO_NAME:
        # Pydantic adds "[key]" to the place of a key.
        place = place[:-1]
        return Problem(document.keys[place], f"{_brief.repr(place[-1])} is no name; {error['msg']}")
    return Problem(_nearest(document.values, place), f"{_dotted(place)} {_wrong(error, place)}")


def _wrong(error: ErrorDetails, place: Place) -> str:
    """What is wrong with a value, and what is allowed."""
    given = "null" if error["input"] is None else _brief.repr(error["input"])
    context = error.get("ctx", {})
    match error["type"]:
        case "dataclass_type" | "dict_type" | "mapping_type":
            keys = ", ".join(_keys(place))
            return f"is {given}; allowed: a mapping {f'with the keys {keys}' if keys else 'of names you choose'}"
        case "value_error":
            return f"is {given}, which {context.get('error')}"
        case "literal_error":
            return f"is {given}; allowed: {context.get('expected')}"
        case kind:
            return f"is {given}; {_ALLOWED.get(kind, error['msg'])}"


def _unknown(place: Place) -> str:
    *inside, key = place
    if key == "tool_rules":
        return TOOL_RULES
    keys = _keys(tuple(inside))
    near = get_close_matches(key[:60], keys, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"unknown key {_brief.repr(key)}; {hint}allowed here: {', '.join(keys)}"


def _keys(place: Place) -> list[str]:
    """The keys allowed at a place; none where names are free."""
    kind: object = Sections
    for part in place:
        kind = _given(get_type_hints(kind)[part]) if is_dataclass(kind) else _inner(kind)
    return sorted(each.name for each in fields(kind)) if is_dataclass(kind) else []


def _given(kind: object) -> object:
    """What stands there, where null may stand there too."""
    return (
        next((each for each in get_args(kind) if is_dataclass(each)), kind) if get_origin(kind) is UnionType else kind
    )


def _inner(kind: object) -> object:
    """What a mapping or a list holds."""
    return get_args(kind)[0 if get_origin(kind) is tuple else 1]


def _nearest(spots: Mapping[Place, Spot], place: Place) -> Spot:
    """Where the place is in the file, or the closest thing around it that is."""
    around = (place[:length] for length in range(len(place), 0, -1))
    return next((spots[each] for each in around if each in spots), Spot(1, 1))


def _dotted(place: Place) -> str:
    parts = [part if re.fullmatch(r"[\w-]{1,60}", part) else _brief.repr(part) for part in place]
    return ".".join(parts) or "the file"
