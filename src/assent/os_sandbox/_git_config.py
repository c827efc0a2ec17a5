"""What the configuration of a repository sends git to: hooks elsewhere, and further configuration."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_MOST_BYTES: Final = 1_000_000
_LONGEST: Final = 4096
"""Of a path; git opens none that is longer, and to follow one takes time that grows with the square of its length."""
# No blank may be a line's end: a search from each of many empty lines to the last takes forever.
_NAMED: Final = re.compile(
    rb"^[^\S\n]*(?:\[[^\]\n]*\][^\S\n]*)?(hookspath|path)[^\S\n]*=(.*)$", re.IGNORECASE | re.MULTILINE
)
_COMMENT: Final = re.compile(r"""("[^"]*")|[#;].*$""")


def named_in(place: Path) -> Iterator[Path]:
    """The places that `core.hooksPath`, `include.path` and `commondir` of a repository name.

    `place` is a `.git`, also a link or a file that leads to the real one, or a bare repository. Read
    simply, and one step far: what an included file includes is not looked for.
    """
    git, top = _git_folder(place), place.parent if place.name == ".git" else place
    common = _common(git)
    for file in dict.fromkeys(_configurations(git, common)):
        content = _content(file)
        if len(content) > _MOST_BYTES:
            # Nobody reads that much, so it may name anything that lies there.
            yield top
            continue
        for key, value in _NAMED.findall(content):
            named = _place(top if key.lower() == b"hookspath" else file.parent, _text(value))
            # Husky's own hooks are in `_`, and start those beside it.
            for each in (named, named.parent) if named.name == "_" else (named,):
                # Not the work tree itself, which nobody could work in then.
                if not git.is_relative_to(each) and not top.is_relative_to(each):
                    yield each
    if common != git:
        yield from (common / "config", common / "hooks")


def _configurations(git: Path, common: Path) -> Iterator[Path]:
    """What git reads there: the repository's own, and what holds in every one of this user."""
    yield from (git / "config", common / "config", git / "config.worktree")
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 (never raises)
    yield from (Path("/etc/gitconfig"), home / ".gitconfig")
    yield Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "git/config"


def _git_folder(place: Path) -> Path:
    """The real folder: a linked work tree and a submodule have a file that names theirs."""
    real = Path(os.path.realpath(place))
    label, _, named = _content(real).partition(b"gitdir:")
    return real if label or not named else Path(os.path.realpath(place.parent / _text(named)))


def _common(git: Path) -> Path:
    """The folder that a work tree shares with the others of its repository; its own if there are none."""
    shared = _content(git / "commondir").strip()
    return Path(os.path.normpath(git / _text(shared))) if shared else git


def _place(base: Path, text: str) -> Path:
    bare = _COMMENT.sub(lambda found: found[1] or "", text).strip().replace('"', "")
    return Path(os.path.normpath(base / os.path.expanduser(bare)))  # noqa: PTH111 (text)


def _text(path: bytes) -> str:
    return os.fsdecode(path.replace(b"\0", b"").strip()[:_LONGEST])


def _content(file: Path) -> bytes:
    """A file's content, as far as it is read; nothing where there is none."""
    try:
        with open(file, "rb", opener=_at_once) as opened:
            return opened.read(_MOST_BYTES + 1) if stat.S_ISREG(os.fstat(opened.fileno()).st_mode) else b""
    except OSError:
        return b""


def _at_once(path: str, flags: int) -> int:
    # A pipe in its place would let us wait for whoever opens the other end.
    return os.open(path, flags | os.O_NONBLOCK)
