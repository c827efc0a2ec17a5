"""`assent grants`: what is remembered, so that nobody is asked; list it, add to it, revoke it."""
# ruff: noqa: T201 (a command speaks by printing)

from __future__ import annotations

import json
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from typing import Final

from assent.cli._durations import left, seconds, spoken
from assent.cli._parsing import WRONG, config_option, json_option, subcommands
from assent.cli._printing import print_wire
from assent.cli._record import by_option, name_of, record, the_one
from assent.cli._table import room, table
from assent.model import Grant, Store, canonical, freeze
from assent.ui import visible

_USAGE: Final = """\
assent grants [-h] [--config FILE] [--json]
       assent grants add [-h] TOOL PATTERN [--always | --session RUN]
                     [--for TIME] [--calls N] [--never] [--note TEXT]
                     [--cwd DIR] [--by NAME]
       assent grants revoke [-h] [--by NAME] (ID ... | --all | --session RUN)"""
_DESCRIPTION: Final = """\
Lists every answer that is remembered: what it allows, or never allows, for how
long, for which agents, and who gave it when. A policy that denies is not
changed by any of them.

commands:
  add     remembers an answer before anybody asks
  revoke  forgets remembered answers

An ID may be cut short, as long as only one grant begins so."""
_ADD: Final = """\
Remembers an approval, or with --never a refusal, before anybody asks. The tool
decides what may be remembered: a PATTERN is what its questions offer, such as

  run_command "git push *"           git push with any arguments, in one folder
  run_command "npm test"             exactly this command, in one folder
  edit_file   "work/notes/**/*.md"   every edit of such files, by whichever tool
  write_file  "work/notes/**"        every write in this folder and those below
  delete_file work/notes/old.md      exactly this file

What runs other programs (interpreters, shells, launchers) is not remembered by
its first words: they would allow everything."""
_REVOKE: Final = """\
Forgets remembered answers; what they covered asks again. A running program
knows it within a moment."""
_EPILOG: Final = f"""\
examples:
  assent grants
  assent grants --json
  assent grants add run_command "git push *" --for 2h
  assent grants add edit_file "work/notes/**/*.md" --calls 3
  assent grants add run_command "git push *" --never --note "ask ana"
  assent grants revoke 4c1f 9a02
  assent grants revoke --all

exit codes:
  0  listed, added, or revoked
  1  there is no such grant, or the record cannot be used
{WRONG}
  3  policy denies it, or it may not be remembered"""


def describe(parser: ArgumentParser) -> None:
    """What `assent grants` takes."""
    parser.usage, parser.description, parser.epilog = _USAGE, _DESCRIPTION, _EPILOG
    config_option(parser)
    json_option(parser)
    add = subcommands(parser)
    _describe_add(add("add", description=_ADD, epilog=_EPILOG))
    _describe_revoke(add("revoke", description=_REVOKE, epilog=_EPILOG))
    parser.set_defaults(command=_list)


def _describe_add(parser: ArgumentParser) -> None:
    parser.add_argument("tool", metavar="TOOL", help="run_command, or a file tool such as edit_file")
    parser.add_argument("pattern", metavar="PATTERN", help="what is remembered, as the tool writes it")
    stands = parser.add_mutually_exclusive_group()
    stands.add_argument("--always", action="store_true", help="until it is revoked: what holds if nothing is said")
    stands.add_argument("--session", metavar="RUN", default="", help="until this run ends, and for it alone")
    parser.add_argument("--for", dest="seconds", metavar="TIME", type=seconds, help="only for 15m, 2h, 30d …")
    parser.add_argument("--calls", metavar="N", type=int, help="only for N calls")
    parser.add_argument("--never", action="store_true", help="remember a refusal")
    parser.add_argument("--note", metavar="TEXT", default="", help="why; of a refusal, what the agent reads")
    parser.add_argument("--cwd", metavar="DIR", default=".", help="where the commands would run; by default here")
    by_option(parser)
    config_option(parser, below=True)
    parser.set_defaults(command=_add)


def _describe_revoke(parser: ArgumentParser) -> None:
    parser.add_argument("ids", nargs="*", metavar="ID", help="the grant, or how its id begins")
    parser.add_argument("--all", action="store_true", help="every one of them")
    parser.add_argument("--session", metavar="RUN", default="", help="those that were given for this run only")
    by_option(parser)
    config_option(parser, below=True)
    parser.set_defaults(command=_revoke, parser=parser)


def _list(options: Namespace) -> int:
    with record(options) as store:
        now = time.time()
        grants = standing(store, now)
    if options.json:
        for grant in grants:
            print_wire(grant)
    elif grants:
        print("\n".join(_rows(grants, now)))
    else:
        print("Nothing is remembered: whatever asks, asks every time.")
    return 0


def standing(store: Store, now: float) -> list[Grant]:
    """What is remembered and not over, oldest first."""
    grants = [each for each in store.grants() if each.expires is None or each.expires > now]
    return sorted(grants, key=lambda each: each.at)


def _rows(grants: Sequence[Grant], now: float) -> Iterator[str]:
    head = ("id", "", "covers", "tool", "stands", "agents", "by", "given")
    rows = [
        (
            each.id[:8],
            "allow" if each.allow else "never",
            covers(each),
            each.tool_name,
            bounds(each, now),
            "every agent" if each.agents is None else " › ".join(each.agents),
            each.by,
            f"{spoken(now - each.at)} ago",
        )
        for each in grants
    ]
    yield from table(head, rows, gives="covers", width=room())


def covers(grant: Grant) -> str:
    """What it covers, as a person would write it down, and what that means."""
    name = grant.pattern or _operation(grant)
    return f"{name}  ({grant.description})" if name and name != grant.description else grant.description


def _operation(grant: Grant) -> str:
    """What it is about and does not say by itself: one command, or every call; empty where it says all."""
    if grant.operation == canonical((grant.tool_name, freeze({}))):
        return f"every {grant.tool_name}, whatever its arguments"
    try:
        found: object = json.loads(grant.operation)
    except ValueError:
        return ""
    match found:
        case [str(), {"command": str(command)}]:
            return command
        case _:
            return ""


def bounds(grant: Grant, now: float) -> str:
    """How long it stands, and what is left of it."""
    until = "always" if grant.run is None else f"run {grant.run[:8]}"
    time_left = [] if grant.expires is None else [f"{left(grant.expires - now)} left"]
    calls_left = [] if grant.calls is None else [f"{grant.calls} call{'' if grant.calls == 1 else 's'} left"]
    return ", ".join(([] if until == "always" and (time_left or calls_left) else [until]) + time_left + calls_left)


def _add(options: Namespace) -> int:
    from assent.cli.grants._new import new_grant

    now = time.time()
    with record(options) as store:
        if options.session:
            options.session = the_one(
                options.session, (run.id for run in store.runs()), what="run", where="assent runs"
            )
        grant = new_grant(options, by=name_of(options), now=now)
        store.remember(grant)
    word = "Approved from now on" if grant.allow else "Refused from now on"
    print(visible(f"{word}: {covers(grant)}"))
    print(f"Stands: {bounds(grant, now)}. `assent grants revoke {grant.id[:8]}` takes it back.")
    return 0


def _revoke(options: Namespace) -> int:
    if sum([bool(options.ids), options.all, bool(options.session)]) != 1:
        options.parser.error("give the ID of each grant, or --all, or --session RUN: one of them")
    by, now = name_of(options), time.time()
    with record(options) as store:
        chosen = _chosen(options, {each.id: each for each in standing(store, now)})
        gone = [each for each in chosen if store.revoke(each.id, by=by, at=now)]
    for each in gone:
        print(visible(f"Revoked {each.id[:8]}: {covers(each)}"))
    if not gone:
        print("Nothing was remembered, so nothing is revoked.")
    return 0


def _chosen(options: Namespace, known: dict[str, Grant]) -> list[Grant]:
    if options.all:
        return list(known.values())
    if options.session:
        return [each for each in known.values() if each.run is not None and each.run.startswith(options.session)]
    ids = [the_one(start, known, what="grant", where="assent grants") for start in options.ids]
    return [known[each] for each in dict.fromkeys(ids)]
