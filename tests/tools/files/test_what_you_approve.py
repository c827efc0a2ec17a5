"""Promise 1 for files: a person's approval is bound to the arguments and to what they were shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from assent.config import SandboxPath
from assent.model import Approve, EditPresentation, Pending, Reject
from assent.tools.files import FileSandbox
from tests.tools.files.kit import Person, files_in, refused, session

TEXT = "".join(f"line {number}\n" for number in range(1, 31))


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text(TEXT)
    return folder


@pytest.fixture
def sandbox(work: Path) -> FileSandbox:
    return FileSandbox({"work": SandboxPath(root=work, mode="rw")})


def edit(old: str, new: str, path: str = "work/a.txt") -> dict[str, object]:
    return {"path": path, "old_string": old, "new_string": new}


CALLS = [
    ("write_file", {"path": "work/a.txt", "content": "new\n"}),
    ("edit_file", edit("line 3\n", "line three\n")),
    ("patch_file", {"path": "work/a.txt", "patches": [{"find": "line 3\n", "replace": "line three\n"}]}),
    ("delete_file", {"path": "work/a.txt"}),
    ("move_file", {"path": "work/a.txt", "destination": "work/b.txt"}),
]
EVERY_CALL = pytest.mark.parametrize(("tool", "args"), CALLS, ids=[tool for tool, _ in CALLS])


@EVERY_CALL
async def test_what_was_approved_runs(sandbox: FileSandbox, work: Path, tool: str, args: dict[str, object]) -> None:
    result = await session(sandbox, Person()).call(tool, args)
    assert "error" not in str(result)
    assert files_in(work) != {"a.txt": TEXT.encode()}


@EVERY_CALL
async def test_content_that_changed_since_is_not_touched(
    sandbox: FileSandbox, work: Path, tool: str, args: dict[str, object]
) -> None:
    person = Person(meanwhile=lambda _: (work / "a.txt").write_text(TEXT + "a stranger's line\n"))
    assert refused(await session(sandbox, person).call(tool, args)) == "changed_since_approval"
    assert files_in(work) == {"a.txt": (TEXT + "a stranger's line\n").encode()}


@EVERY_CALL
async def test_a_file_that_became_a_link_is_not_touched(
    sandbox: FileSandbox, work: Path, tool: str, args: dict[str, object]
) -> None:
    (work / "other.txt").write_text(TEXT)

    def swap(_: Pending) -> None:
        (work / "a.txt").unlink()
        (work / "a.txt").symlink_to("other.txt")

    assert refused(await session(sandbox, Person(meanwhile=swap)).call(tool, args)) == "changed_since_approval"
    assert files_in(work) == {"other.txt": TEXT.encode()}


async def test_the_same_bytes_in_another_directory_are_not_what_was_approved(sandbox: FileSandbox, work: Path) -> None:
    (work / "sub").mkdir()
    (work / "sub/a.txt").write_text(TEXT)

    def swap(_: Pending) -> None:
        (work / "sub").rename(work / "gone")
        (work / "sub").mkdir()
        (work / "sub/a.txt").write_text(TEXT)

    result = await session(sandbox, Person(meanwhile=swap)).call("edit_file", edit("line 3\n", "x\n", "work/sub/a.txt"))
    assert refused(result) == "changed_since_approval"
    assert (work / "sub/a.txt").read_text() == TEXT


async def test_a_new_file_that_appeared_meanwhile_is_not_overwritten(sandbox: FileSandbox, work: Path) -> None:
    person = Person(meanwhile=lambda _: (work / "new.txt").write_text("a stranger's"))
    result = await session(sandbox, person).call("write_file", {"path": "work/new.txt", "content": "ours"})
    assert refused(result) == "changed_since_approval"
    assert (work / "new.txt").read_text() == "a stranger's"


async def test_two_new_files_in_a_new_folder_approved_in_one_turn_both_work(sandbox: FileSandbox, work: Path) -> None:
    results = await Both(sandbox)(
        ("write_file", {"path": "work/new/deep/a.txt", "content": "a"}),
        ("write_file", {"path": "work/new/deep/b.txt", "content": "b"}),
    )
    assert results == [{"success": True, "bytes_written": 1}] * 2
    assert {"new/deep/a.txt", "new/deep/b.txt"} < files_in(work).keys()


async def test_a_new_folder_that_became_a_link_meanwhile_is_not_entered(sandbox: FileSandbox, work: Path) -> None:
    (work / "other").mkdir()
    person = Person(meanwhile=lambda _: (work / "new").symlink_to("other"))
    result = await session(sandbox, person).call("write_file", {"path": "work/new/a.txt", "content": "x"})
    assert refused(result) == "changed_since_approval"
    assert list((work / "other").iterdir()) == []


async def test_a_read_is_bound_to_the_file_that_was_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("small\n")
    sandbox = FileSandbox({"work": SandboxPath(root=tmp_path, read_approval=True)})
    person = Person(meanwhile=lambda _: (tmp_path / "a.txt").write_text("a secret that came later\n"))
    assert refused(await session(sandbox, person).call("read_file", {"path": "work/a.txt"})) == "changed_since_approval"


async def test_a_search_is_bound_to_the_folder_that_was_named(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.txt").write_text("needle\n")
    sandbox = FileSandbox({"work": SandboxPath(root=tmp_path, read_approval=True)})

    def swap(_: Pending) -> None:
        (tmp_path / "sub").rename(tmp_path / "gone")
        (tmp_path / "sub").mkdir()

    for tool, args in (("search_files", {"pattern": "needle"}), ("list_files", {})):
        result = await session(sandbox, Person(meanwhile=swap)).call(tool, {"path": "work/sub", **args})
        assert refused(result) == "changed_since_approval"
        (tmp_path / "sub").rmdir()
        (tmp_path / "gone").rename(tmp_path / "sub")


class Both:
    """Two calls of one turn: asked together, run one after the other."""

    def __init__(self, sandbox: FileSandbox, *, meanwhile: object = None) -> None:
        self.session = session(sandbox, Person())
        self.meanwhile = meanwhile

    async def __call__(
        self, first: tuple[str, dict[str, object]], second: tuple[str, dict[str, object]]
    ) -> list[object]:
        gate, permits = self.session.gate, []
        for number, (tool, args) in enumerate((first, second)):
            runs = self.session.tools[tool]
            call = self.session._call(runs, args, str(number), None)
            permits.append((runs, await gate.admit(call, runs)))
        results: list[object] = []
        for runs, permit in permits:
            try:
                with gate.spend(permit):
                    results.append(await runs.run(permit))
            except Exception as error:  # noqa: BLE001 — what the second call meets is the point
                results.append(error)
            if callable(self.meanwhile):
                self.meanwhile()
        return results


async def test_two_approved_edits_of_one_file_in_one_turn_both_work(sandbox: FileSandbox, work: Path) -> None:
    results = await Both(sandbox)(
        ("edit_file", edit("line 3\n", "line three\n")), ("edit_file", edit("line 20\n", "line twenty\n"))
    )
    assert not any(isinstance(result, Exception) for result in results)
    expected = TEXT.replace("line 3\n", "line three\n").replace("line 20\n", "line twenty\n")
    assert (work / "a.txt").read_text() == expected


async def test_an_edit_after_a_strangers_change_does_not_work(sandbox: FileSandbox, work: Path) -> None:
    both = Both(sandbox, meanwhile=lambda: (work / "a.txt").write_text((work / "a.txt").read_text() + "stranger\n"))
    first, second = await both(
        ("edit_file", edit("line 3\n", "line three\n")), ("edit_file", edit("line 20\n", "line twenty\n"))
    )
    assert not isinstance(first, Exception)
    assert getattr(second, "code", "") == "changed_since_approval"
    assert "line twenty" not in (work / "a.txt").read_text()


async def test_a_second_edit_whose_shown_hunk_is_gone_does_not_work(sandbox: FileSandbox, work: Path) -> None:
    """The first edit changes a line that the second one's hunk shows as context."""
    _, second = await Both(sandbox)(
        ("edit_file", edit("line 3\n", "line three\n")), ("edit_file", edit("line 4\n", "line four\n"))
    )
    assert getattr(second, "code", "") == "changed_since_approval"
    assert "line four" not in (work / "a.txt").read_text()


async def test_a_second_edit_whose_hunk_is_there_twice_now_does_not_work(sandbox: FileSandbox, work: Path) -> None:
    hunk = "".join(f"line {number}\n" for number in range(17, 24))
    _, second = await Both(sandbox)(
        ("edit_file", edit("line 3\n", hunk)),
        ("edit_file", edit("line 20\n", "x\n") | {"replace_all": True}),
    )
    assert getattr(second, "code", "") == "changed_since_approval"
    assert "x\n" not in (work / "a.txt").read_text()


async def test_another_runs_permitted_change_is_a_strangers_change(sandbox: FileSandbox, work: Path) -> None:
    other = session(sandbox, mode="approve_all", run="another run")
    person = Person(meanwhile=lambda _: other.call_sync("edit_file", edit("line 30\n", "line thirty\n")))
    result = await session(sandbox, person).call("edit_file", edit("line 3\n", "line three\n"))
    assert refused(result) == "changed_since_approval"


async def test_an_overwrite_after_an_own_edit_does_not_work(sandbox: FileSandbox, work: Path) -> None:
    """Its diff showed the whole file, and that is another one now."""
    _, second = await Both(sandbox)(
        ("edit_file", edit("line 3\n", "line three\n")), ("write_file", {"path": "work/a.txt", "content": "all new\n"})
    )
    assert getattr(second, "code", "") == "changed_since_approval"


async def test_where_nobody_looked_the_arguments_alone_are_bound(sandbox: FileSandbox, work: Path) -> None:
    run = session(sandbox, mode="approve_all")
    await run.call("edit_file", edit("line 3\n", "line three\n"))
    (work / "a.txt").write_text((work / "a.txt").read_text() + "stranger\n")
    assert "error" not in str(await run.call("edit_file", edit("line 4\n", "line four\n")))


async def test_edited_arguments_are_bound_to_evidence_of_their_own(sandbox: FileSandbox, work: Path) -> None:
    (work / "b.txt").write_text("b\n")
    person = Person(Approve(by="ana", override_args={"path": "work/b.txt", "content": "by ana\n"}))
    result = await session(sandbox, person).call("write_file", {"path": "work/a.txt", "content": "by the agent\n"})
    assert "by ana" in str(result)
    assert files_in(work) == {"a.txt": TEXT.encode(), "b.txt": b"by ana\n"}


async def test_a_rejected_edit_changes_nothing_and_tells_the_model_why(sandbox: FileSandbox, work: Path) -> None:
    result = await session(sandbox, Person(Reject(note="keep it"))).call("edit_file", edit("line 3\n", "x\n"))
    assert "keep it" in str(result)
    assert files_in(work) == {"a.txt": TEXT.encode()}


async def test_what_cannot_work_bothers_nobody(sandbox: FileSandbox) -> None:
    person = Person()
    call = session(sandbox, person).call
    assert refused(await call("edit_file", edit("not there", "x"))) == "find_not_found"
    assert refused(await call("edit_file", edit("line", "x"))) == "find_not_unique"
    assert refused(await call("delete_file", {"path": "work/nothing"})) == "file_not_found"
    assert refused(await call("move_file", {"path": "work/a.txt", "destination": "work/a.txt"})) == "invalid_arguments"
    assert person.asked == []


async def test_the_exact_bytes_of_an_escaped_diff_are_reachable_by_digest(sandbox: FileSandbox, work: Path) -> None:
    (work / "latin.txt").write_bytes("café\nold\n".encode("latin-1"))
    person = Person()
    run = session(sandbox, person)
    tool = run.tools["edit_file"]
    seen: list[bytes] = []

    def look(pending: Pending) -> None:
        shown = pending.preview.presentation
        assert isinstance(shown, EditPresentation)
        assert shown.change.escaped
        assert shown.change.before is not None
        assert shown.change.after is not None
        versions = shown.change.before, shown.change.after
        seen.extend(tool.contents(pending.call, version.sha256) for version in versions)  # type: ignore[attr-defined]

    person.meanwhile = look
    await run.call("edit_file", edit("old", "new", "work/latin.txt"))
    assert seen == ["café\nold\n".encode("latin-1"), "café\nnew\n".encode("latin-1")]
    assert (work / "latin.txt").read_bytes() == seen[1]


async def test_the_mode_of_a_file_is_kept(sandbox: FileSandbox, work: Path) -> None:
    (work / "a.txt").chmod(0o640)
    await session(sandbox, Person()).call("edit_file", edit("line 3\n", "x\n"))
    assert (work / "a.txt").stat().st_mode & 0o7777 == 0o640
