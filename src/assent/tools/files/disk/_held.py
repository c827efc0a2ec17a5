"""A file held while it is looked at and changed: what was seen is what is replaced, or nothing is.

Between the look and the change anybody may swap the file, its folder or its content. So nothing is
overwritten: the new file trades places with whatever is there, then that is examined, and given back
if it is not what was seen. Not covered: a program that had the file open all the while and writes to
it after the trade; its bytes go to the file that was replaced, as with every editor that renames.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Literal, Self

from assent.errors import (
    FileError,
    FileTooLarge,
    InvalidPath,
    NoSuchFile,
    NotDirectory,
    PathNotInSandboxError,
    WriteFailed,
)
from assent.tools.files.disk._descriptors import FOLDER, O_PATH, content_of, identity, opened
from assent.tools.files.disk._draft import Draft
from assent.tools.files.disk._failures import changed, dangling, failure, writing
from assent.tools.files.disk._making import make_folders, reach
from assent.tools.files.disk._root import Root, check_regular
from assent.tools.files.disk._slot import Slot
from assent.tools.files.disk._spelling import decoded, encoded, shown
from assent.tools.files.disk._trading import Seen, add, move, remove, swap, undoing, written

_ATTEMPTS: Final = 16
_MOVED: Final = (PathNotInSandboxError, NoSuchFile, NotDirectory, InvalidPath)
"""How a path fails that led there a moment ago."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Which file it is, and what it holds: the same identity means the same bytes in the same place."""

    directory: tuple[int, int]
    """Device and inode of the folder; of the deepest one that exists, where some are missing."""
    name: str
    """The name in that folder, with the missing folders before it."""
    kind: Literal["file", "absent"]
    sha256: str | None


class Held:
    """A file, or the place where there is none, held until the block ends."""

    def __init__(
        self, root: Root, slot: Slot, *, seen: Seen | None = None, missing: Sequence[bytes] = (), closing: ExitStack
    ) -> None:
        self._root = root
        self._slot = slot
        self._seen = seen
        self._missing = missing
        self._closing = closing
        self._is_spent = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go."""
        self._is_spent = True
        self._closing.close()

    @property
    def data(self) -> bytes | None:
        """What it holds; None if it does not exist."""
        return self._seen.data if self._seen else None

    @property
    def mode(self) -> int | None:
        """Its permission bits; None if it does not exist."""
        return stat.S_IMODE(self._seen.status.st_mode) if self._seen else None

    @property
    def real(self) -> str:
        """Its path beneath the root, with every link resolved."""
        return "/".join(filter(None, [self._slot.folder, self._name]))

    @property
    def _name(self) -> str:
        return decoded(b"/".join([*self._missing, self._slot.name]))

    @property
    def identity(self) -> Identity:
        """What a person was shown, or is about to be."""
        return Identity(
            directory=identity(os.fstat(self._slot.fd)),
            name=self._name,
            kind="file" if self._seen else "absent",
            sha256=sha256(self._seen.data).hexdigest() if self._seen else None,
        )

    def replace(self, new: bytes) -> None:
        """Put new bytes in the place of what was seen, whole or not at all; missing folders are made.

        Raises:
            ChangedSinceApproval: Somebody else was there; their bytes stand.
            WriteFailed: The disk did not take it; everything is as it was.
        """
        with writing(self.real), self._prepared() as slot:
            with self._draft(slot, new, self._seen) as draft:
                slot.check()
                if self._seen is None:
                    add(slot, draft)
                else:
                    swap(slot, draft, self._seen)
            slot.sync()

    def remove(self) -> None:
        """Delete what was seen, and nothing else.

        Raises:
            ChangedSinceApproval: It is something else now, and stands.
            WriteFailed: It could not be removed.
        """
        seen = self._existing()
        with writing(self.real), self._prepared() as slot:
            remove(slot, seen)
            slot.sync()

    def move_to(self, other: Held) -> None:
        """Give what was seen the other's place, where nothing may be; also into another root or disk.

        Raises:
            ChangedSinceApproval: Something else is here or there now, and stands.
            WriteFailed: It could not be moved.
        """
        seen = self._existing()
        if other._seen is not None:
            raise WriteFailed(f"{shown(other.real)} exists already, and a move replaces nothing; choose a free name.")
        with writing(self.real), self._prepared() as here, other._prepared() as there:
            if not move(here, there, seen):
                self._copy(here, there, seen)
            here.sync()
            there.sync()

    def _copy(self, here: Slot, there: Slot, seen: Seen) -> None:
        """The long way, to another disk: both exist for a moment, so that neither is ever missing."""
        with self._draft(there, seen.data, seen) as draft:
            add(there, draft)
            with undoing(here, lambda: there.withdraw(written(draft))):
                remove(here, seen)

    def _existing(self) -> Seen:
        if self._seen is None:
            raise failure(errno.ENOENT, self.real)
        return self._seen

    @contextmanager
    def _draft(self, slot: Slot, content: bytes, like: Seen | None) -> Generator[Draft]:
        with Draft(slot.fd, slot.renames, is_new=like is None) as draft:
            draft.write(content)
            if like is not None:
                draft.dress(like.status, like.fd)
            draft.sync()
            yield draft

    @contextmanager
    def _prepared(self) -> Generator[Slot]:
        """The slot, its folder where it was and its missing folders made; they go again if this fails."""
        if self._is_spent:
            raise RuntimeError("a held file is changed once; hold it again")
        self._is_spent = True
        self._slot.check()
        if not self._missing:
            yield self._slot
            return
        with opened(make_folders(self._root, self._slot.fd, self._missing, self.real)) as folder:
            path = self.real.rpartition("/")[0]
            try:
                yield Slot(self._root, folder, path, self._slot.name)
            except BaseException:
                self._unmake(path)
                raise

    def _unmake(self, path: str) -> None:
        """Remove the folders that were made, as far as nobody uses them."""
        with suppress(FileError, OSError):
            for _ in self._missing:
                above, _, name = path.rpartition("/")
                with opened(self._root.open(above or ".", FOLDER, links=False)) as fd:
                    os.rmdir(encoded(name), dir_fd=fd)
                path = above


def hold(root: Root, relative: str, *, most: int, create_parents: bool = False) -> Held:
    """Hold the file a path leads to, links followed, or the place where it would be.

    Nothing is created here; with `create_parents`, missing folders are made when the file is.

    Raises:
        NoSuchFile: Its folder does not exist, or it is a link to nothing.
        FileTooLarge: It has more than `most` bytes.
        FileError: It cannot be reached or read, or is no regular file.
    """
    for _ in range(_ATTEMPTS):
        with ExitStack() as closing:
            try:
                found = closing.enter_context(opened(root.open(relative, O_PATH)))
            except NoSuchFile:
                held = _hold_absent(root, relative, closing, create_parents=create_parents)
            else:
                held = _hold_file(root, relative, closing, found=found, most=most)
            if held is not None:
                return held
    raise changed(relative, "is being replaced all the time")


def _hold_file(root: Root, relative: str, closing: ExitStack, *, found: int, most: int) -> Held | None:
    """The file, with its real folder; None if it was moved while we looked."""
    status = os.fstat(found)
    check_regular(relative, status)
    try:
        folder, _, name = root.where(found).rpartition("/")
        fd = closing.enter_context(opened(root.open(folder or ".", FOLDER, links=False)))
    except _MOVED:
        return None
    slot = Slot(root, fd, folder, encoded(name))
    # The name that led to it must still be its name in the folder that we hold.
    if (now := slot.found()) is None or identity(now) != identity(status):
        return None
    seen = _look(relative, closing.enter_context(opened(root.for_reading(relative, found))), most)
    return Held(root, slot, seen=seen, closing=closing.pop_all())


def _look(relative: str, fd: int, most: int) -> Seen:
    status = os.fstat(fd)
    try:
        data = content_of(fd, most) if status.st_size <= most else b""
    except OSError as error:
        raise failure(error.errno or errno.EIO, relative) from error
    size = max(status.st_size, len(data))
    if size > most:
        raise FileTooLarge(f"{shown(relative)} has {size} bytes; at most {most} are allowed here (max_file_bytes).")
    return Seen(fd=fd, status=status, data=data)


def _hold_absent(root: Root, relative: str, closing: ExitStack, *, create_parents: bool) -> Held | None:
    """The place where nothing is; None if something appeared or moved while we looked."""
    folder, _, name = relative.rpartition("/")
    if name in {"", ".", ".."}:
        raise failure(errno.ENOENT, relative)
    base, missing = reach(root, folder or ".")
    closing.enter_context(opened(base))
    if missing and not create_parents:
        raise failure(errno.ENOENT, relative)
    try:
        slot = Slot(root, base, root.where(base), encoded(name))
    except _MOVED:
        return None
    found = slot.found(missing[0] if missing else None)
    if found is None:
        return Held(root, slot, missing=missing, closing=closing.pop_all())
    if stat.S_ISLNK(found.st_mode):
        raise dangling(relative)
    return None
