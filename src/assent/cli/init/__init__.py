"""`assent init`: writes a commented `assent.yaml` after three questions, or none."""
# ruff: noqa: T201 (a command speaks by printing)

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assent.cli._parsing import WRONG

if TYPE_CHECKING:
    from assent.cli.init._wanted import Wanted

__all__ = ["describe"]

_DESCRIPTION: Final = """\
Writes a commented assent.yaml into this folder. Asks three questions: which
folder the agent may work in, whether it may run commands, and where the record
is kept. Without a terminal, or with --yes, it asks none: then the agent may
work in this folder, commands that only look run at once, and the record is
kept in your state directory. Writing files and other commands ask you first.

A file that is there is never overwritten without --force, which shows what
would change first."""
_EPILOG: Final = f"""\
examples:
  assent init
  assent init --yes --folder notes --commands no
  assent init --stdout

exit codes:
  0  written, or printed with --stdout
  1  nothing was written: a file is there, or the questions were not answered
{WRONG}"""


def describe(parser: ArgumentParser) -> None:
    """What `assent init` takes."""
    parser.description, parser.epilog = _DESCRIPTION, _EPILOG
    parser.add_argument("--folder", metavar="DIR", help="where the agent may work; by default here")
    parser.add_argument(
        "--commands",
        choices=("read-only", "ask", "no"),
        help="read-only: those that only look run at once, the rest asks; ask: every one asks; no: none runs",
    )
    parser.add_argument("--store", metavar="FILE", help="the record; by default in your state directory")
    parser.add_argument("--yes", action="store_true", help="ask no question; what is not given is the default")
    parser.add_argument("--force", action="store_true", help="replace the file that is there, after showing how")
    parser.add_argument("--stdout", "--dry-run", action="store_true", help="print the file and write nothing")
    parser.set_defaults(command=_run)


def _run(options: Namespace) -> int:
    from assent.cli.init._file import put
    from assent.cli.init._text import rendered
    from assent.config import SETTINGS_FILE

    target = Path.cwd() / SETTINGS_FILE
    wanted = _chosen(options, target, ask=not options.yes and sys.stdin.isatty() and sys.stderr.isatty())
    text = rendered(wanted)
    if options.stdout:
        print(text, end="")
        return 0
    return put(text, target, force=options.force, yes=options.yes)


def _chosen(options: Namespace, target: Path, *, ask: bool) -> Wanted:
    """What is given, else what is answered, else the defaults.

    Raises:
        ConfigError: it does not go together, such as a record that the agent could write.
    """
    from assent.cli.init._questions import answered
    from assent.cli.init._wanted import Wanted

    if ask:
        return answered(target, folder=options.folder, commands=options.commands, store=options.store)
    wanted = Wanted(
        target=target, folder=options.folder or ".", commands=options.commands or "read-only", store=options.store
    )
    wanted.check()
    return wanted
