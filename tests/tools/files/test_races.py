"""A second process swaps links, folders and contents without a pause; nothing escapes, nothing is lost."""

# ruff: noqa: PTH106, PTH208 (names relative to open folders, and names that pathlib would tidy up)

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from assent.errors import ChangedSinceApproval, FileError, ToolError
from assent.tools.files.disk._held import hold
from assent.tools.files.disk._root import Root, Way
from tests.tools.files.trees import CANARY

SECONDS = float(os.environ.get("ASSENT_RACE_SECONDS", "1.4"))
"""A longer soak: `ASSENT_RACE_SECONDS=20 make test PYTEST_ARGS=tests/tools/files/test_races.py`."""
PATIENCE = SECONDS + 30
"""How long to wait for a race that must be won and lost at least once."""
SHORT = 100


@pytest.fixture(params=["openat2", "walk"])
def way(request: pytest.FixtureRequest) -> Way:
    chosen: Way = request.param
    return chosen


@pytest.fixture
def base() -> Iterator[Path]:
    """In memory, where there is one: a disk that syncs lets the stranger have too few turns against us."""
    memory = Path("/dev/shm")  # noqa: S108 (a random name in it)
    with TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        (Path(folder) / "root").mkdir()
        yield Path(folder)


@contextmanager
def stranger(what: str, base: Path) -> Generator[Callable[[], list[list[str]]]]:
    """Somebody else at work; call it to make them stop and say what they did."""
    command = [sys.executable, "-m", "tests.tools.files.stranger", what, str(base)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "ready\n"

        def stop() -> list[list[str]]:
            said, _ = process.communicate(timeout=60)
            assert process.returncode == 0
            log: list[list[str]] = json.loads(said)
            return log

        try:
            yield stop
        finally:
            process.kill()


def racing(outcomes: Counter[str], *expected: str) -> Iterator[int]:
    """Turns, for a while, and until every expected outcome was seen."""
    start = time.monotonic()
    number = 0
    while (spent := time.monotonic() - start) < PATIENCE:
        if spent > SECONDS and all(outcomes[each] for each in expected):
            return
        number += 1
        yield number
    pytest.fail(f"not every race was run: {outcomes}")


def links_and_traps(base: Path) -> None:
    outside = base / "outside"
    outside.mkdir()
    (outside / "f").write_bytes(CANARY)
    root = base / "root"
    (root / "door").mkdir()
    (root / "door" / "f").write_bytes(b"inside")
    (root / "decoy").symlink_to("../outside")
    (root / "absolute").symlink_to(outside)
    (root / "file").write_bytes(b"inside")
    (root / "trap").symlink_to("../outside/f")


def test_a_link_swapped_in_never_leads_out(base: Path, way: Way) -> None:
    links_and_traps(base)
    seen: Counter[str] = Counter()
    with closing(Root(base / "root", way=way)) as root, stranger("links", base) as stop:
        for number in racing(seen, "read", "refused", "written"):
            for path in ("door/f", "file", "door/../file", "door/../door/f"):
                try:
                    with os.fdopen(root.regular(path), "rb") as file:
                        assert file.read() != CANARY
                    seen["read"] += 1
                    with hold(root, path, most=SHORT) as held:
                        assert held.data != CANARY
                        held.replace(b"ours")
                    seen["written"] += 1
                    if number % 5 == 0:
                        os.close(root.folder("door/new", create=True))
                        os.rmdir(base / "root" / "door" / "new")
                except ToolError as error:
                    seen["refused" if error.code != ToolError.code else "unnamed"] += 1
                except FileNotFoundError:
                    pass  # our own tidying went through the link; it finds nothing there
        stop()
    assert not seen["unnamed"]
    assert {path.name: path.read_bytes() for path in (base / "outside").iterdir()} == {"f": CANARY}
    assert leftovers(base) == []


def leftovers(base: Path) -> list[Path]:
    return [path for path in base.rglob(".assent-*") if path.suffix != ".kept"]


def test_a_folder_moved_under_our_hands_is_never_written_to(base: Path, way: Way) -> None:
    work = base / "root" / "work"
    work.mkdir()
    (work / "f").write_bytes(b"0")
    folder = os.open(work, os.O_RDONLY)
    seen: Counter[str] = Counter()
    with closing(Root(base / "root", way=way)) as root, stranger("parents", base) as stop:
        for number in racing(seen, "replaced", "refused", "made"):
            before = (read(folder, "f"), sorted(os.listdir(folder)))
            wanted = f"{number}".encode()
            try:
                with hold(root, "work/f", most=SHORT) as held:
                    if held.data is None:  # the stranger's own empty folder: not where we write
                        continue
                    held.replace(wanted)
                seen["replaced"] += 1
                assert read(folder, "f") == wanted
            except ToolError as error:
                # Refused is refused: the file is what it was, wherever its folder is by now.
                seen["refused"] += 1
                seen["changed"] += isinstance(error, ChangedSinceApproval)
                assert (read(folder, "f"), sorted(os.listdir(folder))) == before
            add_and_move(root, folder, seen)
        stop()
    os.close(folder)
    assert list(base.glob("wrong-*")) == []
    assert leftovers(base) == []


def read(folder: int, name: str) -> bytes:
    with os.fdopen(os.open(name, os.O_RDONLY, dir_fd=folder), "rb") as file:
        return file.read()


def add_and_move(root: Root, folder: int, seen: Counter[str]) -> None:
    """A new file comes and goes; if it is refused, it was never there."""
    try:
        with hold(root, "work/f", most=SHORT) as there:
            if there.data is None:
                return
        with hold(root, "work/new", most=SHORT) as new:
            if new.identity.directory != (os.fstat(folder).st_dev, os.fstat(folder).st_ino):
                return
            new.replace(b"new")
        seen["made"] += 1
    except ToolError:
        assert "new" not in os.listdir(folder)
        return
    assert "new" in os.listdir(folder)
    os.unlink("new", dir_fd=folder)


def test_whatever_a_stranger_wrote_stands_or_was_seen(base: Path) -> None:
    """Every content is told apart, and whoever takes one out says so: none may be missing in the end."""
    (base / "root" / "f").write_text("first")
    put, taken, tried = ["first"], list[str](), list[str]()
    seen: Counter[str] = Counter()
    with closing(Root(base / "root", way="openat2")) as root, stranger("contents", base) as stop:
        for number in racing(seen, "replaced", "added", "removed", "moved", "changed"):
            ours = f"ours {number}"
            try:
                with hold(root, "f", most=SHORT) as held, hold(root, "g", most=SHORT) as free:
                    data = held.data
                    if data is None or number % 3:
                        tried.append(ours)
                        held.replace(ours.encode())
                        put.append(ours)
                    elif number % 2:
                        held.remove()
                    else:
                        held.move_to(free)
                        assert (base / "root" / "g").read_bytes() == data
                        (base / "root" / "g").unlink()
                seen[
                    "added" if data is None else "replaced" if number % 3 else "removed" if number % 2 else "moved"
                ] += 1
                taken += [data.decode()] if data is not None else []
            except ChangedSinceApproval:
                seen["changed"] += 1
            except FileError as error:
                pytest.fail(f"{error.code}: {error}")
        for theirs, out in stop():
            put += [theirs] if theirs else []
            taken += [out] if out else []
    assert leftovers(base) == []
    final = base / "root" / "f"
    standing = [final.read_text()] if final.exists() else []
    kept = [path.read_text() for path in base.rglob(".assent-*.kept")]
    found = Counter([*taken, *standing, *kept])
    assert Counter(put) - found == Counter()
    # What came out without having been put in was ours, and was being taken back.
    assert set(found - Counter(put)) <= set(tried)
