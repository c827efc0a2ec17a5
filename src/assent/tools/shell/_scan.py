"""Finds every simple command in shell text, wherever it stands."""

from __future__ import annotations

import re
from typing import Final

from assent.tools.shell._compounds import CompoundReader
from assent.tools.shell._expansions import MOST_DEPTH, TooDeep
from assent.tools.shell._frame import Frame
from assent.tools.shell._simple import Simple
from assent.tools.shell._word import Word

_OPERATOR: Final = re.compile(r"&&|\|\||\|&|;;&|;;|;&|&>>|&>|<<<|<<-|<<|<>|<&|>>|>&|>\||[;&|()<>\n]")
_REDIRECTS: Final = frozenset({"&>>", "&>", "<<<", "<<-", "<<", "<>", "<&", ">>", ">&", ">|", "<", ">"})


class Scanner(CompoundReader):
    """Reads shell text to its end; `commands` holds what it found."""

    def read(self) -> None:
        """Find every command."""
        self._read(Frame(closer=None))
        if self._documents:
            self.doubt("here-document", "a here-document does not end", self.limit, self.limit)

    def read_script(self, closer: str) -> None:
        """Read the commands of a substitution."""
        self._read(Frame(closer=closer))

    def _read(self, frame: Frame) -> None:
        while self._skip():
            operator = _OPERATOR.match(self.text, self.at, self.limit)
            if operator and not self.text.startswith(("<(", ">("), self.at):
                if self._operator(frame, operator.group()):
                    break
            else:
                self._take(frame)
        else:
            if frame.closer is not None:
                self.doubt("unparsable", f"{frame.closer} is missing", self.limit, self.limit)
        self._finish(frame)

    def _finish(self, frame: Frame) -> None:
        if frame.draft:
            self.commands.append(frame.draft)
        frame.draft = None

    def _operator(self, frame: Frame, operator: str) -> bool:
        """Act on an operator; true if it ended the frame."""
        start = self.at
        if operator in _REDIRECTS:
            self._redirect(frame, operator)
            return False
        if operator == "(":
            self._parenthesis(frame)
            return False
        self.at += len(operator)
        if operator == ")":
            return self._close(frame, start)
        if operator in {";;", ";&", ";;&"}:
            self._next_case(frame, start)
        elif not frame.in_pattern:
            last = frame.draft
            self._finish(frame)
            frame.upstream = last if operator in {"|", "|&"} else None
        frame.closed = False
        if operator == "\n" and self._documents:
            self._read_documents()
        return False

    def _next_case(self, frame: Frame, start: int) -> None:
        self._finish(frame)
        if frame.cases:
            frame.cases[-1] = "pattern"
        else:
            self.doubt("unparsable", ";; stands outside of case", start)

    def _close(self, frame: Frame, start: int) -> bool:
        if frame.in_pattern:
            frame.cases[-1] = "body"
            return False
        if frame.closer == ")":
            return True
        self._finish(frame)
        self.doubt("unparsable", ") closes nothing", start)
        return False

    def _parenthesis(self, frame: Frame) -> None:
        start = self.at
        self.at += 1
        if frame.in_pattern:
            return
        if frame.draft:
            self._function_or_error(frame, start)
        elif self.text.startswith("(", self.at):
            self.doubt("arithmetic", "arithmetic may evaluate what a variable holds", start, start + 2)
            # It may be a subshell in a subshell as well, so its text is read both ways.
            self._until(")", start)
            self.at = start + 1
            self._subshell(frame)
        else:
            self._subshell(frame)

    def _subshell(self, frame: Frame) -> None:
        self.depth += 1
        if self.depth > 2 * MOST_DEPTH:
            raise TooDeep
        self.read_script(")")
        self.depth -= 1
        frame.closed = True

    def _function_or_error(self, frame: Frame, start: int) -> None:
        draft = frame.draft
        self._skip()
        if draft and len(draft.words) == 1 and self.text.startswith(")", self.at):
            self.at += 1
            frame.draft = None
            return
        self.doubt("unparsable", "a parenthesis stands where bash expects none", start)
        self._finish(frame)
        self._subshell(frame)

    def _take(self, frame: Frame) -> None:
        """Read a word, and give it its place."""
        word = self.word()
        if self._is_descriptor(word):
            return
        if frame.cases and frame.cases[-1] != "body":
            self._case_word(frame, word)
        elif frame.draft and frame.draft.words:
            frame.draft.words.append(word)
            frame.draft.end = word.end
        elif frame.draft is None and not word.quoted and self._keyword(frame, word):
            pass
        else:
            self._first(frame, word)

    def _first(self, frame: Frame, word: Word) -> None:
        if frame.closed:
            self.doubt("unparsable", "a word stands where only an operator may", word.start)
        frame.closed = False
        frame.draft = frame.draft or Simple(start=word.start, end=word.end, source=frame.upstream)
        frame.draft.end = word.end
        if word.is_assignment:
            frame.draft.assignments.append(word)
            name, _, value = word.guess.partition("=")
            self.values.setdefault(name, []).append(value)
            if word.text.endswith("=") and self.text.startswith("(", self.at):
                self._array()
        else:
            frame.draft.words.append(word)

    def _array(self) -> None:
        self.at += 1
        while self._skip():
            char = self.text[self.at]
            if char == ")":
                self.at += 1
                return
            if char == "\n":
                self.at += 1
            else:
                self.word()
