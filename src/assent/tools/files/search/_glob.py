r"""Globs over relative paths: one meaning for listing and search, and no glob that can hang.

`*` is any run of characters within a name, `?` one character, `[a-z]` one of these, `[!a-z]` one of the
others, `{a,b}` either; a name that is exactly `**` is any number of folders (at the end: everything
below). A backslash takes the special meaning away. Hidden names are names like all others, case counts,
and what is matched is the whole path, from the folder that is looked into.

A path is matched name by name, and within a name every `*` takes the leftmost way out, which is always
as good as any other: so matching takes time in proportion to the path, whatever the glob.
"""

from __future__ import annotations

import re
from operator import methodcaller

from assent.errors import InvalidPattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    Name: TypeAlias = Callable[[str], object]
    """Says whether the whole of a name fits."""
    Place: TypeAlias = tuple[int, ...]
    """How far into the glob a folder is, in every way it could be read."""

MOST_CHARACTERS = 4_000
MOST_ALTERNATIVES = 256
MOST_BRACES = 50

_ALLOWED = "Allowed are *, **, ?, [a-z], [!a-z], {a,b} and a backslash before a special character."

_STAR_AND_TAIL = re.compile(r"\.\*((?:\\\.)?\w+)").fullmatch


class Glob:
    """A glob taken apart: walk down with `enter`, and ask `accepts` about the files of each folder."""

    __slots__ = ("_constant", "_last", "_names", "_tests", "start", "tails")

    start: Place
    """The place of the folder that is looked into."""
    tails: frozenset[tuple[str, bool]] | None
    """How every name that fits ends, each with whether that is the whole name; None: in any way."""

    def __init__(self, alternatives: Sequence[Sequence[str]]) -> None:
        self._names: list[re.Pattern[str] | None] = []
        self._last: list[bool] = []
        self._tests: dict[Place, Name | None] = {}
        self._constant: dict[Place, Place] = {}
        starts: set[int] = set()
        tails: set[tuple[str, bool]] = set()
        for parts in alternatives:
            starts.add(len(self._names))
            tail = "", False
            for number, part in enumerate(parts, start=1):
                name, tail = (None, ("", False)) if part == "**" else _name(part)
                self._names.append(name)
                self._last.append(number == len(parts))
            tails.add(tail)
        self.start = self._close(starts)
        self.tails = None if ("", False) in tails else frozenset(tails)

    def accepts(self, place: Place) -> Name | None:
        """The test for the files of a folder; None if it has none that fit."""
        if place not in self._tests:
            self._tests[place] = _any_of([self._names[step] for step in place if self._last[step]])
        return self._tests[place]

    def enter(self, place: Place, name: str) -> Place:
        """The place of a sub-folder; empty when nothing below it can fit."""
        if place in self._constant:
            return self._constant[place]
        steps: set[int] = set()
        constant = True
        for step in place:
            fits = self._names[step]
            if fits is None:
                steps.add(step)
            elif not self._last[step]:
                constant = False
                if fits.fullmatch(name):
                    steps.add(step + 1)
        reached = self._close(steps)
        if constant:
            self._constant[place] = reached
        return reached

    def matches(self, path: str) -> bool:
        """Whether this path of a file fits."""
        *folders, name = path.split("/")
        place = self.start
        for folder in folders:
            place = self.enter(place, folder)
            if not place:
                return False
        fits = self.accepts(place)
        return fits is not None and bool(fits(name))

    def _close(self, steps: set[int]) -> Place:
        """With every step that `**` lets us take without a folder."""
        reached = set(steps)
        for step in steps:
            # Neighbouring `**` are one, so there is only one step to take.
            if self._names[step] is None and not self._last[step]:
                reached.add(step + 1)
        return tuple(sorted(reached))


def _any_of(names: Sequence[re.Pattern[str] | None]) -> Name | None:
    """One test for several."""
    if not names:
        return None
    if None in names:
        return str
    if len(names) == 1 and names[0] and (tail := _STAR_AND_TAIL(names[0].pattern)):
        # By far the most common glob, and far faster this way.
        return methodcaller("endswith", tail.group(1).replace("\\", ""))
    return re.compile("|".join(name.pattern for name in names if name), re.DOTALL).fullmatch


def escaped(name: str) -> str:
    """The glob that fits this name alone."""
    return re.sub(r"([*?\[\]{},\\!])", r"\\\1", name)


def path_glob(text: str) -> Glob:
    """A glob over the path, as in a listing: `*.py` is what lies in the folder itself."""
    return Glob([_parts(alternative) for alternative in _checked(text)])


def name_glob(text: str) -> Glob:
    """A glob as in a search: without a slash it is about the name, at any depth."""
    deep = "" if "/" in text else "**/"
    return Glob([_parts(deep + alternative) for alternative in _checked(text)])


def _checked(text: str) -> list[str]:
    if not text:
        raise InvalidPattern(f"The glob is empty; for all files write **. {_ALLOWED}")
    if "\0" in text:
        raise InvalidPattern("The glob holds a NUL character, which no file name has.")
    if len(text) > MOST_CHARACTERS:
        raise InvalidPattern(f"The glob is longer than {MOST_CHARACTERS} characters; use a shorter one.")
    if text.count("{") > MOST_BRACES:
        raise InvalidPattern(f"The glob has more than {MOST_BRACES} braces; use fewer.")
    return _expand(text)


def _parts(text: str) -> list[str]:
    """The names of the path, `**` never twice in a row."""
    if text.startswith("/"):
        raise InvalidPattern(f"The glob {text!r} is absolute; write it relative to the folder that is looked into.")
    if text.endswith("/"):
        raise InvalidPattern(f"The glob {text!r} ends with a slash; for the files of a folder write {text + '*'!r}.")
    parts: list[str] = []
    for part in text.split("/"):
        if part == "..":
            raise InvalidPattern(f"The glob {text!r} holds '..'; it is about what lies below the folder only.")
        if part not in {"", "."} and not (part == "**" and parts[-1:] == ["**"]):
            parts.append(part)
    if not parts or (parts == ["**"] and not text.endswith("**")):
        raise InvalidPattern(f"The glob {text!r} names no file. {_ALLOWED}")
    return parts


def _name(part: str) -> tuple[re.Pattern[str], tuple[str, bool]]:
    """A test of one name, without a choice that could be taken back later, and its plain end."""
    chunks, tail, whole = [""], "", True
    position = 0
    while position < len(part):
        if part[position] == "*":
            chunks.append("")
            source, end = "", position + 1
        else:
            source, end = _character(part, position)
        chunks[-1] += source
        plain = part[position] not in "*?["
        tail, whole = (tail + part[end - 1], whole) if plain else ("", False)
        position = end
    first, *rest = chunks
    if not rest:
        return re.compile(first, re.DOTALL), (tail, whole)
    middle = "".join(f"(?>.*?{chunk})" for chunk in rest[:-1] if chunk)
    return re.compile(f"{first}{middle}.*{rest[-1]}", re.DOTALL), (tail, whole)


def _character(part: str, position: int) -> tuple[str, int]:
    """What stands for one character, as a regular expression, and where it ends."""
    match part[position]:
        case "?":
            return ".", position + 1
        case "[":
            end = _class_end(part, position)
            return _class(part[position + 1 : end - 1]), end
        case "\\":
            if position + 1 == len(part):
                raise InvalidPattern(f"The glob part {part!r} ends with a backslash. {_ALLOWED}")
            return re.escape(part[position + 1]), position + 2
        case character:
            return re.escape(character), position + 1


def _class_end(text: str, start: int) -> int:
    """Behind the bracket that closes the one at `start`; directly after the opening it is a member."""
    first = start + 2 if text[start + 1 : start + 2] in {"!", "^"} else start + 1
    end = text.find("]", first + 1)
    if end < 0:
        raise InvalidPattern(f"The glob {text!r} opens a [ that is not closed; for the bracket itself write \\[.")
    return end + 1


def _class(inner: str) -> str:
    negated = inner[0] in "!^"
    members = inner[1:] if negated else inner
    source = ""
    position = 0
    while position < len(members):
        low, high = members[position], members[position]
        if members[position + 1 : position + 2] == "-" and position + 2 < len(members):
            high = members[position + 2]
            position += 2
        position += 1
        if low > high:
            raise InvalidPattern(f"The glob range {low}-{high} runs backwards; write {high}-{low}.")
        source += f"{re.escape(low)}-{re.escape(high)}"
    return f"[{'^' if negated else ''}{source}]"


def _expand(text: str) -> list[str]:
    """Every way to read the braces; the rest is left as it is."""
    position = 0
    while position < len(text):
        match text[position]:
            case "\\":
                position += 2
            case "[":
                position = _class_end(text, position)
            case "{":
                return _expand_at(text, position)
            case "}":
                raise InvalidPattern(f"The glob {text!r} closes a brace that is not open; for itself write \\}}.")
            case _:
                position += 1
    return [text]


def _expand_at(text: str, start: int) -> list[str]:
    choices, end = _choices(text, start)
    alternatives: list[str] = []
    for rest in _expand(text[end:]):
        for choice in choices:
            alternatives += [text[:start] + chosen + rest for chosen in _expand(choice)]
            if len(alternatives) > MOST_ALTERNATIVES:
                raise InvalidPattern(f"The glob's braces stand for more than {MOST_ALTERNATIVES} globs; use fewer.")
    return alternatives


def _choices(text: str, start: int) -> tuple[list[str], int]:
    """What the commas of the brace at `start` separate, and where it is closed."""
    choices: list[str] = []
    depth, begin, position = 0, start + 1, start
    while position < len(text):
        match text[position]:
            case "\\":
                position += 1
            case "[":
                position = _class_end(text, position) - 1
            case "{":
                depth += 1
            case "," if depth == 1:
                choices.append(text[begin:position])
                begin = position + 1
            case "}" if depth == 1:
                return [*choices, text[begin:position]], position + 1
            case "}":
                depth -= 1
            case _:
                pass
        position += 1
    raise InvalidPattern(f"The glob {text!r} opens a brace that is not closed; for the brace itself write \\{{.")
