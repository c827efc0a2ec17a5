"""The terminal a person sits at: lent for a while, and given back as it was."""

from __future__ import annotations

import atexit
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from types import FrameType
from typing import Final, TextIO

from assent.ui._lock import TerminalLock, terminal_of

DEVICE: Final = "/dev/tty"
_Modes = list[int | list[bytes | int]]
_PASTE: Final = ("\x1b[?2004h", "\x1b[?2004l")
_ALTERNATE: Final = ("\x1b[?1049h\x1b[H\x1b[2J", "\x1b[?1049l")
# Terminals that print what they do not understand.
_SIMPLE: Final = frozenset({"", "dumb", "unknown"})
_MOST_TYPED: Final = 1 << 20
# A stop reaches this thread a moment later: the terminal must not be ours by then.
_STOP_SECONDS: Final = 0.1


class EndOfInput(Exception):
    """Nobody is there to type any more."""


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person could be at the other end, and typing ahead can be thrown away."""
    try:
        return sys.platform != "win32" and stream is not None and stream.isatty()
    except ValueError:  # it is closed
        return False


def say(stream: TextIO, text: str) -> None:
    """Write it at once; a terminal that cannot spell a character gets its number."""
    # An error here would refuse the call.
    encoding = getattr(stream, "encoding", None) or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()


@contextmanager
def opened(keyboard: TextIO | None, screen: TextIO | None, *, plain: bool) -> Generator[Tty | None]:
    """The terminal at these ends, the controlling one where none is given; None where there is none."""
    with ExitStack() as stack:
        try:
            # Not the standard input: what is piped into the program is no answer of a person.
            keyboard = keyboard or stack.enter_context(open(DEVICE, encoding="utf-8"))  # noqa: PTH123
            screen = screen or stack.enter_context(open(DEVICE, "w", encoding=_encoding()))  # noqa: PTH123
        except OSError:
            yield None
        else:
            yield Tty(keyboard, screen, plain=plain) if is_terminal(keyboard) else None


def is_watched() -> bool:
    """Whether there is a terminal to ask at, and something of this program is shown on one."""
    with opened(None, None, plain=True) as tty:
        return tty is not None and (is_terminal(sys.stdout) or is_terminal(sys.stderr))


def _encoding() -> str:
    return getattr(sys.stdout, "encoding", None) or "utf-8"


class Tty:
    """Keys come as bytes, one by one and without an echo, from `take` to `give_back`.

    Nobody can handle signals here: a question is asked in a thread of its own. So the terminal makes
    none of its keys; each is read as a byte, the terminal is given back, and then the signal is sent.
    """

    def __init__(self, keyboard: TextIO, screen: TextIO, *, plain: bool) -> None:
        self.descriptor = keyboard.fileno()
        self.screen = screen
        self.simple = plain or os.environ.get("TERM", "") in _SIMPLE
        """Whether nothing but text may be written to it."""
        self._found: _Modes | None = None
        self._ours: _Modes | None = None
        self._switches: list[tuple[str, str]] = [] if self.simple else [_PASTE]
        self._endings: list[signal.Signals] = []
        self.terminal = terminal_of(self.descriptor)
        """Which one it is, by whatever name it was opened."""
        self.lock = TerminalLock(self.terminal)
        self.displaced = False
        """Whether it was left to other programs while we were stopped."""

    def say(self, text: str, end: str = "\n") -> None:
        """Write it at once."""
        say(self.screen, text + end)

    def spells(self, text: str) -> bool:
        """Whether its encoding has all of these characters."""
        try:
            text.encode(getattr(self.screen, "encoding", None) or "utf-8")
        except UnicodeError:
            return False
        return True

    def size(self) -> os.terminal_size:
        """Columns and lines there are now."""
        try:
            size = os.get_terminal_size(self.screen.fileno())
        except (OSError, ValueError):
            size = os.terminal_size((0, 0))
        return os.terminal_size((size.columns or 80, size.lines or 24))

    # Borrowing it

    def take(self) -> None:
        """Take every key as it is typed, from now on.

        Raises:
            EndOfInput: the terminal is gone.
        """
        # Imported here: Windows has no termios, and must still be able to import us.
        import termios

        # What the program has printed belongs above the question.
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
        # Whoever ends the program while a question waits does not end this thread: it just stops.
        atexit.register(self.give_back)
        try:
            self._found = termios.tcgetattr(self.descriptor)
            modes = termios.tcgetattr(self.descriptor)
            modes[3] &= ~(termios.ICANON | termios.ECHO | termios.ISIG | termios.IEXTEN)
            modes[6][termios.VMIN], modes[6][termios.VTIME] = 1, 0
            # TCSANOW: behind Ctrl-S, waiting for the output would wait without end.
            termios.tcsetattr(self.descriptor, termios.TCSANOW, modes)
            self._ours = termios.tcgetattr(self.descriptor)
        except termios.error as error:
            raise EndOfInput from error
        self._listen()
        self._write("".join(on for on, _ in self._switches))

    def give_back(self) -> None:
        """Leave the terminal as it was found; as often as one likes."""
        import termios

        if self._found is None:
            return
        found, self._found = self._found, None
        self._write("".join(off for _, off in reversed(self._switches)))
        with suppress(termios.error, OSError, ValueError):
            termios.tcsetattr(self.descriptor, termios.TCSANOW, found)
        atexit.unregister(self.give_back)
        while self._endings:
            if signal.getsignal(number := self._endings.pop()) == self._end:
                signal.signal(number, signal.SIG_DFL)

    def _listen(self) -> None:
        """Give it back as well where somebody ends us from outside, if nobody else here has plans for that."""
        # Only the main thread may: where a question is asked in another one, the program has to do it.
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(number) is signal.SIG_DFL:
                    signal.signal(number, self._end)
                    self._endings.append(number)

    def _end(self, number: int, _frame: FrameType | None) -> None:
        self.give_back()
        signal.raise_signal(number)

    @contextmanager
    def taken(self) -> Generator[None]:
        """Take it, and give it back whatever happens."""
        self.take()
        try:
            yield
        finally:
            self.give_back()

    @contextmanager
    def lent(self) -> Generator[bool]:
        """Give it back for a while, to another program; whether its keys were for us, and so may be for that one."""
        import termios

        self.give_back()
        modes = termios.tcgetattr(self.descriptor)
        ours = self.in_front()

        def take_back() -> None:
            if ours:
                self.put_in_front(os.getpgrp())
            # A program that was killed leaves the terminal in its own way.
            with suppress(termios.error):
                termios.tcsetattr(self.descriptor, termios.TCSANOW, modes)

        atexit.register(take_back)
        try:
            yield ours
        finally:
            atexit.unregister(take_back)
            take_back()
            self.take()

    def is_ours(self) -> bool:
        """Whether the terminal still does as we told it; not so, if the program was stopped meanwhile."""
        import termios

        try:
            return termios.tcgetattr(self.descriptor) == self._ours
        except termios.error as error:
            raise EndOfInput from error

    def control(self) -> dict[bytes, str]:
        """What the keys that mean something to every program are called here."""
        import termios

        characters = self._found[6] if self._found else []
        if not isinstance(characters, list):
            return {}
        meant = {"intr": termios.VINTR, "quit": termios.VQUIT, "susp": termios.VSUSP, "eof": termios.VEOF}
        keys = ((characters[at], name) for name, at in meant.items())
        return {key: name for key, name in keys if isinstance(key, bytes) and key not in (b"\0", b"\xff")}

    def typed(self) -> bytes:
        """What was typed so far, which is read by nobody else then.

        Raises:
            EndOfInput: the terminal was closed.
        """
        typed = b""
        try:
            while len(typed) < _MOST_TYPED and select.select([self.descriptor], [], [], 0)[0]:
                if not (some := os.read(self.descriptor, 4096)):
                    raise EndOfInput
                typed += some
        except OSError as error:
            raise EndOfInput from error
        return typed

    def forget_typed(self) -> None:
        """Throw away what was typed so far.

        Raises:
            EndOfInput: the terminal was closed.
        """
        import termios

        try:
            termios.tcflush(self.descriptor, termios.TCIFLUSH)
        except termios.error as error:
            raise EndOfInput from error

    # What only a terminal that understands more than text is told

    @contextmanager
    def switched(self, on: str, off: str) -> Generator[None]:
        """Switch something on for a while; it is off wherever the terminal is given back."""
        if self.simple:
            yield
            return
        self._switches.append((on, off))
        self._write(on)
        try:
            yield
        finally:
            self._switches.remove((on, off))
            self._write(off)

    @contextmanager
    def alternate(self) -> Generator[None]:
        """A screen of its own: what is drawn over and over does not push away what was there."""
        with self.switched(*_ALTERNATE):
            yield

    def show(self, text: str) -> None:
        """Draw it from the top of the alternate screen; below what is there, on a simple terminal."""
        self.say(text if self.simple else f"\x1b[H\x1b[2J{text}")

    def _write(self, text: str) -> None:
        # Where the terminal is gone there is nothing to switch, and reading it will tell. A signal may also come
        # while something is written, and must not be kept by that from giving the terminal back.
        with suppress(OSError, ValueError, RuntimeError):
            if text:
                self.say(text, end="")

    # Signals

    def in_front(self) -> bool:
        """Whether it is our controlling terminal, and we are whom its keys are for."""
        try:
            return os.tcgetpgrp(self.descriptor) == os.getpgrp()
        except OSError:
            return False

    def in_background(self) -> bool:
        """Whether it is our controlling terminal, and somebody else has it."""
        try:
            return os.tcgetpgrp(self.descriptor) != os.getpgrp()
        except OSError:
            return False

    def stop_in_background(self) -> bool:
        """Stop, as the system would stop us for using the terminal, until the person wakes us; whether we did."""
        before = time.monotonic()
        os.killpg(os.getpgrp(), signal.SIGTTOU)
        time.sleep(_STOP_SECONDS)
        return time.monotonic() - before > 2 * _STOP_SECONDS

    def put_in_front(self, group: int) -> None:
        """Let another process group of this session have the keys."""
        # Whoever takes the terminal back is in the background, and would be stopped for it.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
        try:
            with suppress(OSError):
                os.tcsetpgrp(self.descriptor, group)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def send(self, name: str) -> None:
        """Send the signal of this key to everybody in front, as the terminal would."""
        number = {"intr": signal.SIGINT, "quit": signal.SIGQUIT, "susp": signal.SIGTSTP}[name]
        if name == "susp" and self.lock.held:
            # Whoever is stopped must not keep the next program from asking.
            self.lock.leave()
            self.displaced = True
        os.killpg(os.getpgrp(), number)
        if name == "susp":
            time.sleep(_STOP_SECONDS)
