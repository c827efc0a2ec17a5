"""How every command reads its line: no abbreviations, help as it was written, one name per thing."""

from __future__ import annotations

import os
import sys
from argparse import SUPPRESS, ArgumentParser, HelpFormatter, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable
from functools import partial
from typing import NoReturn

WRONG = "  2  the command line or the configuration is wrong; the message says where"


class _Parser(ArgumentParser):
    """A parser that quotes nothing raw: what it complains about may have been pasted."""

    def error(self, message: str) -> NoReturn:
        from assent.ui import visible

        super().error(visible(message))


def new_parser(prog: str) -> ArgumentParser:
    """A parser that `describe` of a command fills."""
    # No abbreviations: `--approve` must not come to mean `--approve-all`.
    return _Parser(prog=prog, formatter_class=_formatter, allow_abbrev=False)


def subcommands(parser: ArgumentParser) -> Callable[..., ArgumentParser]:
    """How to add a command below; where none is named, the parser shows its help."""

    def show_help(_options: Namespace) -> int:
        parser.print_help(sys.stderr)
        return 2

    parser.set_defaults(command=show_help)
    # The description lists the commands already.
    commands = parser.add_subparsers(prog=parser.prog, metavar="COMMAND", help=SUPPRESS)
    return partial(commands.add_parser, formatter_class=_formatter, allow_abbrev=False)


def config_option(parser: ArgumentParser, *, start: str = "here", below: bool = False) -> None:
    """`--config`: which file is in force; `below` a command that takes it too, what was given there stands."""
    text = f"this file, not the nearest assent.yaml from {start} upwards"
    parser.add_argument("--config", metavar="FILE", default=SUPPRESS if below else None, help=text)


def json_option(parser: ArgumentParser, *, each: str = "one JSON object per line", below: bool = False) -> None:
    """`--json`: for whoever reads it with a program; `below` as in `config_option`."""
    default = SUPPRESS if below else False
    parser.add_argument("--json", action="store_true", default=default, help=f"for programs: {each}")


def mode_options(parser: ArgumentParser, *, approve_all: str = "approve unseen what would ask") -> None:
    """`--strict` and `--approve-all`: how this one run decides; by default as the settings say."""
    modes = parser.add_mutually_exclusive_group()
    everything = f"{approve_all}: for trusted work only; what policy denies stays denied"
    modes.add_argument("--approve-all", dest="mode", action="store_const", const="approve_all", help=everything)
    never = "never ask: deny what would ask"
    modes.add_argument("--strict", dest="mode", action="store_const", const="strict", help=never)


def plain_option(parser: ArgumentParser) -> None:
    """`--plain`: for whoever hears the screen read aloud."""
    text = "no colours, boxes or signs: for screen readers; with TERM=dumb it is always so"
    parser.add_argument("--plain", action="store_true", help=text)


def is_plain(options: Namespace) -> bool:
    """Whether only words may be shown: it was asked for, or the terminal can do no more."""
    return bool(options.plain) or os.environ.get("TERM") == "dumb"


def _formatter(prog: str) -> HelpFormatter:
    # With a width of its own: asking for the terminal's would load shutil and all its compressors.
    return RawDescriptionHelpFormatter(prog, width=80)
