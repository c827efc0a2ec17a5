"""Running a prepared command once, to see whether the walls hold at all."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from contextlib import suppress
from typing import Final

from assent.os_sandbox._backend import Launch

_PATIENCE: Final = 20.0
_STEP: Final = 0.05
_STATUS_BYTES: Final = 65_536


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
            launch.started()
            try:
                let_begin(launch, process)
                code = process.wait(_PATIENCE)
            finally:
                end_group(process.pid)
            return code, process.stderr.read().decode(errors="replace") if process.stderr else ""
    finally:
        launch.release()


def let_begin(launch: Launch, process: subprocess.Popen[bytes]) -> bytes:
    """Say "go" when the command waits for it, and not before; what `status` told until then.

    It returns as well when there is nothing to wait for any more.
    """
    said = b""
    end = time.monotonic() + _PATIENCE
    while not launch.waits(said) and process.poll() is None and time.monotonic() < end:
        if select.select([launch.status], [], [], _STEP)[0]:
            piece = os.read(launch.status, _STATUS_BYTES)
            if not piece:
                break
            said += piece
    launch.go()
    return said


def end_group(pid: int) -> None:
    """End whatever is left of a process group.

    A bubblewrap that fails half-way leaves a child behind, which waits for it for ever.
    """
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
