"""Programs that we start ourselves are never taken from where an agent may write."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assent.os_sandbox import Scanner, find_program, safe_path


@pytest.fixture
def bin_folders(tmp_path: Path) -> tuple[Path, Path]:
    """A root and a folder beside it, each with a program of the same name."""
    root, safe = tmp_path / "root", tmp_path / "safe"
    for folder in (root, safe):
        folder.mkdir()
        (folder / "tool").write_text("#!/bin/sh\n")
        (folder / "tool").chmod(0o755)
    return root, safe


def test_the_first_program_outside_of_every_root_is_found(bin_folders: tuple[Path, Path]) -> None:
    root, safe = bin_folders
    path = f"{root}:{safe}"
    assert find_program("tool", writable=(), path=path) == str(root / "tool")
    assert find_program("tool", writable=[root], path=path) == str(safe / "tool")
    assert find_program("tool", writable=[root.parent], path=path) is None
    assert find_program("tool", writable=(), path="") is None


def test_neither_a_link_into_a_root_nor_one_that_lies_in_it_leads_to_a_program(bin_folders: tuple[Path, Path]) -> None:
    root, safe = bin_folders
    (root / "link").symlink_to(safe)
    (safe / "planted").symlink_to(root / "tool")
    (safe.parent / "way").symlink_to(root)
    for folder in (root / "link", safe.parent / "way"):
        assert find_program("tool", writable=[root], path=str(folder)) is None
        assert safe_path(f"{folder}:{safe}", [root]) == str(safe)
    assert find_program("planted", writable=[root], path=str(safe)) is None


def test_a_relative_entry_is_no_entry(bin_folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    _, safe = bin_folders
    monkeypatch.chdir(safe)
    assert find_program("tool", writable=(), path=".::") is None


def test_a_second_look_sees_what_changed_since_the_first(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    scanner = Scanner()
    assert scanner.scan(tmp_path).git == frozenset()
    (tmp_path / "a/b/.git").mkdir()
    # Times can be set at will; when the folder itself last changed cannot.
    os.utime(tmp_path / "a/b", (1, 1))
    assert scanner.scan(tmp_path).git == {tmp_path / "a/b/.git"}
    (tmp_path / "a/b/.git").rmdir()
    assert scanner.scan(tmp_path).git == frozenset()
