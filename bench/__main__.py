"""`python -m bench [NAME ...] [--write]`: measure, side by side, what assent costs.

Every number is a ratio to, or a difference from, the same work without assent in the same run;
an absolute time says more about the machine than about the code. A missed target is printed,
not raised: the exit code is 0 unless a benchmark breaks.
"""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench._table import Table

_BENCHMARKS = (
    "gate_overhead",
    "agent_turn",
    "frameworks",
    "decision",
    "startup",
    "terminal",
    "diff",
    "search",
    "paths",
    "spawn",
    "streaming",
    "server",
    "web",
    "shell",
)
_RESULTS = Path(__file__).with_name("RESULTS.md")
_BY_HAND = "\n## Fuzzed\n"
_PACKAGES = ("assent", "pydantic", "pydantic-ai-slim", "pydantic-ai-blocking-approval", "pygit2")


def main(argv: Sequence[str]) -> None:
    parser = ArgumentParser(prog="python -m bench", description="Measure what assent costs, side by side.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(_BENCHMARKS)}; default: all")
    parser.add_argument("--write", action="store_true", help="store the tables in bench/RESULTS.md")
    options = parser.parse_args(argv)
    unknown = sorted(set(options.names) - set(_BENCHMARKS))
    if unknown:
        parser.error(f"no benchmark is named {', '.join(unknown)}; there are {', '.join(_BENCHMARKS)}")
    tables = [_measure(name) for name in options.names or _BENCHMARKS]
    if options.write:
        # What was fuzzed is written by hand: it takes minutes, and its command is another one.
        before, mark, fuzzed = _RESULTS.read_text(encoding="utf-8").partition(_BY_HAND)
        text = _replaced(before, tables) if options.names else "\n\n".join(map(str, tables))
        command = " ".join(["python -m bench", *argv])
        _RESULTS.write_text(f"{_heading(command)}\n\n{text}\n{mark}{fuzzed}", encoding="utf-8")


def _replaced(before: str, tables: Sequence[Table]) -> str:
    """The tables that are there, with these in place of the ones of the same title, and new ones behind them."""
    kept = {text.partition("\n")[0]: f"## {text.strip()}" for text in before.split("\n## ")[1:]}
    return "\n\n".join((kept | {table.title: str(table) for table in tables}).values())


def _measure(name: str) -> Table:
    print(f"{name} ...", file=sys.stderr, flush=True)
    started = time.perf_counter()
    table: Table = import_module(f"bench.{name}").measure()
    print(f"{name}: {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    print(f"{table}\n", flush=True)
    return table


def _heading(command: str) -> str:
    """How the tables came about; nothing that names the machine."""
    packages = ", ".join(f"{name} {_version(name)}" for name in _PACKAGES)
    return "\n".join(
        [
            "# Measured",
            "",
            f"- last by `{command}` on {datetime.now(tz=UTC):%Y-%m-%d}; each table is from one run",
            f"- {platform.python_implementation()} {platform.python_version()}, SQLite {sqlite3.sqlite_version}",
            f"- {platform.system()} {platform.machine()}, {os.cpu_count()} cores",
            f"- {packages}",
            "",
            "Compare numbers within a table; absolute times belong to the machine they were taken on.",
        ]
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"


if __name__ == "__main__":
    main(sys.argv[1:])
