"""Reads the keywords around commands: loops, cases, functions, conditionals."""

from __future__ import annotations

import re
from typing import Final

from assent.tools.shell._frame import Frame
from assent.tools.shell._redirects import RedirectReader
from assent.tools.shell._simple import Simple
from assent.tools.shell._word import Word

_OPENERS: Final = frozenset({"if", "then", "elif", "else", "while", "until", "do", "!", "{"})
_CLOSERS: Final = frozenset({"fi", "done", "}", "esac"})
_FOLLOWED: Final = _OPENERS | {"for", "select", "case", "function", "[[", "time", "coproc"}
# What a loop may set without changing how programs are found or what they do.
_LOOP_VARIABLE: Final = re.compile(r"(?!(?:https?|ftp|all|no)_proxy$|histchars$|auto_resume$)[a-z_][a-z0-9_]*")
_TIMED: Final = re.compile(r"(?:[ \t]+-p)?[ \t]+(\S+)")
_COPROC_NAME: Final = re.compile(
    r"[ \t]+[A-Za-z_][A-Za-z0-9_]*(?=[ \t]*[({]|[ \t]+(?:if|while|until|for|case|select|\[\[)[ \t\n])"
)
_IN: Final = re.compile(r"[ \t\n]*in(?=[ \t;\n])")
_PARENTHESES: Final = re.compile(r"[ \t]*\([ \t]*\)")
_HARMLESS_TESTS: Final = frozenset({"==", "=", "!=", "!", *(f"-{letter}" for letter in "abcdefghkLnNOGprsStuwxz")})


class CompoundReader(RedirectReader):
    """Reads keywords; `commands` holds the commands found so far."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.commands: list[Simple] = []
        self.values: dict[str, list[str]] = {}
        """What variables are set to, as far as it is written."""

    def _case_word(self, frame: Frame, word: Word) -> None:
        state = frame.cases[-1]
        if state == "subject":
            frame.cases[-1] = "in"
        elif state == "in":
            frame.cases[-1] = "pattern"
        elif word.text == "esac":
            frame.cases.pop()
            frame.closed = True

    def _keyword(self, frame: Frame, word: Word) -> bool:
        """Act on a reserved word; false if the word is none here."""
        text = word.text
        if text in _OPENERS:
            frame.closed = False
        elif text in _CLOSERS:
            frame.closed = True
            if text == "esac" and frame.cases:
                frame.cases.pop()
        elif text == "case":
            frame.cases.append("subject")
        elif text in {"for", "select"}:
            self._loop(word)
        elif text == "function":
            self._function()
        elif text == "[[":
            self._test(frame, word)
        elif text == "coproc":
            self.doubt("coproc", "coproc is never pre-approved", word.start)
            name = _COPROC_NAME.match(self.text, self.at, self.limit)
            self.at = name.end() if name else self.at
        else:
            return text == "time" and self._timed_compound(word)
        return True

    def _timed_compound(self, word: Word) -> bool:
        following = _TIMED.match(self.text, word.end)
        if following and (following.group(1) in _FOLLOWED or following.group(1).startswith("(")):
            self.doubt("time", "time stands before a compound command", word.start)
            self.at = following.start(1)
            return True
        return False

    def _loop(self, keyword: Word) -> None:
        if keyword.text == "select":
            self.doubt("select", "select waits for a person", keyword.start)
        self._skip()
        if self.text.startswith("((", self.at):
            self.doubt("arithmetic", "arithmetic may evaluate what a variable holds", self.at, self.at + 2)
            self.at += 2
            self._until("))", keyword.start)
            return
        name = self.word()
        if not _LOOP_VARIABLE.fullmatch(name.text):
            self.doubt("variable", f"the loop sets {name.text}, which programs may read", name.start)
        after = _IN.match(self.text, self.at, self.limit)
        if after:
            self.at = after.end()
            while self._skip() and self.text[self.at] not in ";\n&|()":
                self.values.setdefault(name.text, []).append(self.word().guess)

    def _function(self) -> None:
        self._skip()
        self.word()
        parentheses = _PARENTHESES.match(self.text, self.at, self.limit)
        if parentheses:
            self.at = parentheses.end()

    def _test(self, frame: Frame, opener: Word) -> None:
        test = Simple(start=opener.start, end=opener.end, words=[opener], is_test=True)
        while self._skip():
            if self.text[self.at] in "&|()<>\n":
                self.at += 1
                continue
            word = self.word()
            test.words.append(word)
            test.end = word.end
            if word.text == "]]":
                break
            self._check_operand(word)
        self.commands.append(test)
        frame.closed = True

    def _check_operand(self, word: Word) -> None:
        operator = word.text.startswith(("-", "=", "!")) and not word.quoted
        if operator and word.text not in _HARMLESS_TESTS:
            self.doubt("test", f"{word.text} in [[ ]] may evaluate what a variable holds", word.start)
