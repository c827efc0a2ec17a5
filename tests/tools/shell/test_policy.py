"""The shell rules behind a real gate: anyone's shell tool, remembered answers, modes."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest
from pydantic_ai import Agent

from assent import Approve, CommandPolicy, Gate, Reject, SandboxPath, Scope, Session, ToolCall
from assent.adapters.pydantic_ai import Gated
from assent.config import Mode, Shell, ShellDefault, ShellRule, read_settings
from assent.errors import ConfigError, DeniedByPolicy, InvalidArguments
from assent.functions import FunctionTool
from assent.model import ApprovalRequest, Presentation
from assent.testing import Answers, memory_store
from assent.tools.shell import Machine, Rules, judge, worth_a_line
from tests.adapters.kit import returns, script

RULES = Rules.of(
    Shell(
        preset="read-only",
        rules=(
            ShellRule(pattern=("rm",), allowed=False, description="nothing is deleted here"),
            ShellRule(pattern=("git", "push")),
            ShellRule(pattern=("git", "push", "--force")),
        ),
    )
)
ONCE = Approve(by="ana")
NO = Reject(by="ana")


def for_session(covers: str = "") -> Approve:
    return Approve(by="ana", scope=Scope.SESSION, covers=covers)


class Shelled:
    """A shell tool that only writes down what it would run, behind a gate with a scripted person."""

    def __init__(
        self,
        folder: Path,
        *answers: Approve | Reject,
        rules: Rules = RULES,
        mode: Mode = "interactive",
        paths: Mapping[str, SandboxPath] | None = None,
    ) -> None:
        self.person = Answers(*answers)
        self.ran: list[str] = []
        policy = CommandPolicy(rules, cwd=folder, paths=paths)
        gate = Gate(approver=self.person, store=memory_store(), mode=mode)
        tools = [FunctionTool(self._bash, name=name, policy=policy) for name in ("bash", "remote")]
        self.session = Session(gate, tools)

    def _bash(
        self,
        command: object,
        cwd: object = None,
        timeout: int = 30,
        env: dict[str, str] | None = None,
    ) -> str:
        self.ran.append(f"{command}" if cwd is None else f"{cwd}: {command}")
        return "ran"

    def run(self, command: object, **more: object) -> object:
        return self.session.call_sync("bash", {"command": command, **more})

    @property
    def asked(self) -> list[str]:
        return [pending.request.description for pending in self.person.asked]


def error(result: object) -> str:
    assert isinstance(result, Mapping)
    return str(result["error"])


def test_allowed_runs_asked_asks_and_denied_is_an_answer(tmp_path: Path) -> None:
    shell = Shelled(tmp_path, ONCE)
    assert shell.run("ls -l | wc -l") == "ran"
    assert shell.run("touch a") == "ran"
    denied = shell.run("ls && rm -rf a")
    assert error(denied) == "denied"
    assert "rm -rf a: a rule denies rm: nothing is deleted here" in str(denied)
    assert shell.ran == ["ls -l | wc -l", "touch a"]
    assert shell.asked == ["Run touch a"]


@pytest.mark.parametrize("command", ["rm x", "env rm x", "bash -c 'rm x'", "echo $(rm x)", "ls\n/bin/rm x"])
@pytest.mark.parametrize("mode", ["interactive", "approve_all", "strict"])
def test_deny_wins_in_every_mode(command: str, mode: Mode, tmp_path: Path) -> None:
    shell = Shelled(tmp_path, ONCE, mode=mode)
    assert error(shell.run(command)) == "denied"
    assert shell.ran == []
    assert shell.asked == []


def test_a_mode_decides_what_would_ask(tmp_path: Path) -> None:
    assert Shelled(tmp_path, mode="approve_all").run("touch a") == "ran"
    assert error(Shelled(tmp_path, mode="strict").run("touch a")) == "denied"
    assert Shelled(tmp_path, mode="strict").run("ls") == "ran"


@pytest.mark.parametrize("args", [{}, {"command": None}, {"command": 3}, {"command": []}, {"command": ["ls", 3]}])
def test_what_is_no_command_is_refused_before_anybody_is_asked(args: dict[str, object], tmp_path: Path) -> None:
    policy = CommandPolicy(RULES, cwd=tmp_path)
    with pytest.raises(InvalidArguments):
        policy.check_approval(ToolCall(run="r", id="1", tool_name="bash", args=args))


@pytest.mark.parametrize("command", ["echo " + "é" * 65_600, ["echo", *["''"] * 30_000]])
def test_a_command_no_system_starts_is_refused_unread(command: object, tmp_path: Path) -> None:
    policy = CommandPolicy(RULES, cwd=tmp_path)
    with pytest.raises(InvalidArguments, match="bytes long, of at most 131,071; put it into a script"):
        policy.check_approval(ToolCall(run="r", id="1", tool_name="bash", args={"command": command}))


@pytest.mark.parametrize("cwd", [3, "a\0b", ["a"]])
def test_what_is_no_folder_is_refused_before_anybody_is_asked(cwd: object, tmp_path: Path) -> None:
    shell = Shelled(tmp_path, ONCE)
    assert error(shell.run("ls", cwd=cwd)) == "invalid_arguments"
    assert (shell.ran, shell.asked) == ([], [])


def test_a_command_may_be_given_as_a_list_of_its_words(tmp_path: Path) -> None:
    shell = Shelled(tmp_path, NO)
    assert shell.run(["ls", "a b"]) == "ran"
    assert error(shell.run(["bash", "-c", "rm x"])) == "denied"
    assert shell.run(["ls", "; rm x"]) == "ran"  # one word, and not a second command


# What a remembered answer covers


def test_an_answer_for_the_session_covers_exactly_this_command(tmp_path: Path) -> None:
    shell = Shelled(tmp_path, for_session(), NO)
    assert shell.run("touch a") == "ran"
    assert shell.run("touch a") == "ran"
    assert error(shell.run("touch b")) == "rejected"
    assert error(shell.run("touch a; touch a")) == "rejected"
    assert len(shell.asked) == 3


def test_granted_words_cover_every_plain_command_that_begins_with_them(tmp_path: Path) -> None:
    shell = Shelled(tmp_path, for_session("words:git add"), NO)
    for command in ("git add a", "git add b c", "git add", "git add -- -e"):
        assert shell.run(command) == "ran", command
    assert len(shell.asked) == 1
    for command in ("git addx", "git commit", "git add a && touch b", "git add $x", "sudo git add a", "./git add a"):
        assert error(shell.run(command)) == "rejected", command
    assert error(shell.run("git add a; rm b")) == "denied"


@pytest.mark.parametrize(
    ("granted", "command"),
    [
        ("sort a", "sort -o out a"),
        ("sort a", "sort -uo out a"),
        ("sort a", "sort --outp=out a"),
        ("sort a", "sort --compress-program=./x a"),
        ("tar cf a b", "tar cf a b --checkpoint-action=exec=x"),
        ("tar cf a b", "tar -I x -cf a b"),
        ("git add a", "git add --edit"),
        ("git fetch", "git fetch --upload-pack=x"),
        ("git diff-tree a", "git diff-tree --output=x a"),
        ("sort a", "sort a > b"),
        ("sort a", "sort \u202ea"),
        ("sort a", "sort a &"),
    ],
)
def test_granted_words_do_not_cover_options_that_run_programs_or_write_files(
    granted: str, command: str, tmp_path: Path
) -> None:
    by_default = Rules.of(Shell(default=ShellDefault(allowed=True, approval=True)))
    words = " ".join(granted.split()[: 2 if granted.startswith("git") else 1])
    shell = Shelled(tmp_path, for_session(f"words:{words}"), NO, rules=by_default)
    assert shell.run(granted) == "ran"
    assert shell.run(granted + " again") == "ran"
    assert error(shell.run(command)) == "rejected"


def test_such_an_option_is_covered_by_no_grant_also_where_the_default_allows(tmp_path: Path) -> None:
    asks = ShellRule(pattern=("sort",))
    rules = Rules.of(Shell(default=ShellDefault(allowed=True, approval=False), rules=(asks,)))
    shell = Shelled(tmp_path, for_session("words:sort"), NO, rules=rules)
    assert shell.run("sort a") == "ran"
    assert error(shell.run("sort -o out a")) == "rejected"


def test_a_rule_that_asks_for_more_than_the_granted_words_still_asks(tmp_path: Path) -> None:
    shell = Shelled(tmp_path, for_session("words:git push"), NO)
    assert shell.run("git push origin a") == "ran"
    assert shell.run("git push origin b") == "ran"
    assert error(shell.run("git push --force")) == "rejected"


def test_a_folder_that_asks_before_it_is_read_asks_whatever_was_granted(tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    shell = Shelled(
        tmp_path,
        for_session("words:wc"),
        NO,
        rules=Rules.of(Shell()),
        paths={"private": SandboxPath(root=tmp_path / "private", read_approval=True)},
    )
    assert shell.run("wc a") == "ran"
    assert shell.run("wc b") == "ran"
    assert error(shell.run("wc private/a")) == "rejected"


@pytest.mark.parametrize(
    "command", ["python x.py", "bash x", "sudo ls", "xargs touch", "npx x", "find . -delete", "a;b"]
)
def test_nothing_wider_is_offered_for_what_its_arguments_decide(command: str, tmp_path: Path) -> None:
    shell = Shelled(tmp_path, NO)
    shell.run(command)
    assert [pending.request.wider for pending in shell.person.asked] == [()]


def test_a_grant_holds_in_its_folder_and_for_its_tool_only(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    shell = Shelled(tmp_path, for_session("words:touch"), NO)
    assert shell.run("touch a", cwd="one") == "ran"
    assert shell.run("touch b", cwd="two/../one") == "ran"
    assert error(shell.run("touch b", cwd="two")) == "rejected"
    assert error(shell.run("touch b")) == "rejected"
    assert error(shell.session.call_sync("remote", {"command": "touch b", "cwd": "one"})) == "rejected"


def test_a_link_that_leads_elsewhere_by_now_takes_no_grant_along(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    (tmp_path / "link").symlink_to("one")
    shell = Shelled(tmp_path, for_session(), NO)
    assert shell.run("touch a", cwd="link") == "ran"
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("two")
    assert error(shell.run("touch a", cwd="link")) == "rejected"


def test_an_argument_nobody_knows_asks_and_is_part_of_what_is_remembered(tmp_path: Path) -> None:
    shell = Shelled(tmp_path, for_session(), NO)
    assert shell.run("ls", timeout=5) == "ran"
    assert shell.asked == []
    assert shell.run("ls", env={"A": "b"}) == "ran"
    assert shell.run("ls", env={"A": "b"}) == "ran"
    (pending,) = shell.person.asked
    assert pending.request.reason == "env may change what the command does"
    assert pending.request.wider == ()
    assert error(shell.run("ls", env={"LD_PRELOAD": "x"})) == "rejected"


# What a person is shown


def test_a_person_sees_the_whole_command_its_parts_and_what_is_dangerous(tmp_path: Path) -> None:
    shell = Shelled(tmp_path, NO)
    command = "ls\n" + "git push --force origin main" + " " * 200
    shell.run(command)
    (pending,) = shell.person.asked
    presentation = pending.preview.presentation
    assert isinstance(presentation, Presentation)
    assert (presentation.type, presentation.content, presentation.language) == ("command", command, "bash")
    assert presentation.command is not None
    assert next((part.verdict, part.text) for part in presentation.command.parts) == ("allow", "ls")
    assert presentation.command.cwd == str(tmp_path)
    assert any(warning.startswith("force push: ") for warning in presentation.command.warnings)
    assert pending.request.description == "Run ls… (2 lines, 231 characters)"


def test_of_what_is_never_approved_unseen_a_person_reads_one_line_not_one_for_each_piece() -> None:
    judgement = judge("cat <<EOF; touch x; cat <<END\n$(rm x)\nEOF\nb\nEND", RULES, Machine(cwd=Path("/")))
    told = worth_a_line(judgement.parts)
    assert len(judgement.parts) > len(told)
    assert [part for part in judgement.parts if part.rule != "[construct]"] == [
        part for part in told if part.rule != "[construct]"
    ]
    spans = [(part.start, part.end) for part in told if part.rule == "[construct]"]
    assert spans
    assert all(one[1] <= other[0] or other[1] > one[1] for one, other in pairwise(spans))


# Where it looks


async def test_it_looks_around_off_the_event_loop_once_for_each_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []
    which = shutil.which

    def watched(cmd: str, *, path: str) -> str | None:
        threads.append(threading.get_ident())
        return which(cmd, path=path)

    monkeypatch.setattr(shutil, "which", watched)
    shell = Shelled(tmp_path, NO)
    # Twice the same at once: what one of them has prepared is not taken by the other.
    calls = [shell.session.call("bash", {"command": "ls && ls -l"}) for _ in range(2)]
    assert await asyncio.gather(*calls) == ["ran", "ran"]
    assert threads
    assert threading.get_ident() not in threads


# Wherever it is used


def test_it_stands_before_a_plain_function(tmp_path: Path) -> None:
    ran: list[str] = []

    def sh(command: str) -> str:
        ran.append(command)
        return "ran"

    gate = Gate(approver=Answers(ONCE), store=memory_store())
    wrapped = gate.wrap(sh, policy=CommandPolicy(RULES, cwd=tmp_path))
    assert wrapped("ls") == "ran"
    assert wrapped("touch x") == "ran"
    with pytest.raises(DeniedByPolicy):
        wrapped("rm x")
    assert ran == ["ls", "touch x"]


async def test_it_stands_before_the_shell_tool_of_a_framework(tmp_path: Path) -> None:
    person = Answers(ONCE)
    gate = Gate(approver=person, store=memory_store())
    calls = [("bash", {"command": command}, str(number)) for number, command in enumerate(["ls", "touch x", "rm x"])]
    policies = {"bash": CommandPolicy(RULES, cwd=tmp_path)}
    agent = Agent(script(calls, "done"), capabilities=[Gated(gate, policies=policies)])
    ran: list[str] = []

    @agent.tool_plain
    def bash(command: str) -> str:
        ran.append(command)
        return "ran"

    told = returns(await agent.run("go"))
    assert sorted(ran) == ["ls", "touch x"]
    assert [pending.request.description for pending in person.asked] == ["Run touch x"]
    assert told["2"][1] == "denied"
    assert bash is not None


def test_a_configuration_makes_one_and_its_examples_are_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    file = tmp_path / "assent.yaml"
    file.write_text("shell:\n  rules:\n    - pattern: touch\n      approval: false\n      match: [touch a]\n")
    policy = CommandPolicy.from_settings(read_settings(file), cwd=tmp_path)
    touch = ToolCall(run="r", id="1", tool_name="bash", args={"command": "touch a"})
    assert policy.check_approval(touch).kind == "allow"
    file.write_text(file.read_text().replace("[touch a]", "[touch a, mkdir a]"))
    with pytest.raises(ConfigError, match=r"assent\.yaml:5: .*mkdir a"):
        CommandPolicy.from_settings(read_settings(file), cwd=tmp_path)


def test_without_rules_every_command_asks(tmp_path: Path) -> None:
    policy = CommandPolicy(Rules.of(Shell()), cwd=tmp_path)
    assert isinstance(
        policy.check_approval(ToolCall(run="r", id="1", tool_name="bash", args={"command": "ls"})), ApprovalRequest
    )
