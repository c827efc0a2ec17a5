"""Attempts to plant what other programs obey; runs behind the walls, on the standard library alone.

The places are inside writable roots. Whether something was planted is seen from outside.
"""

# ruff: noqa: PTH102, PTH103, PTH104, PTH123 (the bare system calls are what is tried)

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

Place = Mapping[str, str]


def plant_a_hook(place: Place) -> None:
    """Plant a hook in the root's repository."""
    _write(place["repository"] + "/.git/hooks/pre-commit", place["name"])


def plant_a_hook_in_a_new_git_folder(place: Place) -> None:
    """Move the repository's .git away, and make one with a hook."""
    os.rename(place["other"] + "/.git", place["other"] + "/old-" + place["name"])
    os.makedirs(place["other"] + "/.git/hooks")
    _write(place["other"] + "/.git/hooks/pre-commit", place["name"])


def plant_a_hook_where_no_repository_is(place: Place) -> None:
    """Plant a hook where no repository is yet."""
    os.makedirs(place["plain"] + "/.git/hooks", exist_ok=True)
    _write(place["plain"] + "/.git/hooks/pre-commit", place["name"])


def change_git_config(place: Place) -> None:
    """Change the repository's configuration."""
    _write(place["repository"] + "/.git/config", place["name"])


def replace_git_config(place: Place) -> None:
    """Rename a file over the repository's configuration."""
    source = place["repository"] + "/.git/config.lock"
    with open(place["repository"] + "/.git/config", encoding="utf-8") as config:
        _write(source, config.read() + " " + place["name"])
    os.rename(source, place["repository"] + "/.git/config")


def redirect_git(place: Place) -> None:
    """Send git to another configuration with .git/commondir."""
    _write(place["repository"] + "/.git/commondir", place["name"])


def write_a_start_up_file(place: Place) -> None:
    """Write a shell's start-up file that was not there."""
    _write(place["home"] + "/.bashrc", place["name"])


def write_our_configuration(place: Place) -> None:
    """Write an assent.yaml that was not there."""
    _write(place["plain"] + "/assent.yaml", place["name"])


def change_our_configuration(place: Place) -> None:
    """Replace the assent.yaml that is in use, and the folder it lies in."""
    os.rename(place["settings"], place["settings"] + "-" + place["name"])
    os.mkdir(place["settings"])
    _write(place["settings"] + "/assent.yaml", place["name"])


def _write(path: str, text: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


SEEN_OUTSIDE: tuple[Callable[[Place], None], ...] = (
    plant_a_hook,
    change_git_config,
    replace_git_config,
    redirect_git,
    plant_a_hook_where_no_repository_is,
    write_a_start_up_file,
    write_our_configuration,
    change_our_configuration,
    plant_a_hook_in_a_new_git_folder,
)
