"""Shells and builtins that run text: which of their words is a script."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from assent.tools.shell._behind import Behind
from assent.tools.shell._danger import Danger
from assent.tools.shell._names import names
from assent.tools.shell._word import Word

SHELLS: Final = names(
    "sh bash dash ash zsh ksh mksh pdksh yash fish csh tcsh rbash busybox-sh osh elvish nu xonsh pwsh"
)
_LIKE_BASH: Final = frozenset({"bash", "sh", "dash"})
_HARMLESS: Final = frozenset("ceuxfvn")
# What other shells read differently than bash, so that a script with it is no longer the same.
_BASH_ONLY: Final = re.compile(
    r"&>|>&(?![0-9-])|\|&|\$['\"\[]|\$\(\(|[<>]\(|\[\[|\(\(|<<|;&|\b(?:function|time|select|coproc)\b"
)
_RUNS_TEXT: Final = frozenset(
    {"eval", "trap", "source", ".", "mapfile", "readarray", "complete", "compgen", "bind", "alias"}
)


def behind_shell(name: str, words: list[Word]) -> Behind:
    """The script a shell runs, if one is written in the command."""
    found = Behind(clear=True)
    if name not in _LIKE_BASH:
        found.doubts.append(f"{name} reads its scripts by rules of its own")
    at, takes_script = _options(words, found)
    if at is None:
        return found
    rest = words[at:]
    if takes_script and rest:
        found.scripts.append(rest[0])
        _check_dialect(name, rest[0], found)
        # Inside the script they are $@, which may be used as a command.
        found.maybe += [rest[1:], rest[2:]]
    elif takes_script:
        found.clear = False
    elif not rest:
        found.clear = False
        found.doubts.append("it runs what it reads from its input")
    else:
        found.clear = False
        if rest[0].value is None:
            found.doubts.append("the shell decides which script it runs")
    return found


def _check_dialect(name: str, script: Word, found: Behind) -> None:
    if name != "bash" and script.value is not None and _BASH_ONLY.search(script.value):
        found.doubts.append(f"{name} may read this script differently than bash")


def _options(words: list[Word], found: Behind) -> tuple[int | None, bool]:
    """Where the options of a shell end, and whether a script follows."""
    takes_script = False
    at = 1
    while at < len(words):
        value = words[at].value
        if value is None:
            if words[at].may_be_option:
                found.give_up("the shell decides what this word of it is", words[at:])
                return None, takes_script
            break
        if value in {"--", "-"}:
            at += 1
            break
        if value in {"--norc", "--noprofile"}:
            at += 1
            continue
        if not value.startswith(("-", "+")):
            break
        takes_script |= value[0] == "-" and value[1] != "-" and "c" in value
        at += 1 + _check_option(value, words, at, found)
    return at, takes_script


def _check_option(value: str, words: list[Word], at: int, found: Behind) -> int:
    """How many values an option of a shell takes; what is not harmless asks."""
    letters = value[1:]
    with_value = letters in {"-rcfile", "-init-file"} or (not letters.startswith("-") and letters[-1:] in {"o", "O"})
    following = words[at + 1].value if with_value and at + 1 < len(words) else None
    if letters.startswith("-") or value.startswith("+") or set(letters) - _HARMLESS - {"o"}:
        found.doubts.append(f"its option {value} changes how it runs")
    elif with_value and following not in {"pipefail", "errexit", "nounset", "xtrace"}:
        found.doubts.append(f"its option {value} {following} changes how it runs")
    return int(with_value)


def behind_builtin(name: str, words: list[Word]) -> Behind | None:
    """The text a builtin runs."""
    if name not in _RUNS_TEXT:
        return None
    found = Behind()
    arguments = [word for word in words[1:] if word.value != "--"]
    if name == "eval" and arguments:
        found.texts.append((" ".join(word.guess for word in arguments), arguments[0]))
    elif name == "trap" and arguments:
        found.texts.append((arguments[0].guess, arguments[0]))
    elif name == "alias":
        found.texts += [(word.guess.partition("=")[2], word) for word in arguments]
    elif name in {"mapfile", "readarray", "complete", "compgen", "bind"}:
        found.texts += [(word.guess.rpartition(":")[2], word) for word in arguments]
    return found


def reads_script_from_input(words: list[Word]) -> bool:
    """Whether a shell with these words runs what it reads from its input."""
    values = [word.value or "" for word in words[1:]]
    operands = [value for value in values if not value.startswith(("-", "+"))]
    given = any(value.startswith("-") and not value.startswith("--") and "c" in value for value in values)
    return not given and (not operands or any(value.startswith("-") and "s" in value[1:] for value in values))


def shell_dangers(words: Sequence[Word]) -> Iterator[Danger]:
    """The file a shell runs: a rule for the bare shell says nothing about it."""
    found = Behind()
    at, takes_script = _options(list(words), found)
    if at is not None and not takes_script and at < len(words):
        yield Danger(kind="code", key=f"the script {words[at].text}", at=at)
