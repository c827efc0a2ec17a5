"""The three questions; an answer that will not do is asked for again, with the reason."""
# ruff: noqa: T201 (a command speaks by printing)

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from assent.cli._record import failure
from assent.cli.init._wanted import Commands, Wanted
from assent.config import default_store_path
from assent.errors import ConfigError
from assent.ui import visible

_INTRODUCTION: Final = "At most three questions; Enter takes what is in brackets.\n"
_FOLDER: Final = "1. Which folder may the agent work in? It may read there; writing asks you first. [.] "
_COMMANDS: Final = """\
2. May it run commands, inside the OS sandbox?
   read-only  yes: what only looks runs at once, everything else asks you
   ask        yes, but every command asks you
   no         it runs none
   [read-only] """
_STORE: Final = "3. Where is the record kept: questions, answers, grants and the journal? [{}] "
_CHOICES: Final[tuple[Commands, ...]] = ("read-only", "ask", "no")


def answered(target: Path, *, folder: str | None, commands: Commands | None, store: str | None) -> Wanted:
    """What a person wants; what is given already is not asked.

    Raises:
        ConfigError: what is given will not do.
        SystemExit: the input ended before the last answer.
    """
    if None in (folder, commands, store):
        # Standard output is for the file alone.
        print(_INTRODUCTION, file=sys.stderr)
    wanted: Wanted = Wanted(target=target, folder=folder or ".", commands=commands or "read-only", store=store)
    if folder is None:
        # The folder alone: it is not to blame for the default record, which is asked about later.
        wanted = _asked(_FOLDER, lambda text: replace(wanted, folder=text or "."), Wanted.check_folder)
    if commands is None:
        wanted = _asked(_COMMANDS, lambda text: _choice(wanted, text), Wanted.check_folder)
    if store is None:
        question = _STORE.format(default_store_path())
        wanted = _asked(question, lambda text: replace(wanted, store=text or None), Wanted.check)
    wanted.check()
    return wanted


def _choice(wanted: Wanted, text: str) -> Wanted:
    choice = next((each for each in _CHOICES if each == (text or "read-only")), None)
    if choice is None:
        raise ConfigError(f"{text!r} is none of them; write {', '.join(_CHOICES[:-1])} or {_CHOICES[-1]}")
    return replace(wanted, commands=choice)


def _asked(question: str, take: Callable[[str], Wanted], check: Callable[[Wanted], None]) -> Wanted:
    """The first answer that will do."""
    while True:
        print(question, end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            print(file=sys.stderr)
            raise failure("the input ended before the last answer, so nothing was written; --yes asks no question")
        try:
            wanted = take(line.strip())
            check(wanted)
        except ConfigError as error:
            print(f"   {visible(str(error))}", file=sys.stderr)
        else:
            return wanted
