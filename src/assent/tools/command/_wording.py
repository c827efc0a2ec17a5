"""How a dialect words the tool: its name, its arguments, and its answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from assent.errors import InvalidArguments
from assent.tools.command._result import CommandResult, SeparateResult

_MILLISECONDS: Final = 1000
_Result = CommandResult | SeparateResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a call asks for beside its command."""

    cwd: str | None
    seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The name and shape of the tool in one dialect."""

    name: str
    description: str
    takes: type
    """The dataclass that the model fills; `command` and `cwd` mean the same in all of them."""
    asked: Callable[[Any], Asked]
    told: Callable[[_Result], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCommand:
    """What `run_command` takes."""

    __pydantic_config__: ClassVar = {"extra": "forbid", "use_attribute_docstrings": True}

    command: str
    """The command; a single plain one runs without a shell, anything else in bash."""
    cwd: str | None = None
    """The folder to run it in."""
    timeout: float | None = None
    """Seconds after which it is ended; the configuration says how many at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bash:
    """What `Bash` takes."""

    __pydantic_config__: ClassVar = {"extra": "forbid", "use_attribute_docstrings": True}

    command: str
    """The command to execute."""
    timeout: float | None = None
    """Milliseconds after which it is ended; the configuration says how many at most."""
    description: str | None = None
    """What the command does, in a few words."""


def _own(given: RunCommand) -> Asked:
    return _checked(given.command, given.timeout, given.cwd)


def _claude(given: Bash) -> Asked:
    return _checked(given.command, None if given.timeout is None else given.timeout / _MILLISECONDS)


def _checked(command: str, seconds: float | None, cwd: str | None = None) -> Asked:
    if seconds is not None and not seconds > 0:
        raise InvalidArguments("timeout is not above 0; give a number above 0, or leave it out")
    if "\0" in command or any("\ud800" <= character <= "\udfff" for character in command):
        # What bash would get is not what was read and shown.
        raise InvalidArguments("command holds a NUL or half a character, which no program can be given; take it out")
    return Asked(cwd=cwd, seconds=seconds)


def _as_it_is(result: _Result) -> object:
    return dict(result)


def _as_text(result: _Result) -> object:
    """The output, then the errors where they are separate, and after it what was not ordinary."""
    texts = [result["output"]] if "output" in result else [result["stdout"], result["stderr"]]
    lines = [*(text.removesuffix("\n") for text in texts), *_remarks(result)]
    return "\n".join(filter(None, lines)) or "(no output)"


def _remarks(result: _Result) -> list[str]:
    said: list[str] = []
    if result["timed_out"]:
        said.append("The command was ended: its time was over.")
    elif result["exit_code"]:
        said.append(f"Exit code {result['exit_code']}")
    if found := result.get("new_repositories"):
        said.append(f"New git folders: {', '.join(found)}")
    if replaced := result.get("replaced"):
        said.append(f"Replaced while the command ran, so look at them before you use them: {', '.join(replaced)}")
    return said


ASSENT: Final = Wording(
    name="run_command",
    description="Run a command in a sandbox. There is no input to read and no terminal.",
    takes=RunCommand,
    asked=_own,
    told=_as_it_is,
)
CLAUDE: Final = Wording(
    name="Bash",
    description="Execute a bash command in a sandbox. There is no input to read and no terminal.",
    takes=Bash,
    asked=_claude,
    told=_as_text,
)
