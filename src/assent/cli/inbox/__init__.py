"""`assent inbox`: what waits for an answer, in whichever run and process, and answering it."""
# ruff: noqa: T201 (a command speaks by printing)

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from typing import Final

from assent.cli._durations import seconds
from assent.cli._parsing import WRONG, config_option, json_option, plain_option, subcommands
from assent.cli._printing import print_wire
from assent.cli._record import by_option, name_of, record
from assent.cli._table import room
from assent.cli.inbox._answers import answer_by_program
from assent.cli.inbox._wanted import Wanted, listed
from assent.model import Scope

_USAGE: Final = """\
assent inbox [-h] [--agent NAME] [--tool NAME] [--run RUN] [--older TIME]
                    [--next] [--plain] [--json] [--by NAME] [--config FILE]
       assent inbox approve [-h] ID [--scope SCOPE] [--for TIME] [--calls N]
                    [--covers PATTERN] [--note TEXT] [--by NAME]
       assent inbox reject [-h] ID [--stop] [--scope SCOPE] [--for TIME]
                    [--covers PATTERN] [--note TEXT] [--by NAME]"""
_DESCRIPTION: Final = """\
Shows every question that waits for an answer, of all runs and processes that
share the record, and stays open: new ones appear, and what was answered
elsewhere goes. Choose one and answer it with the same screens its own terminal
would show; the first answer wins, and whoever comes second is told by whom and
when it was given. Ctrl-D leaves a question unanswered.

Without a terminal it prints the list and ends.

commands:
  approve ID  approves one question
  reject ID   rejects one question

An ID may be cut short to its first 4 characters, as long as only one question
begins so. A number of the list is a key of the list, and no ID."""
_APPROVE: Final = """\
Approves one question: what was asked is what runs, once the program that asked
takes it up. If that program has ended, nothing runs. With a scope the answer is
remembered, for the same operation or for what --covers names."""
_REJECT: Final = """\
Rejects one question; the note is what the agent reads. With --stop the whole
run ends. With a scope the refusal is remembered."""
_EPILOG: Final = f"""\
examples:
  assent inbox
  assent inbox --tool run_command --older 5m
  assent inbox --next
  assent inbox --json
  assent inbox approve 1f3a --scope session --note "as agreed"
  assent inbox approve 1f3a --scope always --for 2h --covers "git push *"
  assent inbox reject 1f3a --note "use the staging database"

exit codes:
  0  listed, or answered
  1  there is no such question, somebody else answered it first, or the record
     cannot be used; --next: nothing waits, or it was left unanswered
{WRONG}"""


def describe(parser: ArgumentParser) -> None:
    """What `assent inbox` takes."""
    parser.usage, parser.description, parser.epilog = _USAGE, _DESCRIPTION, _EPILOG
    parser.add_argument("--agent", metavar="NAME", default="", help="only where this agent is in the chain that asks")
    parser.add_argument("--tool", metavar="NAME", default="", help="only about this tool")
    parser.add_argument("--run", metavar="RUN", default="", help="only of this run, or of those that begin so")
    parser.add_argument("--older", metavar="TIME", type=seconds, help="only what has waited for 30s, 5m, 2h …")
    parser.add_argument("--next", action="store_true", help="answer the oldest of them and leave")
    plain_option(parser)
    by_option(parser)
    config_option(parser)
    json_option(parser)
    add = subcommands(parser)
    _describe_answer(add("approve", description=_APPROVE, epilog=_EPILOG), kind="approve")
    _describe_answer(add("reject", description=_REJECT, epilog=_EPILOG), kind="reject")
    parser.set_defaults(command=_inbox, parser=parser)


def _describe_answer(parser: ArgumentParser, *, kind: str) -> None:
    parser.add_argument("id", metavar="ID", help="the question, or how its id begins: 4 characters or more")
    scopes = [each.value for each in Scope]
    parser.add_argument("--scope", choices=scopes, default="once", help="how long it stands; by default once")
    parser.add_argument("--for", dest="seconds", metavar="TIME", type=seconds, help="remember it only for 15m, 2h …")
    if kind == "approve":
        parser.add_argument("--calls", metavar="N", type=int, help="remember it only for N more calls")
    else:
        parser.add_argument("--stop", action="store_true", help="stop the whole run")
    parser.add_argument("--covers", metavar="PATTERN", default="", help="remember it for all of this, if it is offered")
    parser.add_argument("--every-agent", action="store_true", help="remember it for every agent, not only this chain")
    parser.add_argument("--note", metavar="TEXT", default="", help="why; it is written down, and a refusal's is told")
    by_option(parser, below=True)
    config_option(parser, below=True)
    parser.set_defaults(command=_answer, kind=kind)


def _inbox(options: Namespace) -> int:
    wanted = Wanted(agent=options.agent, tool=options.tool, run=options.run, older=options.older or 0.0)
    if not options.json and sys.stdout.isatty():
        from assent.cli.inbox._live import answer_next, live

        code = answer_next(options, wanted) if options.next else live(options, wanted)
        if code is not None:
            return code
    with record(options) as store:
        now = time.time()
        waiting = wanted.on(store, now)
        if options.json:
            for pending in waiting[:1] if options.next else waiting:
                print_wire(pending)
        else:
            print("\n".join(listed(waiting, now, width=room())) if waiting else wanted.nothing())
    return 0


def _answer(options: Namespace) -> int:
    if Wanted(agent=options.agent, tool=options.tool, run=options.run, older=options.older or 0.0) != Wanted():
        options.parser.error("an answer is for the one question whose ID is given; filters are for the list")
    with record(options) as store:
        print(answer_by_program(store, options, by=name_of(options)))
    return 0
