"""File tools and the OS: the kernel catches a bug in our path code, and what must hold is refused without it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

from assent import Gate, ToolCall
from assent.adapters.pydantic_ai import Gated, file_toolset
from assent.config import Sandbox, SandboxPath, Search, SearchEngine, Settings
from assent.errors import CannotConfine
from assent.model import Approve, Permit
from assent.os_sandbox import Backend, Bubblewrap, Landlock, Launch, Missing, OSProfile
from assent.os_sandbox._landlock import landlock_abi
from assent.testing import memory_store
from assent.tools.files import Dialect, FileSandbox, file_tools
from assent.tools.files._arguments import ReadFile
from assent.tools.files._read import ReadTool
from assent.tools.files._results import ReadResult
from assent.tools.files.search import find_ripgrep
from tests.os_sandbox.kit import without_landlock
from tests.tools.files.kit import Person, files_in, refused, session

needs_landlock = pytest.mark.skipif(landlock_abi() < 2, reason="this kernel has no Landlock that moves files")
NOT_INSTALLED = Bubblewrap(program=None)
CALLS: dict[str, dict[str, object]] = {
    "read_file": {"path": "work/a.txt"},
    "write_file": {"path": "work/a.txt", "content": "changed\n"},
    "edit_file": {"path": "work/a.txt", "old_string": "one", "new_string": "two"},
    "patch_file": {"path": "work/a.txt", "patches": [{"find": "one", "replace": "two"}]},
    "delete_file": {"path": "work/a.txt"},
    "move_file": {"path": "work/a.txt", "destination": "work/b.txt"},
    "list_files": {},
    "search_files": {"pattern": "one"},
}


class Held:
    """Walls that hold, as far as anybody is told, and that count how often they are tried."""

    name, weaker, gaps = "held", False, ()

    def __init__(self) -> None:
        self.tried = 0

    def probe(self) -> Missing | None:
        self.tried += 1
        return None

    def command(self, argv: Sequence[str], *, profile: OSProfile, cwd: Path, env: Mapping[str, str]) -> Launch:
        raise CannotConfine("no command is started here")


class Careless(ReadTool):
    """A file tool with the bug that the walls are for: it opens whatever path it is given."""

    def do(self, wanted: ReadFile, permit: Permit | None) -> ReadResult:
        return ReadResult(content=Path(wanted.path).read_text(), total_lines=1, truncated=False)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    for name in ("work", "docs", "private"):
        (tmp_path / name).mkdir()
    (tmp_path / "work/a.txt").write_text("one\n")
    (tmp_path / "docs/b.txt").write_text("one of the docs\n")
    (tmp_path / "private/secret").write_text("one secret\n")
    return tmp_path


def settings(base: Path, *, engine: SearchEngine = "auto", **sandbox: Any) -> Settings:  # noqa: ANN401 (keys of one class)
    paths = {"work": SandboxPath(root=base / "work", mode="rw"), "docs": SandboxPath(root=base / "docs")}
    return Settings(
        sandbox=Sandbox(paths=paths, **sandbox), search=Search(engine=engine), store=base / "private" / "assent.db"
    )


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def careless(sandbox: FileSandbox) -> Careless:
    reading = file_tools(sandbox)[0]
    return Careless(sandbox, reading._wording)


# Confined


@needs_landlock
async def test_the_kernel_catches_a_bug_in_our_own_path_code(base: Path) -> None:
    secret = {"path": str(base / "private/secret")}
    with FileSandbox.from_settings(settings(base, confine_file_tools=True)) as sandbox:
        with pytest.raises(PermissionError):
            await careless(sandbox).ungated(secret)
        assert await careless(sandbox).ungated({"path": str(base / "work/a.txt")}) is not None
    with FileSandbox.from_settings(settings(base)) as sandbox:
        assert "one secret" in str(await careless(sandbox).ungated(secret))


@needs_landlock
async def test_the_same_bug_is_caught_when_a_call_is_judged_and_shown(base: Path) -> None:
    class Curious(ReadTool):
        def verdict(self, wanted: ReadFile) -> Any:  # noqa: ANN401 (it never returns)
            raise AssertionError(Path(wanted.path).read_text())

        draw = verdict

    call = ToolCall(run="r", id="1", tool_name="read_file", args={"path": str(base / "private/secret")})
    with FileSandbox.from_settings(settings(base, confine_file_tools=True)) as sandbox:
        tool = Curious(sandbox, file_tools(sandbox)[0]._wording)
        with pytest.raises(PermissionError):
            tool.check_approval(call)
        with pytest.raises(PermissionError):
            await tool.preview(call)


@needs_landlock
@pytest.mark.parametrize("engine", ["ripgrep", "python"])
async def test_every_tool_works_on_confined_threads(base: Path, engine: SearchEngine) -> None:
    with FileSandbox.from_settings(settings(base, engine=engine, confine_file_tools=True)) as sandbox:
        agent = session(sandbox, Person(Approve(by="ana")))
        results = {tool: await agent.call(tool, CALLS[tool]) for tool in ("read_file", "list_files", "search_files")}
        await agent.call("edit_file", CALLS["edit_file"])
        await agent.call("patch_file", {"path": "work/a.txt", "patches": [{"find": "two", "replace": "three"}]})
        await agent.call("write_file", {"path": "work/deep/er/c.txt", "content": "new\n"})
        await agent.call("move_file", {"path": "work/deep/er/c.txt", "destination": "work/c.txt"})
        await agent.call("write_file", {"path": "work/gone.txt", "content": "x"})
        await agent.call("delete_file", {"path": "work/gone.txt"})
    found = results["search_files"]
    assert isinstance(found, dict)
    assert [match["path"] for match in found["matches"]] == ["docs/b.txt", "work/a.txt"]
    assert files_in(base / "work") == {"a.txt": b"three\n", "c.txt": b"new\n"}


@needs_landlock
async def test_ripgrep_is_started_from_wherever_it_is_installed(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rg = find_ripgrep([])
    if rg is None:
        pytest.skip("ripgrep is not installed")
    (base / "private/bin").mkdir()
    shutil.copy(rg, base / "private/bin/rg")
    monkeypatch.setenv("PATH", str(base / "private/bin"))
    with FileSandbox.from_settings(settings(base, engine="ripgrep", confine_file_tools=True)) as sandbox:
        assert find_ripgrep([]) == str(base / "private/bin/rg")
        found = await session(sandbox).call("search_files", CALLS["search_files"])
        assert isinstance(found, dict)
        assert len(found["matches"]) == 2
        with pytest.raises(PermissionError):
            sandbox.threads.call((base / "private/secret").read_text)


@needs_landlock
def test_a_read_only_root_is_read_only_for_the_kernel_too(base: Path) -> None:
    with FileSandbox.from_settings(settings(base, confine_file_tools=True)) as sandbox:
        assert sandbox.threads.call((base / "docs/b.txt").read_text) == "one of the docs\n"
        with pytest.raises(PermissionError):
            sandbox.threads.call((base / "docs/b.txt").write_text, "changed")
        sandbox.threads.call((base / "work/a.txt").write_text, "changed")


@needs_landlock
def test_a_required_os_sandbox_confines_the_file_tools_unless_it_is_said_otherwise(base: Path) -> None:
    secret = base / "private/secret"
    held: list[Backend] = [Held()]
    required = FileSandbox.from_settings(settings(base, require_os_sandbox=True), candidates=held)
    with required, pytest.raises(PermissionError):
        required.threads.call(secret.read_text)
    only = settings(base, require_os_sandbox=True, confine_file_tools=False)
    with FileSandbox.from_settings(only, candidates=held) as sandbox:
        assert sandbox.threads.call(secret.read_text) == "one secret\n"


@needs_landlock
def test_it_is_decided_once_and_not_for_each_call(base: Path) -> None:
    held = Held()
    with FileSandbox.from_settings(settings(base, require_os_sandbox=True), candidates=[held]) as sandbox:
        agent = session(sandbox)
        for _ in range(3):
            agent.call_sync("read_file", CALLS["read_file"])
    assert held.tried == 1


DEMAND = """
import sys
from pathlib import Path
from assent.config import Sandbox, SandboxPath, Settings
from assent.errors import CannotConfine
from assent.tools.files import FileSandbox, file_tools
from tests.tools.files.test_walls import Held
base = Path(sys.argv[1])
for keys in ({"confine_file_tools": True}, {"require_os_sandbox": True}):
    for fallback in ("fail_fast", "refuse_tools"):
        sandbox = Sandbox(paths={"work": SandboxPath(root=base / "work")}, os_sandbox_fallback=fallback, **keys)
        try:
            made = FileSandbox.from_settings(Settings(sandbox=sandbox, store=base / "db"), candidates=[Held()])
            made.threads.call(print, "done")
        except CannotConfine as error:
            print(error)
"""


def test_on_a_kernel_without_landlock_what_demands_it_is_refused(base: Path) -> None:
    here = Path(__file__).resolve().parents[3]
    said = without_landlock(f"sys.path.insert(0, {str(here)!r})\n{DEMAND}", str(base))
    missing = (
        "file tools cannot be confined: this kernel has no Landlock; "
        "Linux 5.19 or later with `landlock` in its `lsm=` has what is needed"
    )
    accept = "Set sandbox.confine_file_tools to false, to trust the path checks alone"
    start = "or sandbox.os_sandbox_fallback to refuse_tools, to start without file tools"
    assert said.splitlines() == [
        f"{missing}. sandbox.confine_file_tools demands it. {accept}, {start}.",
        f"{missing}. sandbox.confine_file_tools demands it, so file tools are refused. {accept}.",
        f"{missing}. sandbox.require_os_sandbox demands it. {accept}, {start}.",
        f"{missing}. sandbox.require_os_sandbox demands it, so file tools are refused. {accept}.",
    ]


# Refused


def degraded(base: Path) -> FileSandbox:
    wanted = settings(base, require_os_sandbox=True, os_sandbox_fallback="refuse_tools")
    return FileSandbox.from_settings(wanted, candidates=[NOT_INSTALLED, Landlock()])


def check_told(result: object) -> None:
    """It says what is missing, how to install it, and which keys change it."""
    assert refused(result) == "os_sandbox_failed"
    assert isinstance(result, dict)
    said = str(result["message"])
    assert "file and shell tools are refused (sandbox.os_sandbox_fallback: refuse_tools)" in said
    assert "there is no `bwrap` on PATH. Install it: `apt-get install bubblewrap`" in said
    assert "Set sandbox.require_os_sandbox to false" in said


@pytest.mark.parametrize("tool", CALLS)
def test_without_the_required_walls_every_file_tool_is_refused(base: Path, tool: str) -> None:
    before = files_in(base)
    with degraded(base) as sandbox:
        person = Person()
        check_told(session(sandbox, person).call_sync(tool, CALLS[tool]))
        check_told(session(sandbox, mode="approve_all").call_sync(tool, CALLS[tool]))
    assert person.asked == []
    assert files_in(base) == before


@pytest.mark.parametrize("dialect", ["assent", "claude"])
async def test_there_is_no_way_around_in_any_dialect(base: Path, dialect: Dialect) -> None:
    arguments: dict[str, dict[str, object]] = {
        "Read": {"file_path": str(base / "work/a.txt")},
        "read_file": CALLS["read_file"],
    }
    with degraded(base) as sandbox:
        tool = file_tools(sandbox, dialect)[0]
        call = ToolCall(run="r", id="1", tool_name=tool.name, args=arguments[tool.name])
        assert tool.check_approval(call).kind == "deny"
        with pytest.raises(CannotConfine):
            await tool.preview(call)
        with pytest.raises(CannotConfine):
            await tool.ungated(call.args)
        with pytest.raises(CannotConfine):
            tool.contents(call, "digest")


@pytest.mark.parametrize("ungated", [False, True])
async def test_an_agent_of_pydantic_ai_is_refused_with_and_without_a_gate(base: Path, ungated: bool) -> None:  # noqa: FBT001 (a parameter)
    model = TestModel(call_tools=["list_files", "search_files"])
    with degraded(base) as sandbox:
        tools = file_toolset(sandbox, ungated=ungated)
        alone = await Agent(model, toolsets=[tools]).run("look")
        behind = await Agent(model, toolsets=[tools], capabilities=[Gated(Gate(store=memory_store()))]).run("look")
    for run in (alone, behind):
        told = [part for message in run.all_messages() for part in message.parts if part.part_kind == "tool-return"]
        assert [part.tool_name for part in told] == ["list_files", "search_files"]
        assert all("os_sandbox_failed" in part.model_response_str() for part in told)
        assert "a.txt" not in run.output


def test_by_default_no_file_tools_are_made_without_the_required_walls(base: Path) -> None:
    before = descriptors()
    with pytest.raises(CannotConfine, match="or set sandbox.os_sandbox_fallback to refuse_tools".capitalize()):
        FileSandbox.from_settings(settings(base, require_os_sandbox=True), candidates=[NOT_INSTALLED, Landlock()])
    assert descriptors() == before


def test_bubblewrap_that_is_really_not_there_is_found_out_when_tools_are_made(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(base))
    with pytest.raises(CannotConfine, match="there is no `bwrap` on PATH"):
        FileSandbox.from_settings(settings(base, require_os_sandbox=True))
    wanted = settings(base, require_os_sandbox=True, os_sandbox_fallback="refuse_tools")
    with FileSandbox.from_settings(wanted) as sandbox:
        check_told(session(sandbox).call_sync("read_file", CALLS["read_file"]))


def test_who_requires_nothing_has_file_tools_without_any_walls(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(base))
    with FileSandbox.from_settings(settings(base)) as sandbox:
        assert "one" in str(session(sandbox).call_sync("read_file", CALLS["read_file"]))


@needs_landlock
def test_a_sandbox_that_was_closed_leaves_nothing_open(base: Path) -> None:
    before = descriptors()
    with FileSandbox.from_settings(settings(base, confine_file_tools=True)):
        assert descriptors() > before
    assert descriptors() == before
