"""Reads the words of a wrapper up to the command behind it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Final

from assent.tools.shell._behind import LONGEST_RULE, Behind
from assent.tools.shell._word import Word, known, unknown
from assent.tools.shell._wrapper_table import STARTS_SHELL, WRAPPERS, XARGS, Wrapper

_SPLIT_STRING: Final = re.compile(r"-[i0v]*S(.*)|--s[a-z-]*(?:=(.*))?", re.DOTALL)


def behind_wrapper(name: str, words: list[Word]) -> Behind:
    """What the wrapper `name` starts."""
    wrapper = WRAPPERS[name]
    found = Behind(clear=wrapper.clear, keeps_environment=wrapper.clear)
    if wrapper.varies:
        found.give_up("which of its words is the command depends on its version", words[1:])
        found.texts += [(word.guess, word) for word in words[1:] if " " in word.guess]
        return found
    at = _OwnWords(wrapper=wrapper, words=words, found=found).end()
    if at is None:
        return found
    # A number of operands too large to be there: all words are its own.
    end = min(at + wrapper.operands, len(words))
    if any(word.splits for word in words[at:end]):
        found.give_up("the shell decides which of its words is the command", words[at:])
        return found
    if wrapper.scripts and end < len(words) and words[end].prefix.startswith("-"):
        # Options may stand after the operands too: su bob -c '...'
        behind = _OwnWords(wrapper=wrapper, words=[words[0], *words[end:]], found=found).end()
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


@dataclass(slots=True, kw_only=True)
class _OwnWords:
    """Reads the words that are the wrapper's own."""

    wrapper: Wrapper
    words: list[Word]
    found: Behind
    options: list[tuple[str, Word | None]] = field(default_factory=list[tuple[str, Word | None]])
    """The options it has read, each with its value."""

    def end(self) -> int | None:
        """Where they end; none where that is not certain."""
        at = 1
        while at < len(self.words):
            word = self.words[at]
            if self._assigns(word, dash=False):
                at += 1
            elif word.value == "--":
                return self._behind_dashes(at + 1)
            elif not word.may_be_option or word.value == "" or (word.value == "-" and "-" not in self.wrapper.flags):
                return at
            else:
                step = self._option(at)
                if not step:
                    return None
                at += step
        return at

    def _behind_dashes(self, at: int) -> int:
        while at < len(self.words) and self._assigns(self.words[at], dash=True):
            at += 1
        return at

    def _assigns(self, word: Word, *, dash: bool) -> bool:
        """Whether the word sets a variable; behind `--` its name may begin with a dash."""
        if not self.wrapper.assigns or "=" not in word.prefix or (word.prefix.startswith("-") and not dash):
            return False
        self.found.doubts.append(f"{word.prefix.partition('=')[0]} is set for the command")
        return True

    def _option(self, at: int) -> int:
        """How many words the option takes with its value; 0, and every doubt, where that is not certain."""
        value = self.words[at].value
        if value is None:
            self.found.give_up("the shell decides what this word of it is", self.words[at:])
            return 0
        step = self._long(at) if value.startswith("--") else self._short(at)
        if not step:
            self.found.give_up(f"{value} is an option of it that we do not know", self.words[at + 1 :])
        elif any(word.splits for word in self.words[at + 1 : at + step]):
            # The first word that the shell makes of it is the value, and the next one would be the command.
            self.found.give_up(f"the shell decides where the value of {value} ends", self.words[at + 1 :])
            return 0
        return step

    def _long(self, at: int) -> int:
        """How many words the long option takes; 0 if it is not known."""
        name, equals, attached = (self.words[at].value or "")[2:].partition("=")
        known_ones = self.wrapper.long.split()
        fits = [option for option in known_ones if option.removesuffix("=") == name]
        fits = fits or [option for option in known_ones if option.startswith(name)]
        if not name or len(fits) != 1:
            return 0
        separate = fits[0].endswith("=") and not equals
        self._note(fits[0].removesuffix("="), self._value(at, attached, separate=separate))
        return 2 if separate else 1

    def _short(self, at: int) -> int:
        value = self.words[at].value or ""
        for index, letter in enumerate(value[1:] or "-", start=1):
            attached = value[index + 1 :]
            if letter in self.wrapper.takes:
                self._note(letter, self._value(at, attached, separate=not attached))
                return 1 if attached else 2
            if letter in self.wrapper.may_take:
                self._note(letter, self._value(at, attached, separate=False))
                return 1
            if letter not in self.wrapper.flags:
                return 0
            self._note(letter, None)
        return 1

    def _value(self, at: int, attached: str, *, separate: bool) -> Word | None:
        if separate:
            return self.words[at + 1] if at + 1 < len(self.words) else None
        return known(attached, self.words[at].start, self.words[at].end)

    def _note(self, option: str, value: Word | None) -> None:
        self.options.append((option, value))
        if option in self.wrapper.asks.split():
            self.found.doubts.append(f"its option {option} changes what the command sees or writes")
            self.found.keeps_environment = False
        if option in self.wrapper.scripts.split() and value is not None:
            self.found.scripts.append(value)


def behind_launcher(words: list[Word]) -> Behind:
    """What a launcher may start: which of its words that is depends on the launcher's version."""
    found = Behind(keeps_environment=False)
    found.maybe = [words[index : index + LONGEST_RULE] for index in range(2, len(words))]
    return found


def behind_xargs(words: list[Word]) -> Behind:
    """What xargs starts, with words at its end that only its input decides."""
    found = Behind(clear=True)
    own = _OwnWords(wrapper=XARGS, words=words, found=found)
    at = own.end()
    if at is None:
        return found
    inner = words[at:]
    if not inner:
        found.clear = False
        return found
    marks = {"{}"}
    for option, value in own.options:
        if option in {"I", "replace"}:
            if value is None or value.value is None:
                found.give_up("the shell decides which of its words the input replaces", inner)
                return found
            marks.add(value.value or "{}")
    found.commands.append([*(_filled(word, marks) for word in inner), unknown(inner[-1].end, inner[-1].end)])
    found.begins = at
    return found


def _filled(word: Word, marks: Collection[str]) -> Word:
    """The word, with a part that only the input decides if a mark stands in it."""
    begins = [word.guess.index(mark) for mark in marks if mark in word.guess]
    if not begins:
        return word
    return replace(word, value=None, prefix=word.prefix[: min(begins)])


_FIND_RUNS: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir"})


def behind_find(words: list[Word]) -> Behind:
    """What find starts by -exec and the like."""
    found = Behind()
    listed = _is_given_a_list(words)
    at = 1
    while at < len(words):
        if words[at].value not in _FIND_RUNS:
            at += 1
            continue
        end = next((each for each in range(at + 1, len(words)) if _ends_run(words, at, each)), len(words))
        inner = words[at + 1 : end]
        if any(word.value is None and word.prefix in {";", "+"} for word in inner):
            found.give_up("the shell decides where its command ends", inner)
        if inner:
            found.commands.append([_found_name(word, listed=listed) for word in inner])
            found.begins = at + 1 if found.begins is None else found.begins
        at = end + 1
    return found


def _is_given_a_list(words: list[Word]) -> bool:
    """Whether the starting points of find may begin with a dash: from a list, or behind -f where find has it."""
    first = next((at for at, word in enumerate(words) if word.value in _FIND_RUNS), len(words))
    before = any(word.value == "-f" or (word.value is None and word.may_be_option) for word in words[1:first])
    return before or any(word.value == "-files0-from" for word in words)


def _ends_run(words: list[Word], run: int, at: int) -> bool:
    """Whether the word ends the command after -exec: a plus does only behind {}, and never after -ok."""
    plus = words[run].value in {"-exec", "-execdir"} and words[at - 1].value == "{}"
    return words[at].value == ";" or (plus and words[at].value == "+")


def _found_name(word: Word, *, listed: bool) -> Word:
    """The word as find fills it in; `listed` if its starting points may be anything."""
    if word.value == "{}" and not listed:
        # find puts the starting point before every name, so it is never an option.
        return unknown(word.start, word.end, prefix="./", splits=False, text=word.text)
    return _filled(word, {"{}"})
