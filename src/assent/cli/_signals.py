"""Signals that end a command: what it took, such as the terminal, is given back first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_ENDING: Final = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def ending_in_order() -> Generator[None]:
    """SIGTERM and SIGHUP end the command as Ctrl-C does, with a code of their own."""
    heard: list[int] = []

    def end(number: int, _frame: FrameType | None) -> None:
        # `timeout` and a terminal that closes send more than one: the next must not cut off the giving back.
        for each in _ENDING:
            signal.signal(each, signal.SIG_IGN)
        heard.append(number)
        if not callable(signal.getsignal(signal.SIGINT)):
            # In the background of a shell Ctrl-C is ignored; this is not.
            raise SystemExit(128 + number)
        signal.raise_signal(signal.SIGINT)

    # Whoever ignores one of them (`nohup`) or handles it has their way.
    free = [each for each in _ENDING if signal.getsignal(each) is signal.SIG_DFL] if _is_main() else []
    for each in free:
        signal.signal(each, end)
    try:
        yield
    except KeyboardInterrupt:
        if heard:
            raise SystemExit(128 + heard[0]) from None
        raise
    finally:
        for each in () if heard else free:
            signal.signal(each, signal.SIG_DFL)


def _is_main() -> bool:
    """Whether signals arrive here: nowhere else may they be handled."""
    return threading.current_thread() is threading.main_thread()
