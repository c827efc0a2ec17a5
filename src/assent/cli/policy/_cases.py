"""Cases for the shell rules, as JSON Lines: a command and the verdicts that are right."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from pydantic import TypeAdapter, ValidationError

from assent.config import ShellPreset, ShellRule
from assent.errors import ConfigError
from assent.tools.shell import Verdict

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What a line of the file may say."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = {"extra": "forbid"}

    id: str
    command: str
    expect: Verdict
    ok: tuple[Verdict, ...] = ()
    """Other verdicts that are right too."""
    rules: tuple[ShellRule, ...] | None = None
    default: Verdict | None = None
    preset: ShellPreset | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Case(Line):
    """A line, and where it stands."""

    line: int = 0

    @property
    def answers(self) -> frozenset[Verdict]:
        """Every verdict that is right."""
        return frozenset({self.expect, *self.ok})

    @property
    def is_own(self) -> bool:
        """Whether it is judged by more than the configuration says."""
        return not (self.rules is None and self.default is None and self.preset is None)


_LINE: Final = TypeAdapter(Line)


def read_cases(file: str) -> list[Case]:
    """The cases of a file; `-` reads them from the input.

    Raises:
        ConfigError: the file is wrong; the text names every place.
    """
    cases: list[Case] = []
    problems: list[str] = []
    for number, text in enumerate(_text(file).split("\n"), start=1):
        if text.strip():
            read = _read(text, number)
            if isinstance(read, Case):
                cases.append(read)
            else:
                problems += [f"{file}:{number}: {problem}" for problem in read]
    if problems:
        raise ConfigError("\n".join(problems))
    if not cases:
        raise ConfigError(f"{file}: there is no case in it; write one JSON object on each line")
    return cases


def _text(file: str) -> str:
    try:
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return content.decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{file}: it cannot be read: {error.strerror}; name a file of cases") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{file}:{line}: this is not UTF-8; save the file as UTF-8") from None


def _read(text: str, number: int) -> Case | list[str]:
    """The case on a line, or all that is wrong with it."""
    try:
        line = _LINE.validate_python(json.loads(text))
    except json.JSONDecodeError as error:
        return [f"this is no JSON, at column {error.colno}: {error.msg}"]
    except (ValueError, RecursionError) as error:
        if not isinstance(error, ValidationError):
            return [f"this is no JSON: {error}"]
        return list(map(_problem, error.errors(include_url=False)))
    return Case(**{each.name: getattr(line, each.name) for each in fields(Line)}, line=number)


def _problem(error: ErrorDetails) -> str:
    """What is wrong with a line, and what is allowed."""
    place = ".".join(map(str, error["loc"]))
    match error["type"]:
        case "unexpected_keyword_argument":
            allowed = fields(ShellRule if error["loc"][0] == "rules" else Line)
            return f"unknown key {place!r}; allowed: {', '.join(each.name for each in allowed)}"
        case "missing":
            return f"{place} is missing"
        case "dataclass_type" if not place:
            return "this is no object; write one case as a JSON object"
        case "literal_error":
            return f"{place} is {error['input']!r}; allowed: {error.get('ctx', {}).get('expected')}"
        case _:
            return f"{place}: {error['msg'][:1].lower()}{error['msg'][1:]}"
