"""From a sentence to the calls it asks for: files and commands, in plain words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call that a sentence asks for, and how to speak of it."""

    tool: str
    args: Mapping[str, object]
    about: str


_QUOTED: Final = r"""(?:"(?P<{0}1>[^"]*)"|'(?P<{0}2>[^']*)'|`(?P<{0}3>[^`]*)`|“(?P<{0}4>[^”]*)”)"""
_PATH: Final = r"""["'`]?(?P<path>[\w~./@+-]*[\w~/@+-])["'`]?"""
_FILE: Final = rf"(?:the\s+|a\s+|an\s+|my\s+)?(?:new\s+)?(?:text\s+)?(?:file\s+)?(?:called\s+|named\s+)?{_PATH}"


def _quoted(name: str) -> str:
    return _QUOTED.format(name)


Make = Callable[[re.Match[str], Path], Step]


def _write(match: re.Match[str], cwd: Path) -> Step:
    path, content = _path(match, cwd), _text(match, "content")
    return Step(tool="Write", args={"file_path": path, "content": content}, about=f"write {Path(path).name}")


def _read(match: re.Match[str], cwd: Path) -> Step:
    path = _path(match, cwd)
    return Step(tool="Read", args={"file_path": path}, about=f"read {Path(path).name}")


def _edit(match: re.Match[str], cwd: Path) -> Step:
    path = _path(match, cwd)
    args: dict[str, object] = {
        "file_path": path,
        "old_string": _text(match, "old"),
        "new_string": _text(match, "new"),
        "replace_all": bool(match["every"]),
    }
    return Step(tool="Edit", args=args, about=f"edit {Path(path).name}")


def _search(match: re.Match[str], cwd: Path) -> Step:
    pattern = _text(match, "pattern")
    args: dict[str, object] = {"pattern": re.escape(pattern), "output_mode": "content"}
    if match["path"]:
        args["path"] = _path(match, cwd)
    return Step(tool="Grep", args=args, about=f"search for {pattern!r}")


def _list(match: re.Match[str], cwd: Path) -> Step:
    args: dict[str, object] = {"pattern": match["glob"] or "**/*"}
    if match["path"]:
        args["path"] = _path(match, cwd)
    return Step(tool="Glob", args=args, about="list the files")


def _run(match: re.Match[str], _cwd: Path) -> Step:
    command = _text(match, "command") or match["rest"].strip()
    return Step(tool="Bash", args={"command": command}, about=f"run `{command}`")


_IN: Final = (
    rf"(?:\s+(?:in|of|under|inside)\s+(?:the\s+)?(?:file\s+|folder\s+|directory\s+)?{_PATH}"
    r"(?:\s+(?:folder|directory))?)?"
)
_CONTENT: Final = rf"(?:the\s+)?(?:content|contents|text|words)?\s*:?\s*{_quoted('content')}"
_CHANGE: Final = (
    rf"(?:replace|change)\s+(?P<every>all\s+|every\s+)?{_quoted('old')}\s+(?:with|to|by|into)\s+{_quoted('new')}"
)
_GLOB: Final = r"""(?:\s+(?:matching|like)\s+["'`]?(?P<glob>[^\s"'`]+)["'`]?)?"""
_KINDS: Final[tuple[tuple[str, Make], ...]] = (
    (rf"(?:create|make|write|add)\s+{_FILE}\s+(?:with|containing|that\s+says|saying)\s+{_CONTENT}", _write),
    (rf"(?:write|put|save)\s+{_quoted('content')}\s+(?:to|into|in)\s+{_FILE}", _write),
    (rf"{_CHANGE}\s+in\s+{_FILE}", _edit),
    (rf"in\s+{_FILE}\s*,?\s+{_CHANGE}", _edit),
    (rf"(?:search|grep|look|find)\s+(?:for\s+)?(?:the\s+)?(?:text\s+|word\s+)?{_quoted('pattern')}{_IN}", _search),
    (rf"(?:list|show|find)\s+(?:me\s+)?(?:all\s+)?(?:the\s+)?files{_GLOB}{_IN}", _list),
    (rf"(?:run|execute)\s+(?:the\s+)?(?:command\s+)?(?:{_quoted('command')}|(?P<rest>\S.*))", _run),
    (rf"(?:read|show|print|display|open|cat|what(?:\s+is|'s)\s+in)\s+(?:me\s+)?{_FILE}", _read),
)
_RULES: Final = tuple(
    (re.compile(rf"(?:please\s+)?{text}\s*[.!?]?\s*", re.IGNORECASE | re.DOTALL), make) for text, make in _KINDS
)
_THEN: Final = re.compile(r"(?:\s*[.,;]\s*(?:and\s+)?then\s+|\s+and\s+then\s+|\n+)", re.IGNORECASE)
_WHOLE: Final = re.compile(r""""[^"]*"|'[^']*'|`[^`]*`|“[^”]*”""")


def steps(prompt: str, cwd: Path) -> tuple[list[Step], list[str]]:
    """What the prompt asks for, in order, and the parts of it that were not understood."""
    found: list[Step] = []
    unclear: list[str] = []
    for part in _parts(prompt.strip()):
        step = _step(part, cwd)
        if step is None:
            unclear.append(part)
        else:
            found.append(step)
    return found, unclear


def other_name(words: str) -> str | None:
    """A file that a rejection names instead."""
    match = re.search(r"(?:use|call\s+it|name\s+it|in|to|into)\s+[\"'`]?([\w./-]*\w\.\w+)[\"'`]?", words, re.IGNORECASE)
    return match[1] if match else None


def other_text(words: str) -> str | None:
    """A text that a rejection gives instead."""
    match = _WHOLE.search(words)
    return match[0][1:-1] if match else None


def _step(part: str, cwd: Path) -> Step | None:
    for rule, make in _RULES:
        match = rule.fullmatch(part)
        if match is not None:
            return make(match, cwd)
    return None


def _parts(prompt: str) -> Iterator[str]:
    """The prompt, split where it says what comes next; what is in quotes is left alone."""
    quotes = [match.span() for match in _WHOLE.finditer(prompt)]
    at = 0
    for match in _THEN.finditer(prompt):
        if not any(start < match.start() < end for start, end in quotes):
            yield prompt[at : match.start()].strip()
            at = match.end()
    yield prompt[at:].strip()


def _path(match: re.Match[str], cwd: Path) -> str:
    return str(cwd / match["path"])


def _text(match: re.Match[str], name: str) -> str:
    given = [match[f"{name}{number}"] for number in range(1, 5)]
    return next((each for each in given if each is not None), "")
