"""`run_command` behind a real gate and real walls: what runs, what asks, and how it is run."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from assent import Approve, Gate, Reject, ToolCall
from assent.config import ExplicitProfile, Mode, Sandbox, SandboxPath, Settings, Shell, ShellDefault, ShellRule
from assent.errors import CannotConfine, ChangedSinceApproval, DeniedByPolicy, InvalidArguments, Rejected
from assent.os_sandbox import Bubblewrap
from assent.runtime import execute
from assent.testing import memory_store
from assent.tools.command import CommandTool, command_tools
from assent.ui.draw import Look, whole
from tests.tools.command.conftest import ANYTHING, CAREFUL, MakeRoom, Room

ONCE = Approve(by="ana")
SAYS_ARGV = "import sys; print(sys.argv[1:])"
NOTHING_THERE = Bubblewrap(program=None)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def routes() -> list[str]:
    return Path("/proc/net/route").read_text().splitlines()


async def test_what_the_rules_allow_runs_unasked(make_room: MakeRoom, root: Path) -> None:
    (root / "a.txt").write_text("hello\n")
    room = make_room(shell=CAREFUL)
    assert await room.run("cat a.txt") == {
        "exit_code": 0,
        "signal": None,
        "output": "hello\n",
        "truncated": False,
        "full_output": None,
        "timed_out": False,
    }
    assert room.person.asked == []


async def test_what_asks_runs_once_a_person_agrees(make_room: MakeRoom, root: Path) -> None:
    room = make_room(ONCE, shell=CAREFUL)
    assert (await room.run("echo x > new.txt"))["exit_code"] == 0
    assert (root / "new.txt").read_text() == "x\n"
    assert [pending.request.description for pending in room.person.asked] == ["Run echo x > new.txt"]


async def test_what_a_person_rejects_does_not_run(make_room: MakeRoom, root: Path) -> None:
    with pytest.raises(Rejected):
        await make_room(Reject(by="ana"), shell=CAREFUL).run("touch new.txt")
    assert names_in(root) == []


async def test_what_the_rules_deny_never_runs(make_room: MakeRoom, root: Path) -> None:
    (root / "a.txt").touch()
    with pytest.raises(DeniedByPolicy):
        await make_room(ONCE, shell=CAREFUL).run("rm a.txt")
    assert (root / "a.txt").exists()


async def test_a_person_sees_what_the_walls_will_permit(make_room: MakeRoom, root: Path) -> None:
    room = make_room(ONCE, shell=CAREFUL)
    await room.run("touch a")
    drawn = list(whole(room.person.asked[0], Look(width=200)))
    assert f"Sandbox: bubblewrap; writes {root}; no network" in drawn


@pytest.mark.parametrize("words", ["'a b' c", "'$HOME' \"*\"", "'' x", "a\\ b", "é '\t'"])
async def test_a_plain_command_gets_the_words_that_bash_would_give_it(make_room: MakeRoom, words: str) -> None:
    room = make_room()
    plain = f"/usr/bin/python3 -c '{SAYS_ARGV}' {words}"
    without_shell, with_shell = await room.run(plain), await room.run(f"{plain}; true")
    assert without_shell["output"] == with_shell["output"]
    assert without_shell["exit_code"] == 0


async def test_a_plain_command_needs_no_shell_and_another_gets_bash(make_room: MakeRoom) -> None:
    room = make_room(ONCE)
    # A shell adds SHLVL to every environment it hands on.
    assert "SHLVL=" not in str((await room.run("/usr/bin/env"))["output"])
    done = await room.run("/usr/bin/env | grep -c SHLVL=; echo $0; shopt -q login_shell || echo no login")
    assert done["output"] == "1\n/bin/bash\nno login\n"


async def test_a_command_sees_no_secret_and_nothing_that_steers_programs(
    make_room: MakeRoom, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = ("MY_TOKEN", "AWS_SECRET_ACCESS_KEY", "LD_LIBRARY_PATH", "PYTHONPATH", "GIT_DIR", "BASH_ENV", "EDITOR", "X")
    for name in bad:
        monkeypatch.setenv(name, "secret-value")
    monkeypatch.setenv("PATH", f"{root}/bin:relative:/usr/bin:/bin")
    monkeypatch.setenv("LC_TIME", "C")
    monkeypatch.setenv("CI_JOB", "7")
    room = make_room(shell=replace(ANYTHING, env=("CI_JOB", "NOT_SET")))
    lines = str((await room.run("/usr/bin/env"))["output"]).splitlines()
    given = dict(line.split("=", 1) for line in lines)
    assert "secret-value" not in given.values()
    assert set(given) - {"LANG", "TZ", "PWD", "_"} - {n for n in given if n.startswith("LC_")} == {
        "PATH",
        "HOME",
        "TERM",
        "TMPDIR",
        "CI_JOB",
    }
    assert (given["PATH"], given["TERM"], given["TMPDIR"], given["LC_TIME"], given["CI_JOB"]) == (
        "/usr/bin:/bin",
        "dumb",
        "/tmp",  # noqa: S108 (the sandbox has its own)
        "C",
        "7",
    )


async def test_git_that_nobody_looked_at_runs_no_program_of_the_repository(make_room: MakeRoom) -> None:
    shell = Shell(rules=(ShellRule(pattern=("git",), approval=False), ShellRule(pattern=("env",), approval=False)))
    unseen, seen = make_room(shell=shell), make_room(ONCE, shell=Shell())
    command = "git --version && env"
    assert "\nGIT_" in str((await unseen.run(command))["output"])
    assert "\nGIT_" not in str((await seen.run(command))["output"])


async def test_a_command_writes_in_the_root_and_nowhere_else(make_room: MakeRoom, root: Path) -> None:
    outside = root.parent / "outside.txt"
    room = make_room(ONCE)
    assert (await room.run("touch inside.txt"))["exit_code"] == 0
    done = await room.run(f"echo x > {outside}; echo x > /usr/x; echo x > assent.yaml; mkdir .git/hooks")
    assert done["exit_code"] != 0
    assert names_in(root) == ["inside.txt"]
    assert not outside.exists()


@pytest.mark.parametrize("network", [False, True])
async def test_there_is_a_network_only_where_the_configuration_says_so(make_room: MakeRoom, *, network: bool) -> None:
    room = make_room(shell=replace(ANYTHING, network=network))
    lines = str((await room.run("cat /proc/net/route"))["output"]).splitlines()
    host = routes()
    if len(host) == 1:
        pytest.skip("this machine has no network itself")
    assert len(lines) == (len(host) if network else 1)


async def test_the_operators_profile_cuts_what_the_tools_would_permit(
    walls: Bubblewrap, root: Path, settings: Callable[[Shell], Settings]
) -> None:
    (root / "open").mkdir()
    made = settings(ANYTHING)
    sandbox = replace(made.sandbox, os_profile=ExplicitProfile(readable=(root,), writable=(root / "open",)))
    tool = CommandTool.from_settings(
        Settings(sandbox=sandbox, shell=made.shell, store=made.store), cwd=root, candidates=[walls]
    )
    room = Room(tool)
    assert (await room.run("touch a"))["exit_code"] == 1
    assert (await room.run("touch open/a"))["exit_code"] == 0


async def test_a_command_runs_in_the_folder_of_the_call(make_room: MakeRoom, root: Path) -> None:
    (root / "sub").mkdir()
    assert (await make_room().run("pwd", cwd="sub"))["output"] == f"{root}/sub\n"


async def test_a_folder_that_the_walls_do_not_show_is_refused(make_room: MakeRoom, root: Path) -> None:
    with pytest.raises(DeniedByPolicy, match=r"only in folders of sandbox\.paths"):
        await make_room(ONCE).run("pwd", cwd=str(root.parent))


async def test_a_signal_and_an_exit_code_are_reported(make_room: MakeRoom) -> None:
    room = make_room(ONCE)
    failed = await room.run("exit 7")
    assert (failed["exit_code"], failed["signal"]) == (7, None)
    ended = await room.run("kill -SEGV $$")
    assert (ended["exit_code"], ended["signal"]) == (128 + signal.SIGSEGV, signal.SIGSEGV)


async def test_a_program_that_is_not_there_is_an_exit_code(make_room: MakeRoom) -> None:
    done = await make_room(ONCE).run("no-such-program x")
    assert done["exit_code"] != 0
    assert "no-such-program" in str(done["output"])


async def test_there_is_no_input_and_no_terminal(make_room: MakeRoom) -> None:
    done = await make_room(ONCE).run(
        "cat; [ -t 0 ] || echo none; (: < /dev/tty) 2> /dev/null || echo no tty; ulimit -c"
    )
    assert done["output"] == "none\nno tty\n0\n"


async def test_a_rule_that_got_stricter_since_the_approval_stops_the_run(
    make_room: MakeRoom, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = root.parent / "bin"
    programs.mkdir()
    (programs / "tool").write_text("#!/bin/sh\necho ran\n")
    (programs / "tool").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    room = make_room(shell=replace(ANYTHING, toolchains=(programs,)))
    assert (await room.run("tool"))["output"] == "ran\n"
    call = ToolCall(run="r", id="x", tool_name="run_command", args={"command": "tool"})
    permit = await room.gate.admit(call, room.tool)
    # Now the program is one that the agent can write.
    (programs / "tool").rename(root / "tool")
    (programs / "tool").symlink_to(root / "tool")
    with room.gate.spend(permit), pytest.raises(ChangedSinceApproval):
        await room.tool.run(permit)


async def test_a_new_repository_is_reported_and_masked_from_then_on(make_room: MakeRoom, root: Path) -> None:
    room = make_room(ONCE, shell=ANYTHING)
    first = await room.run("git init -q sub; echo made")
    assert first["new_repositories"] == [str(root / "sub" / ".git")]
    second = await room.run("echo x > sub/.git/hooks/pre-commit; echo x >> sub/.git/config")
    assert second["exit_code"] == 1
    assert "new_repositories" not in second


async def test_a_repository_that_somebody_else_made_is_masked_before_the_next_command(
    make_room: MakeRoom, root: Path
) -> None:
    room = make_room(ONCE)
    for name in ("objects", "refs", "hooks"):
        (root / "sub/.git" / name).mkdir(parents=True)
    (root / "sub/.git/HEAD").touch()
    done = await room.run("echo x > sub/.git/hooks/pre-commit; true")
    assert "Read-only file system" in str(done["output"])


async def test_a_mask_stays_when_its_folder_no_longer_looks_like_a_repository(make_room: MakeRoom, root: Path) -> None:
    for name in ("objects", "refs", "hooks"):
        (root / "bare" / name).mkdir(parents=True)
    (root / "bare/HEAD").touch()
    room = make_room(ONCE, ONCE)
    await room.run("rm bare/HEAD")
    assert "Read-only file system" in str((await room.run("echo x > bare/hooks/pre-commit; true"))["output"])


async def test_a_masked_file_that_was_replaced_meanwhile_is_told(make_room: MakeRoom, root: Path) -> None:
    (root / "assent.yaml").write_text("approvals: {mode: strict}\n")

    def save(_call: ToolCall, _text: str, _stream: str) -> None:
        (root / "new").write_text("approvals: {mode: strict}\n")
        (root / "new").replace(root / "assent.yaml")
        (root / "saved").touch()

    room = make_room(ONCE, ONCE, on_output=save)
    done = await room.run("echo ready; until [ -e saved ]; do :; done")
    assert done["replaced"] == [str(root / "assent.yaml")]
    assert "replaced" not in await room.run("true")


async def test_a_link_in_place_of_a_masked_folder_does_not_stop_commands_and_is_watched(
    make_room: MakeRoom, root: Path
) -> None:
    for name in ("objects", "refs"):
        (root / ".git" / name).mkdir(parents=True)
    (root / ".git/HEAD").touch()
    (root / "shared").mkdir()
    (root / ".git/hooks").symlink_to("../shared")
    room = make_room(ONCE, ONCE)
    done = await room.run("echo x > .git/hooks/pre-commit; echo x > shared/pre-commit; true")
    assert str(done["output"]).count("Read-only file system") == 2
    assert "replaced" not in done
    assert (await room.run("rm .git/hooks; mkdir .git/hooks"))["replaced"] == [str(root / ".git/hooks")]


async def test_walls_that_are_gone_since_are_told_as_such(
    walls: Bubblewrap, root: Path, settings: Callable[[Shell], Settings]
) -> None:
    program = root.parent / "bwrap"
    shutil.copy(str(walls.program), program)
    copied = [Bubblewrap(program=str(program))]
    room = Room(CommandTool.from_settings(settings(ANYTHING), cwd=root, candidates=copied), ONCE)
    program.unlink()
    with pytest.raises(CannotConfine, match="cannot be started") as caught:
        await room.run("ls")
    assert caught.value.code == "os_sandbox_failed"


async def test_without_walls_every_call_is_denied_with_what_is_missing(
    root: Path, settings: Callable[[Shell], Settings]
) -> None:
    room = Room(CommandTool.from_settings(settings(ANYTHING), cwd=root, candidates=[NOTHING_THERE]), ONCE)
    with pytest.raises(DeniedByPolicy) as caught:
        await room.run("ls")
    assert caught.value.code == "os_sandbox_failed"
    assert "so commands are refused" in str(caught.value)
    assert "bubblewrap: it is not installed" in str(caught.value)


@pytest.mark.parametrize("mode", ["approve_all", "strict"])
async def test_no_mode_runs_a_command_without_walls(
    root: Path, settings: Callable[[Shell], Settings], mode: Mode
) -> None:
    tool = CommandTool.from_settings(settings(ANYTHING), cwd=root, candidates=[NOTHING_THERE])
    call = ToolCall(run="r", id="1", tool_name=tool.name, args={"command": "ls"})
    with pytest.raises(DeniedByPolicy):
        await execute(call, tool, Gate(store=memory_store(), mode=mode))


def required(root: Path, fallback: str) -> Settings:
    sandbox = Sandbox(
        paths={"work": SandboxPath(root=root, mode="rw")},
        require_os_sandbox=True,
        os_sandbox_fallback=fallback,  # type: ignore[arg-type]
    )
    return Settings(sandbox=sandbox, store=root.parent / "s.db")


def test_required_walls_that_are_missing_stop_the_start(root: Path) -> None:
    with pytest.raises(CannotConfine, match="require_os_sandbox is true") as caught:
        CommandTool.from_settings(required(root, "fail_fast"), cwd=root, candidates=[NOTHING_THERE])
    assert caught.value.code == "os_sandbox_failed"


async def test_required_walls_that_are_missing_can_refuse_the_tools_instead(root: Path) -> None:
    room = Room(CommandTool.from_settings(required(root, "refuse_tools"), cwd=root, candidates=[NOTHING_THERE]), ONCE)
    with pytest.raises(DeniedByPolicy, match="file and shell tools are refused"):
        await room.run("ls")


@pytest.mark.parametrize(
    "args", [{}, {"command": 5}, {"command": "ls", "shell": "zsh"}, {"command": "ls", "timeout": 0}]
)
def test_arguments_that_do_not_fit_are_named(make_room: MakeRoom, args: dict[str, object]) -> None:
    with pytest.raises(InvalidArguments):
        make_room().tool.validate(args)


def test_a_command_no_program_can_be_given_is_refused(make_room: MakeRoom) -> None:
    for command in ("echo \0", "echo \udc80"):
        with pytest.raises(InvalidArguments, match="half a character"):
            make_room().tool.validate({"command": command})


async def test_a_command_too_long_for_the_system_says_so(make_room: MakeRoom) -> None:
    with pytest.raises(InvalidArguments, match="put it into a script"):
        await make_room(ONCE).run(f"echo {'x' * 3_000_000}")


async def test_in_the_claude_dialect_it_is_bash_with_milliseconds(
    walls: Bubblewrap, root: Path, settings: Callable[[Shell], Settings]
) -> None:
    (tool,) = command_tools(settings(Shell(default=ShellDefault(approval=False))), "claude", cwd=root)
    assert set(tool.schema["properties"]) == {"command", "timeout", "description"}  # type: ignore[call-overload]
    room = Room(tool, ONCE)
    assert await room.told("echo hi", description="greet", timeout=60_000) == "hi"
    assert await room.told("sleep 100", timeout=50) == "The command was ended: its time was over."
    assert await room.told("echo no; exit 3") == "no\nExit code 3"
    assert json.dumps(tool.schema)


async def test_a_root_may_lie_among_the_temporary_files_of_the_system(walls: Bubblewrap, tmp_path: Path) -> None:
    with TemporaryDirectory(dir="/var/tmp") as folder:
        root = Path(folder)
        settings = Settings(
            sandbox=Sandbox(paths={"work": SandboxPath(root=root, mode="rw")}),
            shell=ANYTHING,
            store=tmp_path / "state" / "assent.db",
        )
        room = Room(CommandTool.from_settings(settings, cwd=root, candidates=[walls]))
        assert (await room.run("pwd; ls -a /var/tmp | wc -l"))["output"] == f"{root}\n3\n"
