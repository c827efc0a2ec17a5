"""Which walls are used, decided by trying; each way they can be missing is brought about for real."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assent.os_sandbox import Bubblewrap, CannotConfine, Landlock, Missing, OSProfile, Refusal, Seatbelt, choose_backend
from tests.os_sandbox.kit import NOBODY_SPECIAL, SRC, profile, python_for_everybody, run, words

ASK = """
from assent.os_sandbox import Bubblewrap
print(Bubblewrap().probe())
"""
PYTHON, PYTHON_HOME = Path(sys.executable).resolve(), Path(sys.base_prefix).resolve()
MISSING = Bubblewrap(program=None)


def inside(*outer: str, user: int | None = None, code: str = ASK) -> str:
    """What the probe says when it runs inside another sandbox."""
    python = sys.executable if user is None else python_for_everybody()
    done = subprocess.run(
        ["bwrap", *outer, python, "-c", code],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(SRC)},
        user=user,
        group=user,
        extra_groups=None if user is None else [],
        cwd="/",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def refusal(chosen: object) -> Refusal:
    assert isinstance(chosen, Refusal)
    return chosen


def test_the_full_walls_are_chosen_where_they_hold(walls: Bubblewrap) -> None:
    assert choose_backend(required=True) == walls
    assert choose_backend(required=False) == walls


def test_bubblewrap_that_is_not_on_the_path_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    missing = Bubblewrap().probe()
    assert missing is not None
    assert "no `bwrap` on PATH" in missing.what
    assert "apt-get install bubblewrap" in missing.remedy


def test_a_bubblewrap_that_is_too_old_is_missing(tmp_path: Path) -> None:
    old = tmp_path / "bwrap"
    old.write_text("#!/bin/sh\necho '--unshare-all --seccomp FD --args FD --json-status-fd FD'\n")
    old.chmod(0o755)
    missing = Bubblewrap(program=str(old)).probe()
    assert missing is not None
    assert "too old: it has no --disable-userns" in missing.what
    assert "0.10" in missing.remedy


@pytest.fixture
def without_bind_fd(tmp_path: Path, walls: Bubblewrap) -> str:
    """The real bubblewrap, as it was before it could mount by descriptor."""
    old = tmp_path / "bwrap"
    old.write_text(
        f'#!/bin/sh\n[ "$1" = --help ] && {{ {walls.program} --help | grep -v bind-fd; exit; }}\n'
        f'exec {walls.program} "$@"\n'
    )
    old.chmod(0o755)
    return str(old)


def test_a_bubblewrap_that_would_leave_the_roots_open_inside_is_too_old(without_bind_fd: str) -> None:
    missing = Bubblewrap(program=without_bind_fd).probe()
    assert missing is not None
    assert "too old: it has no --bind-fd, --ro-bind-fd" in missing.what


def test_a_bubblewrap_in_a_writable_root_is_not_even_asked(
    walls: Bubblewrap, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = root.parent / "ran"
    (root / "bwrap").write_text(f'#!/bin/sh\ntouch {ran}\nexec {walls.program} "$@"\n')
    (root / "bwrap").chmod(0o755)
    elsewhere = root.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "bwrap").symlink_to(root / "bwrap")
    monkeypatch.setenv("PATH", f"{root}:{elsewhere}:/usr/bin:/bin")
    chosen = choose_backend(required=True, writable=[root])
    assert isinstance(chosen, Bubblewrap)
    assert chosen.program == "/usr/bin/bwrap"
    assert not ran.exists()


def test_a_bubblewrap_that_only_pretends_is_found_out(tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text(
        "#!/bin/sh\n[ $1 = --help ] && echo '--disable-userns --seccomp --args --json-status-fd --bind-fd --ro-bind-fd' && exit\n"
        "echo 'bwrap: something new' >&2\nexit 1\n"
    )
    broken.chmod(0o755)
    missing = Bubblewrap(program=str(broken)).probe()
    assert missing is not None
    assert missing.what == "it failed: something new"


def test_user_namespaces_switched_off_are_named(walls: Bubblewrap) -> None:
    said = inside("--dev-bind", "/", "/", "--unshare-user", "--disable-userns")
    assert "user namespaces are switched off" in said
    assert "a container or another sandbox around us" in said


def test_the_switch_that_turns_user_namespaces_off_is_named(walls: Bubblewrap) -> None:
    # The switch is each namespace's own, so it can be turned here without turning the machine's.
    switch = "echo 0 > /proc/sys/user/max_user_namespaces && exec"
    root = ["--dev-bind", "/", "/", "--unshare-user", "--uid", "0", "--gid", "0", "--cap-add", "ALL"]
    said = inside(*root, "/bin/sh", "-c", f'{switch} "$@"', "sh")
    assert "user namespaces are switched off" in said
    assert "Switch them on: sysctl -w user.max_user_namespaces=15000" in said


@pytest.mark.parametrize(
    "outer", [["--unshare-user", "--disable-userns"], None], ids=["no namespaces", "no bubblewrap"]
)
def test_what_requires_full_walls_is_refused_as_a_whole(
    walls: Bubblewrap, outer: list[str] | None, tmp_path: Path
) -> None:
    """Not only the choice: the tools of a configuration, where the walls are really missing."""
    (tmp_path / "work").mkdir()
    said = inside(
        *("--dev-bind", "/", "/", *(outer or [])),
        *([] if outer else ["--setenv", "PATH", str(tmp_path)]),
        code=TOOLS.format(work=str(tmp_path / "work"), store=str(tmp_path / "db")),
    )
    why = "user namespaces are switched off" if outer else "there is no `bwrap` on PATH"
    fails, refuses = said.split("----\n")
    assert fails.count(f"bubblewrap: {'' if outer else 'it is not installed: '}{why}") == 2
    assert fails.count("Or set sandbox.os_sandbox_fallback to refuse_tools") == 2
    assert refuses.count(why) == 2
    assert refuses.count("file and shell tools are refused (sandbox.os_sandbox_fallback: refuse_tools)") == 2
    assert refuses.count("deny") == 2


TOOLS = """
from pathlib import Path
from assent import ToolCall
from assent.config import Sandbox, SandboxPath, Settings
from assent.errors import CannotConfine
from assent.tools.command import CommandTool
from assent.tools.files import FileSandbox, file_tools

def settings(fallback):
    paths = {{"work": SandboxPath(root=Path({work!r}), mode="rw")}}
    sandbox = Sandbox(paths=paths, require_os_sandbox=True, os_sandbox_fallback=fallback)
    return Settings(sandbox=sandbox, store=Path({store!r}))

for build in (FileSandbox.from_settings, CommandTool.from_settings):
    try:
        print("built", build(settings("fail_fast")))
    except CannotConfine as error:
        print(error)
print("----")
command = CommandTool.from_settings(settings("refuse_tools"), cwd={work!r})
listing = file_tools(FileSandbox.from_settings(settings("refuse_tools")))[-2]
for tool, args in ((command, {{"command": "ls"}}), (listing, {{}})):
    verdict = tool.check_approval(ToolCall(run="r", id="1", tool_name=tool.name, args=args))
    print(verdict.kind, verdict.reason)
"""


def half_built() -> set[int]:
    """Every bubblewrap that was to start the probe's command, and has not."""
    waiting = {
        path.parent for path in Path("/proc").glob("[0-9]*/cmdline") if words(path)[-3:-1] == ["--", "/bin/true"]
    }
    return {int(folder.name) for folder in waiting}


def test_walls_that_fail_half_way_leave_no_process(walls: Bubblewrap) -> None:
    before = half_built()
    # With a /proc that is read-only, and another namespace's, bubblewrap gives up while its child waits for it.
    # Not every time: it depends on who of the two is faster.
    assert "setting up uid map" in inside("--ro-bind", "/", "/", "--unshare-all", "--dev", "/dev", code=ASK * 40)
    assert half_built() <= before


def test_a_container_that_hides_parts_of_proc_is_named(walls: Bubblewrap) -> None:
    user = NOBODY_SPECIAL if os.getuid() == 0 else None
    said = inside("--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "--tmpfs", "/proc/fs", user=user)
    assert "may not mount /proc" in said
    assert "systempaths=unconfined" in said


@pytest.mark.skipif(os.getuid() != 0, reason="only for root")
def test_root_inside_another_sandbox_is_told_so(walls: Bubblewrap) -> None:
    said = inside("--dev-bind", "/", "/", "--unshare-user", "--unshare-pid", "--proc", "/proc")
    assert "may not mount /proc" in said


def test_an_ordinary_user_inside_a_plain_sandbox_is_confined_all_the_same(walls: Bubblewrap) -> None:
    user = NOBODY_SPECIAL if os.getuid() == 0 else None
    assert inside("--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc", user=user) == "None\n"


async def test_inside_our_own_walls_there_are_no_further_ones(walls: Bubblewrap, root: Path) -> None:
    (root / "ask.py").write_text(ASK)
    allowed = OSProfile(writable=frozenset({root}), readable=frozenset({SRC, PYTHON_HOME}))
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(SRC)}
    script = f"exec {PYTHON} ask.py"
    output, ended = await run(script, backend=walls, allowed=allowed, cwd=root, env=env)
    assert ended.exit_code == 0, output
    assert "user namespaces are switched off" in output


def test_who_requires_walls_does_not_start_without_them() -> None:
    chosen = refusal(choose_backend(required=True, candidates=[MISSING, Landlock()]))
    assert chosen.fatal
    assert chosen.tools == {"file", "shell"}
    assert str(chosen) == (
        "sandbox.require_os_sandbox is true, and there is no OS sandbox on this machine.\n"
        "- bubblewrap: it is not installed: there is no `bwrap` on PATH. Install it: "
        "`apt-get install bubblewrap` (Debian, Ubuntu), `dnf install bubblewrap` (Fedora), "
        "`pacman -S bubblewrap` (Arch), `apk add bubblewrap` (Alpine)\n"
        "- landlock: it is weaker than what is required (5 known gaps), so it was not considered. "
        "Set sandbox.require_os_sandbox to false to accept it; `assent doctor` then shows what it leaves open\n"
        "Or set sandbox.os_sandbox_fallback to refuse_tools, to start without file and shell tools."
    )


def test_refuse_tools_starts_without_file_and_shell_tools() -> None:
    chosen = refusal(choose_backend(required=True, fallback="refuse_tools", candidates=[MISSING, Landlock()]))
    assert not chosen.fatal
    assert chosen.tools == {"file", "shell"}
    assert "file and shell tools are refused" in str(chosen)


def test_who_requires_nothing_gets_the_weaker_walls_with_their_label() -> None:
    if (missing := Landlock().probe()) is not None:
        pytest.skip(str(missing))
    chosen = choose_backend(required=False, candidates=[MISSING, Landlock()])
    assert isinstance(chosen, Landlock)
    assert chosen.weaker
    assert chosen.gaps


def test_with_no_walls_at_all_commands_are_refused_not_run_without() -> None:
    chosen = refusal(choose_backend(required=False, candidates=[MISSING, Seatbelt()]))
    assert not chosen.fatal
    assert chosen.tools == {"shell"}
    assert [each.backend for each in chosen.missing] == ["bubblewrap", "seatbelt"]
    assert all(isinstance(each, Missing) for each in chosen.missing)


async def test_a_bubblewrap_that_commands_could_replace_is_not_used(walls: Bubblewrap, root: Path) -> None:
    assert walls.program is not None
    shutil.copy(walls.program, root / "bwrap")
    planted = Bubblewrap(program=str(root / "bwrap"))
    with pytest.raises(CannotConfine, match="may write"):
        await run("true", backend=planted, allowed=profile(writable=root), cwd=root)
