"""What became of a command, as the model reads it."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NotRequired, TypedDict, final

from assent.os_sandbox import Ended
from assent.tools.command._output import Output

_SIGNALS: Final = 128


class Ending(TypedDict):
    """How a command ended."""

    exit_code: int | None
    """As a shell tells it: 128 and the number of the signal that ended it; none if it was ended here."""
    signal: int | None
    truncated: bool
    """Whether the middle of some text below is cut, because it is too long."""
    timed_out: bool
    new_repositories: NotRequired[list[str]]
    """Git folders that appeared meanwhile: whoever uses git there obeys what the command wrote."""
    replaced: NotRequired[list[str]]
    """What was masked, and replaced meanwhile, so that the command may have written it: look before you use it."""


@final
class CommandResult(Ending):
    """How a command ended, and what it wrote."""

    output: str
    """Output and errors together, in the order they came."""
    full_output: str | None
    """The file with all of the output, where `output` is only a part."""


@final
class SeparateResult(Ending):
    """How a command ended, and what it wrote to which stream."""

    stdout: str
    stderr: str
    full_stdout: str | None
    """The file with all of it, where `stdout` is only a part."""
    full_stderr: str | None


def result_of(ended: Ended, outputs: Sequence[Output], texts: Sequence[str]) -> CommandResult | SeparateResult:
    """One output is both streams together; two are each for itself."""
    code = None if ended.killed else ended.exit_code
    ending = Ending(
        exit_code=code,
        signal=signal.SIGKILL.value if code is None else _signal(code),
        truncated=any(each.truncated for each in outputs),
        timed_out=ended.killed,
    )
    if ended.fallen:
        ending["replaced"] = [str(each) for each in ended.fallen]
    files = [None if each.file is None else str(each.file) for each in outputs]
    if len(outputs) == 1:
        return CommandResult(**ending, output=texts[0], full_output=files[0])
    return SeparateResult(**ending, stdout=texts[0], stderr=texts[1], full_stdout=files[0], full_stderr=files[1])


def add_findings(
    result: CommandResult | SeparateResult, *, repositories: Iterable[Path], replaced: Iterable[Path]
) -> None:
    """Tell what other programs may obey by now; nothing is said of nothing."""
    if found := [str(each) for each in repositories]:
        result["new_repositories"] = found
    if turned := [*result.get("replaced", []), *map(str, replaced)]:
        result["replaced"] = turned


def _signal(code: int) -> int | None:
    number = code - _SIGNALS
    return number if number in signal.valid_signals() else None
