"""Applies unified diffs: a strict reader of our own, and the real `git apply` and `patch`."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n")
_NO_NEWLINE = b"\\ No newline at end of file\n"


class DoesNotApply(Exception):
    """The text is no unified diff of this file."""


def apply(text: bytes, before: bytes) -> bytes:
    """Apply the diff of one file; every number, context line and marker must be exactly right."""
    if not text:
        return before
    lines = BytesIO(text).readlines()
    if not (lines[0].startswith(b"--- ") and lines[1].startswith(b"+++ ")):
        raise DoesNotApply(lines[:2])
    old, new, at, taken = BytesIO(before).readlines(), list[bytes](), 2, 0
    while at < len(lines):
        head = _HUNK.fullmatch(lines[at])
        if not head:
            raise DoesNotApply(lines[at])
        old_start, old_count, new_start, new_count = (int(part) if part else 1 for part in head.groups())
        first = old_start - (old_count > 0)
        if first < taken or first > len(old):
            raise DoesNotApply(head.group())
        new += old[taken:first]
        if len(new) != new_start - (new_count > 0):
            raise DoesNotApply(head.group())
        left, right, at = _hunk(lines, at + 1, old_count, new_count)
        if old[first : first + old_count] != left:
            raise DoesNotApply(left)
        new += right
        taken = first + old_count
    after = b"".join(new + old[taken:])
    if BytesIO(after).readlines() != new + old[taken:]:
        raise DoesNotApply("a line without a newline stands in the middle")
    return after


def _hunk(lines: Sequence[bytes], at: int, old_count: int, new_count: int) -> tuple[list[bytes], list[bytes], int]:
    """Both sides of the hunk whose first line is at `at`, and where the next one begins."""
    left, right = list[bytes](), list[bytes]()
    while len(left) < old_count or len(right) < new_count or lines[at : at + 1] == [_NO_NEWLINE]:
        if at >= len(lines):
            raise DoesNotApply("the hunk is shorter than it says")
        mark, line = lines[at][:1], lines[at][1:]
        if lines[at + 1 : at + 2] == [_NO_NEWLINE]:
            line = line.removesuffix(b"\n")
            at += 1
        if mark not in {b" ", b"-", b"+"}:
            raise DoesNotApply(lines[at])
        left += [line] if mark != b"+" else []
        right += [line] if mark != b"-" else []
        at += 1
    if (len(left), len(right)) != (old_count, new_count):
        raise DoesNotApply("the hunk is longer than it says")
    return left, right, at


GIT = ("git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-")
PATCH = ("patch", "--binary", "--strip=1", "--silent", "--fuzz=0", "--force")


def apply_for_real(command: Sequence[str], folder: Path, text: bytes, before: Mapping[str, bytes]) -> dict[str, bytes]:
    """Run a program on the diff of many files at once; what lies in the folder afterwards, by name."""
    folder.mkdir()
    for name, content in before.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    # Without a ceiling, git would look for a repository above the folder, and ignore files outside it.
    environment = {"PATH": "/usr/bin:/bin:/usr/local/bin", "GIT_CEILING_DIRECTORIES": str(folder.parent), "LC_ALL": "C"}
    done = subprocess.run(
        command, cwd=folder, input=text, capture_output=True, env=environment, timeout=60, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr).decode(errors="replace")
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
