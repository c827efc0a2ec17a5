"""The rules of named paths: modes, suffixes, approvals, nesting, links and the configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assent.config import SandboxPath, read_settings
from assent.errors import ConfigError
from assent.model import Approve, Reject, Scope
from assent.runtime import Ungated
from assent.tools.files import FileSandbox, file_tools
from assent.tools.files.search import Engine
from tests.tools.files.kit import Person, files_in, refused, session

WRITES: list[tuple[str, dict[str, object]]] = [
    ("write_file", {"content": "x"}),
    ("edit_file", {"old_string": "old", "new_string": "new"}),
    ("patch_file", {"patches": [{"find": "old", "replace": "new"}]}),
    ("delete_file", {}),
]
EVERY_WRITE = pytest.mark.parametrize(("tool", "args"), WRITES, ids=[tool for tool, _ in WRITES])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("notes", "cache", "outside"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text("old\n")
    return tmp_path


def rw(root: Path, **rule: object) -> SandboxPath:
    return SandboxPath(root=root, mode="rw", **rule)  # type: ignore[arg-type]


def test_what_is_no_named_path_says_how_one_is_given(folder: Path) -> None:
    wrong: list[Any] = [{"w": "."}, {"w": folder, "x": rw(folder)}, ".", rw(folder)]
    for paths in wrong:
        with pytest.raises(ConfigError, match=r"takes \{name: SandboxPath\(root=folder\)\}.*FileSandbox\.at\(folder\)"):
            FileSandbox(paths)


@pytest.mark.parametrize("name", ["a\nb", "a\u202eb", "a\u200b"])
def test_a_name_has_nothing_in_it_that_nobody_sees(folder: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="cannot name a path: a name of visible characters"):
        FileSandbox({name: rw(folder)})


def test_a_mode_that_does_not_exist_is_not_taken_for_read_only(folder: Path) -> None:
    wrong: Any = "w"
    for make in (lambda: SandboxPath(root=folder, mode=wrong), lambda: FileSandbox.at(folder, mode=wrong)):
        with pytest.raises(ConfigError, match="'w' is no mode of a path; ro may be read, rw may also be written"):
            make()


# Modes and approvals


async def test_reading_is_allowed_by_default_and_changing_asks(folder: Path) -> None:
    sandbox, person = FileSandbox({"notes": rw(folder / "notes")}), Person()
    run = session(sandbox, person)
    await run.call("read_file", {"path": "notes/a.txt"})
    await run.call("list_files", {"path": "notes"})
    await run.call("search_files", {"pattern": "old"})
    assert person.asked == []
    for tool, args in WRITES:
        await run.call(tool, {"path": "notes/a.txt", **args})
        (folder / "notes/a.txt").write_text("old\n")
    assert [pending.call.tool_name for pending in person.asked] == [tool for tool, _ in WRITES]


async def test_a_path_whose_writes_are_pre_approved_does_not_ask(folder: Path) -> None:
    sandbox = FileSandbox({"cache": rw(folder / "cache", write_approval=False)})
    run = session(sandbox)
    assert await run.call("write_file", {"path": "cache/b.txt", "content": "b"}) == {
        "success": True,
        "bytes_written": 1,
    }
    # edit_approval follows write_approval.
    assert "error" not in str(
        await run.call("edit_file", {"path": "cache/b.txt", "old_string": "b", "new_string": "c"})
    )


async def test_edit_approval_may_differ_from_write_approval(folder: Path) -> None:
    sandbox = FileSandbox({"notes": rw(folder / "notes", write_approval=True, edit_approval=False)})
    person = Person(Reject())
    run = session(sandbox, person)
    assert "error" not in str(
        await run.call("edit_file", {"path": "notes/a.txt", "old_string": "old", "new_string": "c"})
    )
    assert refused(await run.call("write_file", {"path": "notes/a.txt", "content": ""})) == "rejected"


@EVERY_WRITE
async def test_a_read_only_path_is_never_changed_and_the_message_lists_what_is_writable(
    folder: Path, tool: str, args: dict[str, object]
) -> None:
    sandbox = FileSandbox({"notes": SandboxPath(root=folder / "notes"), "cache": rw(folder / "cache")})
    before = files_in(folder)
    for run in (session(sandbox, Person()), session(sandbox, mode="approve_all"), Ungated(file_tools(sandbox))):
        result = await run.call(tool, {"path": "notes/a.txt", **args})
        assert refused(result) == "path_not_writable"
        assert "cache (rw)" in str(result)
    assert files_in(folder) == before


@pytest.mark.parametrize("destination", ["cache/b.txt", "notes/b.txt"])
async def test_a_move_needs_both_ends(folder: Path, destination: str) -> None:
    ends = {"notes": rw(folder / "notes"), "cache": SandboxPath(root=folder / "cache")}
    source = "cache/a.txt" if destination == "notes/b.txt" else "notes/a.txt"
    result = await session(FileSandbox(ends), Person()).call("move_file", {"path": source, "destination": destination})
    assert refused(result) == "path_not_writable"


async def test_a_move_asks_if_either_end_does(folder: Path) -> None:
    free = {"write_approval": False, "delete_approval": False}
    for notes, cache, asked in (
        ({}, free, 1),
        (free, {}, 1),
        (free, free, 0),
        (free, {"write_approval": False, "delete_approval": True}, 0),
    ):
        person = Person()
        sandbox = FileSandbox({"notes": rw(folder / "notes", **notes), "cache": rw(folder / "cache", **cache)})
        run = session(sandbox, person)
        assert await run.call("move_file", {"path": "notes/a.txt", "destination": "cache/b.txt"}) == {"success": True}
        assert len(person.asked) == asked
        (folder / "cache/b.txt").rename(folder / "notes/a.txt")


async def test_nothing_is_overwritten_by_a_move(folder: Path) -> None:
    sandbox = FileSandbox({"notes": rw(folder / "notes"), "cache": rw(folder / "cache")})
    run = session(sandbox, Person())
    result = await run.call("move_file", {"path": "notes/a.txt", "destination": "cache/a.txt"})
    assert refused(result) == "invalid_arguments"
    assert (folder / "notes/a.txt").exists()


# Suffixes and sizes


async def test_a_suffix_that_is_not_allowed_is_refused_for_every_operation(folder: Path) -> None:
    (folder / "notes/key.pem").write_text("old\n")
    sandbox = FileSandbox({"notes": rw(folder / "notes", suffixes=(".txt", ".log"))})
    run = Ungated(file_tools(sandbox))
    for tool, args in [*WRITES, ("read_file", {})]:
        result = await run.call(tool, {"path": "notes/key.pem", **args})
        assert refused(result) == "suffix_not_allowed"
        assert ".txt, .log" in str(result)
    assert (
        refused(await run.call("move_file", {"path": "notes/a.txt", "destination": "notes/a.pem"}))
        == "suffix_not_allowed"
    )


async def test_suffixes_bind_listing_and_search_too(folder: Path) -> None:
    (folder / "notes/key.pem").write_text("old secret\n")
    run = session(FileSandbox({"notes": rw(folder / "notes", suffixes=(".txt",))}))
    assert "key.pem" not in str(await run.call("list_files", {"pattern": "**"}))
    assert "secret" not in str(await run.call("search_files", {"pattern": "old"}))


async def test_a_link_of_another_suffix_does_not_get_around_the_rule(folder: Path) -> None:
    (folder / "notes/key.pem").write_text("secret\n")
    (folder / "notes/key.txt").symlink_to("key.pem")
    run = session(FileSandbox({"notes": rw(folder / "notes", suffixes=(".txt",))}), Person())
    assert refused(await run.call("read_file", {"path": "notes/key.txt"})) == "suffix_not_allowed"
    result = await run.call("write_file", {"path": "notes/key.txt", "content": "x"})
    assert refused(result) == "suffix_not_allowed"


async def test_files_over_the_limit_are_refused_with_both_numbers(folder: Path) -> None:
    sandbox = FileSandbox({"notes": rw(folder / "notes", max_file_bytes=10)})
    (folder / "notes/big.txt").write_text("x" * 11)
    run = session(sandbox, Person())
    for result in (
        await run.call("read_file", {"path": "notes/big.txt"}),
        await run.call("write_file", {"path": "notes/new.txt", "content": "x" * 11}),
        await run.call("edit_file", {"path": "notes/a.txt", "old_string": "old", "new_string": "x" * 11}),
    ):
        assert refused(result) == "file_too_large"
        assert "10" in str(result)
    assert "error" not in str(await run.call("write_file", {"path": "notes/new.txt", "content": "x" * 10}))


# Reading that asks


async def test_what_may_not_be_read_without_asking_does_not_leak_through_listing_or_search(folder: Path) -> None:
    person = Person(Reject(note="no"))
    run = session(FileSandbox({"notes": rw(folder / "notes", read_approval=True)}), person)
    for tool, args in (
        ("read_file", {"path": "notes/a.txt"}),
        ("list_files", {"path": "notes"}),
        ("list_files", {}),
        ("search_files", {"pattern": "old"}),
        ("search_files", {"pattern": "old", "path": "notes"}),
    ):
        assert refused(await run.call(tool, args)) == "rejected"
    assert len(person.asked) == 5


async def test_a_search_above_a_root_that_asks_asks_too(folder: Path) -> None:
    (folder / "notes/secrets").mkdir()
    (folder / "notes/secrets/key.txt").write_text("old key\n")
    nested = SandboxPath(root=folder / "notes/secrets", read_approval=True)
    sandbox = FileSandbox({"notes": rw(folder / "notes"), "secrets": nested})
    person = Person(Reject())
    run = session(sandbox, person)
    assert refused(await run.call("search_files", {"pattern": "old", "path": "notes"})) == "rejected"
    assert refused(await run.call("list_files", {"pattern": "**"})) == "rejected"
    assert "secrets" in person.asked[0].request.reason


@pytest.mark.parametrize("engine", ["ripgrep", "python"])
async def test_a_nested_root_limits_a_search_only_in_itself(folder: Path, engine: Engine) -> None:
    (folder / "notes/small").mkdir()
    for name in ("large.txt", "small/large.txt", "small/tiny.txt"):
        (folder / "notes" / name).write_text("old" * (1 if "tiny" in name else 100))
    paths = {"notes": rw(folder / "notes"), "small": rw(folder / "notes/small", max_file_bytes=10)}
    run = session(FileSandbox(paths, engine=engine))
    found: Any = await run.call("search_files", {"pattern": "old", "path": "notes"})
    assert [match["path"] for match in found["matches"]] == ["notes/a.txt", "notes/large.txt", "notes/small/tiny.txt"]


async def test_an_edit_tells_the_model_nothing_of_a_file_it_may_not_read(folder: Path) -> None:
    secret = rw(folder / "notes", read_approval=True, write_approval=False, delete_approval=False)
    sandbox = FileSandbox({"notes": secret, "cache": rw(folder / "cache", write_approval=False)})
    person = Person(Reject(note="no"))
    run = session(sandbox, person)
    for tool, args in (
        ("edit_file", {"path": "notes/a.txt", "old_string": "old", "new_string": "x"}),
        ("edit_file", {"path": "notes/a.txt", "old_string": "odl", "new_string": "x"}),
        ("patch_file", {"path": "notes/a.txt", "patches": [{"find": "odl", "replace": "x"}]}),
        ("move_file", {"path": "notes/a.txt", "destination": "cache/b.txt"}),
    ):
        result = await run.call(tool, args)
        assert refused(result) == "rejected"
        assert "line" not in str(result)
    assert "read_approval" in person.asked[0].request.reason
    assert "old" in person.asked[1].preview.presentation.content  # type: ignore[union-attr]
    person.answer = Approve(by="ana")
    result = await run.call("edit_file", {"path": "notes/a.txt", "old_string": "odl", "new_string": "x"})
    assert refused(result) == "find_not_found"


# Nested roots and links


async def test_the_most_specific_root_wins(folder: Path) -> None:
    (folder / "notes/out").mkdir()
    sandbox = FileSandbox(
        {"notes": SandboxPath(root=folder / "notes"), "out": rw(folder / "notes/out", write_approval=False)}
    )
    run = session(sandbox)
    assert "error" not in str(await run.call("write_file", {"path": "notes/out/b.txt", "content": "b"}))
    assert refused(await run.call("write_file", {"path": "notes/b.txt", "content": "b"})) == "path_not_writable"


@pytest.mark.parametrize("link", ["link.txt", "way/b.txt"])
async def test_a_link_into_a_nested_root_takes_the_stricter_policy(folder: Path, link: str) -> None:
    (folder / "notes/frozen").mkdir()
    (folder / "notes/frozen/b.txt").write_text("old\n")
    (folder / "notes/link.txt").symlink_to("frozen/b.txt")
    (folder / "notes/way").symlink_to("frozen")
    frozen = SandboxPath(root=folder / "notes/frozen", read_approval=True)
    sandbox = FileSandbox({"notes": rw(folder / "notes", write_approval=False), "frozen": frozen})
    person = Person(Reject())
    run = session(sandbox, person)
    assert refused(await run.call("write_file", {"path": f"notes/{link}", "content": "x"})) == "path_not_writable"
    assert refused(await run.call("read_file", {"path": f"notes/{link}"})) == "rejected"
    assert len(person.asked) == 1


async def test_a_link_swapped_into_a_stricter_root_after_the_gate_agreed_is_refused(folder: Path) -> None:
    (folder / "notes/secrets").mkdir()
    (folder / "notes/secrets/a.txt").write_text("secret\n")
    (folder / "notes/link.txt").symlink_to("a.txt")
    nested = SandboxPath(root=folder / "notes/secrets", read_approval=True)
    run = session(FileSandbox({"notes": rw(folder / "notes"), "secrets": nested}))
    tool = run.tools["read_file"]
    permit = await run.gate.admit(run._call(tool, {"path": "notes/link.txt"}, "1", None), tool)
    (folder / "notes/link.txt").unlink()
    (folder / "notes/link.txt").symlink_to("secrets/a.txt")
    with pytest.raises(Exception, match="no longer what was shown") as caught:
        await tool.run(permit)
    assert getattr(caught.value, "code", "") == "changed_since_approval"


async def test_a_grant_for_a_link_does_not_cover_what_it_leads_to_later(folder: Path) -> None:
    (folder / "notes/b.txt").write_text("old\n")
    (folder / "notes/link.txt").symlink_to("a.txt")
    person = Person(Approve(by="ana", scope=Scope.SESSION))
    run = session(FileSandbox({"notes": rw(folder / "notes")}), person)
    for _ in range(2):
        await run.call("write_file", {"path": "notes/link.txt", "content": "1"})
    assert len(person.asked) == 1
    (folder / "notes/link.txt").unlink()
    (folder / "notes/link.txt").symlink_to("b.txt")
    await run.call("write_file", {"path": "notes/link.txt", "content": "2"})
    assert len(person.asked) == 2


# The configuration


@pytest.mark.parametrize("path", ["work/assent.yaml", "work/sub/assent.yaml", "work/link.yaml"])
async def test_the_configuration_is_never_writable_through_any_tool(tmp_path: Path, path: str) -> None:
    work = tmp_path / "work"
    (work / "sub").mkdir(parents=True)
    file = work / "assent.yaml"
    file.write_text("sandbox: {paths: {work: {root: ., mode: rw}}}\n# old\n")
    (work / "link.yaml").symlink_to("assent.yaml")
    before = files_in(work)
    sandbox = FileSandbox.from_settings(read_settings(file))
    for run in (session(sandbox, Person()), session(sandbox, mode="approve_all"), Ungated(file_tools(sandbox))):
        moves: tuple[str, dict[str, object]] = ("move_file", {"destination": "work/b.txt"})
        for tool, args in [*WRITES, moves]:
            assert refused(await run.call(tool, {"path": path, **args})) == "path_not_writable"
        result = await run.call("move_file", {"path": "work/new.txt", "destination": path})
        assert refused(result) == "path_not_writable"
    assert files_in(work) == before


def test_a_root_that_does_not_exist_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nowhere"):
        FileSandbox({"notes": SandboxPath(root=tmp_path / "nowhere")})


# Remembering


async def test_a_remembered_answer_covers_the_file_whatever_the_content(folder: Path) -> None:
    person = Person(Approve(by="ana", scope=Scope.SESSION))
    run = session(FileSandbox({"notes": rw(folder / "notes")}), person)
    for content in "abc":
        await run.call("write_file", {"path": "notes/a.txt", "content": content})
    assert len(person.asked) == 1
    assert "content can vary" in person.asked[0].request.covers
    await run.call("write_file", {"path": "notes/b.txt", "content": "b"})
    await run.call("edit_file", {"path": "notes/a.txt", "old_string": "c", "new_string": "d"})
    assert len(person.asked) == 3


async def test_wider_answers_are_offered_from_the_file_to_everything(folder: Path) -> None:
    person = Person()
    run = session(FileSandbox({"notes": rw(folder / "notes")}), person)
    await run.call("write_file", {"path": "notes/sub/deep/a.md", "content": ""})
    assert [wider.name for wider in person.asked[0].request.wider] == [
        "suffix:notes/sub/deep/*.md",
        "folder:notes/sub/deep",
        "suffix:notes/sub/*.md",
        "folder:notes/sub",
        "suffix:notes/*.md",
        "path:notes",
        "all",
    ]


@pytest.mark.parametrize(
    ("covers", "granted"),
    [
        ("suffix:notes/sub/*.md", {"notes/sub/b.md", "notes/sub/deep/c.md"}),
        ("folder:notes/sub", {"notes/sub/b.md", "notes/sub/deep/c.md", "notes/sub/d.txt"}),
        ("suffix:notes/*.md", {"notes/sub/b.md", "notes/sub/deep/c.md", "notes/e.md"}),
        ("path:notes", {"notes/sub/b.md", "notes/sub/deep/c.md", "notes/sub/d.txt", "notes/e.md"}),
        ("all", {"notes/sub/b.md", "notes/sub/deep/c.md", "notes/sub/d.txt", "notes/e.md", "cache/f.md"}),
    ],
)
async def test_a_wider_answer_covers_exactly_what_it_says(folder: Path, covers: str, granted: set[str]) -> None:
    person = Person(Approve(by="ana", scope=Scope.SESSION, covers=covers))
    run = session(FileSandbox({"notes": rw(folder / "notes"), "cache": rw(folder / "cache")}), person)
    await run.call("write_file", {"path": "notes/sub/a.md", "content": ""})
    person.answer = Reject()
    paths = ["notes/sub/b.md", "notes/sub/deep/c.md", "notes/sub/d.txt", "notes/e.md", "cache/f.md"]
    results = {path: await run.call("write_file", {"path": path, "content": ""}) for path in paths}
    assert {path for path, result in results.items() if "error" not in str(result)} == granted
    assert refused(await run.call("delete_file", {"path": "notes/sub/a.md"})) == "rejected"


async def test_a_wider_refusal_beats_a_grant_for_the_file(folder: Path) -> None:
    person = Person(Approve(by="ana", scope=Scope.SESSION))
    run = session(FileSandbox({"notes": rw(folder / "notes")}), person)
    await run.call("write_file", {"path": "notes/a.txt", "content": ""})
    person.answer = Reject(by="ana", scope=Scope.SESSION, covers="path:notes", note="no more")
    await run.call("write_file", {"path": "notes/b.txt", "content": ""})
    assert refused(await run.call("write_file", {"path": "notes/a.txt", "content": ""})) == "denied"
    assert len(person.asked) == 2


async def test_a_grant_for_a_folder_ends_where_a_nested_root_begins(folder: Path) -> None:
    (folder / "notes/inner").mkdir()
    person = Person(Approve(by="ana", scope=Scope.SESSION, covers="path:notes"))
    run = session(FileSandbox({"notes": rw(folder / "notes"), "inner": rw(folder / "notes/inner")}), person)
    await run.call("write_file", {"path": "notes/a.txt", "content": ""})
    person.answer = Reject()
    assert refused(await run.call("write_file", {"path": "notes/inner/a.txt", "content": ""})) == "rejected"


async def test_an_answer_that_covers_what_was_not_offered_is_no_answer(folder: Path) -> None:
    person = Person(Approve(by="ana", scope=Scope.SESSION, covers="folder:somewhere"))
    run = session(FileSandbox({"notes": rw(folder / "notes")}), person)
    assert refused(await run.call("write_file", {"path": "notes/a.txt", "content": ""})) == "failed"
    assert (folder / "notes/a.txt").read_text() == "old\n"


async def test_a_path_that_ends_in_a_slash_is_no_file(folder: Path) -> None:
    run = session(FileSandbox({"notes": rw(folder / "notes")}), Person())
    assert refused(await run.call("write_file", {"path": "notes/new/", "content": "x"})) == "invalid_path"
    assert "error" not in str(await run.call("list_files", {"path": "notes/"}))
