"""The shell rules as a policy: what the gate is told of a command, and what a person is shown."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from assent.errors import InvalidArguments
from assent.model import (
    Allow,
    ApprovalRequest,
    Command,
    CommandPart,
    Deny,
    Presentation,
    Preview,
    ToolCall,
    Verdict,
    Wider,
)
from assent.tools.shell._examples import check_rules
from assent.tools.shell._grants import generalisations
from assent.tools.shell._judge import judge
from assent.tools.shell._options import is_tabled
from assent.tools.shell._rules import Rule, Rules
from assent.tools.shell._unwrap import base_name
from assent.tools.shell._values import Judgement, Part
from assent.tools.shell._world import Machine

if TYPE_CHECKING:
    from assent.config import SandboxPath, Settings

HARMLESS: Final = frozenset({"timeout", "timeout_ms", "description", "explanation"})
"""Arguments of a shell tool that do not change what its command does."""

_KEPT: Final = 256
_MOST_BYTES: Final = 131_071
"""What Linux gives a program in one argument."""
_MOST_IN_A_LINE: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """A command with all that had to be looked up for its verdict."""

    command: str
    folder: Path
    """Where it would run, with every link followed: an answer is remembered for this folder."""
    judgement: Judgement
    grantable: tuple[tuple[str, ...], ...] = ()
    """First words that a person may grant, and whose grant would cover this command."""
    unknown: Mapping[str, object]
    """Arguments whose meaning is not known; they may change what the command does."""

    def verdict(self, tool_name: str) -> Verdict:
        """What becomes of a call of that tool with this command."""
        if self.judgement.verdict == "deny":
            return Deny(reason=self.judgement.reason)
        if self.judgement.verdict == "allow" and not self.unknown:
            return Allow(reason=self.judgement.reason)
        return _request(tool_name, self)


class CommandPolicy:
    """Judges every command of a tool that runs one: its argument `command`, and perhaps `cwd`.

    It may be given for anyone's shell tool: what it allows, asks and denies does not depend on who
    runs it. An argument it does not know, such as an environment, asks; `harmless` names those that
    change nothing.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        cwd: str | Path = ".",
        paths: Mapping[str, SandboxPath] | None = None,
        harmless: Collection[str] = HARMLESS,
    ) -> None:
        self._rules = rules
        self._cwd = Path(cwd).absolute()
        self._paths = dict(paths or {})
        self._known = frozenset({"command", "cwd", *harmless})
        self._looked: dict[tuple[str, str, str], Looked] = {}

    @classmethod
    def from_settings(
        cls, settings: Settings, *, cwd: str | Path = ".", harmless: Collection[str] = HARMLESS
    ) -> CommandPolicy:
        """As `assent.yaml` says, for commands that run in this folder.

        Raises:
            ConfigError: a `match` or `not_match` example of a rule fails.
        """
        check_rules(settings)
        return cls(Rules.of(settings.shell), cwd=cwd, paths=settings.sandbox.paths, harmless=harmless)

    def look(self, args: Mapping[str, object]) -> Looked:
        """The verdict on a command with everything that led to it.

        Raises:
            InvalidArguments: there is no command, or `cwd` is no folder's name.
        """
        command, folder = _command(args), self._folder(args)
        world = Machine(cwd=folder, paths=self._paths)
        judgement = judge(command, self._rules, world)
        unknown = {name: value for name, value in args.items() if name not in self._known and value is not None}
        grantable = tuple(
            words
            for words in (() if unknown or judgement.verdict != "ask" else _first_words(judgement))
            if judge(command, _with_grant(self._rules, words), world).verdict == "allow"
        )
        return Looked(command=command, folder=folder, judgement=judgement, grantable=grantable, unknown=unknown)

    async def prepare(self, call: ToolCall, /) -> None:
        """Look around off the event loop: bash reads the command, and programs and paths are found."""
        looked = await asyncio.to_thread(self.look, call.args)
        if len(self._looked) >= _KEPT:
            self._looked.clear()
        self._looked[call.run, call.id, call.digest] = looked

    def check_approval(self, call: ToolCall, /) -> Verdict:
        """The strictest verdict of all parts, and why."""
        # What was prepared holds for one look: the machine may be another one the next time.
        looked = self._looked.pop((call.run, call.id, call.digest), None) or self.look(call.args)
        return looked.verdict(call.tool_name)

    async def preview(self, call: ToolCall, /) -> Preview:
        """The command in parts, each with its verdict."""
        looked = await asyncio.to_thread(self.look, call.args)
        return Preview(
            presentation=Presentation(
                type="command",
                description=_line(looked.command),
                content=looked.command,
                language="bash",
                command=shown(looked),
            )
        )

    def _folder(self, args: Mapping[str, object]) -> Path:
        cwd = args.get("cwd")
        if cwd is not None and (not isinstance(cwd, str) or "\0" in cwd):
            raise InvalidArguments("cwd is no path; give the folder as text, or leave it out")
        return Path(os.path.realpath(self._cwd / (cwd or ".")))


def worth_a_line(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts as people read them: of what is never pre-approved, not also everything inside it."""
    kept: list[Part] = []
    end = 0
    for part in sorted(parts, key=lambda part: (part.start, -part.end)):
        if part.rule != "[construct]":
            kept.append(part)
        elif part.end > end:
            kept.append(part)
            end = part.end
    return tuple(sorted(kept, key=lambda part: (part.start, part.end)))


def shown(looked: Looked) -> Command:
    """A judgement as a person is shown it."""
    return Command(
        parts=tuple(
            CommandPart(
                text=part.text, start=part.start, end=part.end, verdict=part.verdict, rule=part.rule, why=part.why
            )
            for part in worth_a_line(looked.judgement.parts)
        ),
        cwd=str(looked.folder),
        warnings=(
            *dict.fromkeys(f"{warning.kind}: {warning.why}" for warning in looked.judgement.warnings),
            *(f"argument {name}: it may change what the command does" for name in looked.unknown),
        ),
    )


def _command(args: Mapping[str, object]) -> str:
    command = _spelled(args.get("command"))
    if (size := len(command.encode("utf-8", "surrogatepass"))) > _MOST_BYTES:
        # Reading it would take seconds, to judge what no system starts.
        raise InvalidArguments(f"command is {size:,} bytes long, of at most {_MOST_BYTES:,}; put it into a script")
    return command


def _spelled(command: object) -> str:
    if isinstance(command, str):
        return command
    words = cast("Sequence[object]", command) if isinstance(command, (list, tuple)) else ()
    if not words or not all(isinstance(word, str) for word in words):
        raise InvalidArguments("command is missing, or no text; give the command as one text, or as a list of words")
    return shlex.join(map(str, words))


def _request(tool_name: str, looked: Looked) -> ApprovalRequest:
    folder, unknown = str(looked.folder), looked.unknown
    reason, same = looked.judgement.reason, ""
    if unknown:
        names = ", ".join(unknown)
        same = f" with the same {names}"
        reason = f"{names} may change what the command does" if looked.judgement.verdict == "allow" else reason
    return ApprovalRequest(
        description=_line(looked.command),
        fingerprint={"command": looked.command, "cwd": folder, **({"arguments": unknown} if unknown else {})},
        reason=reason,
        covers=f"exactly this command{same}, in {folder}",
        wider=tuple(_wider(tool_name, words, folder) for words in looked.grantable),
    )


def _first_words(judgement: Judgement) -> list[tuple[str, ...]]:
    """The words before the arguments, by which later commands may be let through."""
    if judgement.argv is None:
        return []
    # With one more argument, so that `git add` alone is covered by what covers `git add x`.
    longer = (*judgement.argv, "x")
    return [words for words in generalisations(replace(judgement, argv=longer)) if words != longer]


def _with_grant(rules: Rules, words: tuple[str, ...]) -> Rules:
    """The rules as they would be with a rule that allows the words.

    So a grant covers what such a rule would: no option that runs programs or writes files, no path
    that asks before it is read, no program an agent may write. A rule that asks for more than the
    granted words still asks; the default cannot let through what the grant does not cover.
    """
    name = base_name(words[0])
    return Rules(
        default="ask",
        permits={name: (Rule(pattern=words, verdict="allow", title=shlex.join(words)),)},
        limits={name: tuple(rule for rule in rules.limits.get(name, ()) if not _is_answered(rule, words))},
    )


def _is_answered(rule: Rule, words: tuple[str, ...]) -> bool:
    """Whether the rule asks for no more than what is granted."""
    pattern = (base_name(rule.pattern[0]), *rule.pattern[1:])
    return rule.verdict == "ask" and pattern == words[: len(pattern)]


def _wider(tool_name: str, words: tuple[str, ...], folder: str) -> Wider:
    text = shlex.join(words)
    # Of a tool that is not in the tables, a grant covers everything: it must not promise less.
    options = "; not options that run or write" if is_tabled(base_name(words[0])) else ", whatever they make it do"
    return Wider(
        name=f"words:{text}",
        description=f"{text} with any arguments, in {folder}{options}",
        fingerprint={"tool": tool_name, "words": list(words), "cwd": folder},
        pattern=f"{text} *",
    )


def _line(command: str) -> str:
    """The command in one line; where it is longer, how much of it there is. All of it is in the drawing."""
    first, *rest = command.strip().split("\n")
    if not rest and len(first) <= _MOST_IN_A_LINE:
        return f"Run {first}"
    lines = f"{len(rest) + 1} lines, " if rest else ""
    return f"Run {first[:_MOST_IN_A_LINE]}… ({lines}{len(command)} characters)"
