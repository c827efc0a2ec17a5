"""What is found in a command: parts with their verdicts, and texts to look at next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from assent.tools.shell._reader import Doubt, Script
from assent.tools.shell._rules import Rule, Rules
from assent.tools.shell._simple import Redirect, Simple
from assent.tools.shell._values import Part, Verdict, strictest
from assent.tools.shell._word import Word

_MOST_INSIDE: Final = 100_000
_EACH: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """Shell text that is looked at, and how it got there."""

    text: str
    start: int
    end: int
    in_place: bool = False
    """Whether places in the text are places in the whole command."""
    sure: bool = True
    """Whether it runs; else it is looked at for denying only."""
    layers: int = 0
    keeps_environment: bool = True


@dataclass(slots=True, kw_only=True)
class Started:
    """A command that would be started, with what has to be known about it outside."""

    part: int
    """Its place among the parts."""
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]
    permits: tuple[Rule, ...]
    keeps_environment: bool


@dataclass(slots=True, kw_only=True)
class Findings:
    """Everything found in a command so far."""

    rules: Rules
    parts: list[Part] = field(default_factory=list[Part])
    started: list[Started] = field(default_factory=list[Started])
    texts: list[str] = field(default_factory=list[str])
    """Shell text inside the command that bash must accept too."""
    commands: list[Simple] = field(default_factory=list[Simple])
    """The commands of the outermost text."""
    moves: bool = False
    """Whether it changes the folder, so that relative paths mean something else."""
    is_certain: bool = True
    """Whether the outermost text was read without any doubt."""
    is_too_much: bool = False
    """Whether more lies inside the command than can be looked through."""
    _left: int = _MOST_INSIDE
    _ahead: list[Layer] = field(default_factory=list[Layer])
    _layer: Layer = field(default_factory=lambda: Layer(text="", start=0, end=0))
    _known: set[tuple[str, bool, bool]] = field(default_factory=set[tuple[str, bool, bool]])

    def _deny_only(self, text: str) -> None:
        place = self._layer
        self._enter(text, Script(text=text, start=place.start, end=place.end), sure=False)

    def _enter(self, text: str, script: Script, *, sure: bool, keeps_environment: bool = True) -> None:
        """Look at a text inside the one at hand, later; once is enough for the same text."""
        seen = (text, sure, keeps_environment)
        if not text.strip() or seen in self._known:
            return
        self._known.add(seen)
        if not self._affords(len(text)):
            return
        start, end = self._place(script.start, script.end)
        self._ahead.append(
            Layer(
                text=text,
                start=start,
                end=end,
                sure=sure,
                layers=self._layer.layers + 1,
                keeps_environment=keeps_environment and self._layer.keeps_environment,
            )
        )

    def _affords(self, size: int) -> bool:
        """Whether there is room to look at this much more inside the command; else it asks.

        Texts and commands inside each other make more of themselves, so that a short command could
        keep us busy for hours.
        """
        self._left -= size + _EACH
        if self._left < 0 and not self.is_too_much:
            self.is_too_much = True
            self.parts.append(
                Part(
                    text=self._layer.text,
                    start=self._layer.start,
                    end=self._layer.end,
                    words=(),
                    verdict=strictest(["ask", self.rules.default]),
                    rule="[size]",
                    why="more lies inside each other here than can be looked through; write it simpler",
                )
            )
        return not self.is_too_much

    def _place(self, start: int, end: int) -> tuple[int, int]:
        """A place in the layer's text as one in the whole command."""
        return (start, end) if self._layer.in_place else (self._layer.start, self._layer.end)

    def _ask(self, kind: str, why: str, start: int, end: int, verdict: Verdict = "ask") -> None:
        if not self._layer.sure:
            return
        placed = self._place(start, end)
        self.parts.append(
            Part(
                text=self._layer.text[start:end],
                start=placed[0],
                end=placed[1],
                words=(),
                verdict=verdict,
                rule=f"[{kind}]",
                why=why,
            )
        )

    def _doubt(self, doubt: Doubt) -> None:
        verdict = strictest(["ask", self.rules.default]) if doubt.kind in {"unparsable", "disagreement"} else "ask"
        self._ask(doubt.kind, doubt.why, doubt.start, doubt.end, verdict)
