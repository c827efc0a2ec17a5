"""An entry of the journal as one line, and whether somebody asked for it."""

from __future__ import annotations

import json
import posixpath
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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


def named(entry: JournalEntry, known: dict[str, JournalEntry]) -> JournalEntry:
    """The entry that says which call this one is about; questions are kept in `known`."""
    pending = _text(entry.body.get("pending"))
    if not pending:
        return entry
    if entry.kind == "asked":
        known[pending] = entry
    return known.get(pending, entry)


def line(entry: JournalEntry, about: JournalEntry) -> str:
    """When, what kind, which tool, what about, who, why; nothing in it acts on a terminal."""
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(entry.at))
    parts = [f"{entry.kind:11}", tool_of(about), _what(entry, about), _who(entry, about), _why(entry.body)]
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


def _what(entry: JournalEntry, about: JournalEntry) -> str:
    for key in ("fingerprint", "args"):
        found = about.body.get(key)
        if isinstance(found, Mapping):
            return _spelled(cast("Mapping[str, object]", found))
    match _operation(entry):
        case ["wider", str(name), *_]:
            return name
        case [_, found] if isinstance(found, dict):
            return _spelled(cast("dict[str, object]", found))
        case _:
            return _text(entry.body.get("unspellable")) or (f"run {entry.run}" if entry.run else "")


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
