"""Every error assent raises, each with a stable `code`.

AssentError
├── Refused                     the call does not run (also a `PermissionError`)
│   ├── DeniedByPolicy          denied: a rule, a mode or a remembered refusal says no
│   ├── Rejected                rejected: a person said no
│   ├── Stopped                 stopped: a person ended the run
│   ├── Expired                 expired: nobody answered in time
│   ├── Cancelled               cancelled: the caller stopped waiting
│   ├── Responded               responded: a person answered in the tool's place
│   ├── GateFailed              failed: a part of the gate broke, so nothing ran
│   │   └── StoreFailed         failed: the record could not be written or read
│   ├── ConflictingCall         conflicting_call: the same id came with other arguments
│   ├── AlreadySpent            already_spent: the approval was used
│   ├── OutcomeUnknown          outcome_unknown: it may have run, and will not run again
│   ├── ForgedApproval          forged_approval: an approval nobody here gave
│   └── Unspellable             unspellable: arguments that JSON cannot spell
├── ToolError                   a tool could not do what was permitted
│   ├── UnknownTool             unknown_tool
│   ├── InvalidArguments        invalid_arguments
│   ├── ChangedSinceApproval    changed_since_approval
│   ├── CannotConfine           os_sandbox_failed: the walls do not stand, so nothing ran
│   └── FileError               what the file tools answer
│       ├── PathNotInSandboxError   path_outside_workspace (also a `PermissionError`)
│       ├── PathNotWritableError    path_not_writable (also a `PermissionError`)
│       ├── SuffixNotAllowed        suffix_not_allowed (also a `PermissionError`)
│       ├── InvalidPath             invalid_path (also a `PermissionError`)
│       ├── NoSuchFile              file_not_found
│       ├── IsDirectory             is_directory
│       ├── NotDirectory            not_a_directory
│       ├── NotRegularFile          not_a_regular_file
│       ├── FileTooLarge            file_too_large
│       ├── WriteFailed             write_failed
│       ├── EditNotFoundError       find_not_found
│       ├── EditNotUniqueError      find_not_unique
│       ├── InvalidPattern          invalid_pattern
│       └── RipgrepNotFound         ripgrep_not_found
├── AlreadyDecided              already_decided: another answer was first
├── UnknownPending              unknown_pending: no such question on the desk
└── ConfigError                 config: the configuration file is wrong
"""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NOT_EXECUTED = "It was not executed; do not retry it unchanged."


def _sentence(said: str, reason: str) -> str:
    """What happened and why, closed with one full stop."""
    words = f"{said}: {reason.strip()}" if reason.strip() else said
    return words if words.endswith((".", "!", "?")) else f"{words}."


def described(error: BaseException) -> str:
    """What was raised, and its words, as they can be written down anywhere."""
    return f"{type(error).__name__}: {words_of(error)}"


def words_of(error: BaseException) -> str:
    """What an error says; one that cannot say it, or says it in broken characters, hides nothing else."""
    return _written(str, error)


def shown(value: object) -> str:
    """Anything, as it may stand in the text of an error."""
    return _written(repr, value)


def _written(spell: Callable[[object], str], value: object) -> str:
    try:
        return spell(value).encode(errors="backslashreplace").decode()
    except Exception:  # noqa: BLE001 — somebody else's code, which may do anything
        return f"a {type(value).__name__} that cannot be shown"


class AssentError(Exception):
    """Anything assent raises on purpose."""

    code = "assent"


class Refused(AssentError, PermissionError):
    """The call does not run; the text is what the model may read."""

    code = "refused"


class DeniedByPolicy(Refused):
    """A rule, a mode or a remembered refusal says no, whatever a person would say."""

    code = "denied"

    def __init__(self, tool_name: str, reason: str, *, code: str = "denied") -> None:
        self.code = code
        self.tool_name = tool_name
        self.reason = reason
        super().__init__(f"{_sentence(f'{tool_name} was denied by policy', reason)} {NOT_EXECUTED}")


class Rejected(Refused):
    """A person said no to this call."""

    code = "rejected"

    def __init__(self, tool_name: str, *, note: str = "", by: str = "") -> None:
        self.tool_name = tool_name
        self.note = note
        self.by = by
        super().__init__(f"{_sentence('User rejected', note)} {NOT_EXECUTED}")


class Stopped(Refused):
    """A person ended the whole run."""

    code = "stopped"

    def __init__(self, *, note: str = "", by: str = "") -> None:
        self.note = note
        self.by = by
        super().__init__(f"{_sentence('User stopped the run', note)} {NOT_EXECUTED}")


class Expired(Refused):
    """Nobody answered before the question's time was over."""

    code = "expired"

    def __init__(self, tool_name: str) -> None:
        self.tool_name = tool_name
        super().__init__(f"Nobody answered the question about {tool_name} in time. {NOT_EXECUTED}")


class Cancelled(Refused):
    """Whoever wanted the call stopped waiting for the answer."""

    code = "cancelled"

    def __init__(self, tool_name: str, reason: str = "the caller stopped waiting") -> None:
        self.tool_name = tool_name
        super().__init__(f"{_sentence(f'The question about {tool_name} was cancelled', reason)} {NOT_EXECUTED}")


class Responded(Refused):
    """A person gave the result in the tool's place, so the tool does not run."""

    code = "responded"

    def __init__(self, result: object, *, by: str = "") -> None:
        self.result = result
        self.by = by
        super().__init__("A person answered in the tool's place; the tool did not run.")


class GateFailed(Refused):
    """A part of the gate broke; what cannot be judged does not run."""

    code = "failed"

    def __init__(self, part: str, reason: str) -> None:
        self.part = part
        self.reason = reason
        super().__init__(f"{_sentence(f'The {part} failed', reason)} {NOT_EXECUTED}")


class StoreFailed(GateFailed):
    """The record could not be written or read; without it nothing runs."""

    def __init__(self, reason: str) -> None:
        super().__init__("store", reason)


class ConflictingCall(Refused):
    """The same call id came back with arguments nobody approved."""

    code = "conflicting_call"

    def __init__(self, tool_name: str, call_id: str) -> None:
        super().__init__(
            f"Call {call_id!r} of {tool_name} was asked about with other arguments; "
            f"a new call needs a new id. {NOT_EXECUTED}"
        )


class AlreadySpent(Refused):
    """The approval was used; one approval runs a tool once."""

    code = "already_spent"

    def __init__(self, tool_name: str) -> None:
        super().__init__(
            f"The approval for this call of {tool_name} was already used: it has started before, and was not executed "
            "a second time. Make a new call if it is wanted again."
        )


class OutcomeUnknown(Refused):
    """The tool was started and nobody saw it end."""

    code = "outcome_unknown"

    def __init__(self, tool_name: str) -> None:
        super().__init__(
            f"{tool_name} was started and its end was not seen: it may have taken effect. "
            "It is not run again; look at what it changed, then make a new call if needed."
        )


class ForgedApproval(Refused):
    """An approval came from outside that nobody gave at this gate."""

    code = "forged_approval"

    def __init__(self, tool_name: str) -> None:
        super().__init__(f"No approval for this call of {tool_name} is on record here. {NOT_EXECUTED}")


class Unspellable(Refused):
    """Arguments that JSON cannot spell have no identity an approval could bind to."""

    code = "unspellable"

    def __init__(self, where: str, what: str) -> None:
        self.where = where
        super().__init__(
            f"{where} is {what}, which JSON cannot spell; text, finite numbers, true, false, null, "
            "lists, and objects with text keys are allowed. Convert it before the call."
        )


class ToolError(AssentError):
    """A tool could not do what was permitted; becomes a tool result, not a crash."""

    code = "tool_error"


class UnknownTool(ToolError):
    """The model named a tool this session does not have."""

    code = "unknown_tool"

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"There is no tool named {name!r}; the tools are: {', '.join(known) or 'none'}.")


class InvalidArguments(ToolError):
    """The arguments do not fit the tool."""

    code = "invalid_arguments"


class ChangedSinceApproval(ToolError):
    """What was shown is no longer what would be touched."""

    code = "changed_since_approval"


class CannotConfine(ToolError):
    """The walls cannot be built around this command as the profile demands; it was not started."""

    code = "os_sandbox_failed"


class FileError(ToolError):
    """A file tool could not do what was wanted; the code says which way."""

    code = "file_error"


class PathNotInSandboxError(FileError, PermissionError):
    """The path lies outside every root, or leads there."""

    code = "path_outside_workspace"


class PathNotWritableError(FileError, PermissionError):
    """The path may be read but not changed."""

    code = "path_not_writable"


class SuffixNotAllowed(FileError, PermissionError):
    """The root holds other kinds of files only."""

    code = "suffix_not_allowed"


class InvalidPath(FileError, PermissionError):
    """No file can have this path, or no tool takes it."""

    code = "invalid_path"


class NoSuchFile(FileError):
    """There is nothing at this path."""

    code = "file_not_found"


class IsDirectory(FileError):
    """A file was wanted, and this is a directory."""

    code = "is_directory"


class NotDirectory(FileError):
    """A directory was wanted, and this is something else."""

    code = "not_a_directory"


class NotRegularFile(FileError):
    """A pipe, device or socket: nothing a file tool opens."""

    code = "not_a_regular_file"


class FileTooLarge(FileError):
    """More bytes than the root's limit."""

    code = "file_too_large"


class WriteFailed(FileError):
    """The disk did not take it; the file is as it was."""

    code = "write_failed"


class EditNotFoundError(FileError):
    """The text to replace is not in the file."""

    code = "find_not_found"


class EditNotUniqueError(FileError):
    """The text to replace is in the file more than once."""

    code = "find_not_unique"


class InvalidPattern(FileError):
    """The pattern is wrong, or outside what every search engine here understands."""

    code = "invalid_pattern"


class RipgrepNotFound(FileError):
    """The configuration demands ripgrep, and it is not installed."""

    code = "ripgrep_not_found"


class AlreadyDecided(AssentError):
    """Another answer was first; it stands."""

    code = "already_decided"

    def __init__(self, *, outcome: str, by: str, at: float) -> None:
        self.outcome = outcome
        self.by = by
        self.at = at
        when = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(at))
        super().__init__(
            f"This question was already {outcome} by {by or 'somebody'} on {when}; the first answer stands."
        )


class UnknownPending(AssentError):
    """No question with this id is on the desk."""

    code = "unknown_pending"

    def __init__(self, pending_id: str) -> None:
        super().__init__(f"There is no question {pending_id!r} on this desk.")


class ConfigError(AssentError):
    """The configuration is wrong; the text says where and what is allowed."""

    code = "config"
