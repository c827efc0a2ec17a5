"""`assent policy`: the rules tried, on a file of cases or on what the journal has seen."""

from __future__ import annotations

import math
from argparse import ArgumentParser, Namespace
from typing import Final

from assent.cli._durations import seconds
from assent.cli._parsing import WRONG, config_option, json_option, subcommands

__all__ = ["describe"]

_USAGE: Final = "assent policy [-h] COMMAND ..."
_DESCRIPTION: Final = """\
commands:
  test  the rules tried on a file of cases, or on the calls of the journal"""
_TEST_USAGE: Final = """\
assent policy test [-h] [--config FILE] [--cwd DIR] [--json] FILE
       assent policy test [... as above] --replay SPAN [--all]"""
_TEST: Final = """\
With FILE, judges every command of a JSON Lines file and compares the verdict
with the one expected. A case is an object on a line of its own:

  {"id": "push", "command": "git push -f", "expect": "ask", "ok": ["deny"]}

id, command and expect (allow, ask or deny) are needed; ok lists other verdicts
that are right. rules (as under shell.rules), default (allow, ask or deny) and
preset replace what the configuration says, for that case.

With --replay, judges the calls of the journal by the configuration at hand and
says which of them would be decided otherwise. Nothing is run either way, and
nobody is asked. A verdict depends on the disk: it is that of now, not of then."""
_EXAMPLES: Final = """\
examples:
  assent policy test rules.jsonl
  assent policy test --replay 30d
  assent policy test --replay 12h --config stricter.yaml --json"""
_CODES: Final = f"""\
exit codes:
  0  every case got a verdict that is right; no call would be decided otherwise
  1  at least one did not, or would; each is printed with the reason
{WRONG}"""


def describe(parser: ArgumentParser) -> None:
    """What `assent policy` takes."""
    parser.usage, parser.description, parser.epilog = _USAGE, _DESCRIPTION, f"{_EXAMPLES}\n\n{_CODES}"
    test = subcommands(parser)("test", usage=_TEST_USAGE, description=_TEST, epilog=parser.epilog)
    test.add_argument("file", nargs="?", metavar="FILE", help="the cases, as JSON Lines; - reads them from the input")
    test.add_argument(
        "--replay", metavar="SPAN", type=_span, help="the journal's calls of so long: 90m, 12h, 30d, 4w or all"
    )
    test.add_argument("--all", action="store_true", help="with --replay: list every change, not the first 20")
    config_option(test, start="DIR")
    test.add_argument("--cwd", metavar="DIR", help="where the commands would run; by default here")
    json_option(test)
    test.set_defaults(command=_test, parser=test)


def _span(text: str) -> float:
    return math.inf if text == "all" else seconds(text)


def _test(options: Namespace) -> int:
    if (options.file is None) == (options.replay is None):
        options.parser.error("give a FILE of cases, or --replay SPAN such as --replay 30d")
    if options.replay is None:
        from assent.cli.policy._tried import try_cases

        return try_cases(options.file, config=options.config, cwd=options.cwd, as_json=options.json)
    from assent.cli.policy._replay import replay

    return replay(options.replay, config=options.config, cwd=options.cwd, as_json=options.json, everything=options.all)
