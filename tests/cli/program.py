"""The real program, started as a user would start it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = [sys.executable, "-m", "assent"]


def assent(
    *arguments: str, cwd: Path | None = None, typed: str = "", encoding: str = "utf-8"
) -> subprocess.CompletedProcess[str]:
    """Run it without a terminal, with this as its whole input."""
    return subprocess.run(
        [*PROGRAM, *arguments],
        cwd=cwd,
        input=typed,
        capture_output=True,
        encoding=encoding,
        env=os.environ | {"PYTHONIOENCODING": encoding},
        check=False,
        timeout=60,
    )
