"""Attempts on files outside; runs behind the walls, on the standard library alone.

Each function gets the place prepared for it and does one thing a confined process must not be able
to do. Whether it did is seen from outside, by what changed there.
"""

# ruff: noqa: PTH101, PTH102, PTH104, PTH108, PTH211 (the bare system calls are what is tried)

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

Place = Mapping[str, str]


def write_a_file(place: Place) -> None:
    """Change a file outside."""
    _write(place["outside"] + "/victim", place["name"])


def create_a_file(place: Place) -> None:
    """Create a file outside."""
    _write(place["outside"] + "/new", place["name"])


def append_to_a_file(place: Place) -> None:
    """Append to a file outside."""
    fd = os.open(place["outside"] + "/victim", os.O_WRONLY | os.O_APPEND)
    os.write(fd, b"more")
    os.close(fd)


def truncate_a_file(place: Place) -> None:
    """Cut a file outside short."""
    os.truncate(place["outside"] + "/victim", 1)


def write_by_dots(place: Place) -> None:
    """Write outside by a path with .. in it."""
    up = "../" * (place["root"].count("/") + 1)
    _write(place["root"] + "/" + up + place["outside"].lstrip("/") + "/victim", place["name"])


def write_through_a_link(place: Place) -> None:
    """Write outside through a symbolic link."""
    link = place["root"] + "/link-" + place["name"]
    os.symlink(place["outside"] + "/victim", link)
    _write(link, place["name"])


def write_through_proc(place: Place) -> None:
    """Write outside through the root folder of another process."""
    _write(f"/proc/{place['victim']}/root" + place["outside"] + "/victim", place["name"])


def write_through_the_parent(place: Place) -> None:
    """Write outside through the root folder of whoever started us."""
    _write(f"/proc/{os.getppid()}/root" + place["outside"] + "/victim", place["name"])


def write_by_an_open_descriptor(place: Place) -> None:
    """Write outside from a folder that was left open."""
    os.open(".", os.O_RDONLY)
    for number in range(256):
        try:
            fd = os.open(place["outside"].lstrip("/") + "/victim", os.O_WRONLY | os.O_TRUNC, dir_fd=_top(number))
        except (OSError, ValueError):
            continue
        os.write(fd, b"changed")
        return
    raise OSError("no open folder leads out")


def write_through_a_mapping(place: Place) -> None:
    """Change a file outside through shared memory."""
    import mmap

    fd = os.open(place["outside"] + "/victim", os.O_RDWR)
    with mmap.mmap(fd, 0) as memory:
        memory[0:1] = b"X"


def hard_link_in(place: Place) -> None:
    """Hard-link a file from outside into the root."""
    os.link(place["outside"] + "/victim", place["root"] + "/hard-" + place["name"])


def hard_link_out(place: Place) -> None:
    """Hard-link a file of the root to a place outside."""
    source = place["root"] + "/source-" + place["name"]
    _write(source, place["name"])
    os.link(source, place["outside"] + "/hard")


def rename_out(place: Place) -> None:
    """Move a file of the root outside."""
    source = place["root"] + "/source-" + place["name"]
    _write(source, place["name"])
    os.rename(source, place["outside"] + "/moved")


def rename_outside(place: Place) -> None:
    """Rename a file outside."""
    os.rename(place["outside"] + "/victim", place["outside"] + "/renamed")


def remove_a_file(place: Place) -> None:
    """Delete a file outside."""
    os.unlink(place["outside"] + "/victim")


def make_a_folder(place: Place) -> None:
    """Make a folder outside."""
    os.mkdir(place["outside"] + "/folder")


def make_a_link(place: Place) -> None:
    """Make a symbolic link outside."""
    os.symlink("/", place["outside"] + "/link")


def make_a_fifo(place: Place) -> None:
    """Make a named pipe outside."""
    os.mkfifo(place["outside"] + "/fifo")


def change_mode(place: Place) -> None:
    """Change permissions outside."""
    os.chmod(place["outside"] + "/victim", 0o777)  # noqa: S103 (the attempt)


def change_owner(place: Place) -> None:
    """Change the owner of a file outside."""
    os.chown(place["outside"] + "/victim", os.getuid(), 1)


def change_times(place: Place) -> None:
    """Change the times of a file outside."""
    os.utime(place["outside"] + "/victim", (1, 1))


def set_an_attribute(place: Place) -> None:
    """Set an extended attribute outside."""
    os.setxattr(place["outside"] + "/victim", "user.assent", b"1")


def _write(path: str, text: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def _top(fd: int) -> int:
    """The topmost folder above an open one."""
    for _ in range(64):
        above = os.open("..", os.O_RDONLY | os.O_DIRECTORY, dir_fd=fd)
        if os.path.samestat(os.fstat(above), os.fstat(fd)):
            return above
        fd = above
    raise ValueError("no top")


SEEN_OUTSIDE: tuple[Callable[[Place], None], ...] = (
    write_a_file,
    create_a_file,
    append_to_a_file,
    truncate_a_file,
    write_by_dots,
    write_through_a_link,
    write_through_proc,
    write_through_the_parent,
    write_by_an_open_descriptor,
    write_through_a_mapping,
    hard_link_in,
    hard_link_out,
    rename_out,
    rename_outside,
    remove_a_file,
    make_a_folder,
    make_a_link,
    make_a_fifo,
    change_mode,
    change_owner,
    change_times,
    set_an_attribute,
)
