"""A second process swaps links, folders and contents while every tool is called; nothing escapes, nothing is lost."""

from __future__ import annotations

import asyncio
import os
import re
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from assent.config import SandboxPath
from assent.gate import Gate
from assent.model import Permit
from assent.runtime import Session
from assent.testing import memory_store
from assent.tools.files import FileSandbox, file_tools
from assent.tools.files.disk._held import Identity
from tests.tools.files.racing import (
    ALL,
    CHANGING,
    NAMED,
    Agent,
    Agreeing,
    Call,
    Change,
    leftovers,
    names,
    noting,
    racing,
    sandbox_of,
    snapshot,
    stranger,
)
from tests.tools.files.trees import CANARY

SECRET = "only after somebody agreed"  # noqa: S105 (a word to look for)


@pytest.fixture(params=["a person", "a mode", "a grant"])
def agreeing(request: pytest.FixtureRequest) -> Agreeing:
    chosen: Agreeing = request.param
    return chosen


@pytest.fixture
def base() -> Iterator[Path]:
    """In memory, where there is one: a disk that syncs lets the stranger have too few turns against us."""
    memory = Path("/dev/shm")  # noqa: S108 (a random name in it)
    with TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        (Path(folder) / "root").mkdir()
        yield Path(folder)


# Links


def links_and_traps(base: Path) -> None:
    outside = base / "outside"
    (outside / "sub").mkdir(parents=True)
    for name in ("f", "to", "sub/f"):
        (outside / name).write_bytes(CANARY)
    root = base / "root"
    (root / "door" / "sub").mkdir(parents=True)
    (root / "door" / "sub" / "f").write_text("inside\n")
    (root / "door" / "f").write_text("inside\n")
    (root / "door" / "way").symlink_to(outside / "sub")
    (root / "decoy").symlink_to("../outside")
    (root / "absolute").symlink_to(outside)
    (root / "file").write_text("inside\n")
    (root / "trap").symlink_to("../outside/f")
    (root / "chain").symlink_to("door/sub/../f")
    (root / "long").symlink_to(root / "door")


def over(number: int) -> Iterator[Call]:
    """Every operation, on a path that is a link now and then."""
    paths = ("home/door/f", "home/file", "home/chain", "home/door/sub/../f", "home/long/f", "home/door/sub/f")
    path = paths[number % len(paths)]
    folder, other = path.rpartition("/")[0], f"{path.rpartition('/')[0]}/to"
    yield "read_file", {"path": path}
    yield "write_file", {"path": path, "content": "inside\n"}
    yield "edit_file", {"path": path, "old_string": "inside", "new_string": "inside, edited"}
    yield "patch_file", {"path": path, "patches": [{"find": ", edited", "replace": ""}]}
    yield "move_file", {"path": path, "destination": other}
    yield "move_file", {"path": other, "destination": path}
    yield "delete_file", {"path": path}
    yield "write_file", {"path": path, "content": "inside\n"}
    yield "write_file", {"path": f"{folder}/new{number % 3}/f", "content": "inside\n"}
    yield "list_files", {"path": folder, "pattern": "**/*"}
    if number % 10 == 0:
        yield "search_files", {"path": folder, "pattern": "nobody may|inside"}


async def test_no_call_is_led_out_by_a_link_that_is_swapped_in(base: Path, agreeing: Agreeing) -> None:
    links_and_traps(base)
    outside = snapshot(base / "outside")
    with sandbox_of(base) as sandbox, stranger("links", base) as stop:
        agent = Agent(sandbox, agreeing)
        for number in racing(lambda: agent.has_done(*ALL) and agent.was_refused(*CHANGING), lambda: agent.ends):
            for call in over(number):
                await agent.call(*call)
        stop()
    assert snapshot(base / "outside") == outside
    assert names(base) == {"root", "outside"}
    assert leftovers(base) == []


# Parents


@contextmanager
def held_folder(path: Path) -> Generator[int]:
    folder = os.open(path, os.O_RDONLY)
    try:
        yield folder
    finally:
        os.close(folder)


def inside(folder: int) -> dict[str, bytes]:
    """The files of an open folder, wherever it is."""
    found: dict[str, bytes] = {}
    for name in os.listdir(folder):
        with os.fdopen(os.open(name, os.O_RDONLY, dir_fd=folder), "rb") as file:
            found[name] = file.read()
    return found


def identity(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino


Making = Callable[[dict[str, bytes]], dict[str, bytes]]
"""What a call makes of the files of a folder."""


def put(name: str, data: str) -> Making:
    return lambda files: files | {name: data.encode()}


def swapped(name: str, old: str, new: str) -> Making:
    return lambda files: files | {name: files.get(name, b"").replace(old.encode(), new.encode())}


def renamed(name: str, other: str) -> Making:
    return lambda files: without(name)(files) | {other: files.get(name, b"")}


def without(name: str) -> Making:
    return lambda files: {each: data for each, data in files.items() if each != name}


def in_a_folder(number: int) -> Iterator[tuple[Call, Making]]:
    """Every operation in a folder that is moved about, and what it makes of the folder."""
    f, g, ours = "home/work/f", "home/work/g", f"ours {number}: end\n"
    patches: list[object] = [{"find": "edited", "replace": "patched"}, {"find": "end", "replace": "the end"}]
    yield ("write_file", {"path": f, "content": ours}), put("f", ours)
    yield ("edit_file", {"path": f, "old_string": ours, "new_string": f"edited {ours}"}), put("f", f"edited {ours}")
    patched = swapped("f", "edited", "patched")
    yield ("patch_file", {"path": f, "patches": patches}), lambda files: swapped("f", "end", "the end")(patched(files))
    yield ("move_file", {"path": f, "destination": g}), renamed("f", "g")
    yield ("delete_file", {"path": g}), without("g")
    yield ("write_file", {"path": g, "content": ours}), put("g", ours)
    yield ("delete_file", {"path": g}), without("g")
    yield ("read_file", {"path": "home/work/anchor"}), dict
    yield ("list_files", {"path": "home/work", "pattern": "**/*"}), dict
    if number % 10 == 0:
        yield ("search_files", {"path": "home/work", "pattern": "anchor|ours"}), dict


async def test_a_call_changes_the_folder_it_was_agreed_to_in_or_nothing(base: Path, agreeing: Agreeing) -> None:
    """The folder is moved about, also out of the root; nobody but us changes what is in it."""
    work = base / "root" / "work"
    work.mkdir()
    (work / "anchor").write_text("anchor\n")
    (work / "f").write_text("first\n")
    elsewhere = 0
    root, here = identity((base / "root").stat()), identity(work.stat())
    with sandbox_of(base) as sandbox, held_folder(work) as folder, stranger("parents", base) as stop:
        agent = Agent(sandbox, agreeing)
        for number in racing(lambda: agent.has_done(*ALL) and agent.was_refused(*CHANGING), lambda: agent.ends):
            for call, made in in_a_folder(number):
                before = inside(folder)
                end = await agent.call(*call)
                after = inside(folder)
                hoped = made(before)
                seen = agent.witness.saw()
                if end != "done" or seen not in (None, root, here):
                    # Refused is refused; and what was agreed to elsewhere is not done here.
                    assert after == before, (call, end)
                elif seen == here:
                    assert after == hoped, (call, end)
                else:
                    # Nobody looked, or there was no such folder yet: here or in one that stood in for it, but whole.
                    assert after in (before, hoped), (call, end)
                elsewhere += end == "done" and after != hoped
        stop()
    assert leftovers(base) == []
    assert all(b"ours" in data for data in put_aside(base))


def put_aside(base: Path) -> list[bytes]:
    """What is in the folders that were in the stranger's way."""
    return [path.read_bytes() for path in base.glob("aside-*/**/*") if path.is_file()]


# Contents

FILES = ("home/f", "home/sub/g")


def changing(number: int, who: str) -> Iterator[Call]:
    """Every operation that changes a file, each with a number of its own in what it leaves."""
    path, edited = FILES[number % 2], {"find": "end", "replace": f"{who} {number} end"}
    match number % 7:
        case 0 | 1:
            yield "write_file", {"path": path, "content": f"{who} {number}: end\n"}
        case 2:
            yield "edit_file", {"path": path, "old_string": edited["find"], "new_string": edited["replace"]}
        case 3:
            yield "patch_file", {"path": path, "patches": [edited]}
        case 4:
            yield "delete_file", {"path": path}
        case 5:
            yield "move_file", {"path": path, "destination": f"home/sub/moved {who} {number}"}
        case _:
            yield "read_file", {"path": path}
            yield "list_files", {"path": "home", "pattern": "*"}


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def was_shown(permit: Permit | None, before: Identity) -> bool:
    """Whether a person saw exactly what was there, if one was asked."""
    if permit is None or permit.answered is None:
        return True
    place = {"directory": before.directory, "name": before.name, "kind": before.kind, "sha256": before.sha256}
    return any(all(seen.facts[fact] == value for fact, value in place.items()) for seen in permit.evidence)


def check_accounts(base: Path, first: Sequence[str], theirs: list[list[str]], ours: Sequence[Change]) -> None:
    """Every content is told apart, and whoever takes one out says so: none may be missing in the end."""
    put = [*first, *(text for text, _ in theirs if text)]
    put_digests = [
        *(digest(text.encode()) for text in put),
        *(digest(after) for *_, after in ours if after is not None),
    ]
    standing = [data for path in (base / "root").rglob("*") if path.is_file() for data in [path.read_bytes()]]
    taken = [before.sha256 for _, before, _ in ours if before.sha256 is not None]
    found = Counter([*taken, *(digest(out.encode()) for _, out in theirs if out), *map(digest, standing)])
    assert Counter(put_digests) - found == Counter()
    # What came out without having been put in was ours, and was being taken back.
    texts = {digest(data): data for data in [*(out.encode() for _, out in theirs), *standing]}
    assert all(re.search(rb"ours", texts.get(each, b"ours")) for each in found - Counter(put_digests))


def files_of_two(base: Path) -> list[str]:
    (base / "root" / "sub").mkdir()
    first = ["stranger -1: end\n", "stranger 0: end\n"]
    for path, text in zip(FILES, first, strict=True):
        (base / "root" / path.removeprefix("home/")).write_text(text)
    return first


async def test_a_file_that_others_replace_is_never_said_to_lie_outside(base: Path) -> None:
    """As editors do that save by renaming: nothing leads out here, and no policy denies anything."""
    files_of_two(base)
    with sandbox_of(base) as sandbox, stranger("contents", base) as stop:
        agent = Agent(sandbox, "a mode")
        for number in racing(lambda: agent.has_done("read_file", "edit_file"), lambda: agent.ends):
            path = FILES[number % 2]
            await agent.call("read_file", {"path": path})
            await agent.call("edit_file", {"path": path, "old_string": "end", "new_string": f"ours {number} end"})
        stop()
    assert {end for end in agent.ends if end.endswith("path_outside_workspace")} == set()


async def test_whatever_a_stranger_writes_stands_or_was_seen_or_is_kept(base: Path, agreeing: Agreeing) -> None:
    first = files_of_two(base)
    with noting(base) as sandbox, stranger("contents", base) as stop:
        agent = Agent(sandbox, agreeing)
        for number in racing(
            lambda: agent.has_done(*CHANGING) and agent.was_refused(*CHANGING[1:]), lambda: agent.ends
        ):
            for call in changing(number, "ours"):
                await agent.call(*call)
        theirs = stop()
    assert all(was_shown(permit, before) for permit, before, _ in sandbox.changes)
    assert leftovers(base) == []
    check_accounts(base, first, theirs, sandbox.changes)


def test_agents_that_race_each_other_and_a_stranger_lose_nothing(base: Path) -> None:
    """Each has a sandbox of its own, as in a process of its own: no lock is shared."""
    first = files_of_two(base)
    ways: list[Agreeing] = ["a person", "a mode", "a grant"]
    sandboxes = [noting(base) for _ in ways]
    agents = [Agent(sandbox, way, run=way) for sandbox, way in zip(sandboxes, ways, strict=True)]
    failures: list[BaseException] = []

    async def work(number: int) -> None:
        agent = agents[number]
        for turn in racing(lambda: agent.has_done(*CHANGING), lambda: agent.ends):
            for call in changing(turn, f"ours, {number}, "):
                await agent.call(*call)

    def working(number: int) -> None:
        try:
            asyncio.run(work(number))
        except BaseException as failure:  # noqa: BLE001 (told by the test)
            failures.append(failure)

    with stranger("contents", base) as stop:
        threads = [threading.Thread(target=working, args=(number,)) for number in range(len(ways))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        theirs = stop()
    changes = [change for sandbox in sandboxes for change in sandbox.changes]
    for sandbox in sandboxes:
        sandbox.close()
    assert failures == []
    assert all(was_shown(permit, before) for permit, before, _ in changes)
    assert leftovers(base) == []
    check_accounts(base, first, theirs, changes)


# Rules


async def test_a_link_swapped_in_never_leads_around_a_stricter_rule(base: Path) -> None:
    """Nobody agrees to anything here: what asks is refused, and what is read-only stays as it is."""
    root = base / "root"
    # What works in one would work in all of them, if the rules were not.
    for name, link, text in (
        ("open", "door", "open"),
        ("private", "second", f"open, {SECRET}"),
        ("fixed", "third", "open"),
    ):
        (root / name).mkdir()
        (root / link).symlink_to(name)
        (root / name / "f").write_text(f"{text}\n")
    (root / "private" / f"{SECRET}.txt").touch()
    free = SandboxPath(root=root, mode="rw", write_approval=False, delete_approval=False)
    rules = {
        "home": free,
        "private": SandboxPath(root=root / "private", mode="rw", read_approval=True),
        "fixed": SandboxPath(root=root / "fixed", mode="ro"),
    }
    closed = snapshot(root / "private"), snapshot(root / "fixed")
    gate = Gate(store=memory_store(), mode="strict")
    ends: Counter[str] = Counter()
    with FileSandbox(rules) as sandbox, stranger("rules", base) as stop:
        session = Session(gate, file_tools(sandbox))
        for number in racing(lambda: all(ends[f"{tool} True"] and ends[f"{tool} False"] for tool in ALL), lambda: ends):
            for tool, args in through_the_door(number):
                result = await session.call(tool, args)
                assert isinstance(result, dict)
                assert SECRET not in str(result), (tool, args)
                assert result.get("error", "denied") in NAMED | {"denied"}, result
                ends[f"{tool} {'error' not in result}"] += 1
        stop()
    assert (snapshot(root / "private"), snapshot(root / "fixed")) == closed
    assert leftovers(base) == []


def through_the_door(number: int) -> Iterator[Call]:
    path = "home/door/f"
    yield "read_file", {"path": path}
    yield "edit_file", {"path": path, "old_string": "open", "new_string": "open, edited"}
    yield "patch_file", {"path": path, "patches": [{"find": ", edited", "replace": ""}]}
    yield "move_file", {"path": path, "destination": "home/door/g"}
    yield "move_file", {"path": "home/door/g", "destination": path}
    yield "delete_file", {"path": path}
    for _ in range(3):
        yield "write_file", {"path": path, "content": "open\n"}
    for _ in range(5):
        yield "list_files", {"path": "home/door"}
    if number % 3 == 0:
        yield "search_files", {"path": "home/door", "pattern": "open|agreed"}
        yield "search_files", {"path": path, "pattern": "open|agreed"}
