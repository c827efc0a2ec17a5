"""The file tools against a dictionary: whatever is called in whatever order, the two agree."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, cast

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from assent.config import SandboxPath
from assent.gate import Gate, Mode
from assent.model import Pending
from assent.runtime import Session
from assent.testing import memory_store
from assent.tools.files import FileSandbox, file_tools
from tests.tools.files.kit import Person, files_in, session
from tests.tools.files.tree_model import Fails, Folder, Found, Link, Tree
from tests.tools.files.trees import CANARY

Result = dict[str, object]

WORDS = ["alpha", "beta", "gamma"]
names = st.sampled_from(["a", "a", "b", ".c"])
plain_paths = st.lists(names, min_size=1, max_size=2).map("/".join)
free_paths = st.one_of(
    plain_paths,
    st.lists(st.one_of(names, names, st.just("..")), min_size=2, max_size=4)
    .filter(lambda parts: parts[-1] != "..")
    .map("/".join),
)
# A number is one of the paths there are: most calls should find something.
picks = st.integers(min_value=0, max_value=30)
paths: st.SearchStrategy[str | int] = st.one_of(picks, picks, picks, free_paths)
folders: st.SearchStrategy[str | int] = st.one_of(st.just("."), picks, picks, plain_paths)
words = st.sampled_from(WORDS)
contents = st.lists(words, min_size=1, max_size=3).map(lambda lines: "".join(f"{line}\n" for line in lines))
# Inside by the way from here or from the top, outside both ways, to nothing, and in circles.
targets = st.one_of(
    plain_paths,
    plain_paths.map("../{}".format),
    plain_paths.map("{{root}}/{}".format),
    st.sampled_from(["{outside}", "{outside}/a", "../../outside/a", "../outside", ".", "nothing", "{root}"]),
)


def leaves(path: str) -> bool:
    """Whether the path leaves the root as it reads."""
    depth = 0
    for part in path.split("/"):
        depth += -1 if part == ".." else part not in ("", ".")
        if depth < 0:
            return True
    return False


@cache
def gates() -> dict[str, tuple[Gate, Person]]:
    """One of each kind for all examples: a gate has threads, and there are many examples."""
    people: dict[Mode, Person] = {"interactive": Person(), "approve_all": Person()}
    return {mode: (Gate(approver=person, store=memory_store(), mode=mode), person) for mode, person in people.items()}


class FilesBehindAGate(RuleBasedStateMachine):
    """Every rule makes one call, and says what the dictionary expects of it."""

    def __init__(self) -> None:
        super().__init__()
        self.closing = ExitStack()

    def teardown(self) -> None:
        self.closing.close()

    @initialize(
        mode=st.sampled_from(["interactive", "approve_all"]),
        reads_ask=st.booleans(),
        planted=st.dictionaries(plain_paths, contents, min_size=2, max_size=4),
        linked=st.dictionaries(plain_paths, targets, min_size=1, max_size=3),
    )
    def begin(
        self,
        mode: Literal["interactive", "approve_all"],
        reads_ask: bool,  # noqa: FBT001 (hypothesis draws it)
        planted: Mapping[str, str],
        linked: Mapping[str, str],
    ) -> None:
        base = Path(os.path.realpath(self.closing.enter_context(TemporaryDirectory())))
        self.outside, self.place = base / "outside", base / "root"
        (self.outside / "b").mkdir(parents=True)
        self.place.mkdir()
        for path in ("a", ".c", "b/a"):
            (self.outside / path).write_bytes(CANARY)
        self.untouched = disk(self.outside)
        self.tree = Tree(str(self.place))
        rule = SandboxPath(root=self.place, mode="rw", write_approval=True, read_approval=reads_ask)
        sandbox = self.closing.enter_context(FileSandbox({"home": rule}))
        gate, person = gates()[mode]
        person.meanwhile = self.look
        self.session = Session(gate, file_tools(sandbox))
        self.loop = self.closing.enter_context(asyncio.Runner())
        for path, content in planted.items():
            self.write(path, content)
        for path, to in linked.items():
            self.link(path, to)

    def path(self, chosen: str | int) -> str:
        """The path that was drawn, or the one that a number stands for."""
        if isinstance(chosen, str):
            return chosen
        known = sorted(self.known(self.tree.root, ""))
        return known[chosen % len(known)] if known else "a"

    def known(self, folder: Folder, prefix: str) -> Iterator[str]:
        """The path of every entry, and of what is behind a link one step further."""
        for name, node in folder.entries.items():
            yield f"{prefix}{name}"
            if isinstance(node, Folder):
                yield from self.known(node, f"{prefix}{name}/")
            elif isinstance(node, Link) and isinstance(behind := self.tree.find(f"{prefix}{name}"), Folder):
                yield from (f"{prefix}{name}/{below}" for below in behind.entries)

    def look(self, pending: Pending) -> None:
        """What a person is shown leads to the very place that the call means."""
        assert CANARY.decode() not in str(pending)
        shown: object = getattr(pending.preview.presentation, "path", None)
        if isinstance(shown, str):
            there, meant = (self.file(path.removeprefix("home/")) for path in (shown, str(pending.call.args["path"])))
            assert isinstance(there, Found)
            assert isinstance(meant, Found)
            assert there.folder is meant.folder
            assert (there.name, there.missing) == (meant.name, meant.missing)

    def call(self, tool: str, **args: object) -> Result:
        result = self.loop.run(self.session.call(tool, args))
        assert isinstance(result, dict)
        assert CANARY.decode() not in str(result)
        return cast("Result", result)

    def find(self, path: str) -> Found | Folder | Fails:
        return Fails("path_outside_workspace") if leaves(path) else self.tree.find(path)

    def file(self, path: str) -> Found | Fails:
        """Where a file is or could be."""
        found = self.find(path)
        return Fails("is_directory", at_once=False) if isinstance(found, Folder) else found

    def existing(self, path: str) -> Found | Fails:
        found = self.file(path)
        return Fails("file_not_found") if isinstance(found, Found) and found.content is None else found

    # What others do

    @rule(path=plain_paths, to=targets)
    def link(self, path: str, to: str) -> None:
        parent, _, name = path.rpartition("/")
        folder = self.folder_itself(parent)
        if folder is not None and name not in folder.entries:
            there = to.format(root=self.place, outside=self.outside)
            folder.entries[name] = Link(there)
            (self.place / path).symlink_to(there)

    @rule(path=plain_paths)
    def unlink(self, path: str) -> None:
        parent, _, name = path.rpartition("/")
        folder = self.folder_itself(parent)
        if folder is not None and isinstance(folder.entries.get(name), Link):
            del folder.entries[name]
            (self.place / path).unlink()

    @rule(path=plain_paths)
    def make_folder(self, path: str) -> None:
        parent, _, name = path.rpartition("/")
        folder = self.folder_itself(parent)
        if folder is not None and name not in folder.entries:
            folder.entries[name] = Folder()
            (self.place / path).mkdir()

    def folder_itself(self, path: str) -> Folder | None:
        """The folder of this path, reached through no link."""
        here: Folder = self.tree.root
        for name in filter(None, path.split("/")):
            node = here.entries.get(name)
            if not isinstance(node, Folder):
                return None
            here = node
        return here

    # What the tools do

    @rule(chosen=paths, content=contents)
    def write(self, chosen: str | int, content: str) -> None:
        path = self.path(chosen)
        result = self.call("write_file", path=f"home/{path}", content=content)
        match self.file(path):
            case Fails(code):
                assert result.get("error") == code, result
            case found:
                assert result == {"success": True, "bytes_written": len(content)}
                found.put(content.encode())

    @rule(chosen=paths)
    def read(self, chosen: str | int) -> None:
        path = self.path(chosen)
        result = self.call("read_file", path=f"home/{path}")
        match self.existing(path):
            case Fails(code):
                assert result.get("error") == code, result
            case found:
                lines = (found.content or b"").decode().splitlines()
                numbered = "\n".join(f"{number:6d}\t{line}" for number, line in enumerate(lines, start=1))
                assert result == {"content": numbered, "total_lines": len(lines), "truncated": False}

    @rule(chosen=paths, old=words, new=words, every=st.booleans())
    def edit(self, chosen: str | int, old: str, new: str, every: bool) -> None:  # noqa: FBT001 (hypothesis draws it)
        path = self.path(chosen)
        result = self.call("edit_file", path=f"home/{path}", old_string=old, new_string=new, replace_all=every)
        self.check_change(path, [(old, new)], result, every=every)

    @rule(chosen=paths, patches=st.lists(st.tuples(words, words), min_size=1, max_size=3))
    def patch(self, chosen: str | int, patches: Sequence[tuple[str, str]]) -> None:
        path = self.path(chosen)
        wanted = [{"find": old, "replace": new} for old, new in patches]
        self.check_change(path, patches, self.call("patch_file", path=f"home/{path}", patches=wanted), every=False)

    def check_change(self, path: str, changes: Sequence[tuple[str, str]], result: Result, *, every: bool) -> None:
        found = self.existing(path)
        if isinstance(found, Fails):
            assert result.get("error") == found.code, result
            return
        data = found.content or b""
        for old, new in changes:
            count = data.count(old.encode())
            code = "invalid_arguments" if old == new else "find_not_found" if not count else ""
            code = code or ("find_not_unique" if count > 1 and not every else "")
            if code:
                assert result.get("error") == code, result
                return
            data = data.replace(old.encode(), new.encode())
        assert "error" not in result, result
        found.put(data)

    @rule(chosen=paths)
    def delete(self, chosen: str | int) -> None:
        path = self.path(chosen)
        result = self.call("delete_file", path=f"home/{path}")
        match self.existing(path):
            case Fails(code):
                assert result.get("error") == code, result
            case found:
                assert result == {"success": True}
                found.remove()

    @rule(chosen=paths, to=paths)
    def move(self, chosen: str | int, to: str | int) -> None:
        path, destination = self.path(chosen), self.path(to)
        result = self.call("move_file", path=f"home/{path}", destination=f"home/{destination}")
        if os.path.normpath(path) == os.path.normpath(destination):
            assert "error" in result
            return
        code = self.why_not(path, destination)
        if code:
            assert result.get("error") == code, result
            return
        assert result == {"success": True}
        here, there = self.file(path), self.file(destination)
        assert isinstance(here, Found)
        assert isinstance(there, Found)
        there.put(here.content or b"")
        here.remove()

    def why_not(self, path: str, destination: str) -> str:
        """The first thing that is wrong with a move, in the order in which it is looked at."""
        if leaves(path) or leaves(destination):
            return "path_outside_workspace"
        ends = self.file(path), self.file(destination)
        failures = [end for end in ends if isinstance(end, Fails)]
        for failed in sorted(failures, key=lambda end: not end.at_once):
            return failed.code
        here, there = (end.content for end in ends if isinstance(end, Found))
        return "file_not_found" if here is None else "" if there is None else "invalid_arguments"

    @rule(chosen=folders, deep=st.booleans())
    def list_folder(self, chosen: str | int, deep: bool) -> None:  # noqa: FBT001 (hypothesis draws it)
        path = self.path(chosen)
        result = self.call("list_files", path=f"home/{path}", pattern="**/*" if deep else None)
        match self.find(path):
            case Folder() as folder:
                listed = [str(each["path"]) for each in rows(result, "files")]
                assert listed == sorted(listed, key=os.fsencode)
                assert sorted(map(self.meant, listed)) == sorted(places(folder, deep=deep))
                assert [each["size"] for each in rows(result, "files")] == [len(self.data(path)) for path in listed]
            case Fails(code):
                assert result.get("error") == code, result
            case found:
                assert result.get("error") == ("file_not_found" if found.content is None else "not_a_directory")

    def meant(self, path: str) -> tuple[int, str]:
        """The file that a path of an answer leads to: which folder's, and its name there."""
        found = self.file(path.removeprefix("home/"))
        assert isinstance(found, Found), path
        return id(found.folder), found.name

    def data(self, path: str) -> bytes:
        found = self.file(path.removeprefix("home/"))
        assert isinstance(found, Found), path
        return found.content or b""

    @rule(chosen=folders, word=words)
    def search(self, chosen: str | int, word: str) -> None:
        path = self.path(chosen)
        result = self.call("search_files", path=f"home/{path}", pattern=word)
        found = self.find(path)
        if isinstance(found, Fails) or (isinstance(found, Found) and found.content is None):
            assert result.get("error") == (found.code if isinstance(found, Fails) else "file_not_found"), result
            return
        files = places(found) if isinstance(found, Folder) else {(id(found.folder), found.name): found.content or b""}
        expected = [
            (*place, number)
            for place, data in files.items()
            for number, line in enumerate(data.decode().splitlines(), start=1)
            if word in line
        ]
        matches = [(*self.meant(str(each["path"])), each["line"]) for each in rows(result, "matches")]
        assert sorted(matches) == sorted(expected)

    @invariant()
    def the_disk_is_what_the_dictionary_says(self) -> None:
        assert disk(self.place) == told(self.tree.root)
        assert disk(self.outside) == self.untouched


def places(folder: Folder, *, deep: bool = True) -> dict[tuple[int, str], bytes]:
    """Every file beneath a folder: which folder's, its name there, and what it holds."""
    found: dict[tuple[int, str], bytes] = {}
    for name, node in folder.entries.items():
        if isinstance(node, bytes):
            found[id(folder), name] = node
        elif isinstance(node, Folder) and deep:
            found |= places(node)
    return found


def rows(result: Result, name: str) -> Sequence[Mapping[str, object]]:
    assert "error" not in result, result
    return cast("Sequence[Mapping[str, object]]", result[name])


def disk(folder: Path) -> dict[str, object]:
    """All there is, by what it is and what it holds."""
    found: dict[str, object] = {}
    for entry in os.scandir(folder):
        path = Path(entry.path)
        if entry.is_symlink():
            found[entry.name] = Link(os.readlink(path))  # noqa: PTH115 (as it is spelled)
        else:
            found[entry.name] = disk(path) if entry.is_dir() else path.read_bytes()
    return found


def told(folder: Folder) -> dict[str, object]:
    return {name: told(node) if isinstance(node, Folder) else node for name, node in folder.entries.items()}


FilesBehindAGate.TestCase.settings = settings(
    max_examples=40,
    stateful_step_count=30,
    # Every search starts a process: making a failure shorter would take longer than a test may.
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
TestFilesBehindAGate = FilesBehindAGate.TestCase


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "sub/deep").mkdir(parents=True)
    (folder / "a.txt").write_text("top\n")
    (folder / "sub/a.txt").write_text("below\n")
    (folder / "link").symlink_to("sub/deep")
    (folder / "short.txt").symlink_to("sub/a.txt")
    return folder


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("write_file", {"content": "new\n"}),
        ("edit_file", {"old_string": "below", "new_string": "new"}),
        ("patch_file", {"patches": [{"find": "below", "replace": "new"}]}),
        ("delete_file", {}),
    ],
)
async def test_the_path_that_is_shown_leads_to_the_file_that_is_changed(
    work: Path, tool: str, args: dict[str, object]
) -> None:
    """`link/..` is where the link leads to, and from there one up; not where the link is."""
    before, person = files_in(work), Person()
    with FileSandbox({"work": SandboxPath(root=work, mode="rw")}) as sandbox:
        await session(sandbox, person).call(tool, {"path": "work/link/../a.txt", **args})
    after = files_in(work)
    touched = {path for path, data in before.items() if after.get(path) != data}
    assert touched <= {real(work, pending) for pending in person.asked}


def real(work: Path, pending: Pending) -> str:
    """The file that the shown path leads to."""
    shown: object = getattr(pending.preview.presentation, "path", "")
    return os.path.relpath(os.path.realpath(work.parent / str(shown)), work)


async def test_what_is_listed_or_found_can_be_read_by_the_path_it_is_given(work: Path) -> None:
    with FileSandbox({"work": SandboxPath(root=work)}) as sandbox:
        run = session(sandbox)
        results = [
            await run.call("search_files", {"path": "work/short.txt", "pattern": "below"}),
            await run.call("search_files", {"path": "work/link/..", "pattern": "below"}),
            await run.call("list_files", {"path": "work/link/.."}),
        ]
        lists = zip(results, ("matches", "matches", "files"), strict=True)
        given = [each["path"] for result, name in lists for each in rows(cast("Result", result), name)]
        read = [await run.call("read_file", {"path": path}) for path in given]
    assert len(given) == 3
    assert ["below" in str(each) for each in read] == [True] * 3


async def test_a_dot_in_a_path_means_nothing_also_where_folders_are_missing(work: Path) -> None:
    with FileSandbox({"work": SandboxPath(root=work, mode="rw")}) as sandbox:
        result = await session(sandbox, Person()).call("write_file", {"path": "work/new/./a.txt", "content": "x"})
    assert result == {"success": True, "bytes_written": 1}
    assert (work / "new/a.txt").read_text() == "x"
