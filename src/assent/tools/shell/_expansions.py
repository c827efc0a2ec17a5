"""Reads what expands inside a word: variables, substitutions, arithmetic."""

from __future__ import annotations

import re
from typing import Final

from assent.tools.shell._reader import Script, WordReader

MOST_DEPTH: Final = 40
_VARIABLE: Final = re.compile(r"\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])")
_NAME_ONLY: Final = re.compile(r"\$\{#?[A-Za-z_][A-Za-z0-9_]*\}|\$\{#?[0-9@*#?]\}")
_DEFAULT: Final = re.compile(r"\$\{[A-Za-z0-9_@*]+:?[-=+]([^{}$`'\"\\]+)\}")
_SUM: Final = re.compile(r"\$\(\([0-9 \t+*/%-]*\)\)")
_ANSI: Final = re.compile(
    r"\\(?:(?P<hex>x[0-9a-fA-F]{1,2})|(?P<uni>u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8})|(?P<oct>[0-7]{1,3})"
    r"|c(?P<ctl>.)|(?P<one>.))",
    re.DOTALL,
)
_ANSI_ONE: Final = dict(zip("abeEfnrtv", "\a\b\x1b\x1b\f\n\r\t\v", strict=True))


class TooDeep(Exception):
    """Nested deeper than anybody writes by hand."""


class ExpansionReader(WordReader):
    """Reads words with all that expands in them; whoever extends it reads the scripts."""

    def read_script(self, closer: str) -> None:
        """Read the commands up to `closer`, which is consumed."""
        raise NotImplementedError

    def _dollar(self, *, quoted: bool) -> None:
        start = self.at
        following = self.text[start + 1 : min(start + 3, self.limit)]
        if self.text[start] == "`":
            self._backticks(splits=not quoted)
        elif following.startswith("'") and not quoted:
            self._ansi()
        elif following.startswith('"') and not quoted:
            self.doubt("translation", '$"..." is translated by the locale', start, start + 2)
            self.at += 1
            self._double()
        elif following.startswith(("(", "{", "[")):
            self._expands(splits=not quoted or self.text.startswith("${@}", start))
            self._bracketed(following)
        elif variable := _VARIABLE.match(self.text, start, self.limit):
            self.at = variable.end()
            # "$@" is several words even in quotes, as is "${@}".
            self._expands(splits=not quoted or variable.group() == "$@")
        else:
            self._pieces.append(("$", True))
            self.at += 1

    def _bracketed(self, following: str) -> None:
        start = self.at
        simple = _NAME_ONLY.match(self.text, start, self.limit) or _SUM.match(self.text, start, self.limit)
        if simple:
            self.at = simple.end()
        elif following == "((":
            self._arithmetic(3, "))")
        elif following.startswith("("):
            self._nested(2)
        elif following.startswith("["):
            self._arithmetic(2, "]")
        else:
            self._parameter()

    def _nested(self, length: int) -> None:
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise TooDeep
        self.at += length
        self.read_script(")")
        self.depth -= 1

    def _arithmetic(self, length: int, closer: str) -> None:
        start = self.at
        # Arithmetic evaluates what variables hold, and that may hold another substitution.
        self.doubt("arithmetic", "arithmetic may evaluate what a variable holds", start, start + length)
        self.at += length
        self._until(closer, start)
        if closer == "))":
            # Where this is no arithmetic, bash reads a subshell in a substitution.
            self.scripts.append(Script(text=self.text[start + 2 : self.at], start=start, end=self.at))

    def _parameter(self) -> None:
        start = self.at
        self.doubt("expansion", "this kind of expansion may set variables or run commands", start, start + 2)
        self.at += 2
        self._until("}", start)
        default = _DEFAULT.fullmatch(self.text, start, self.at)
        if default:
            self._pieces.append((default.group(1), True))

    def _until(self, closer: str, start: int) -> None:
        """Read to the closing mark, with everything that may stand between."""
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise TooDeep
        pairs = {"(": ")", "{": "}", "[": "]"}
        while self.at < self.limit:
            if self.text.startswith(closer, self.at):
                self.at = min(self.at + len(closer), self.limit)
                self.depth -= 1
                return
            char = self.text[self.at]
            if char in pairs and closer != "}":
                self.at += 1
                self._until(pairs[char], start)
            elif char in "\\'\"$`":
                self._piece(self.at)
            else:
                self.at += 1
        self.depth -= 1
        self.doubt("unparsable", f"{closer} is missing", start)

    def _backticks(self, *, splits: bool) -> None:
        start = self.at
        self._expands(splits=splits)
        end = start + 1
        while end < self.limit and self.text[end] != "`":
            end += 2 if self.text[end] == "\\" else 1
        end = min(end, self.limit)
        self.at = min(end + 1, self.limit)
        if end == self.limit:
            self.doubt("unparsable", "a backtick is not closed", start)
        self.doubt("backticks", "backticks are never pre-approved; write $(...)", start)
        inner = re.sub(r"\\([`\\$])", r"\1", self.text[start + 1 : end])
        self.scripts.append(Script(text=inner, start=start, end=self.at))

    def _ansi(self) -> None:
        start = self.at
        end = start + 2
        while end < self.limit and self.text[end] != "'":
            end += 2 if self.text[end] == "\\" else 1
        end = min(end, self.limit)
        self.at = min(end + 1, self.limit)
        if end == self.limit:
            self.doubt("unparsable", "a quote is not closed", start)
        self.doubt("escapes", "$'...' may spell anything", start)
        # Bash ends the string at a NUL.
        spelled = _ANSI.sub(_ansi_character, self.text[start + 2 : end]).partition("\0")[0]
        self._pieces.append((spelled, True))


def _ansi_character(found: re.Match[str]) -> str:
    digits = found["hex"] or found["uni"]
    if digits:
        number = int(digits[1:], 16)
        return chr(number) if number < 0x110000 else ""  # noqa: PLR2004 (the end of Unicode)
    if found["oct"]:
        return chr(int(found["oct"], 8) & 0xFF)
    if found["ctl"]:
        return chr(ord(found["ctl"]) & 0x1F)
    return _ANSI_ONE.get(found["one"], found["one"])
