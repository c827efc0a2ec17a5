"""The machine's own devices, which bubblewrap shows inside: what root changed of them is put back.

Bubblewrap can mount a device read-only only together with a ban on using it. So a command of root,
who owns them, can change their permissions; nobody else can.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from functools import cache
from typing import Final

_DEVICES: Final = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty"))
_Facts = tuple[int, int, int]


@cache
def note_devices() -> dict[str, _Facts]:
    """Mode, owner and group of each, as they were before the first command; nothing for anybody but root."""
    # Once: a command that runs meanwhile may have changed them already.
    return {name: facts for name in _DEVICES if (facts := _facts(name)) is not None} if os.geteuid() == 0 else {}


def put_back() -> None:
    """Make them again what they were."""
    for name, facts in note_devices().items():
        if _facts(name) != facts:
            mode, owner, group = facts
            with suppress(OSError):
                os.chown(name, owner, group, follow_symlinks=False)
                os.chmod(name, stat.S_IMODE(mode))  # noqa: PTH101 (a device, not a file)


def _facts(name: str) -> _Facts | None:
    try:
        seen = os.lstat(name)
    except OSError:
        return None
    return (seen.st_mode, seen.st_uid, seen.st_gid) if stat.S_ISCHR(seen.st_mode) else None
