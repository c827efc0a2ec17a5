"""`assent config`: the settings in force, and the JSON Schema of the file."""
# ruff: noqa: T201 (a command speaks by printing)

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Final

from assent.cli._parsing import WRONG, config_option, subcommands
from assent.cli._printing import print_json
from assent.config import Settings, load_settings

_USAGE: Final = "assent config [-h] COMMAND ..."
_DESCRIPTION: Final = """\
commands:
  show    the settings in force, each with the line it comes from
  schema  the JSON Schema of assent.yaml, for editors"""
_SHOW: Final = """\
Prints the settings in force: those of the nearest assent.yaml from this folder
upwards, else the defaults. Each comes with the line that set it."""
_SCHEMA: Final = "Prints the JSON Schema of assent.yaml; editors complete and check with it."
_EXAMPLES: Final = """\
examples:
  assent config show
  assent config show --config team/assent.yaml
  assent config schema > assent.schema.json"""
_CODES: Final = f"""\
exit codes:
  0  printed
{WRONG}"""


def describe(parser: ArgumentParser) -> None:
    """What `assent config` takes."""
    parser.usage, parser.description, parser.epilog = _USAGE, _DESCRIPTION, f"{_EXAMPLES}\n\n{_CODES}"
    add = subcommands(parser)
    show = add("show", description=_SHOW, epilog=parser.epilog)
    config_option(show)
    show.set_defaults(command=_show)
    add("schema", description=_SCHEMA, epilog=parser.epilog).set_defaults(command=_schema)


def checked_settings(config: str | None) -> Settings:
    """The settings in force, with the examples of the shell rules tried.

    Raises:
        ConfigError: the file is wrong, or a rule does not do what its examples say.
    """
    settings = load_settings(Path(config) if config else None)
    if settings.shell.rules:
        from assent.tools.shell import check_rules

        check_rules(settings)
    return settings


def _show(options: Namespace) -> int:
    from assent.config import show

    text = show(checked_settings(options.config))
    if sys.stdout.isatty():
        from assent.ui import visible

        # A value may hold what a terminal obeys; a file or a pipe gets it as it is.
        text = visible(text)
    print(text, end="")
    return 0


def _schema(_options: Namespace) -> int:
    from assent.config import settings_schema

    print_json(settings_schema(), indent=2)
    return 0
