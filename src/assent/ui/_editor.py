"""The arguments of a call in the person's own editor."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assent.model import ToolCall, thaw
from assent.ui._front import run_in_front
from assent.ui._tty import Tty

# What a person means by "edit it", of tools that have it: the command, the new text, the whole content.
_NATURAL: Final = {"command": ".sh", "new_string": "", "content": "", "new_source": ""}
_PATHS: Final = ("path", "file_path", "notebook_path")
_SUFFIX: Final = re.compile(r"\.[A-Za-z0-9]{1,10}")
_MOST_BYTES: Final = 64 << 20
_FREE: Final = "Free some space, or set TMPDIR to a folder you can write."


class EditFailed(Exception):
    """There are no new arguments; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What is edited of a call: the text of one argument, or all of them as JSON."""

    argument: str | None
    text: str
    suffix: str


def draft_of(call: ToolCall) -> Draft:
    """The one argument a person would want to edit; all of them, where there is no such one."""
    for name, suffix in _NATURAL.items():
        if isinstance(text := call.args.get(name), str):
            return Draft(argument=name, text=text, suffix=suffix or _suffix(call))
    every = json.dumps(thaw(call.args), indent=2, ensure_ascii=False)
    return Draft(argument=None, text=f"{every}\n", suffix=".json")


def arguments_of(draft: Draft, call: ToolCall) -> Mapping[str, object]:
    """The arguments that the draft amounts to.

    Raises:
        EditFailed: it is no JSON, or not an object.
    """
    if draft.argument is not None:
        return {**call.arguments(), draft.argument: draft.text}
    try:
        given: object = json.loads(draft.text)
    except (ValueError, RecursionError) as error:
        raise EditFailed(f"This is no JSON that can be read: {error}.") from error
    if not isinstance(given, dict):
        raise EditFailed("The arguments are a JSON object: {…}, with a name for each.")
    return {str(name): value for name, value in given.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] — JSON


async def edit(draft: Draft, tty: Tty) -> Draft:
    """The draft as the person left it.

    Raises:
        EditFailed: the editor could not be started or failed, or what it left is no text.
    """
    try:
        folder = Path(tempfile.mkdtemp(prefix="assent-edit-"))
    except OSError as error:
        raise EditFailed(f"There is no place for a file to edit: {error.strerror}. {_FREE}") from error
    finished = False
    try:
        text = await _edited(draft, folder, tty)
        finished = True
    finally:
        # Taken away while the editor was open: what the person wrote is theirs to keep.
        if finished or not _left_something(folder, draft):
            shutil.rmtree(folder, ignore_errors=True)
        else:
            tty.say(f"What you had saved is in {folder}")
    if not draft.text.endswith("\n"):
        # Editors end the last line; here it had no end, and a command is not another one for it.
        text = text.removesuffix("\n")
    return Draft(argument=draft.argument, text=text, suffix=draft.suffix)


async def _edited(draft: Draft, folder: Path, tty: Tty) -> str:
    file = folder / f"arguments{draft.suffix}"
    try:
        _write(file, draft.text)
    except OSError as error:
        raise EditFailed(f"The file to edit cannot be written: {error.strerror}. {_FREE}") from error
    command = _command()
    try:
        code, _ = await run_in_front([*command, str(file)], tty, environment=os.environ)
    except OSError as error:
        raise EditFailed(f"The editor {command[0]!r} did not start: {error.strerror}. Set EDITOR to one.") from error
    if code:
        raise EditFailed(f"The editor ended with code {code}: nothing was taken over.")
    return _read(file)


def _command() -> list[str]:
    """The words of $VISUAL or $EDITOR: never a shell's."""
    wanted = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        words = shlex.split(wanted)
    except ValueError as error:
        raise EditFailed(f"EDITOR is {wanted!r}, which cannot be split into words: {error}.") from error
    if words:
        return words
    for name in ("nano", "vim", "vi"):
        if found := shutil.which(name):
            return [found]
    raise EditFailed("No editor is known: set EDITOR to one, such as EDITOR=nano.")


def _write(file: Path, text: str) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="", errors="surrogatepass") as stream:
        stream.write(text)


def _read(file: Path) -> str:
    try:
        # Not through a link: the editor may replace the file, but nobody points it elsewhere.
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise EditFailed(f"The editor left no file: {error.strerror}.") from error
    try:
        with os.fdopen(descriptor, "rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        raise EditFailed(f"What the editor left cannot be read: {error.strerror}.") from error
    if len(content) > _MOST_BYTES:
        raise EditFailed(f"What the editor left is larger than {_MOST_BYTES} bytes.")
    try:
        return content.decode("utf-8", errors="surrogatepass")
    except UnicodeDecodeError as error:
        raise EditFailed(f"What the editor left is not UTF-8: {error.reason} at byte {error.start}.") from error


def _left_something(folder: Path, draft: Draft) -> bool:
    try:
        files = list(folder.iterdir())
        return len(files) > 1 or any(file.read_bytes() != draft.text.encode("utf-8", "surrogatepass") for file in files)
    except OSError:
        return False


def _suffix(call: ToolCall) -> str:
    """The end of the file's name, so that the editor knows its language."""
    for name in _PATHS:
        if isinstance(path := call.args.get(name), str):
            suffix = Path(path).suffix
            return suffix if _SUFFIX.fullmatch(suffix) else ".txt"
    return ".txt"
