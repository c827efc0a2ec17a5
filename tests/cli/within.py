"""The program's commands without a process of their own: a process takes longer than what is tested."""

from __future__ import annotations

import io
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from assent.cli import main


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a command said, and the code it ended with."""

    returncode: int
    stdout: str
    stderr: str


def within(folder: Path, *arguments: str, typed: str = "") -> Done:
    """Run it in this folder without a terminal, with this as its whole input."""
    stdin = io.TextIOWrapper(io.BytesIO(typed.encode()), encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    with chdir(folder), redirect_stdout(out), redirect_stderr(err), patch.object(sys, "stdin", stdin):
        code = main(arguments)
    return Done(returncode=code, stdout=out.getvalue(), stderr=err.getvalue())
