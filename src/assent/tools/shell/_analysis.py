"""Goes through a command and everything inside it; asks the rules, and nothing outside."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from assent.tools.shell._behind import LONGEST_RULE, Behind
from assent.tools.shell._besides import Besides, looked_at, looking
from assent.tools.shell._braces import spread
from assent.tools.shell._danger import Danger
from assent.tools.shell._expansions import TooDeep
from assent.tools.shell._findings import Findings, Layer, Started
from assent.tools.shell._reader import Doubt, Script
from assent.tools.shell._rules import Rule
from assent.tools.shell._scan import Scanner
from assent.tools.shell._shells import SHELLS, reads_script_from_input
from assent.tools.shell._simple import Redirect, Simple
from assent.tools.shell._tree import Function, read_tree
from assent.tools.shell._unwrap import base_name, unwrap
from assent.tools.shell._values import Part
from assent.tools.shell._weigh import moves, weigh
from assent.tools.shell._word import Word, known

_MOST_LAYERS: Final = 8
_DESCRIPTOR: Final = re.compile(r"\d+-?|-")
_ROUGH: Final = re.compile(r"[;&|(){}\n`\"']+|\b(?:then|do|else|elif|if|while|until|exec|eval)\b")

_VARIABLE: Final = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?")
_NO_SPACE: Final = re.compile(r"\S+")
_PIECE: Final = re.compile(r"[^\s;&|(){},<>`\"']+")
# How many times a command's own length may lie inside it, and for how many letters a word counts there.
_INSIDE: Final = 2
_A_WORD: Final = 8


@dataclass(slots=True, kw_only=True)
class Analysis(Findings):
    """Looks at a command and at every text inside it."""

    _besides: Besides = field(default_factory=Besides)

    def analyse(self, command: str) -> None:
        """Look at the command and at every text inside it."""
        outermost = Layer(text=command, start=0, end=len(command), in_place=True)
        self._left += _INSIDE * len(command)
        self._ahead.append(outermost)
        while self._ahead:
            self._layer = self._ahead.pop()
            self._read()
        if self.is_too_much:
            self._layer = outermost
            self._glance()
        self._besides.give_to(self.started)

    def _read(self) -> None:
        layer = self._layer
        if layer.layers > _MOST_LAYERS and layer.sure:
            self._ask("depth", f"more than {_MOST_LAYERS} scripts lie inside each other", layer.start, layer.end)
        scanner = Scanner(layer.text)
        try:
            scanner.read()
        except TooDeep:
            self._doubt(Doubt(kind="unparsable", why="it is nested too deeply", start=0, end=len(layer.text)))
            self._roughly()
            return
        doubts = scanner.doubts + self._compare(scanner)
        for doubt in doubts:
            self._doubt(doubt)
        if any(doubt.kind == "unparsable" for doubt in doubts):
            self._roughly()
        found = sorted(scanner.commands, key=lambda each: each.start)
        if layer.in_place:
            self.is_certain, self.commands = not doubts, found
        for simple in found:
            self._simple(simple)
            self._hidden(simple, scanner.values)
        if layer.sure:
            self._besides.note_loops(scanner.values)
        for script in scanner.scripts:
            self._enter(script.text, script, sure=layer.sure)

    def _compare(self, scanner: Scanner) -> list[Doubt]:
        """Where tree-sitter reads the text otherwise; what it alone sees may be denied too."""
        text = self._layer.text
        tree = read_tree(text)
        ours = {simple.words[0].start: simple for simple in scanner.commands if simple.words}
        doubts = [
            Doubt(
                kind="unparsable" if kind == "ERROR" else "construct",
                why=f"{kind} is never pre-approved",
                start=start,
                end=end,
            )
            for kind, start, end in tree.strange
        ]
        # What stands in backticks and the like is read as a text of its own.
        elsewhere = {place for script in scanner.scripts for place in range(script.start, script.end)}
        for start in sorted((tree.starts.keys() ^ ours.keys()) - elsewhere):
            why = "two readings of this do not agree"
            doubts.append(Doubt(kind="disagreement", why=why, start=start, end=min(start + 1, len(text))))
            if start not in ours:
                self._deny_only(text[start : tree.starts[start]])
        doubts += _recursion(tree.functions, ours)
        return doubts

    def _roughly(self) -> None:
        """Deny what looks like a denied command, where nobody can tell what bash makes of the text."""
        end = 0
        for border in (*_ROUGH.finditer(self._layer.text), None):
            start, stop = end, border.start() if border else len(self._layer.text)
            end = border.end() if border else stop
            pieces = _NO_SPACE.finditer(self._layer.text, start, stop)
            found = [known(each.group().replace("\\", ""), each.start(), each.end()) for each in pieces]
            self._command(found, sure=False)

    def _glance(self) -> None:
        """Deny what any word may start, where there is too much to look through."""
        found = [
            known(each.group().replace("\\", ""), each.start(), each.end())
            for each in _PIECE.finditer(self._layer.text)
        ]
        for at in range(len(found)):
            words = found[at : at + LONGEST_RULE]
            if any(certain and rule.verdict == "deny" for rule, certain in self.rules.limiting(words)):
                self._judge(words, (), None, certain=False, environment=True, simple=None)
                return

    def _simple(self, simple: Simple) -> None:
        for word in simple.assignments:
            self._ask("assignment", f"{word.text.partition('=')[0]} is set for what follows", word.start, word.end)
        for redirect in simple.redirects:
            self._redirect(redirect)
        if simple.is_test:
            self._besides.note_test(simple)
        elif not simple.words:
            # Of a compound command, or what `$(< file)` reads.
            self._besides.redirects += simple.redirects
        else:
            self._command(simple.words, sure=self._layer.sure, simple=simple)

    def _hidden(self, simple: Simple, values: Mapping[str, Sequence[str]]) -> None:
        """Look for denied commands in what braces and variables of the text itself make."""
        open_words = [word for word in simple.words if word.value is None]
        if not open_words:
            return
        texts = [word.text for word in simple.words]
        if any("{" in word.literal for word in open_words):
            self._deny_only(" ".join(each for text in texts for each in spread(text)))
        whole = " ".join(texts)
        spelled = {found.group(): found.group(1) for found in _VARIABLE.finditer(whole)} if values else {}
        for spelling, name in spelled.items():
            for value in values.get(name, ()):
                self._deny_only(whole.replace(spelling, value))

    def _redirect(self, redirect: Redirect) -> None:
        target, operator = redirect.target, redirect.operator
        value = target.value or ""
        if operator in {">&", "<&"} and _DESCRIPTOR.fullmatch(value):
            return
        if operator in {"<", "<<<"}:
            if operator == "<" and (target.value is None or value.startswith(("/dev/tcp", "/dev/udp"))):
                self._ask("redirection", f"it reads from {target.text}", target.start, target.end)
        elif value != "/dev/null":
            self._ask("redirection", f"its output goes to {target.text}", target.start, target.end)

    def _command(self, words: Sequence[Word], *, sure: bool, simple: Simple | None = None) -> None:
        """Judge a command, then everything behind it."""
        ahead: list[tuple[Sequence[Word], tuple[str, ...], bool, bool]] = [
            (words, (), sure, self._layer.keeps_environment)
        ]
        outermost = simple
        seen: set[tuple[int, int]] = set()
        while ahead:
            inner, grant, certain, environment = ahead.pop()
            if not inner or (not certain and (inner[0].start, inner[-1].end) in seen):
                continue
            seen.add((inner[0].start, inner[-1].end))
            if inner is not words and not self._affords(_A_WORD * len(inner)):
                return
            behind = unwrap(inner)
            weighed_permits = self._judge(
                inner, grant, behind, certain=certain, environment=environment, simple=outermost
            )
            if behind and behind.scripts and outermost:
                # The commands of a script read what their shell reads.
                self._besides.redirects += outermost.redirects
            if behind:
                self._behind(behind, certain=certain, environment=environment)
                grants = next((rule.pattern[behind.begins :] for rule in weighed_permits if behind.begins), ())
                environment = environment and behind.keeps_environment
                ahead += [(each, grants, certain, environment) for each in behind.commands]
                ahead += [(each, (), False, environment) for each in behind.maybe]
            if outermost and base_name(inner[0].value or "") in SHELLS and reads_script_from_input(list(inner)):
                self._input_of_shell(outermost)

    def _judge(
        self,
        words: Sequence[Word],
        grant: tuple[str, ...],
        behind: Behind | None,
        *,
        certain: bool,
        environment: bool,
        simple: Simple | None,
    ) -> tuple[Rule, ...]:
        """Add the part for these words; the rules that allow them."""
        weighed = weigh(words, self.rules, grant=grant, behind=behind)
        self._options_that_run(words, weighed.dangers)
        # What only may be a command is no reason to fall back on a default.
        if not certain and (weighed.verdict != "deny" or weighed.rule.startswith("[")):
            return ()
        start, end = words[0].start, max(word.end for word in words)
        placed = self._place(start, end)
        self.moves |= moves(words)
        self.started.append(
            Started(
                part=len(self.parts),
                words=tuple(words),
                redirects=tuple(simple.redirects) if simple else (),
                permits=weighed.permits,
                keeps_environment=environment,
            )
        )
        looked = looked_at(words)
        if looked:
            self.started.append(looking(len(self.parts), looked))
        self.parts.append(
            Part(
                text=self._layer.text[start:end],
                start=placed[0],
                end=placed[1],
                words=tuple(word.value for word in words),
                verdict=weighed.verdict,
                rule=weighed.rule,
                why=weighed.why,
            )
        )
        if behind:
            for why in behind.doubts:
                self._ask("wrapper", why, start, end)
        return weighed.permits

    def _options_that_run(self, words: Sequence[Word], dangers: Sequence[Danger]) -> None:
        """Look at the commands that options name."""
        for danger in dangers:
            word = words[danger.at]
            place = Script(text="", start=word.start, end=word.end)
            following = words[danger.at + 1].guess if danger.at + 1 < len(words) else ""
            for text in (danger.script, following, following.partition("=")[2].removeprefix("!")):
                if text and danger.kind == "run":
                    self._enter(text, place, sure=False)

    def _behind(self, behind: Behind, *, certain: bool, environment: bool) -> None:
        environment = environment and behind.keeps_environment
        for word in behind.scripts:
            if word.value is None and certain:
                self._ask("dynamic command", "the shell decides which script is run", word.start, word.end)
            script = Script(text="", start=word.start, end=word.end)
            text = word.guess if word.value is None else word.value
            self._enter(text, script, sure=certain and word.value is not None, keeps_environment=environment)
            if certain:
                self.texts.append(text)
        for text, word in behind.texts:
            self._enter(text, Script(text="", start=word.start, end=word.end), sure=False)

    def _input_of_shell(self, simple: Simple) -> None:
        """Look at the text that a shell reads, as far as it stands in the command."""
        place = Script(text="", start=simple.start, end=simple.end)
        for text in simple.inputs:
            self._enter(text, place, sure=False)
        source = simple.source
        if source:
            for text in source.inputs:
                self._enter(text, place, sure=False)
            if base_name(source.name or "") in {"echo", "printf"}:
                self._enter(" ".join(word.guess for word in source.words[1:]), place, sure=False)


def _recursion(functions: Sequence[Function], commands: Mapping[int, Simple]) -> list[Doubt]:
    """Functions that call themselves, as a fork bomb does."""
    if not functions:
        return []
    called: dict[str | None, list[Simple]] = {}
    for simple in commands.values():
        called.setdefault(simple.name, []).append(simple)
    return [
        Doubt(kind="recursion", why=f"the function {each.name} calls itself", start=simple.start, end=simple.end)
        for each in functions
        for simple in called.get(each.name, ())
        if each.start < simple.start < each.end
    ]
