"""`assent runs`: the runs on record; cancel one, or let a cancelled one go on."""
# ruff: noqa: T201 (a command speaks by printing)

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Final

from assent.cli._durations import spoken
from assent.cli._parsing import WRONG, config_option, json_option, subcommands
from assent.cli._printing import print_json
from assent.cli._record import by_option, failure, name_of, record, the_one
from assent.cli._table import room, table
from assent.model import Run
from assent.ui import visible

_USAGE: Final = """\
assent runs [-h] [--config FILE] [--json]
       assent runs cancel [-h] [--by NAME] RUN
       assent runs resume [-h] [--by NAME] RUN"""
_DESCRIPTION: Final = """\
Lists every run in which somebody was asked, the latest first.

  waiting  a question of it waits for an answer: see `assent inbox`
  running  a call that was approved runs now
  stopped  a person stopped it: its calls are refused
  ended    its program said that it is over
  open     none of these: its program may go on, or be gone

commands:
  cancel RUN  stops it: what waits ends unanswered, later calls are refused
  resume RUN  lets a stopped run go on

A RUN may be cut short, as long as only one begins so."""
_CANCEL: Final = """\
Stops a run, also one of another process: every question of it ends unanswered,
and its later calls are refused until `assent runs resume`. What runs already is
not interrupted."""
_RESUME: Final = """\
Lets a stopped run go on: its next calls are judged and asked as usual. Nothing
is started by this: the program that owns the run has to make them. Questions
that ended when it was stopped stay ended."""
_EPILOG: Final = f"""\
examples:
  assent runs
  assent runs --json
  assent runs cancel 3f9c
  assent runs resume 3f9c --by ana

exit codes:
  0  done
  1  there is no such run, it was not stopped, or the record cannot be used
{WRONG}"""


def describe(parser: ArgumentParser) -> None:
    """What `assent runs` takes."""
    parser.usage, parser.description, parser.epilog = _USAGE, _DESCRIPTION, _EPILOG
    config_option(parser)
    json_option(parser)
    add = subcommands(parser)
    for name, description, command in (("cancel", _CANCEL, _cancel), ("resume", _RESUME, _resume)):
        below = add(name, description=description, epilog=_EPILOG)
        below.add_argument("run", metavar="RUN", help="the run, or how its id begins")
        by_option(below)
        config_option(below, below=True)
        below.set_defaults(command=command)
    parser.set_defaults(command=_list)


def state_of(run: Run) -> str:
    """What the record knows of it, in a word."""
    if run.stopped is not None:
        return "stopped"
    if run.waiting:
        return "waiting"
    if run.running:
        return "running"
    return "open" if run.ended is None else "ended"


def _list(options: Namespace) -> int:
    with record(options) as store:
        runs = store.runs()
    if options.json:
        for run in runs:
            print_json({"id": run.id, "state": state_of(run), **asdict(run)})
    elif runs:
        print("\n".join(_rows(runs, time.time())))
    else:
        print("No run is on record: nobody was asked anything yet.")
    return 0


def _rows(runs: Sequence[Run], now: float) -> Iterator[str]:
    head = ("run", "state", "started", "asked", "waiting", "running", "unknown", "agents", "")
    rows = [
        (
            run.id,
            state_of(run),
            f"{spoken(now - run.started)} ago",
            *(str(count) for count in (run.asked, run.waiting, run.running, run.unknown)),
            " › ".join(run.agents),
            f"by {run.stopped.by}, {spoken(now - run.stopped.at)} ago" if run.stopped else "",
        )
        for run in runs
    ]
    yield from table(head, rows, gives="agents", width=room())


def _cancel(options: Namespace) -> int:
    with record(options) as store:
        runs = {run.id: run for run in store.runs()}
        run = runs[the_one(options.run, runs, what="run", where="assent runs")]
        if run.stopped is not None:
            raise failure(
                f"run {run.id} is stopped already, by {run.stopped.by}; `assent runs resume {run.id}` lets it go on"
            )
        store.stop_run(run.id, by=name_of(options), at=time.time())
    ended = f"{run.waiting} question{'s' * (run.waiting != 1)} ended unanswered" if run.waiting else "nothing waited"
    print(visible(f"Stopped run {run.id}: {ended}; its later calls are refused."))
    print(visible(f"`assent runs resume {run.id}` lets it go on."))
    return 0


def _resume(options: Namespace) -> int:
    with record(options) as store:
        run = the_one(options.run, (run.id for run in store.runs()), what="run", where="assent runs")
        if not store.resume_run(run, by=name_of(options), at=time.time()):
            raise failure(f"run {run} is not stopped, so there is nothing to resume")
    print(visible(f"Run {run} may go on: the next calls of the program that owns it are judged as usual."))
    return 0
