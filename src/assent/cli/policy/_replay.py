"""`assent policy test --replay`: what this configuration would have decided on the journal's calls."""
# ruff: noqa: T201 (a command speaks by printing)

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import closing

from assent.cli._printing import print_json
from assent.cli._screen import Screen
from assent.cli.check import settings_for
from assent.cli.policy._now import Now, Skipped
from assent.cli.policy._past import Past, past_calls
from assent.cli.policy._progress import Progress
from assent.cli.policy._report import Change, Replayed, spelled, told
from assent.config import Settings
from assent.errors import ConfigError
from assent.store import SQLiteStore


def replay(span: float, *, config: str | None, cwd: str | None, as_json: bool, everything: bool) -> int:
    """Judge the calls of the journal again; 1 if any would be decided otherwise."""
    since = max(0.0, time.time() - span)
    settings, folder = settings_for(config, cwd)
    with Now(settings, folder) as now:
        done = _replayed(_calls(settings, since), now, since)
    if as_json:
        print_json(spelled(done, settings))
    else:
        print("\n".join(told(done, settings, folder, Screen.of(sys.stdout), everything=everything)))
    return 1 if done.changes else 0


def _calls(settings: Settings, since: float) -> Sequence[Past]:
    """The calls on record.

    Raises:
        ConfigError: nothing was recorded yet; to look must not make a record.
        StoreFailed: it cannot be read.
    """
    if not settings.store.exists():
        raise ConfigError(
            f"there is no record at {settings.store} to replay; it is made by the first call through a gate, "
            "and `store` in assent.yaml names another"
        )
    with closing(SQLiteStore(settings.store)) as store:
        return list(past_calls(store, since))


def _replayed(calls: Sequence[Past], now: Now, since: float) -> Replayed:
    done, progress = Replayed(since=since), Progress(len(calls))
    for number, past in enumerate(calls):
        progress.show(number)
        verdict = now.judge(past)
        if isinstance(verdict, Skipped):
            done.skipped.setdefault(verdict.why, []).append(past)
            continue
        done.counts[past.then, verdict.kind] += 1
        if verdict.kind != past.said:
            done.changes.append(Change(past, verdict))
    progress.clear()
    return done
