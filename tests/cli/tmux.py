"""A person at a real terminal: tmux, on a server of its own."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

PATIENCE = 60.0
_POLL_SECONDS = 0.03


class Tmux:
    """One window; what is on it can be read, also what has scrolled away."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        """Where programs in the window put what is temporary."""
        self._command = ["tmux", "-L", "assent", "-f", "/dev/null"]
        self._environment = {**os.environ, "TMUX_TMPDIR": str(folder), "LC_ALL": "C.UTF-8", "TMPDIR": str(folder)}
        for name in ("TMUX", "NO_COLOR", "PAGER", "EDITOR", "VISUAL"):
            self._environment.pop(name, None)

    def start(
        self,
        command: list[str],
        *,
        columns: int = 80,
        lines: int = 40,
        environment: Mapping[str, str] | None = None,
        piped: str | None = None,
    ) -> None:
        """Run the command in the window, and write its exit code under it."""
        self._environment |= environment or {}
        # `cat` keeps the window open until it was read.
        pipe = "" if piped is None else f"printf %s {shlex.quote(piped)} | "
        self.open(f"{pipe}{shlex.join(command)}; echo exit code $?; exec cat", columns=columns, lines=lines)

    def open(self, line: str, *, columns: int = 80, lines: int = 40) -> None:
        """Run a line of shell in the window."""
        self._tmux("-u", "new-session", "-d", "-x", str(columns), "-y", str(lines), line)

    def types(self, *keys: str) -> None:
        """Press these keys, by tmux's names, and Enter."""
        self._tmux("send-keys", *keys, "Enter")

    def presses(self, *keys: str) -> None:
        """Press these keys, by tmux's names, all in one go."""
        self._tmux("send-keys", *keys)

    def pastes(self, text: str) -> None:
        """Paste it, as a terminal does that marks what is pasted where a program wants to know."""
        self._tmux("set-buffer", text)
        self._tmux("paste-buffer", "-p")

    def resize(self, columns: int, lines: int) -> None:
        self._tmux("resize-window", "-x", str(columns), "-y", str(lines))

    def title(self) -> str:
        return self._tmux("display-message", "-p", "#{pane_title}").strip()

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

    def sees(self, *texts: str) -> str:
        """The screen, once every text is on it, the last one in its last line."""
        return self.until(lambda screen: all(text in screen for text in texts) and texts[-1] in _last_line(screen))

    def may_answer(self, *texts: str, times: int = 1) -> str:
        """The screen, once every text is on it, so often, and a key would be heard."""
        return self.until(lambda screen: _waits(screen) and all(screen.count(text) >= times for text in texts))

    def is_asked(self, question: str) -> str:
        """Wait until this question, and nothing behind it, waits for an answer; it is given back as it is shown."""
        screen = self.until(lambda screen: _waits(screen) and question in _last_question(screen))
        return _last_question(screen)

    def is_asked_why(self) -> None:
        self.until(lambda screen: "(Enter for no reason" in screen.splitlines()[-2] and _waits(screen))

    def sees_the_end(self) -> str:
        return self.until(lambda screen: "\nexit code " in f"\n{screen}")

    def stop(self) -> None:
        subprocess.run([*self._command, "kill-server"], env=self._environment, capture_output=True, check=False)

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self._command, *arguments], env=self._environment, capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout


def _last_line(screen: str) -> str:
    return screen.rpartition("\n")[2]


def _waits(screen: str) -> bool:
    """Whether a key would be heard now: the prompt is shown when it would."""
    return _last_line(screen) == ">" or _last_line(screen).endswith(" left >")


def _last_question(screen: str) -> str:
    return screen.rpartition("Approval needed")[2]
