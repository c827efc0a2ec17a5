"""Start-up: `assent --help` and `import assent` against a bare Python.

Hooks and shells start the command for every call, so what it loads is paid for every time. The
command is run as users run it, by the script pip installed; both sides use the same interpreter
with its usual start-up (`site` included). The first, thrown-away rounds write the byte code.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from bench._rounds import Measure, interleave, quietest, times
from bench._table import NO_TARGET, Table, at_most

_ROUNDS = 40
_BARE = "`python -c pass`"
_IMPORT = "`python -c 'import assent'`"
_HELP = "`assent --help`"


def measure() -> Table:
    rounds = interleave(
        {
            _BARE: _starting(sys.executable, "-c", "pass"),
            _IMPORT: _starting(sys.executable, "-c", "import assent"),
            _HELP: _starting(str(Path(sys.executable).with_name("assent")), "--help"),
        },
        rounds=_ROUNDS,
    )
    limits = {_IMPORT: 1.2, _HELP: 6.0}
    rows: list[tuple[str, ...]] = []
    for name, seconds in rounds.items():
        ratios = times(rounds, name, _BARE)
        target = at_most(limits[name], median(ratios), "×") if name in limits else NO_TARGET
        shown = f"{median(ratios):.2f}×", f"{quietest(ratios):.2f}×"
        rows.append((name, f"{median(seconds) * 1e3:.1f}", *(shown if name != _BARE else ("1", "")), *target))
    return Table(
        title="Start-up",
        about=f"Median of {_ROUNDS} interleaved starts; the ratio is taken within each round.",
        columns=("command", "ms", "of bare Python", "quietest", "target", "met"),
        rows=rows,
    )


def _starting(*command: str) -> Measure:
    def start() -> float:
        before = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - before

    return start
