"""The real program, started as a user would start it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = [sys.executable, "-m", "assent"]


def assent(*arguments: str, cwd: Path | None = None, typed: str = "") -> subprocess.CompletedProcess[str]:
    """Run it without a terminal, with this as its whole input."""
    return subprocess.run(
        [*PROGRAM, *arguments], cwd=cwd, input=typed, capture_output=True, text=True, check=False, timeout=60
    )
