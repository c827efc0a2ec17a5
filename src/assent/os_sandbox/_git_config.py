"""What a repository's own configuration sends git to: hooks elsewhere, and further configuration."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_MOST_BYTES: Final = 1_000_000
_NAMED: Final = re.compile(rb"^\s*(?:\[[^\]\n]*\]\s*)?(hookspath|path)\s*=\s*(.*?)\s*$", re.IGNORECASE | re.MULTILINE)
_COMMENT: Final = re.compile(r"""("[^"]*")|\s*[#;].*$""")


def named_in(git: Path) -> Iterator[Path]:
    """The places that `core.hooksPath`, `include.path` and `commondir` of a git folder name.

    Read simply, and one step far: what an included file includes is not looked for.
    """
    top = git.parent if git.name == ".git" else git
    for file in (git / "config", git / "config.worktree"):
        for key, value in _NAMED.findall(_content(file)):
            place = _place(top if key.lower() == b"hookspath" else git, os.fsdecode(value))
            # Not the work tree itself, which nobody could work in then.
            if not git.is_relative_to(place):
                yield place
    common = _content(git / "commondir").strip()
    if common and (place := _place(git, os.fsdecode(common))) != git:
        yield from (place / "config", place / "hooks")


def _place(base: Path, text: str) -> Path:
    bare = _COMMENT.sub(lambda found: found[1] or "", text).strip().replace('"', "")
    return Path(os.path.normpath(base / os.path.expanduser(bare.replace("\0", ""))))  # noqa: PTH111 (text)


def _content(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(_MOST_BYTES) if file.is_file() else b""
    except OSError:
        return b""
