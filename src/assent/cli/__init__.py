"""The command `assent`: what can be asked of it; a command's code is loaded when it is run."""
# ruff: noqa: T201 (a command speaks by printing)

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, HelpFormatter, Namespace
    from collections.abc import Callable, Sequence

    from assent.config import Settings
    from assent.gate import Mode

__all__ = ["main"]

_USAGE = "assent [-h] [--version] COMMAND ..."
_DESCRIPTION = """\
The approval gate for LLM agents: a policy allows, denies or asks; a person sees
exactly what would happen and answers once; what they approved is what runs.

commands:
  demo           a scripted agent meets a real gate, and you decide (2 minutes)
  check          what would become of a command or a tool call, and why
  policy test    a file of commands and the verdicts they must get, tried
  doctor         every way out of the OS sandbox on this machine, tried for real
  config show    the settings in force, each with the line it comes from
  config schema  the JSON Schema of assent.yaml, for editors"""
_EXAMPLES = """\
examples:
  assent demo
  assent check -- 'git status && rm -rf build'
  assent config show --config assent.yaml

`assent COMMAND --help` says more about each, and what its exit codes mean."""
_DEMO = """\
A scripted agent corrects notes in a scratch folder: real files, one plain
Python function, and a real gate in front of both. No model, no network.
You are asked at this terminal; without one, what would ask is denied."""
_DEMO_CODES = """\
exit codes:
  0    it ran to its end, or you stopped it with q
  2    the command line is wrong, or the record could not be kept
  3    there was no terminal to ask at, so what would ask was denied
  130  interrupted with Ctrl-C; nothing more was approved"""
_CHECK_USAGE = """\
assent check [-h] [--config FILE] [--cwd DIR] [--json] -- COMMAND
       assent check [... as above] --tool NAME [--args JSON]"""
_CHECK = """\
Says what would become of a command by the rules in force: every part of it with
its verdict, the rule that decided and why. Nothing is run, nobody is asked.

One COMMAND is taken as it is, so quote it: assent check -- 'ls | wc -l'
Several words are quoted and joined:        assent check -- git commit -m 'a b'
A dash reads it from the input:             assent check - < script.sh"""
_CHECK_CODES = """\
exit codes:
  0  allow: it runs without a question
  2  the command line or the configuration is wrong; the message says where
  3  ask: a person is asked first, unless approvals.mode says otherwise
  4  deny: it never runs, or could not work"""
_POLICY_USAGE = "assent policy [-h] COMMAND ..."
_POLICY = """\
commands:
  test  a file of commands and the verdicts they must get, tried"""
_POLICY_TEST = """\
Judges every command of a JSON Lines file and compares the verdict with the one
expected. Nothing is run. A case is an object on a line of its own:

  {"id": "push", "command": "git push -f", "expect": "ask", "ok": ["deny"]}

id, command and expect (allow, ask or deny) are needed; ok lists other verdicts
that are right. rules (as under shell.rules), default (allow, ask or deny) and
preset replace what the configuration says, for that case."""
_POLICY_CODES = """\
exit codes:
  0  every case got a verdict that is right
  1  at least one did not; each is printed with the explanation
  2  the command line, the configuration or the file is wrong"""
_DOCTOR = """\
Starts real processes behind the OS sandbox that commands would get here, lets
them try every way out there is, and prints what held. Nothing of yours is
touched: what they try to reach was put there for them."""
_DOCTOR_CODES = """\
exit codes:
  0  what the configuration promises holds
  1  it does not: something got out, or there is no sandbox that will do
  2  the command line or the configuration is wrong; the message says where"""
_CONFIG_USAGE = "assent config [-h] COMMAND ..."
_CONFIG = """\
commands:
  show    the settings in force, each with the line it comes from
  schema  the JSON Schema of assent.yaml, for editors"""
_CONFIG_SHOW = """\
Prints the settings in force: those of the nearest assent.yaml from this folder
upwards, else the defaults. Each comes with the line that set it."""
_CONFIG_SCHEMA = "Prints the JSON Schema of assent.yaml; editors complete and check with it."
_CONFIG_CODES = """\
exit codes:
  0  printed
  2  the command line or the configuration is wrong; the message says where"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the number returned is the exit code."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        # Where the output cannot spell a character, its number is better than a traceback.
        reconfigure(errors="backslashreplace")
    try:
        options = _parser().parse_args(argv)
        code = _run(options.command, options)
        # Here, where a closed pipe can still be answered; at exit it could not.
        print(end="", flush=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read us has read enough; what is left goes nowhere, without a complaint.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return code


def _run(command: Callable[[Namespace], int], options: Namespace) -> int:
    """Run the command; what assent raises on purpose becomes one message."""
    try:
        return command(options)
    except Exception as error:
        from assent.errors import AssentError

        if not isinstance(error, AssentError):
            raise
        from assent.ui import visible

        # A message may quote a file that somebody else wrote.
        print(f"assent: {visible(str(error))}", file=sys.stderr)
        return 2


# The commands


def _demo(options: Namespace) -> int:
    from assent.cli.demo import demo

    mode: Mode = options.mode
    return demo(mode)


def _check(options: Namespace) -> int:
    from assent.cli.check import check_command, check_tool

    if options.tool is None:
        if not options.words or options.args is not None:
            options.parser.error("give a COMMAND after --, or a tool with --tool NAME --args JSON")
        return check_command(options.words, config=options.config, cwd=options.cwd, as_json=options.json)
    if options.words:
        options.parser.error("give a COMMAND or a tool, not both")
    given = "{}" if options.args is None else options.args
    return check_tool(options.tool, given, config=options.config, cwd=options.cwd, as_json=options.json)


def _policy_test(options: Namespace) -> int:
    from assent.cli.policy import try_cases

    return try_cases(options.file, config=options.config, cwd=options.cwd, as_json=options.json)


def _settings(options: Namespace) -> Settings:
    """The settings in force, with the examples of the shell rules tried."""
    from pathlib import Path

    from assent.config import load_settings

    settings = load_settings(options.config and Path(options.config))
    if settings.shell.rules:
        from assent.tools.shell import check_rules

        check_rules(settings)
    return settings


def _doctor(options: Namespace) -> int:
    from assent.cli.doctor import Promise, doctor

    settings = _settings(options)
    explicit = settings.sandbox.os_profile
    promise = Promise(
        required=settings.sandbox.require_os_sandbox,
        fallback=settings.sandbox.os_sandbox_fallback,
        network=settings.shell.network and (explicit is None or explicit.network),
    )
    code = doctor(promise, as_json=options.json)
    if explicit is not None and not options.json:
        from assent.tools.command import explicit_cuts
        from assent.ui import visible

        for cut in explicit_cuts(settings):
            print(visible(f"⚠ {cut}"))
    return code


def _config_show(options: Namespace) -> int:
    from assent.config import show

    text = show(_settings(options))
    if sys.stdout.isatty():
        from assent.ui import visible

        # A value may hold what a terminal obeys; a file or a pipe gets it as it is.
        text = visible(text)
    print(text, end="")
    return 0


def _config_schema(_options: Namespace) -> int:
    import json

    from assent.config import settings_schema

    print(json.dumps(settings_schema(), indent=2))
    return 0


# The command line


def _parser() -> ArgumentParser:
    from argparse import ArgumentParser

    from assent import __version__

    parser = ArgumentParser(
        prog="assent", usage=_USAGE, description=_DESCRIPTION, epilog=_EXAMPLES, formatter_class=_formatter
    )
    parser.add_argument("--version", action="version", version=f"assent {__version__}")
    add = _commands_of(parser)
    _describe_demo(add("demo", description=_DEMO, epilog=_DEMO_CODES))
    _describe_check(add("check", usage=_CHECK_USAGE, description=_CHECK, epilog=_CHECK_CODES))
    _describe_policy(add("policy", usage=_POLICY_USAGE, description=_POLICY, epilog=_POLICY_CODES))
    _describe_doctor(add("doctor", description=_DOCTOR, epilog=_DOCTOR_CODES))
    _describe_config(add("config", usage=_CONFIG_USAGE, description=_CONFIG, epilog=_CONFIG_CODES))
    return parser


def _commands_of(parser: ArgumentParser) -> Callable[..., ArgumentParser]:
    """How to add a command; where none is named, the parser shows its help."""
    from argparse import SUPPRESS
    from functools import partial

    def show_help(_options: Namespace) -> int:
        parser.print_help(sys.stderr)
        return 2

    parser.set_defaults(command=show_help)
    # The description lists the commands already.
    commands = parser.add_subparsers(prog=parser.prog, metavar="COMMAND", help=SUPPRESS)
    # No abbreviations: `--approve` must not come to mean `--approve-all`.
    return partial(commands.add_parser, formatter_class=_formatter, allow_abbrev=False)


def _describe_demo(parser: ArgumentParser) -> None:
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument(
        "--approve-all",
        dest="mode",
        action="store_const",
        const="approve_all",
        help="approve unseen what would ask: for trusted work only; what policy denies stays denied",
    )
    modes.add_argument(
        "--strict", dest="mode", action="store_const", const="strict", help="never ask: deny what would ask"
    )
    parser.set_defaults(command=_demo, mode="interactive")


def _describe_check(parser: ArgumentParser) -> None:
    parser.add_argument("words", nargs="*", metavar="COMMAND", help="the command to judge, after --")
    parser.add_argument("--tool", metavar="NAME", help="judge a call of this tool, such as write_file")
    parser.add_argument("--args", metavar="JSON", help="the tool's arguments as an object; - reads them")
    _describe_place(parser)
    parser.set_defaults(command=_check, parser=parser)


def _describe_policy(parser: ArgumentParser) -> None:
    test = _commands_of(parser)("test", description=_POLICY_TEST, epilog=_POLICY_CODES)
    test.add_argument("file", metavar="FILE", help="the cases, as JSON Lines; - reads them from the input")
    _describe_place(test)
    test.set_defaults(command=_policy_test)


def _describe_place(parser: ArgumentParser) -> None:
    parser.add_argument("--config", metavar="FILE", help="this file, not the nearest assent.yaml from DIR upwards")
    parser.add_argument("--cwd", metavar="DIR", help="where the commands would run; by default here")
    parser.add_argument("--json", action="store_true", help="for programs: one JSON object per line")


def _describe_doctor(parser: ArgumentParser) -> None:
    parser.add_argument("--config", metavar="FILE", help="this file, not the nearest assent.yaml from here upwards")
    parser.add_argument("--json", action="store_true", help="for programs: one JSON object")
    parser.set_defaults(command=_doctor)


def _describe_config(parser: ArgumentParser) -> None:
    add = _commands_of(parser)
    show = add("show", description=_CONFIG_SHOW, epilog=_CONFIG_CODES)
    show.add_argument("--config", metavar="FILE", help="this file, not the nearest assent.yaml from here upwards")
    show.set_defaults(command=_config_show)
    add("schema", description=_CONFIG_SCHEMA, epilog=_CONFIG_CODES).set_defaults(command=_config_schema)


def _formatter(prog: str) -> HelpFormatter:
    from argparse import RawDescriptionHelpFormatter

    # With a width of its own: asking for the terminal's would load shutil and all its compressors.
    return RawDescriptionHelpFormatter(prog, width=80)
