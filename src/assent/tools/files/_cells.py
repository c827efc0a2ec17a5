"""Where the cells of a notebook stand in its bytes, and what changing one does to them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, cast

from assent.diff import Edit
from assent.errors import InvalidArguments

_BLANKS: Final = re.compile(r"[ \t\r\n]*")
_IDS_SINCE: Final = (4, 5)
_NEVER_RUN: Final[Mapping[str, object]] = {"execution_count": None, "outputs": []}
_decoder: Final = json.JSONDecoder()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell, and where it stands in the text."""

    value: Mapping[str, object]
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Notebook:
    """A notebook as text; positions are characters, edits are bytes."""

    text: str
    shown: str
    cells: tuple[Cell, ...]
    begin: int
    """Where the list of cells begins, behind its bracket."""
    has_ids: bool

    @classmethod
    def of(cls, data: bytes, shown: str) -> Notebook:
        """The notebook that these bytes are.

        Raises:
            InvalidArguments: they are none.
        """
        try:
            text = data.decode()
            whole: object = json.loads(text)
            if not isinstance(whole, dict):
                raise InvalidArguments(_none(shown, "it is no object"))
            top = cast("Mapping[str, object]", whole)
            begin = dict(_members(text, _skip(text, 0)))["cells"]
            cells = tuple(_items(text, begin))
        except (ValueError, KeyError) as error:
            raise InvalidArguments(_none(shown, f"{type(error).__name__}: {error}")) from error
        version = top.get("nbformat"), top.get("nbformat_minor")
        ids = all(isinstance(each, int) for each in version) and cast("tuple[int, int]", version) >= _IDS_SINCE
        return cls(text=text, shown=shown, cells=cells, begin=begin + 1, has_ids=ids)

    def replaced(self, name: str, kind: str | None, source: str) -> Edit:
        """Other source, and perhaps another kind, for a cell."""
        cell = self.cells[self._index(name)]
        value = {**cell.value, "source": _lines(source)}
        if kind is not None and kind != cell.value.get("cell_type"):
            value = _of_kind(kind, source, value)
        if value["cell_type"] == "code":
            value |= _NEVER_RUN
        return self._put(cell.start, cell.end, self._spelled(value, cell.start))

    def inserted(self, after: str | None, kind: str, source: str) -> Edit:
        """A new cell behind another one, or as the first."""
        place = 0 if after is None else self._index(after) + 1
        value = _of_kind(kind, source, {"id": self._new_id(place, source)} if self.has_ids else {})
        if place:
            at = self.cells[place - 1].end
            between = self._before(self.cells[place - 1])
            return self._put(at, at, f",{between}{self._spelled(value, self.cells[place - 1].start)}")
        if self.cells:
            first = self.cells[0]
            return self._put(first.start, first.start, f"{self._spelled(value, first.start)},{self._before(first)}")
        return self._put(self.begin, self.begin, json.dumps(value, ensure_ascii=False))

    def deleted(self, name: str) -> Edit:
        """A cell less, and the comma beside it."""
        index = self._index(name)
        if index:
            return self._put(self.cells[index - 1].end, self.cells[index].end, "")
        first, *rest = self.cells
        return self._put(first.start, rest[0].start if rest else first.end, "")

    def _index(self, name: str) -> int:
        names = [str(cell.value.get("id", f"cell-{number}")) for number, cell in enumerate(self.cells)]
        if names.count(name) == 1:
            return names.index(name)
        numbered = re.fullmatch(r"cell-(\d{1,6})", name)
        if numbered and int(numbered[1]) < len(names) and name not in names:
            return int(numbered[1])
        wrong = "more than one cell of that name" if name in names else "no such cell"
        raise InvalidArguments(
            f"{self.shown} has {wrong}: {name!r}; its cells are {', '.join(names[:50]) or 'none yet'} "
            "(cell-0 is the first one in any notebook)"
        )

    def _new_id(self, place: int, source: str) -> str:
        # Not random: what is shown must be what is written.
        known = {str(cell.value.get("id")) for cell in self.cells}
        drawn = sha256(f"{place}\0{source}\0{sorted(known)}".encode()).hexdigest()
        return next(part for part in (drawn[at : at + 8] for at in range(56)) if part not in known)

    def _before(self, cell: Cell) -> str:
        """The blanks in front of a cell: what stands between two of them."""
        at = cell.start
        while at > self.begin and self.text[at - 1] in " \t\r\n":
            at -= 1
        return self.text[at : cell.start] or " "

    def _spelled(self, value: Mapping[str, object], start: int) -> str:
        """The cell as JSON, indented as its neighbours are, with their ends of lines."""
        line = self.text[self.text.rfind("\n", 0, start) + 1 : start]
        if line.strip():
            return _json(value)
        unit = re.search(r"\n([ \t]+)\S", self.text)
        end = "\r\n" if "\r\n" in self.text else "\n"
        return _json(value, indent=unit[1] if unit else " ").replace("\n", f"{end}{line}")

    def _put(self, start: int, end: int, text: str) -> Edit:
        first, last = (len(self.text[:at].encode()) for at in (start, end))
        return Edit(start=first, end=last, replacement=text.encode())


def _json(value: Mapping[str, object], indent: str | None = None) -> str:
    """As people read it; half a character, which no file can hold, stays the escape it came as."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)


def _of_kind(kind: str, source: str, known: Mapping[str, object]) -> dict[str, object]:
    """A cell of this kind; what only another kind has is left out."""
    value: dict[str, object] = {"cell_type": kind}
    if "id" in known:
        value["id"] = known["id"]
    value |= {"metadata": known.get("metadata", {}), "source": _lines(source)}
    return {**value, **_NEVER_RUN} if kind == "code" else value


def _lines(source: str) -> list[str]:
    return source.splitlines(keepends=True)


def _none(shown: str, why: str) -> str:
    return f"{shown} is no notebook ({why}); NotebookEdit changes .ipynb files of nbformat 4"


def _skip(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return at if match is None else match.end()


def _members(text: str, at: int) -> Iterator[tuple[str, int]]:
    """Each key of the object at this place, and where its value begins."""
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, at = _decoder.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)
        yield str(key), at
        _, at = _decoder.raw_decode(text, at)
        at = _skip(text, at)
        at = _skip(text, at + 1) if text[at] == "," else at


def _items(text: str, at: int) -> Iterator[Cell]:
    """Each cell of the list at this place."""
    if text[at] != "[":
        message = "cells is no list"
        raise ValueError(message)
    at = _skip(text, at + 1)
    while text[at] != "]":
        value, end = _decoder.raw_decode(text, at)
        if not isinstance(value, dict):
            message = "a cell is no object"
            raise ValueError(message)  # noqa: TRY004 — what the caller catches
        yield Cell(value=cast("Mapping[str, object]", value), start=at, end=end)
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at
