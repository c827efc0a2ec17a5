"""What is said of an error, and which exit code it has; what to do next is part of it."""

from __future__ import annotations

import os

from assent.errors import (
    AssentError,
    ConfigError,
    GateFailed,
    InvalidArguments,
    Refused,
    StoreFailed,
    UnknownPending,
    UnknownTool,
)
from assent.ui import visible

FAILED, USAGE, DENIED = 1, 2, 3


def said(error: AssentError) -> tuple[str, int]:
    """One message for people, and the exit code."""
    # A message may quote what somebody else wrote.
    return visible(_text(error)), _code(error)


def of_system(error: OSError | RecursionError) -> str:
    """One message for people about what no command expects."""
    if isinstance(error, RecursionError):
        return "what was given is nested too deeply to be read; give it with fewer levels"
    if isinstance(error, FileNotFoundError) and _is_nowhere():
        return "the folder you are in was deleted; go to one that exists, such as `cd ~`, and try again"
    named = isinstance(error.filename, (str, bytes))
    where = os.fsdecode(error.filename) if named else "what was to be read or written"
    return visible(f"the system refused {where}: {error.strerror or str(error) or type(error).__name__}", keep="")


def _is_nowhere() -> bool:
    """Whether the current folder does not exist any more."""
    try:
        os.getcwd()  # noqa: PTH109 (what fails is what is asked)
    except FileNotFoundError:
        return True
    return False


def _text(error: AssentError) -> str:
    match error:
        case StoreFailed():
            # The error's own last sentence speaks to a model about its call.
            reason = error.reason.rstrip(".")
            return f"the record cannot be used: {reason}; `assent config show` says which file it is and who named it"
        case UnknownPending():
            return f"{error} `assent inbox --json` lists what waits"
        case _:
            return str(error)


def _code(error: AssentError) -> int:
    match error:
        case ConfigError() | InvalidArguments() | UnknownTool():
            return USAGE
        case Refused() if not isinstance(error, GateFailed):
            return DENIED
        case _:
            return FAILED
