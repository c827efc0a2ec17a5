"""The record that a command is about: which file, whose name, and ids cut short."""

from __future__ import annotations

import getpass
import sys
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from assent.cli._failures import FAILED
from assent.config import load_settings
from assent.store import SQLiteStore
from assent.ui import visible

if TYPE_CHECKING:
    from assent.config import Settings

Id = TypeVar("Id", bound=str)


@contextmanager
def record(options: Namespace) -> Generator[SQLiteStore]:
    """The store of the configuration in force, closed at the end.

    Raises:
        ConfigError: the file is wrong.
        StoreFailed: the record cannot be opened.
    """
    store = SQLiteStore(settings_of(options).store)
    try:
        yield store
    finally:
        store.close()


def settings_of(options: Namespace) -> Settings:
    """The settings in force: of `--config`, else of the nearest file."""
    return load_settings(Path(options.config) if options.config else None)


def by_option(parser: ArgumentParser, *, below: bool = False) -> None:
    """`--by`: in whose name it is written down; `below` as in `config_option`."""
    default = SUPPRESS if below else ""
    parser.add_argument("--by", metavar="NAME", default=default, help="in whose name; by default yours")


def name_of(options: Namespace) -> str:
    """Who does it."""
    try:
        return options.by or getpass.getuser()
    except (ImportError, KeyError, OSError):
        # A container may run under a number that has no name.
        return "the command line"


def the_one(start: str, ids: Iterable[Id], *, what: str, where: str, least: int = 1) -> Id:
    """The only id that begins so; says what there is and ends the command if there is none."""
    known = list(dict.fromkeys(ids))
    if start in known:
        known = [each for each in known if each == start]
    elif 0 < len(start) < least:
        raise failure(
            f"{start!r} is too short: give the first {least} characters of an id or more; `{where}` lists them"
        )
    found = [each for each in known if start and each.startswith(start)]
    if len(found) == 1:
        return found[0]
    if found:
        raise failure(f"{start!r} begins the ids of {len(found)} {what}s: {', '.join(found[:5])}; give more of it")
    raise failure(f"there is no {what} {start!r}; `{where}` lists them")


def failure(text: str, code: int = FAILED) -> SystemExit:
    """Say what is wrong; raised, it ends the command."""
    print(f"assent: {visible(text)}", file=sys.stderr)  # noqa: T201 (a command speaks by printing)
    return SystemExit(code)
