"""An entry of the journal as one line, and whether somebody asked for it."""

from __future__ import annotations

import json
import posixpath
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from assent.model import JournalEntry, canonical
from assent.ui import visible


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which entries to show; what is not said does not matter."""

    run: str = ""
    tool: str = ""
    agent: str = ""
    kinds: frozenset[str] = frozenset()
    since: float | None = None

    def fits(self, entry: JournalEntry, about: JournalEntry) -> bool:
        """Whether an entry is wanted; `about` names its call, or is the entry itself."""
        return (
            entry.run.startswith(self.run)
            and (not self.kinds or entry.kind in self.kinds)
            and (self.since is None or entry.at >= self.since)
            and (not self.tool or tool_of(about) == self.tool)
            and (not self.agent or self.agent in agents_of(about))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What an entry is about: the call as it was proposed, and what a person made of it."""

    named: JournalEntry
    """The entry that names the call, or the entry itself."""
    change: str = ""
    """How what runs differs from what was proposed, as far as this entry knows."""
    edited: bool = False
    """Whether the arguments are others: then the proposal says nothing of what ran."""
    ran: Mapping[str, object] | None = None
    """What ran, where it is something else and the journal says what."""


def subject(entry: JournalEntry, known: dict[str, Subject]) -> Subject:
    """What this entry is about; questions, and what was changed in them, are kept in `known`."""
    pending = _text(entry.body.get("pending"))
    if not pending:
        return Subject(named=entry)
    found = Subject(named=entry) if entry.kind == "asked" else known.get(pending, Subject(named=entry))
    if entry.kind == "approved" and "proposed" in entry.body:
        found = replace(found, change=_change(entry.body), edited="approved" in entry.body)
    if entry.kind == "started" and (ran := _described(entry)) is not None:
        found = replace(found, ran=ran, edited=True, change=found.change or "changed")
    known[pending] = found
    return found


def _change(body: Mapping[str, object]) -> str:
    hunks = body.get("hunks")
    if isinstance(hunks, (list, tuple)):
        # Counted from 0 in the record, from 1 where people choose them.
        numbers = [each + 1 for each in cast("Sequence[object]", hunks) if isinstance(each, int)]
        return f"hunk{'' if len(numbers) == 1 else 's'} {', '.join(map(str, numbers))} only"
    return f"changed by {_text(body.get('by'))}"


def line(entry: JournalEntry, about: Subject) -> str:
    """When, what kind, which tool, what about, who, why; nothing in it acts on a terminal."""
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(entry.at))
    named = about.named
    parts = [
        f"{entry.kind:11}",
        tool_of(named),
        _what_ran(entry, about),
        "" if about.change.startswith("changed by") and entry.kind == "approved" else _who(entry, named),
        about.change,
        _why(entry.body),
    ]
    return "  ".join([when, *(visible(part, keep="") for part in parts if part)])


def tool_of(entry: JournalEntry) -> str:
    """The tool an entry is about; nothing, if it is about none."""
    tool = _text(entry.body.get("tool"))
    if tool:
        return tool
    match _operation(entry):
        case [str(name), *_] if name != "wider":
            return name
        case _:
            return ""


def agents_of(entry: JournalEntry) -> tuple[str, ...]:
    """The chain of agents that led to the call."""
    agents = entry.body.get("agents")
    chain = cast("Sequence[object]", agents) if isinstance(agents, (list, tuple)) else ()
    return tuple(map(str, chain))


def _operation(entry: JournalEntry) -> Sequence[object]:
    """What a remembered answer is filed under, as it was put together."""
    try:
        found: object = json.loads(_text(entry.body.get("operation")) or "[]")
    except ValueError:
        return ()
    return cast("list[object]", found) if isinstance(found, list) else ()


def _what_ran(entry: JournalEntry, about: Subject) -> str:
    """What it is about; of a call that was edited never what was proposed, once it runs."""
    if about.ran is not None:
        return _spelled(about.ran)
    return "" if about.edited and entry.kind != "approved" else _what(entry, about.named)


def _what(entry: JournalEntry, about: JournalEntry) -> str:
    if (described := _described(about)) is not None:
        return _spelled(described)
    match _operation(entry):
        case ["wider", str(name), *_]:
            return name
        case [_, found] if isinstance(found, dict):
            return _spelled(cast("dict[str, object]", found))
        case _:
            return _text(entry.body.get("unspellable")) or (f"run {entry.run}" if entry.run else "")


def _described(entry: JournalEntry) -> Mapping[str, object] | None:
    """The fingerprint or the arguments of the call an entry names; none where it names none."""
    for key in ("fingerprint", "args"):
        found = entry.body.get(key)
        if isinstance(found, Mapping):
            return cast("Mapping[str, object]", found)
    return None


def _spelled(found: Mapping[str, object]) -> str:
    """A fingerprint or arguments as people know them: a command, a path, else all of it."""
    match found:
        case {"command": str(command)}:
            return command
        case {"path_name": str(name), "path": str(path)}:
            return posixpath.normpath(posixpath.join(name, path))
        case {"path": str(path)}:
            return path
        case _:
            return " ".join(f"{key}={canonical(value)}" for key, value in found.items())


def _who(entry: JournalEntry, about: JournalEntry) -> str:
    by = _text(entry.body.get("by"))
    agents = " › ".join(agents_of(about)) if entry is about else ""
    return f"by {by}" if by else (f"for {agents}" if agents else "")


def _why(body: Mapping[str, object]) -> str:
    said = [_text(body.get(key)) for key in ("why", "note", "detail")]
    scope = _text(body.get("scope"))
    reasons = [*(each for each in said if each), *([f"scope {scope}"] if scope not in ("", "once") else [])]
    return f"({'; '.join(reasons)})" if reasons else ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
