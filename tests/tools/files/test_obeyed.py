"""What git, a shell or Python outside would run is changed only if a person agrees to that very file."""

from __future__ import annotations

from pathlib import Path

import pytest

from assent.config import SandboxPath, read_settings
from assent.gate import Gate
from assent.model import Approve, Scope
from assent.runtime import Session
from assent.testing import memory_store
from assent.tools.files import FileSandbox, file_tools
from assent.tools.files.sandbox._sandbox import RuleOptions
from tests.tools.files.kit import Person, refused, session

FREE: RuleOptions = {"write_approval": False, "edit_approval": False, "delete_approval": False}


def free(root: Path) -> FileSandbox:
    return FileSandbox({"work": SandboxPath(root=root, mode="rw", **FREE)})


def repository(root: Path, config: str = "[core]\n\tbare = false\n") -> Path:
    (root / ".git/hooks").mkdir(parents=True)
    (root / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (root / ".git/config").write_text(config)
    return root


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return repository(tmp_path / "work")


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("write_file", {"path": "work/.git/hooks/pre-commit", "content": "#!/bin/sh\n"}),
        ("edit_file", {"path": "work/.git/config", "old_string": "bare", "new_string": "fsmonitor = evil; bare"}),
        ("patch_file", {"path": "work/.git/config", "patches": [{"find": "bare", "replace": "x"}]}),
        ("delete_file", {"path": "work/.git/config"}),
        ("move_file", {"path": "work/script", "destination": "work/.git/hooks/post-checkout"}),
        ("write_file", {"path": "work/new/.git", "content": "gitdir: ../evil\n"}),
        ("write_file", {"path": "work/link/config", "content": ""}),
    ],
)
async def test_what_git_obeys_asks_where_all_else_is_free(root: Path, tool: str, args: dict[str, object]) -> None:
    (root / "script").write_text("#!/bin/sh\n")
    (root / "link").symlink_to(".git")
    with free(root) as sandbox:
        assert refused(await session(sandbox, mode="strict").call(tool, args)) == "denied"
        person = Person()
        assert "error" not in str(await session(sandbox, person).call(tool, args))
    assert [pending.request.reason.partition(" what ")[2] for pending in person.asked] == [
        "git, a shell or Python may run always asks first"
    ]


async def test_hooks_and_configuration_elsewhere_ask_and_what_lies_beside_them_does_not(root: Path) -> None:
    (root / ".git/config").write_text("[core]\n\thooksPath = .husky\n[include]\n\tpath = ../more.conf\n")
    with free(root) as sandbox:
        run = session(sandbox, mode="strict")
        for path in ("work/.husky/pre-commit", "work/more.conf"):
            assert refused(await run.call("write_file", {"path": path, "content": "x"})) == "denied"
        for path in ("work/husky", "work/.github/config", "work/config", "work/hooks/x", "work/.gitignore"):
            assert "error" not in str(await run.call("write_file", {"path": path, "content": "x"}))


async def test_hooks_named_by_a_repository_outside_ask_also_where_tools_are_confined(tmp_path: Path) -> None:
    repository(tmp_path, "[core]\n\thooksPath = app/.husky\n")
    (tmp_path / "app").mkdir()
    (tmp_path / "assent.yaml").write_text(
        "sandbox: {confine_file_tools: true, paths: {app: {root: app, mode: rw, write_approval: false}}}\n"
    )
    with FileSandbox.from_settings(read_settings(tmp_path / "assent.yaml")) as sandbox:
        run = session(sandbox, mode="strict")
        planted = await run.call("write_file", {"path": "app/.husky/pre-commit", "content": "x"})
        assert refused(planted) == "denied"
        assert "error" not in str(await run.call("write_file", {"path": "app/husky", "content": "x"}))


@pytest.mark.parametrize("order", [("HEAD", "config"), ("config", "HEAD")])
async def test_no_bare_repository_is_made_in_passing(tmp_path: Path, order: tuple[str, str]) -> None:
    (tmp_path / "bare/objects").mkdir(parents=True)
    (tmp_path / "bare/refs").mkdir()
    with free(tmp_path) as sandbox:
        run = session(sandbox, mode="strict")
        first, second = [await run.call("write_file", {"path": f"work/bare/{name}", "content": "x"}) for name in order]
    assert "error" not in str(first)
    assert refused(second) == "denied"


async def test_the_start_up_files_of_a_home_folder_ask(tmp_path: Path) -> None:
    (tmp_path / ".bashrc").touch()
    with free(tmp_path) as sandbox:
        run = session(sandbox, mode="strict")
        assert refused(await run.call("write_file", {"path": "work/.profile", "content": "x"})) == "denied"
        assert "error" not in str(await run.call("write_file", {"path": "work/sub/.profile", "content": "x"}))


async def test_a_wider_answer_does_not_cover_what_git_obeys(root: Path) -> None:
    (root / "a.txt").touch()
    person = Person(Approve(scope=Scope.SESSION, covers="path:work"))
    with FileSandbox({"work": SandboxPath(root=root, mode="rw")}) as sandbox:
        run = Session(Gate(approver=person, store=memory_store()), file_tools(sandbox))
        await run.call("write_file", {"path": "work/a.txt", "content": "x"})
        await run.call("write_file", {"path": "work/b.txt", "content": "x"})
        person.answer = Approve(scope=Scope.ONCE)
        await run.call("write_file", {"path": "work/.git/hooks/pre-commit", "content": "x"})
    assert [pending.call.args["path"] for pending in person.asked] == ["work/a.txt", "work/.git/hooks/pre-commit"]
    assert person.asked[-1].request.wider == ()


async def test_reading_what_git_obeys_asks_nobody(root: Path) -> None:
    with free(root) as sandbox:
        assert "bare" in str(await session(sandbox, mode="strict").call("read_file", {"path": "work/.git/config"}))
