"""`assent check`: what would become of a command or a tool call, and why; nothing is run."""
# ruff: noqa: T201 (a command speaks by printing)

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast

from assent.cli.check._command import TOOL, command_text, explained, pictured, places_of, spelled
from assent.cli.check._screen import Screen
from assent.cli.check._words import noted
from assent.config import Settings, find_settings_file, read_settings
from assent.errors import ConfigError, InvalidArguments
from assent.tools.shell import CommandPolicy, Looked

__all__ = ["Screen", "check_command", "check_tool", "noted", "pictured", "places_of", "settings_for"]

_EXIT_CODES: Final = {"allow": 0, "ask": 3, "deny": 4}


def check_command(words: list[str], *, config: str | None, cwd: str | None, as_json: bool) -> int:
    """Judge a command and print the verdict; the number returned is the exit code."""
    settings, folder = settings_for(config, cwd)
    policy = CommandPolicy.from_settings(settings, cwd=folder)
    return _show(policy.look({"command": command_text(words, sys.stdin)}), settings, as_json=as_json)


def check_tool(name: str, args: str, *, config: str | None, cwd: str | None, as_json: bool) -> int:
    """Judge a tool call and print the verdict; the number returned is the exit code."""
    from assent.cli.check._tool import answer, described, refused, spelled_answer

    settings, folder = settings_for(config, cwd)
    policy = CommandPolicy.from_settings(settings, cwd=folder)
    given = _arguments(sys.stdin.read() if args == "-" else args)
    if name == TOOL:
        try:
            return _show(policy.look(given), settings, as_json=as_json)
        except InvalidArguments as error:
            answered = refused(name, error, "Run a command.", folder)
    else:
        answered = answer(name, given, settings, folder)
    if as_json:
        print(json.dumps(spelled_answer(answered, settings)))
    else:
        print("\n".join(described(answered, settings, Screen.of(sys.stdout))))
    return _EXIT_CODES[answered.verdict.kind]


def settings_for(config: str | None, cwd: str | None) -> tuple[Settings, Path]:
    """The configuration in force for a folder, and that folder.

    Raises:
        ConfigError: the folder does not exist, or the file is wrong.
    """
    folder = Path(cwd or ".").absolute()
    if not folder.is_dir():
        raise ConfigError(f"{folder} is no folder; name one that exists with --cwd")
    file = Path(config) if config else find_settings_file(folder)
    return (read_settings(file) if file else Settings()), folder


def _show(looked: Looked, settings: Settings, *, as_json: bool) -> int:
    if as_json:
        print(json.dumps(spelled(looked, settings)))
    else:
        print("\n".join(explained(looked, settings, Screen.of(sys.stdout))))
    return _EXIT_CODES[looked.verdict(TOOL).kind]


def _arguments(text: str) -> Mapping[str, object]:
    try:
        given: object = json.loads(text)
    except ValueError as error:
        raise InvalidArguments(f"--args is no JSON ({error}); {_OBJECT}") from None
    if not isinstance(given, dict):
        raise InvalidArguments(f"--args is no object; {_OBJECT}")
    return cast("dict[str, object]", given)


_OBJECT: Final = """give one, such as '{"path": "notes/plan.md"}'"""
