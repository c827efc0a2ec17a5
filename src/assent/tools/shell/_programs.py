"""The little languages of sed, awk, printf and the like: which of their words only transform text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from assent.tools.shell._danger import Danger
from assent.tools.shell._names import names
from assent.tools.shell._word import Word


def _pattern(mark: str) -> str:
    """A pattern up to its mark, with none in brackets: whether that one ends it depends on the version of sed."""
    brackets = rf"\[\^?+\]?+(?:\[:[a-z]+:\]|[^\[\]\\{mark}\n]|\\[^\]\n])*\]"
    return rf"(?:[^\\\[{mark}\n]|\\.|{brackets})*{mark}"


_ADDRESS: Final = rf"(?:\d+(?:~\d+)?|\$|/{_pattern('/')}I?)"
_COMMANDS: Final = "|".join(
    [
        "[pdD=nNgGhHxPlz]",
        r"[qQ][ \t]*\d*",
        *(
            rf"[sy]{mark}{_pattern(mark)}(?:[^\\{mark}\n]|\\.)*{mark}[gpiIm0-9]*"
            for mark in map(re.escape, "/|#,:@%!+_")
        ),
    ]
)
# One command after the other: numbers and patterns before it, one letter or a substitution, no `e` and no `w`.
# Nothing is read twice (`++`): a script that fits in two ways would be tried in all of them.
_SED: Final = re.compile(
    rf"\s*(?:(?:{_ADDRESS}(?:,(?:{_ADDRESS}|[+~]\d+))?[ \t]*(?:![ \t]*)?)?(?:{_COMMANDS})[ \t]*(?:[;\n]\s*|$))++",
    re.DOTALL,
)
_AWK: Final = re.compile(r"system|getline|[|>@]|close\s*\(|fflush")
_MOST_SED: Final = 2000
_QUOTED: Final = re.compile(r'"([^"\n]*)"')
_SED_SCRIPT: Final = frozenset({"-e", "--expression", "-ne", "-Ene", "-nEe", "-Ee", "-re", "-nre"})
_SED_FLAGS: Final = frozenset("nErsuz")
_SED_LONG: Final = frozenset(
    {"--quiet", "--silent", "--regexp-extended", "--separate", "--unbuffered", "--null-data", "--posix", "--debug"}
)


def sed_dangers(words: Sequence[Word]) -> Iterator[Danger]:
    """What in a sed command may write files or run programs."""
    scripts: list[tuple[int, str | None]] = []
    operands: list[int] = []
    at = 1
    while at < len(words):
        value = words[at].value
        if value is None:
            if words[at].may_be_option:
                yield Danger(kind="unknown", key="", at=at)
            operands.append(at)
        elif value in _SED_SCRIPT:
            at += 1
            scripts.append((at, words[at].value if at < len(words) else None))
        elif value.startswith("--expression="):
            scripts.append((at, value.partition("=")[2]))
        elif value.startswith("-") and value != "-":
            yield from _sed_option(value, at)
        else:
            operands.append(at)
        at += 1
    if not scripts and operands:
        scripts.append((operands[0], words[operands[0]].value))
    for place, script in scripts:
        if script is None or len(script) > _MOST_SED or not _SED.fullmatch(script):
            yield Danger(kind="run", key="its script", at=min(place, len(words) - 1))


def _sed_option(value: str, at: int) -> Iterator[Danger]:
    if value in _SED_LONG or value == "--" or (not value.startswith("--") and set(value[1:]) <= _SED_FLAGS):
        return
    if "i" in value.partition("=")[0]:
        yield Danger(kind="write", key="-i", at=at)
    else:
        yield Danger(kind="code", key=value, at=at)


def awk_dangers(words: Sequence[Word]) -> Iterator[Danger]:
    """What in an awk command may write files or run programs."""
    at = 1
    while at < len(words):
        value = words[at].value
        if value is None and not words[at].may_be_option:
            break
        if value in {"-F", "-v"}:
            if any(word.splits for word in words[at + 1 : at + 2]):
                # The second word that the shell makes of it would be the program.
                yield Danger(kind="unknown", key="", at=at + 1)
                return
            at += 2
        elif value is not None and value.startswith(("-F", "-v")):
            at += 1
        elif value == "--":
            at += 1
            break
        elif value is None or (value.startswith("-") and value != "-"):
            yield Danger(kind="unknown" if value is None else "code", key=value or "", at=at)
            return
        else:
            break
    program = words[at].value if at < len(words) else ""
    if program is None or _AWK.search(program):
        # What stands in quotes may be a command.
        texts = "\n".join(_QUOTED.findall(program or ""))
        yield Danger(kind="run", key="its program", at=min(at, len(words) - 1), script=texts)


_XXD_VALUES: Final = names("-c -cols -g -groupsize -l -len -n -name -o -offset -s -seek -R")


def xxd_dangers(words: Sequence[Word]) -> Iterator[Danger]:
    """What in an xxd command writes: its second operand, and turning a dump back."""
    operands = 0
    skip = dashes = False
    for at, word in enumerate(words[1:], start=1):
        value = word.value
        if value is None or skip:
            operands += word.splits + (not skip)
            if word.may_be_option and (word.splits or not skip):
                yield Danger(kind="unknown", key="", at=at)
            skip = False
        elif operands or dashes:
            # Its options end at the first operand: what follows is written to, also if it begins with a dash.
            operands += 1
        elif value == "--":
            dashes = True
        elif value in _XXD_VALUES:
            skip = True
        elif value.startswith(("-r", "--r")):
            yield Danger(kind="write", key="-r", at=at)
        else:
            operands += value == "-" or not value.startswith("-")
        if operands > 1:
            yield Danger(kind="write", key="its second operand", at=at)
            return


# Letters end at the first with a value. Behind -I stands its own: -Id is the date alone.
_DATE_VALUES: Final = re.compile(r"-[^-Idfrs][^Idfrs]*[dfr]|-[dfr]|--d(?:a(?:te?)?)?|--f(?:i(?:le?)?)?|--ref[a-z]*")
_DATE_SETS: Final = re.compile(r"-(?!-)[^Idfrs]*s.*|--s.*", re.DOTALL)


def date_dangers(words: Sequence[Word]) -> Iterator[Danger]:
    """What in a date command sets the clock: an option, and any operand that is no format."""
    skip = False
    for at, word in enumerate(words[1:], start=1):
        value = word.value
        if skip:
            skip = False
            if word.splits:
                yield Danger(kind="unknown", key="", at=at)
        elif value is None:
            if word.may_be_option or not word.prefix.startswith("+"):
                yield Danger(kind="unknown", key="", at=at)
        elif _DATE_VALUES.fullmatch(value):
            skip = True
        elif _DATE_SETS.fullmatch(value):
            yield Danger(kind="write", key="--set", at=at)
        elif not value.startswith(("-", "+")):
            yield Danger(kind="write", key="setting the clock", at=at)


# Two signs are one; flags, width and size stand before the letter, of which n sets the variable its word names.
_PRINTF_SETS: Final = re.compile(r"%%|(%[^%A-Za-z]*[hjlLtz]*n)")


def printf_dangers(words: Sequence[Word]) -> Iterator[Danger]:
    """What in a printf command sets a variable, PATH or HOME perhaps: -v, and %n in its format."""
    at = 2 if len(words) > 1 and words[1].value == "--" else 1
    if at >= len(words):
        return
    value = words[at].value
    if value is None:
        yield Danger(kind="sets", key="a format that only the shell knows", at=at)
    elif at == 1 and value.startswith("-v"):
        yield Danger(kind="sets", key="-v", at=at)
    elif any(found.group(1) for found in _PRINTF_SETS.finditer(value)):
        yield Danger(kind="sets", key="%n", at=at)


# It looks at the environment, or reads a program or data from a file.
_JQ: Final = re.compile(r"env|ENV|import|include|modulemeta|get_search_list|input_filename")
_JQ_OPTIONS: Final = names(
    """--arg --argjson --args --jsonargs --slurpfile --rawfile --null-input --raw-input --slurp --compact-output
    --raw-output --raw-output0 --join-output --ascii-output --sort-keys --color-output --monochrome-output --tab
    --indent --exit-status --seq --stream --unbuffered --version --help"""
)


def jq_dangers(words: Sequence[Word]) -> Iterator[Danger]:
    """What in a jq command is a program from a file, or more than a look at its input."""
    for at, word in enumerate(words[1:], start=1):
        value = word.value
        if value is None:
            yield Danger(kind="unknown", key="", at=at)
        elif re.match(r"-(?!-).*[fL]", value) or (value.startswith("--") and value not in _JQ_OPTIONS):
            # Others name a file with programs, as --from-file and --run-tests do.
            yield Danger(kind="code", key=value.partition("=")[0], at=at)
        elif _JQ.search(value):
            yield Danger(kind="code", key="its program", at=at)


_UNARY: Final = frozenset(f"-{letter}" for letter in "abcdefghkLnNOGprsStuwxz")
_BINARY: Final = frozenset({"=", "==", "!=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"})


def only_compares(words: Sequence[Word]) -> bool:
    """Whether a test has so few words that its operator is the one written, whatever variables hold."""
    if any(word.splits for word in words):
        return False
    values = [word.value for word in words[1:]]
    if words[0].value == "[" and (not values or values.pop() != "]"):
        return False
    if values[:1] == ["!"]:
        values = values[1:]
    match values:
        case [_]:
            return True
        case [operator, _]:
            return operator in _UNARY
        case [_, operator, _]:
            return operator in _BINARY
        case _:
            return False
