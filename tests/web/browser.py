"""The system's Chromium, as the tests, the measurements and the pictures start it."""

from __future__ import annotations

import shutil
from typing import Final

FLAGS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str | None:
    """Where it is, if it is."""
    return shutil.which("chromium")
