"""What the configuration at hand says of a call that was made before; nothing is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self, cast

from assent.cli.policy._past import Past, is_shortened
from assent.config import Settings
from assent.errors import PathNotInSandboxError, ToolError
from assent.model import Deny, ToolCall, Verdict, canonical
from assent.tools.files import Dialect, FileSandbox, FileTool, file_tools
from assent.tools.shell import CommandPolicy

_FOR_MANY: Final[tuple[Dialect, ...]] = ("assent", "claude")
_DIALECTS: Final[tuple[Dialect, ...]] = (*_FOR_MANY, "dotted", "underscored")
_COMMAND_TOOLS: Final = frozenset({"run_command", "Bash"})
# Where a file tool acts decides, never what it writes: so these may stand for what the journal shortened.
_STAND_INS: Final[Mapping[str, object]] = {
    "content": "",
    "old_string": "x",
    "new_string": "",
    "patches": ({"find": "x", "replace": ""},),
    "edits": ({"old_string": "x", "new_string": ""},),
}


@dataclass(frozen=True, slots=True)
class Skipped:
    """A call that cannot be judged again, and why."""

    why: str


_UNKNOWN: Final = Skipped("this configuration describes no such tool")
_OUTSIDE: Final = Skipped("it is about a folder that this configuration does not name")
_SHORT: Final = Skipped("the journal has only the length and the hash of its arguments")
_UNTOLD: Final = Skipped("the journal has only the fingerprint of the call")


class Now:
    """Judges past calls by one configuration, each as if it came now."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self._commands = CommandPolicy.from_settings(settings, cwd=folder)
        # Without walls: they hold what runs, and nothing does.
        self._sandbox = FileSandbox(settings.sandbox.paths, is_masked=settings.is_masked)
        dialects = _DIALECTS if len(settings.sandbox.paths) == 1 else _FOR_MANY
        self._files = {tool.name: tool for each in dialects for tool in file_tools(self._sandbox, each)}
        self._roots = {str(path.root) for path in settings.sandbox.paths.values()}
        # Agents repeat themselves; a command takes milliseconds.
        self._known: dict[str, Verdict | Skipped] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._sandbox.close()

    def judge(self, past: Past) -> Verdict | Skipped:
        """The verdict of now, or why there is none."""
        if past.tool in _COMMAND_TOOLS:
            args = _command_args(past)
        elif past.tool in self._files:
            args = self._file_args(past, self._files[past.tool])
        else:
            return _UNKNOWN
        if isinstance(args, Skipped):
            return args
        key = canonical((past.tool, args, past.said == "deny"))
        if key not in self._known:
            self._known[key] = self._judged(past, args)
        return self._known[key]

    def _judged(self, past: Past, args: Mapping[str, object]) -> Verdict | Skipped:
        policy = self._commands if past.tool in _COMMAND_TOOLS else self._files[past.tool]
        try:
            return policy.check_approval(ToolCall(run="replay", id="replay", tool_name=past.tool, args=args))
        except PathNotInSandboxError as error:
            # The record may be shared with other projects, and their folders are not of this one.
            return Deny(reason=str(error), code=error.code) if past.said == "deny" else _OUTSIDE
        except ToolError as error:
            return Deny(reason=str(error), code=error.code)

    def _file_args(self, past: Past, tool: FileTool[Any, Any]) -> Mapping[str, object] | Skipped:
        if past.fingerprint.get("root", next(iter(self._roots), "")) not in self._roots:
            return _OUTSIDE
        if past.args is None:
            return _from_fingerprint(past, tool)
        args = {
            name: _STAND_INS[name] if is_shortened(value) and name in _STAND_INS else value
            for name, value in past.args.items()
        }
        return _SHORT if any(map(is_shortened, args.values())) else args


def _command_args(past: Past) -> Mapping[str, object] | Skipped:
    """The command in the folder where it would have run, if the journal knows that."""
    known = past.fingerprint
    more = known.get("arguments") if past.args is None else past.args
    args = dict(cast("Mapping[str, object]", more)) if isinstance(more, Mapping) else {}
    args |= {name: known[name] for name in ("command", "cwd") if name in known}
    if is_shortened(args.get("command")) or is_shortened(args.get("cwd")):
        return _SHORT
    return args if "command" in args or past.args is not None else _UNTOLD


def _from_fingerprint(past: Past, tool: FileTool[Any, Any]) -> Mapping[str, object] | Skipped:
    """Arguments about the file that a fingerprint names; what would be written there does not decide."""
    known = past.fingerprint
    if not {"path_name", "path", "root"} <= known.keys():
        return _UNTOLD
    start = {"named": known["path_name"], "absolute": known["root"], "rooted": "."}[tool.addressing]
    names = cast("list[str]", tool.schema.get("required", []))
    path = f"{start}/{known['path']}"
    args = {name: path if name in ("path", "file_path") else _STAND_INS.get(name) for name in names}
    return args if path in args.values() and None not in args.values() else _UNTOLD
