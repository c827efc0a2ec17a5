"""A grant from a pattern: the tool says of a call it stands for what may be remembered."""

from __future__ import annotations

import posixpath
import re
from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from assent.cli._failures import DENIED, USAGE
from assent.cli._record import failure, settings_of
from assent.config import Settings
from assent.errors import SuffixNotAllowed, ToolError, UnknownTool
from assent.gate import grant_from
from assent.model import Allow, ApprovalRequest, Approve, Deny, Grant, Reject, Scope, ToolCall, Verdict, Wider
from assent.tools.files import FileSandbox, file_tools
from assent.tools.shell import CommandPolicy, check_rules

_COMMANDS: Final = "run_command"
_EVERYWHERE: Final = "everywhere"
_OPERATIONS: Final = ("read", "write", "edit", "delete")
# What a call needs beside its path; what it would do is not looked at.
_BESIDE: Final[Mapping[str, Mapping[str, object]]] = {
    "write_file": {"content": ""},
    "edit_file": {"old_string": "a", "new_string": "b"},
    "patch_file": {"patches": [{"find": "a", "replace": "b"}]},
    "search_files": {"pattern": "a"},
}


def new_grant(options: Namespace, *, by: str, now: float) -> Grant:
    """What the options say, as it is remembered; ends the command where the tool offers no such thing."""
    settings = settings_of(options)
    check_rules(settings)
    call, verdict = _asked(options.tool, options.pattern, settings, options.cwd)
    if isinstance(verdict, Deny):
        raise failure(f"policy denies this, and nothing remembered changes that: {verdict.reason}", DENIED)
    if isinstance(verdict, Allow):
        text = "policy allows this without a question, so nothing remembered would be looked at"
        raise failure(f"{text}: {verdict.reason}", USAGE)
    covers = _offered(options, verdict).name if _is_pattern(options) else ""
    try:
        decision = _decision(options, covers)
    except ValueError as error:
        raise failure(str(error), USAGE) from None
    grant = grant_from(decision, replace(call, run=options.session), verdict, by=by, at=now)
    if grant is None:
        raise failure("nothing would be remembered of it", USAGE)
    return grant


def _decision(options: Namespace, covers: str) -> Approve | Reject:
    scope = Scope.SESSION if options.session else Scope.ALWAYS
    if not options.never:
        return Approve(
            scope=scope,
            seconds=options.seconds,
            calls=options.calls,
            covers=covers,
            every_agent=True,
            note=options.note,
        )
    if options.calls is not None:
        message = "a refusal does not count calls; bound it with --for, or revoke it later"
        raise ValueError(message)
    return Reject(scope=scope, seconds=options.seconds, covers=covers, every_agent=True, note=options.note)


def _is_pattern(options: Namespace) -> bool:
    """Whether more than one operation is meant; a star among the words of a command is the shell's."""
    pattern: str = options.pattern
    if options.tool == _COMMANDS:
        return pattern.endswith(" *")
    return "*" in pattern or pattern.rpartition(" ")[2] == _EVERYWHERE


def _offered(options: Namespace, request: ApprovalRequest) -> Wider:
    """The one that was written; with or without the word for the operation in front."""
    tool, pattern = options.tool, options.pattern
    for each in request.wider:
        if pattern == each.pattern or (tool != _COMMANDS and pattern == each.pattern.partition(" ")[2]):
            return each
    if not request.wider:
        raise failure(_nothing_wider(tool, pattern), DENIED)
    offered = ", ".join(repr(each.pattern) for each in request.wider)
    raise failure(f"{tool} does not offer {pattern!r}; what may be remembered here: {offered}", USAGE)


def _nothing_wider(tool: str, pattern: str) -> str:
    if tool == _COMMANDS:
        return (
            f"{pattern!r} may not be remembered by its first words: what it does is decided by the rest of them, as "
            "with interpreters, shells, launchers and anything but one plain command; name the whole command instead"
        )
    return f"{tool} is remembered for exactly one call only, so not for {pattern!r}; answer it when it asks"


def _asked(tool: str, pattern: str, settings: Settings, cwd: str) -> tuple[ToolCall, Verdict]:
    """A call that the pattern stands for, and what the tool says of it."""
    if tool == _COMMANDS:
        folder = Path(cwd).absolute()
        if not folder.is_dir():
            raise failure(f"{folder} is no folder; name one that exists with --cwd", USAGE)
        call = ToolCall(run="", id="grant", tool_name=tool, args={"command": pattern.removesuffix(" *")})
        return call, CommandPolicy.from_settings(settings, cwd=folder).check_approval(call)
    with FileSandbox.from_settings(settings) as sandbox:
        tools = {each.name: each for each in file_tools(sandbox)}
        if tool not in tools:
            raise UnknownTool(tool, [*tools, _COMMANDS])
        if tool == "move_file":
            raise failure("move_file is remembered for exactly one call only; answer it when it asks", DENIED)
        refused: ToolError | None = None
        for path in _examples(pattern, settings):
            call = ToolCall(run="", id="grant", tool_name=tool, args={"path": path, **_BESIDE.get(tool, {})})
            try:
                return call, tools[tool].check_approval(call)
            except SuffixNotAllowed as error:
                refused = error
            except ToolError as error:
                raise failure(str(error), DENIED if isinstance(error, PermissionError) else USAGE) from None
        raise failure(str(refused or f"{pattern!r} names no path"), DENIED)


def _examples(pattern: str, settings: Settings) -> Iterator[str]:
    """Paths the pattern covers as narrowly as it can, nothing of which needs to exist."""
    names = list(settings.sandbox.paths)
    word, _, rest = pattern.partition(" ")
    path = rest if word in _OPERATIONS and rest else pattern
    if path == _EVERYWHERE:
        path = f"{names[0]}/**" if names else "**"
    if "*" not in path:
        yield path
        return
    folder = path.partition("*")[0].rpartition("/")[0]
    last = posixpath.basename(path)
    yield posixpath.join(folder, re.sub(r"\*+", "x", last))
    # A root may hold some kinds of files only.
    rule = settings.sandbox.paths.get(folder.partition("/")[0])
    for suffix in (rule.suffixes or ()) if rule else ():
        yield posixpath.join(folder, f"x{suffix}")
