"""Running a prepared command once, to see whether the walls hold at all."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from typing import Final

from assent.os_sandbox._backend import Launch

_PATIENCE: Final = 20.0


def run_once(launch: Launch) -> tuple[int, str]:
    """Its exit code, and what it wrote to its error output; nothing is left of it.

    Raises:
        OSError: it cannot be started.
        subprocess.TimeoutExpired: it did not end.
    """
    try:
        with subprocess.Popen(  # noqa: S603 (our own walls, with our own arguments)
            launch.argv,
            env=launch.env,
            pass_fds=launch.pass_fds,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process:
            launch.go()
            try:
                code = process.wait(_PATIENCE)
            finally:
                end_group(process.pid)
            return code, process.stderr.read().decode(errors="replace") if process.stderr else ""
    finally:
        launch.release()


def end_group(pid: int) -> None:
    """End whatever is left of a process group.

    A bubblewrap that fails half-way leaves a child behind, which waits for it for ever.
    """
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
