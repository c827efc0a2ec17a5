"""Reads redirections and here-documents."""

from __future__ import annotations

import re
from typing import Final

from assent.tools.shell._expansions import ExpansionReader
from assent.tools.shell._frame import Frame
from assent.tools.shell._simple import Redirect, Simple
from assent.tools.shell._word import Word

_SPACE: Final = re.compile(r"(?:[ \t]+|\\\n)+")
_DESCRIPTOR_VARIABLE: Final = re.compile(r"\{[A-Za-z_][A-Za-z0-9_]*\}")


class RedirectReader(ExpansionReader):
    """Reads words, and where the input and output of commands go."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._documents: list[tuple[str, bool, bool, Simple | None]] = []

    def _skip(self) -> bool:
        """Pass over blanks and comments; false at the end."""
        space = _SPACE.match(self.text, self.at, self.limit)
        if space:
            self.at = space.end()
        if self.at < self.limit and self.text[self.at] == "#":
            end = self.text.find("\n", self.at, self.limit)
            self.at = self.limit if end < 0 else end
        return self.at < self.limit

    def _redirect(self, frame: Frame, operator: str) -> None:
        start = self.at
        self.at += len(operator)
        if not self._skip() or self.text[self.at] in "\n;&|()":
            self.doubt("unparsable", "a redirection leads nowhere", start)
            return
        if frame.draft is None:
            frame.draft = Simple(start=start, end=start, source=None if frame.closed else frame.upstream)
        target = self.word()
        frame.draft.end = max(frame.draft.end, target.end)
        if operator in {"<<", "<<-"}:
            self.doubt("here-document", "here-documents are never pre-approved", start)
            self._documents.append((target.guess, operator == "<<-", not target.quoted, frame.draft))
        elif operator == "<<<":
            frame.draft.inputs.append(target.guess)
            frame.draft.redirects.append(Redirect(operator=operator, target=target))
        else:
            frame.draft.redirects.append(Redirect(operator=operator, target=target))

    def _is_descriptor(self, word: Word) -> bool:
        """Whether the word is the number or variable of the redirection that follows at once."""
        if self.at >= self.limit or self.text[self.at] not in "<>" or self.text.startswith("(", self.at + 1):
            return False
        if _DESCRIPTOR_VARIABLE.fullmatch(word.text):
            self.doubt("variable", f"the redirection sets {word.text}", word.start)
            return True
        return word.text.isascii() and word.text.isdigit()

    def _read_documents(self) -> None:
        documents, self._documents = self._documents, []
        for delimiter, strips, expands, owner in documents:
            start = end = self.at
            while True:
                stop = self.text.find("\n", end, self.limit)
                line = self.text[end : self.limit if stop < 0 else stop]
                if (line.lstrip("\t") if strips else line) == delimiter:
                    self.at = self.limit if stop < 0 else stop + 1
                    break
                end = self.limit if stop < 0 else stop + 1
                if stop < 0:
                    self.at = end
                    break
            self._document(start, end, owner, expands=expands)

    def _document(self, start: int, end: int, owner: Simple | None, *, expands: bool) -> None:
        if owner:
            owner.inputs.append(self.text[start:end])
        if expands:
            behind, limit, self.at, self.limit = self.at, self.limit, start, end
            self._quoted("")
            self.at, self.limit = behind, limit
