"""`assent log`: the journal, for people and for programs, and whether it is whole."""
# ruff: noqa: T201 (a command speaks by printing)

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections import deque
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Final

from assent.cli._durations import seconds
from assent.cli._parsing import WRONG, config_option, json_option, subcommands
from assent.cli._printing import print_json, print_wire
from assent.cli._record import record
from assent.cli.log._lines import Subject, Wanted, line, subject
from assent.model import JournalEntry, Store
from assent.ui import visible

_USAGE: Final = """\
assent log [-h] [--run RUN] [--tool NAME] [--agent NAME] [--kind KIND]
                  [--since TIME] [--limit N] [--follow] [--json] [--config FILE]
       assent log verify [-h] [--json] [--config FILE]"""
_DESCRIPTION: Final = """\
Prints the journal, oldest first, a line for each entry: when (UTC), what kind,
which tool, what about, who, and why. Everything a model or a person wrote is
shown with what is invisible or acts on a terminal spelled out; --json gives
each entry exactly as it is, in ASCII escapes. Where a person changed the call
it says so, and what ran is what stands at started and done.

Kinds: asked, approved, rejected, stopped, responded, expired, cancelled, failed
(questions); started, done, failed, unknown (approved calls); allowed, granted,
denied, refused, approved_by_mode (calls nobody was asked about); remembered,
used_up, revoked (grants); run_stopped, run_resumed, ended (runs).

commands:
  verify  whether every entry is as it was written, and none is missing"""
_VERIFY: Final = """\
Follows the chain of hashes through the whole journal, and names the first entry
that was edited, removed, reordered or inserted."""
_EPILOG: Final = f"""\
examples:
  assent log --limit 20
  assent log --since 2h --kind denied --kind refused
  assent log --follow --tool run_command
  assent log --json --run 3f9c
  assent log verify

exit codes:
  0  printed; verify: the journal is whole
  1  verify: it is not; or the record cannot be used
{WRONG}"""
KINDS: Final = (
    *("asked", "approved", "rejected", "stopped", "responded", "expired", "cancelled", "failed"),
    *("started", "done", "unknown"),
    *("allowed", "granted", "denied", "refused", "approved_by_mode"),
    *("remembered", "used_up", "revoked", "run_stopped", "run_resumed", "ended"),
)
"""Every kind of entry there is."""
_POLL_SECONDS: Final = 0.1
_BEFORE: Final = 10


def describe(parser: ArgumentParser) -> None:
    """What `assent log` takes."""
    parser.usage, parser.description, parser.epilog = _USAGE, _DESCRIPTION, _EPILOG
    parser.add_argument("--run", metavar="RUN", default="", help="only of this run, or of those that begin so")
    parser.add_argument("--tool", metavar="NAME", default="", help="only about this tool")
    parser.add_argument("--agent", metavar="NAME", default="", help="only where this agent is in the chain that asks")
    of_kind = "only of this kind; may be repeated"
    # The choices are for whoever completes the line; what is none of them is told by `_kind`.
    parser.add_argument("--kind", metavar="KIND", action="append", default=[], type=_kind, choices=KINDS, help=of_kind)
    parser.add_argument("--since", metavar="TIME", type=seconds, help="only the last 15m, 2h, 30d …")
    parser.add_argument("--limit", metavar="N", type=int, help="only the last N of them; by default all")
    parser.add_argument("--follow", action="store_true", help="stay and print what is written from now on")
    config_option(parser)
    json_option(parser)
    add = subcommands(parser)
    verify = add("verify", description=_VERIFY, epilog=_EPILOG)
    config_option(verify, below=True)
    json_option(verify, each="one JSON object", below=True)
    verify.set_defaults(command=_verify)
    parser.set_defaults(command=_show, parser=parser)


def _kind(text: str) -> str:
    """A kind of entry; for argparse, which says what is wrong with it.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    if text in KINDS:
        return text
    near = get_close_matches(text, KINDS, n=1)
    meant = f"did you mean {near[0]}? " if near else ""
    message = f"there is no kind {text!r}; {meant}the kinds are {', '.join(KINDS)}"
    raise ArgumentTypeError(message)


def _show(options: Namespace) -> int:
    if options.limit is not None and options.limit < 0:
        options.parser.error(f"--limit {options.limit}: give how many entries, 0 or more")
    limit = _BEFORE if options.follow and options.limit is None else options.limit
    with record(options) as store:
        reader = _Reader(store, _wanted(options))
        version = store.version()
        _print(reader.new(last=limit), as_json=options.json)
        while options.follow:
            sys.stdout.flush()
            version = _changed(store, version)
            _print(reader.new(), as_json=options.json)
    return 0


def _wanted(options: Namespace) -> Wanted:
    return Wanted(
        run=options.run,
        tool=options.tool,
        agent=options.agent,
        kinds=frozenset(options.kind),
        since=None if options.since is None else time.time() - options.since,
    )


def _changed(store: Store, seen: object) -> object:
    """Wait until anybody wrote."""
    while (version := store.version()) == seen:
        time.sleep(_POLL_SECONDS)
    return version


class _Reader:
    """Reads on from where it was; what an entry is about may stand in an earlier one."""

    def __init__(self, store: Store, wanted: Wanted) -> None:
        self._store = store
        self._wanted = wanted
        self._about: dict[str, Subject] = {}
        self._seen = 0

    def new(self, *, last: int | None = None) -> Iterable[tuple[JournalEntry, Subject]]:
        """Each new entry that is wanted, and what it is about."""
        return self._new() if last is None else deque(self._new(), maxlen=min(last, sys.maxsize))

    def _new(self) -> Iterator[tuple[JournalEntry, Subject]]:
        for entry in self._store.journal():
            if entry.seq <= self._seen:
                continue
            self._seen = entry.seq
            about = subject(entry, self._about)
            if self._wanted.fits(entry, about.named):
                yield entry, about


def _print(entries: Iterable[tuple[JournalEntry, Subject]], *, as_json: bool) -> None:
    for entry, about in entries:
        if as_json:
            print_wire(entry)
        else:
            print(line(entry, about))


def _verify(options: Namespace) -> int:
    if options.follow or options.limit is not None or _wanted(options) != Wanted():
        options.parser.error("verify looks at the whole journal; only --config and --json go with it")
    with record(options) as store:
        broken = store.verify()
        entries = 0 if broken else sum(1 for _ in store.journal())
    if options.json:
        found = {"whole": True, "entries": entries} if broken is None else _spelled(broken.seq, broken.reason)
        print_json(found)
    elif broken is None:
        print(f"The journal is whole: {entries} {'entry' if entries == 1 else 'entries'}, each as it was written.")
    else:
        print(visible(f"The journal is NOT whole, from entry {broken.seq} on: {broken.reason}."))
        print("What stands before that entry holds. Keep a copy of the file before anything else writes to it.")
    return 0 if broken is None else 1


def _spelled(seq: int, reason: str) -> dict[str, object]:
    return {"whole": False, "seq": seq, "reason": reason}
