"""The command `assent`: a table of commands; each one's module is loaded when it is used."""
# ruff: noqa: T201 (a command speaks by printing)

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Sequence
    from typing import Final

__all__ = ["COMMANDS", "main", "parser_of"]

COMMANDS: Final = {
    "demo": ("assent.cli.demo", "a scripted agent meets a real gate, and you decide (2 minutes)"),
    "init": ("assent.cli.init", "writes a commented assent.yaml: three questions, or none"),
    "check": ("assent.cli.check", "what would become of a command or a tool call, and why"),
    "policy": ("assent.cli.policy", "the rules tried: on a file of cases, or on what was asked"),
    "run": ("assent.cli.run", "an agent works on a prompt here, and you decide what it may do"),
    "serve": ("assent.cli.serve", "the inbox and an agent in your browser; on this machine only"),
    "inbox": ("assent.cli.inbox", "what waits for an answer in any run; answer it here"),
    "runs": ("assent.cli.runs", "the runs on record; cancel one, or let it go on"),
    "grants": ("assent.cli.grants", "what is remembered: list it, add to it, revoke it"),
    "log": ("assent.cli.log", "the journal: who was asked what, and what became of it"),
    "config": ("assent.cli.config", "the settings in force, and the JSON Schema of assent.yaml"),
    "doctor": ("assent.cli.doctor", "every way out of the OS sandbox here, tried for real"),
    "completion": ("assent.cli.completion", "completes commands and options in your shell"),
}
"""Every command: the module that has `describe(parser)`, and what it is for."""

_HELP: Final = """\
usage: assent [-h] [--version] COMMAND ...

The approval gate for LLM agents: a policy allows, denies or asks; a person sees
exactly what would happen and answers once; what they approved is what runs.

commands:
{commands}

options:
  -h, --help  show this help message and exit
  --version   show program's version number and exit

examples:
  assent demo
  assent check -- 'git status && rm -rf build'
  assent inbox

exit codes of every command:
  0    fine
  1    it failed, or what was looked at is not as it should be
  2    the command line or the configuration is wrong; the message says where
  3    denied, or it would have asked and there was nobody to ask
  129  the terminal was closed (SIGHUP); nothing more was approved
  130  interrupted with Ctrl-C; nothing more was approved
  141  whoever read the output has read enough
  143  ended with SIGTERM; nothing more was approved

`assent COMMAND --help` says more about each, with examples."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the number returned is the exit code."""
    _open_what_is_closed()
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        # Where the output cannot spell a character, its number is better than a traceback.
        reconfigure(errors="backslashreplace")
    try:
        code = _code(sys.argv[1:] if argv is None else [*argv])
        # Here, where what cannot be written can still be answered; at exit it could not.
        print(end="", flush=True)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read us has read enough; what is left goes nowhere, without a complaint.
        _drop_output()
        return 141
    except (OSError, RecursionError) as error:
        return _fail(error)
    return code


def _open_what_is_closed() -> None:
    """A stream that was closed leads nowhere; nothing else may ever be opened in its place."""
    # In this order: what is opened takes the lowest number that is free.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 (light, and for good)


def _code(words: list[str]) -> int:
    """The code of the command, also where it ends early."""
    try:
        return _dispatch(words)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 2


def _drop_output() -> None:
    """What could not be written is not tried again at exit, where nobody could answer for it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(error: OSError | RecursionError) -> int:
    """One line for what no command expects of the system: a full disk, a folder that is gone."""
    from contextlib import suppress

    from assent.cli._failures import FAILED, of_system

    try:
        sys.stdout.flush()
    except OSError as unwritten:
        _drop_output()
        text = f"the output cannot be written: {unwritten.strerror}"
    else:
        text = of_system(error)
    with suppress(OSError):
        print(f"assent: {text}", file=sys.stderr)
    return FAILED


def parser_of(name: str) -> ArgumentParser:
    """The parser of one command, with all it takes; loads that command's module."""
    from importlib import import_module

    from assent.cli._parsing import new_parser

    parser = new_parser(f"assent {name}")
    import_module(COMMANDS[name][0]).describe(parser)
    return parser


def _dispatch(words: list[str]) -> int:
    """What comes first decides; argparse is loaded for the command that is named, not before."""
    first = words[0] if words else ""
    if first in COMMANDS:
        options = parser_of(first).parse_args(words[1:])
        return _run(options.command, options)
    if first in {"-h", "--help"}:
        print(_help())
        return 0
    if first == "--version":
        from assent import __version__

        print(f"assent {__version__}")
        return 0
    print(_no_such(first) if words else _help(), file=sys.stderr)
    return 2


def _help() -> str:
    width = max(map(len, COMMANDS)) + 2
    return _HELP.format(commands="\n".join(f"  {name:{width}}{about}" for name, (_, about) in COMMANDS.items()))


def _no_such(word: str) -> str:
    from difflib import get_close_matches

    kind = "option" if word.startswith("-") else "command"
    near = get_close_matches(word, COMMANDS, n=1)
    meant = f"did you mean {near[0]}?" if near else f"the commands are {', '.join(COMMANDS)};"
    # In ASCII: what was typed may have been pasted.
    return f"assent: error: there is no {kind} {word!a}; {meant} `assent --help` says what each is for"


def _run(command: Callable[[Namespace], int], options: Namespace) -> int:
    """Run the command; what assent raises on purpose becomes one message."""
    from assent.cli._signals import ending_in_order

    try:
        with ending_in_order():
            return command(options)
    except Exception as error:
        from assent.errors import AssentError

        if not isinstance(error, AssentError):
            raise
        from assent.cli._failures import said

        text, code = said(error)
        print(f"assent: {text}", file=sys.stderr)
        return code
