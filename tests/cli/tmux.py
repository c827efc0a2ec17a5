"""A person at a real terminal: tmux, on a server of its own."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 60.0
_POLL_SECONDS = 0.05


class Tmux:
    """One window; what is on it can be read, also what has scrolled away."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        """Where programs in the window put what is temporary."""
        self._command = ["tmux", "-L", "assent", "-f", "/dev/null"]
        self._environment = {**os.environ, "TMUX_TMPDIR": str(folder), "LC_ALL": "C.UTF-8", "TMPDIR": str(folder)}
        self._environment.pop("TMUX", None)

    def start(self, command: list[str]) -> None:
        """Run the command in the window, and write its exit code under it."""
        # `cat` keeps the window open until it was read.
        line = f"{shlex.join(command)}; echo exit code $?; exec cat"
        self._tmux("-u", "new-session", "-d", "-x", "80", "-y", "40", line)

    def types(self, *keys: str) -> None:
        """Press these keys, by tmux's names, and Enter."""
        self._tmux("send-keys", *keys, "Enter")

    def presses(self, key: str) -> None:
        self._tmux("send-keys", key)

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p", "-S", "-").rstrip()

    def until(self, holds: Callable[[str], bool]) -> str:
        """The screen, once it shows what is waited for."""
        end = time.monotonic() + PATIENCE
        while not holds(screen := self.screen()):
            if time.monotonic() > end:
                message = f"not seen within {PATIENCE} s; the screen was:\n{screen}"
                raise AssertionError(message)
            time.sleep(_POLL_SECONDS)
        return screen

    def is_asked(self, question: str) -> str:
        """Wait until this question, and nothing behind it, waits for an answer; it is given back as it is shown."""
        screen = self.until(lambda screen: screen.endswith("\n>") and question in _last_question(screen))
        return _last_question(screen)

    def is_asked_why(self) -> None:
        self.until(lambda screen: screen.endswith("(Enter for no reason)\n>"))

    def sees_the_end(self) -> str:
        return self.until(lambda screen: "\nexit code " in screen)

    def stop(self) -> None:
        subprocess.run([*self._command, "kill-server"], env=self._environment, capture_output=True, check=False)

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self._command, *arguments], env=self._environment, capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout


def _last_question(screen: str) -> str:
    return screen.rpartition("── Approval needed")[2]
