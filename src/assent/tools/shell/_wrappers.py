"""Reads the words of a wrapper up to the command behind it."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from typing import Final

from assent.tools.shell._behind import LONGEST_RULE, Behind
from assent.tools.shell._word import Word, known, unknown
from assent.tools.shell._wrapper_table import STARTS_SHELL, WRAPPERS, XARGS, Wrapper

_SPLIT_STRING: Final = re.compile(r"-[i0v]*S(.*)|--s[a-z-]*(?:=(.*))?", re.DOTALL)


def behind_wrapper(name: str, words: list[Word]) -> Behind:
    """What the wrapper `name` starts."""
    wrapper = WRAPPERS[name]
    found = Behind(clear=wrapper.clear, keeps_environment=wrapper.clear)
    at = _own_words(wrapper, words, found)
    if at is None:
        return found
    # A number of operands too large to be there: all words are its own.
    end = min(at + wrapper.operands, len(words))
    if any(word.splits for word in words[at:end]):
        found.give_up("the shell decides which of its words is the command", words[at:])
        return found
    if wrapper.scripts and end < len(words) and words[end].prefix.startswith("-"):
        # Options may stand after the operands too: su bob -c '...'
        behind = _own_words(wrapper, [words[0], *words[end:]], found)
        end = len(words) if behind is None else end + behind - 1
    inner = words[end:]
    if inner and wrapper.joined:
        found.texts.append((" ".join(word.guess for word in inner), inner[0]))
        found.doubts.append("its words are joined and given to a shell")
    if inner:
        found.commands.append(inner)
        found.begins = end
    elif not found.scripts:
        found.clear = False
        if name in STARTS_SHELL:
            found.doubts.append("it starts a shell")
    return found


def behind_env(words: list[Word]) -> Behind:
    """What env starts; its option -S puts the words of a text before those that follow."""
    for at, word in enumerate(words[1:], start=1):
        split = _SPLIT_STRING.fullmatch(word.guess)
        if split:
            attached = next((each for each in split.groups() if each), "")
            texts = [attached] if attached else [each.guess for each in words[at + 1 : at + 2]]
            rest = words[at + 1 if attached else at + 2 :]
            found = Behind(keeps_environment=False)
            found.doubts.append("its option -S makes words of a text")
            found.texts.append((f"env {' '.join(texts)} {shlex.join(each.guess for each in rest)}", word))
            return found
        if word.value is None or not (word.value.startswith("-") or "=" in word.value):
            break
    return behind_wrapper("env", words)


def _own_words(wrapper: Wrapper, words: list[Word], found: Behind) -> int | None:
    """Where the words of the wrapper itself end; none where that is not certain."""
    at = 1
    while at < len(words):
        word = words[at]
        value = word.value
        if wrapper.assigns and "=" in word.prefix and not word.prefix.startswith("-"):
            found.doubts.append(f"{word.prefix.partition('=')[0]} is set for the command")
            at += 1
            continue
        if value is None:
            if word.may_be_option:
                found.give_up("the shell decides what this word of it is", words[at:])
                return None
            return at
        if value == "--":
            at += 1
            while wrapper.assigns and at < len(words) and "=" in words[at].prefix:
                found.doubts.append(f"{words[at].prefix.partition('=')[0]} is set for the command")
                at += 1
            return at
        if value == "-" and "-" in wrapper.flags:
            _note(wrapper, "-", None, found)
            at += 1
            continue
        if not value.startswith("-") or value == "-":
            return at
        step = _long(wrapper, words, at, found) if value.startswith("--") else _short(wrapper, words, at, found)
        if not step:
            found.give_up(f"{value} is an option of it that we do not know", words[at + 1 :])
            return None
        at += step
    return at


def _long(wrapper: Wrapper, words: list[Word], at: int, found: Behind) -> int:
    """How many words the long option takes; 0 if it is not known."""
    name, equals, attached = (words[at].value or "")[2:].partition("=")
    fits = [option for option in wrapper.long.split() if option.removesuffix("=") == name]
    fits = fits or [option for option in wrapper.long.split() if option.startswith(name)]
    if not name or len(fits) != 1:
        return 0
    separate = fits[0].endswith("=") and not equals
    _note(wrapper, fits[0].removesuffix("="), _value(words, at, attached, separate=separate), found)
    return 2 if separate else 1


def _short(wrapper: Wrapper, words: list[Word], at: int, found: Behind) -> int:
    value = words[at].value or ""
    for index, letter in enumerate(value[1:], start=1):
        attached = value[index + 1 :]
        if letter in wrapper.takes:
            _note(wrapper, letter, _value(words, at, attached, separate=not attached), found)
            return 1 if attached else 2
        if letter not in wrapper.flags:
            return 0
        _note(wrapper, letter, None, found)
    return 1


def _value(words: list[Word], at: int, attached: str, *, separate: bool) -> Word | None:
    if separate:
        return words[at + 1] if at + 1 < len(words) else None
    return known(attached, words[at].start, words[at].end)


def _note(wrapper: Wrapper, option: str, value: Word | None, found: Behind) -> None:
    if option in wrapper.asks.split():
        found.doubts.append(f"its option {option} changes what the command sees or writes")
        found.keeps_environment = False
    if option in wrapper.scripts.split() and value is not None:
        found.scripts.append(value)


def behind_launcher(words: list[Word]) -> Behind:
    """What a launcher may start: which of its words that is depends on the launcher's version."""
    found = Behind(keeps_environment=False)
    found.maybe = [words[index : index + LONGEST_RULE] for index in range(2, len(words))]
    return found


def behind_xargs(words: list[Word]) -> Behind:
    """What xargs starts, with words at its end that only its input decides."""
    found = Behind(clear=True)
    at = _own_words(XARGS, words, found)
    if at is None:
        return found
    inner = words[at:]
    if not inner:
        found.clear = False
        return found
    marks = {mark for mark in (_replacement(words[1:at]), "{}") if mark}
    filled = [_filled(word) if any(mark in word.guess for mark in marks) else word for word in inner]
    found.commands.append([*filled, unknown(inner[-1].end, inner[-1].end)])
    found.begins = at
    return found


def _replacement(options: list[Word]) -> str:
    values = [word.value or "" for word in options]
    for index, value in enumerate(values):
        if value.startswith("-I"):
            return value[2:] or (values[index + 1] if index + 1 < len(values) else "")
        if value.startswith("--replace="):
            return value.partition("=")[2]
    return ""


def _filled(word: Word) -> Word:
    """The word with a part that only the input decides."""
    return replace(word, value=None, prefix=word.guess.partition("{}")[0], splits=False)


_FIND_RUNS: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir"})


def behind_find(words: list[Word]) -> Behind:
    """What find starts by -exec and the like."""
    found = Behind()
    at = 1
    while at < len(words):
        if words[at].value not in _FIND_RUNS:
            at += 1
            continue
        end = next((i for i in range(at + 1, len(words)) if words[i].value in {";", "+"}), len(words))
        inner = words[at + 1 : end]
        if inner:
            # find puts the starting point before every name, so it is never an option.
            found.commands.append(
                [
                    unknown(word.start, word.end, prefix="./", splits=False, text=word.text)
                    if word.value == "{}"
                    else _filled(word)
                    if "{}" in word.guess
                    else word
                    for word in inner
                ]
            )
            found.begins = at + 1 if found.begins is None else found.begins
        at = end + 1
    return found
