"""Who started an effect, and whether that process is still there."""

from __future__ import annotations

import os
import socket
from pathlib import Path


def this_process() -> str:
    """Host, process id and start time: a process id alone is used again."""
    pid = os.getpid()
    return f"{socket.gethostname()} {pid} {_start_time(pid)}"


def is_gone(owner: str) -> bool:
    """Whether the owner surely ended; a process of another host may still run."""
    host, pid, start = owner.rsplit(" ", 2)
    if host != socket.gethostname():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return _start_time(int(pid)) != start


def _start_time(pid: int) -> str:
    """When the process started, in clock ticks since boot; "-" where the system does not say."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return "-"
    # The command's name stands in parentheses and may contain anything; the start time is the
    # twentieth field after it.
    state, *fields = stat[stat.rindex(")") + 2 :].split()
    # A zombie has ended, though its id is still taken.
    return "ended" if state == "Z" else fields[18]
