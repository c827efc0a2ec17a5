"""What became of a command, as the model reads it."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class CommandResult(TypedDict):
    """How a command ended, and what it wrote."""

    exit_code: int | None
    """As a shell tells it: 128 and the number of the signal that ended it; none if it was ended here."""
    signal: int | None
    output: str
    """Output and errors together, in the order they came; the middle is cut where it is too long."""
    truncated: bool
    full_output: str | None
    """The file with all of the output, where `output` is only a part."""
    timed_out: bool
    new_repositories: NotRequired[list[str]]
    """Git folders that appeared meanwhile: whoever uses git there obeys what the command wrote."""
