"""`assent check`: what would become of a command or a tool call, and why; nothing is run."""
# ruff: noqa: T201 (a command speaks by printing)

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast

from assent.cli._parsing import config_option, json_option
from assent.cli._printing import print_json
from assent.cli._screen import Screen
from assent.cli.check._command import TOOL, command_text, explained, pictured, places_of, spelled
from assent.cli.check._words import noted
from assent.config import Settings, find_settings_file, read_settings
from assent.errors import ConfigError, InvalidArguments
from assent.tools.shell import CommandPolicy, Looked

__all__ = [
    "Screen",
    "check_command",
    "check_tool",
    "describe",
    "noted",
    "pictured",
    "places_of",
    "settings_for",
]

_EXIT_CODES: Final = {"allow": 0, "ask": 3, "deny": 3}
_USAGE: Final = """\
assent check [-h] [--config FILE] [--cwd DIR] [--json] -- COMMAND
       assent check [... as above] --tool NAME [--args JSON]"""
_DESCRIPTION: Final = """\
Says what would become of a command by the rules in force: every part of it with
its verdict, the rule that decided and why. Nothing is run, nobody is asked.

One COMMAND is taken as it is, so quote it: assent check -- 'ls | wc -l'
Several words are quoted and joined:        assent check -- git commit -m 'a b'
A dash reads it from the input:             assent check - < script.sh"""
_EPILOG: Final = """\
examples:
  assent check -- 'git status && rm -rf build'
  assent check --tool write_file --args '{"path": "work/a.md", "content": ""}'

exit codes:
  0  allow: it runs without a question
  2  the command line or the configuration is wrong; the message says where
  3  ask or deny: a person is asked first, or it never runs; the output says
     which, and --json has it as "verdict\""""


def describe(parser: ArgumentParser) -> None:
    """What `assent check` takes."""
    parser.usage, parser.description, parser.epilog = _USAGE, _DESCRIPTION, _EPILOG
    parser.add_argument("words", nargs="*", metavar="COMMAND", help="the command to judge, after --")
    parser.add_argument("--tool", metavar="NAME", help="judge a call of this tool, such as write_file")
    parser.add_argument("--args", metavar="JSON", help="the tool's arguments as an object; - reads them")
    _describe_place(parser)
    parser.set_defaults(command=_command, parser=parser)


def _describe_place(parser: ArgumentParser) -> None:
    """Where a command would run, and by which configuration it is judged."""
    config_option(parser, start="DIR")
    parser.add_argument("--cwd", metavar="DIR", help="where the commands would run; by default here")
    json_option(parser)


def _command(options: Namespace) -> int:
    if options.tool is None:
        if not options.words or options.args is not None:
            options.parser.error("give a COMMAND after --, or a tool with --tool NAME --args JSON")
        return check_command(options.words, config=options.config, cwd=options.cwd, as_json=options.json)
    if options.words:
        options.parser.error("give a COMMAND or a tool, not both")
    given = "{}" if options.args is None else options.args
    return check_tool(options.tool, given, config=options.config, cwd=options.cwd, as_json=options.json)


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
        print_json(spelled_answer(answered, settings))
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
        print_json(spelled(looked, settings))
    else:
        print("\n".join(explained(looked, settings, Screen.of(sys.stdout))))
    return _EXIT_CODES[looked.verdict(TOOL).kind]


def _arguments(text: str) -> Mapping[str, object]:
    try:
        given: object = json.loads(text)
    except ValueError as error:
        raise InvalidArguments(f"--args is no JSON ({error}); {_OBJECT}") from None
    except RecursionError:
        raise InvalidArguments(f"--args is nested too deeply; {_OBJECT}") from None
    if not isinstance(given, dict):
        raise InvalidArguments(f"--args is no object; {_OBJECT}")
    return cast("dict[str, object]", given)


_OBJECT: Final = """give one, such as '{"path": "notes/plan.md"}'"""
