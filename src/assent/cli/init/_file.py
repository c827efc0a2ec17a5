"""The new configuration on disk: never in the place of another unless a person says so."""
# ruff: noqa: T201 (a command speaks by printing)

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from assent.cli._record import failure
from assent.config import SETTINGS_FILE, find_settings_file, read_settings
from assent.diff import diff
from assent.tools.shell import check_rules
from assent.ui import visible


def put(text: str, target: Path, *, force: bool, yes: bool) -> int:
    """Write the file, and say what to do next; the number returned is the exit code."""
    above = find_settings_file(target.parent.parent)
    # The file that is written: where the name is a link, the one it leads to.
    real = Path(os.path.realpath(target)) if target.is_symlink() else target
    try:
        if force and os.path.lexists(target):
            if not _is_wanted(text, target, real, yes=yes):
                return 1
            _replace(text, real)
        else:
            _create(text, target)
    except OSError as error:
        raise failure(f"{real} cannot be written: {error.strerror}; nothing was changed") from None
    check_rules(read_settings(target))
    print(visible(_next(_named(target, real), above), keep="\n"))
    return 0


def _named(target: Path, real: Path) -> str:
    return str(target) if real == target else f"{real}, to which {target} is a link"


def _create(text: str, target: Path) -> None:
    try:
        # Exclusive: a file that appears in between is not overwritten either, and no link is followed.
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise failure(
            f"{target} is there already, so nothing was written; `assent config show` prints what it says, "
            "`assent init --stdout` prints a new one, `assent init --force` replaces it"
        ) from None


def _is_wanted(text: str, target: Path, real: Path, *, yes: bool) -> bool:
    """Whether the file is to be replaced, once it was shown how."""
    if not target.is_file():
        raise failure(f"{target} is no file that could be replaced; move it away first")
    if yes and real != target:
        # A link that somebody put there must not choose which file is overwritten unseen.
        raise failure(
            f"{target} is a link to {real}, which is not replaced unasked, so nothing was written; "
            "remove the link, or leave out --yes to be asked"
        )
    changed = diff(target.read_bytes(), text.encode()).text(SETTINGS_FILE, SETTINGS_FILE)
    print(visible(changed.decode(errors="backslashreplace"), keep="\n\t"), end="", flush=True)
    if not changed or yes or _is_agreed(_named(target, real)):
        return True
    print("Nothing was written.", file=sys.stderr)
    return False


def _replace(text: str, real: Path) -> None:
    """All of it or nothing: what reads the file meanwhile finds the old one or the new one."""
    descriptor, name = tempfile.mkstemp(dir=real.parent, prefix=f".{SETTINGS_FILE}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        shutil.copymode(real, name)
        Path(name).replace(real)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _is_agreed(target: str) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise failure("there is no terminal to agree at, so nothing was written; add --yes to replace the file unasked")
    print(f"Replace {visible(target, keep='')}? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _next(target: str, above: Path | None) -> str:
    lines = [f"Wrote {target}"]
    if above is not None:
        lines.append(f"From here on it is used instead of {above}.")
    lines += [
        "Next:",
        "  assent check -- git status   what would become of a command, and why",
        "  assent doctor                what the OS sandbox holds on this machine",
        "  assent config show           the settings in force",
    ]
    return "\n".join(lines)
