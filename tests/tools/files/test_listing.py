from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assent.errors import InvalidPattern
from assent.tools.files.search._listing import Entry, list_files


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    for name in ["b.py", "a.py", ".hidden", "sub/c.py", "sub/.d.py", "sub-x/e.py", "sub/deep/f.txt"]:
        file = tmp_path / "root" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    return tmp_path / "root"


@pytest.fixture
def folder(root: Path) -> Iterator[int]:
    opened = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    yield opened
    os.close(opened)


def names(entries: list[Entry]) -> list[str]:
    return [entry.path for entry in entries]


def test_without_a_pattern_the_files_of_the_folder_itself_are_listed(folder: int) -> None:
    assert names(list_files(folder)) == [".hidden", "a.py", "b.py"]
    assert names(list_files(folder, "*")) == [".hidden", "a.py", "b.py"]


def test_two_stars_cross_folders_and_the_order_is_that_of_the_bytes(folder: int) -> None:
    assert names(list_files(folder, "**/*.py")) == ["a.py", "b.py", "sub-x/e.py", "sub/.d.py", "sub/c.py"]
    assert names(list_files(folder, "sub/*")) == ["sub/.d.py", "sub/c.py"]


def test_size_and_time_are_those_of_the_file(root: Path, folder: int) -> None:
    os.utime(root / "a.py", ns=(0, 1_794_719_480_123_456_789))
    os.utime(root / "b.py", ns=(0, -1_000))
    (_, a, b) = list_files(folder)
    assert a == Entry(path="a.py", size=4, modified_ns=1_794_719_480_123_456_789)
    assert a.modified == "2026-11-15T05:11:20.123456+00:00"
    assert b.modified == "1969-12-31T23:59:59.999999+00:00"
    assert datetime.fromisoformat(a.modified).tzinfo == UTC


def test_only_allowed_suffixes_are_seen_and_a_nested_folder_has_its_own(folder: int) -> None:
    assert names(list_files(folder, "**", suffixes={".txt"})) == ["sub/deep/f.txt"]
    assert names(list_files(folder, "**", suffixes=set())) == []
    seen = names(list_files(folder, "**", nested={"sub": {"c.py"}}))
    assert seen == [".hidden", "a.py", "b.py", "sub-x/e.py", "sub/c.py"]
    assert names(list_files(folder, "**", suffixes=set(), nested={"sub": {".py"}, "sub/deep": None})) == [
        "sub/.d.py",
        "sub/c.py",
        "sub/deep/f.txt",
    ]


def test_links_pipes_and_files_being_written_are_not_listed(root: Path, folder: int, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "canary.py").touch()
    (root / "link.py").symlink_to("a.py")
    (root / "out.py").symlink_to(tmp_path / "outside" / "canary.py")
    (root / "away").symlink_to(tmp_path / "outside")
    (root / "around").symlink_to(".")
    os.mkfifo(root / "pipe.py")
    (root / ".assent-0badcafe.tmp").touch()
    (root / ".assent-notes.tmp").touch()
    listed = names(list_files(folder, "**"))
    assert [name for name in listed if "/" not in name] == [".assent-notes.tmp", ".hidden", "a.py", "b.py"]
    assert not [name for name in listed if "canary" in name or name.startswith("around")]


def test_names_that_are_not_utf8_are_listed(root: Path, folder: int) -> None:
    (root / os.fsdecode(b"\xff\n.py")).touch()
    assert os.fsencode(list_files(folder, "?\n.py")[0].path) == b"\xff\n.py"


def test_an_open_folder_can_be_listed_twice_and_from_a_bare_handle(root: Path, folder: int) -> None:
    bare = os.open(root, os.O_PATH | os.O_DIRECTORY)
    try:
        assert list_files(folder) == list_files(folder) == list_files(bare)
    finally:
        os.close(bare)


@pytest.mark.parametrize("pattern", ["", "..", "../*", "/etc/*", "a\0", "sub/../*"])
def test_a_pattern_that_looks_beyond_the_folder_is_refused(folder: int, pattern: str) -> None:
    with pytest.raises(InvalidPattern):
        list_files(folder, pattern)


def test_folders_nested_without_end_are_left_at_some_depth(tmp_path: Path) -> None:
    for depth in (100, 101, 400):
        file = tmp_path.joinpath(*"d" * depth, f"at_{depth}")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    top = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    assert [name.rpartition("/")[2] for name in names(list_files(top, "**"))] == ["at_100"]
    os.close(top)


SWAP = """
import os, sys
os.chdir(sys.argv[1])
print("ready", flush=True)
while True:
    os.rename("sub", "away"); os.symlink(sys.argv[2], "sub"); os.unlink("sub"); os.rename("away", "sub")
"""


def test_a_folder_swapped_for_a_link_meanwhile_is_not_entered(root: Path, folder: int, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "canary.py").touch()
    seen: set[str] = set()
    command = [sys.executable, "-c", SWAP, str(root), str(tmp_path / "outside")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as swapper:
        try:
            assert swapper.stdout
            assert swapper.stdout.readline() == b"ready\n"
            end = time.monotonic() + 1
            while time.monotonic() < end or not {"sub/c.py", "away/c.py"} & seen:
                seen.update(names(list_files(folder, "**")))
            assert swapper.poll() is None
        finally:
            swapper.kill()
    assert not [name for name in seen if "canary" in name]
