"""The OS sandbox as a configuration file asks for it: derived, cut by an explicit profile, required, and missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from assent import Gate, Session
from assent.config import Settings, read_settings
from assent.model import Tool
from assent.os_sandbox import Bubblewrap, CannotConfine, OSProfile, derive_os_sandbox_profile, what_explicit_cuts
from assent.os_sandbox._landlock import landlock_abi
from assent.testing import memory_store
from assent.tools.command import command_tools
from assent.tools.files import FileSandbox, file_tools

REQUIRED = """\
sandbox:
  paths:
    data:
      root: ./data
      mode: rw
    docs:
      root: ./docs
  require_os_sandbox: true
shell:
  default: {approval: false}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "project"
    for name in ("data", "docs"):
        (folder / name).mkdir(parents=True)
    (folder / "docs/guide").write_text("a guide\n")
    (folder / "secret").write_text("a secret\n")
    return folder


def settings(project: Path, text: str = REQUIRED) -> Settings:
    file = project / "assent.yaml"
    file.write_text(f"store: ../state/assent.db\n{text}")
    return read_settings(file)


def without_bubblewrap(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("PATH", str(folder))


def session(wanted: Settings, project: Path) -> Session:
    """An agent's tools, all made from the one configuration."""
    tools: list[Tool] = [*file_tools(FileSandbox.from_settings(wanted)), *command_tools(wanted, cwd=project / "data")]
    return Session(Gate(store=memory_store(), mode="approve_all"), tools)


def profile(wanted: Settings, explicit: OSProfile | None = None) -> OSProfile:
    return derive_os_sandbox_profile(wanted.sandbox, wanted.shell, explicit, masked=wanted.masked)


def test_a_profile_permits_what_the_paths_and_the_shell_say_and_nothing_else(project: Path) -> None:
    derived = profile(settings(project))
    assert derived.writable == {project / "data"}
    assert derived.readable == {project / "docs"}
    assert not derived.network
    assert profile(settings(project, f"{REQUIRED}  network: true\n")).network


def test_a_root_that_is_a_link_is_resolved(project: Path) -> None:
    (project / "link").symlink_to("data")
    assert profile(settings(project, REQUIRED.replace("./data", "./link"))).writable == {project / "data"}


def test_an_explicit_profile_is_intersected_and_never_grants_more(project: Path) -> None:
    wide = OSProfile(writable=frozenset({project, Path("/etc")}), network=True)
    wanted = settings(project)
    assert profile(wanted, wide) == profile(wanted)
    narrow = OSProfile(readable=frozenset({project / "data"}))
    cut = profile(wanted, narrow)
    assert cut == OSProfile(readable=frozenset({project / "data"}))
    assert what_explicit_cuts(wanted.sandbox, wanted.shell, narrow) == (
        f"sandbox.os_profile: commands cannot write '{project}/data' (sandbox.paths.data, rw)",
        f"sandbox.os_profile: commands cannot read '{project}/docs' (sandbox.paths.docs, ro)",
    )


async def test_an_explicit_profile_of_the_file_holds_for_commands(walls: Bubblewrap, project: Path) -> None:
    (project / "data/old").write_text("old\n")
    text = REQUIRED.replace("  require_os", "  os_profile: {readable: [data]}\n  require_os")
    told = await session(settings(project, text), project).call("run_command", {"command": "cat old; touch new"})
    assert isinstance(told, dict)
    assert told["output"].startswith("old\n")
    assert "Read-only file system" in told["output"]
    assert not (project / "data/new").exists()


@pytest.mark.skipif(landlock_abi() < 2, reason="this kernel has no Landlock that moves files")
async def test_where_the_required_sandbox_holds_everything_works_and_nothing_gets_out(
    walls: Bubblewrap, project: Path
) -> None:
    agent = session(settings(project), project)
    command = "cp ../docs/guide copy; cat ../secret; echo x > ../docs/guide; echo x > ../out"
    told = await agent.call("run_command", {"command": command})
    assert isinstance(told, dict)
    assert "cat: ../secret: No such file or directory" in told["output"]
    assert "../docs/guide: Read-only file system" in told["output"]
    assert not (project / "out").exists()
    assert (project / "data/copy").read_text() == (project / "docs/guide").read_text() == "a guide\n"
    assert "a guide" in str(await agent.call("read_file", {"path": "data/copy"}))


@pytest.mark.parametrize("fallback", ["", "  os_sandbox_fallback: fail_fast\n"])
def test_where_it_does_not_it_refuses_to_start(project: Path, fallback: str, monkeypatch: pytest.MonkeyPatch) -> None:
    without_bubblewrap(monkeypatch, project)
    wanted = settings(project, REQUIRED.replace("shell:\n", f"{fallback}shell:\n"))
    for build in (FileSandbox.from_settings, command_tools):
        with pytest.raises(CannotConfine, match="require_os_sandbox is true, and there is no OS sandbox"):
            build(wanted)


async def test_or_runs_degraded_with_all_file_and_shell_tools_refused(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_bubblewrap(monkeypatch, project)
    text = REQUIRED.replace("shell:\n", "  os_sandbox_fallback: refuse_tools\nshell:\n")
    agent = session(settings(project, text), project)
    for tool, args in (
        ("read_file", {"path": "docs/guide"}),
        ("write_file", {"path": "data/new", "content": "x"}),
        ("list_files", {}),
        ("run_command", {"command": "touch new"}),
    ):
        told = await agent.call(tool, args)
        assert isinstance(told, dict)
        assert told["error"] in {"os_sandbox_failed", "denied"}
        assert "file and shell tools are refused" in told["message"]
    assert list((project / "data").iterdir()) == []
