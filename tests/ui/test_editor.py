from __future__ import annotations

import asyncio
import json
import shlex
import stat
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from assent.errors import DeniedByPolicy
from assent.model import (
    ApprovalDecision,
    ApprovalRequest,
    Approve,
    Pending,
    PendingId,
    Presentation,
    Reject,
    Scope,
    ToolCall,
    arguments_preview,
)
from assent.ui import TerminalApprover
from assent.ui._editor import Draft, EditFailed, arguments_of, draft_of
from tests.ui.person import NOW, Clerk, Person, file_question, question

COMMAND = {"command": "git push", "timeout": 5}


@pytest.fixture(autouse=True)
def _private_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    (tmp_path / "drafts").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "drafts"))


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's editor: it tells what it was given, and leaves what `does` makes of it."""
    told = tmp_path / "told.json"
    script = tmp_path / "my editor.py"
    script.write_text(
        "import json, os, pathlib, sys\n"
        "file = pathlib.Path(sys.argv[-1])\n"
        f"told = pathlib.Path({str(told)!r})\n"
        "seen = json.loads(told.read_text()) if told.exists() else []\n"
        "seen.append([sys.argv[1:-1], file.name, file.read_text(), file.stat().st_mode, file.parent.stat().st_mode])\n"
        "told.write_text(json.dumps(seen))\n"
        "exec(os.environ['DOES'])\n"
    )
    monkeypatch.setenv("EDITOR", shlex.join([sys.executable, str(script), "--wait", "$HOME; `x`"]))
    return told


def told_by(editor: Path) -> list[list[object]]:
    told: list[list[object]] = json.loads(editor.read_text())
    return told


def asking(person: Person, pending: Pending, clerk: Clerk | None = None) -> asyncio.Task[ApprovalDecision]:
    approver = TerminalApprover(person.keyboard, person.screen, by="kim", clock=lambda: NOW)

    async def answer() -> ApprovalDecision:
        answers: Mapping[PendingId, ApprovalDecision] = await (
            approver.decide([pending]) if clerk is None else approver.review([pending], clerk)
        )
        return answers[pending.id]

    return asyncio.ensure_future(answer())


async def redrawn(pending: Pending, args: Mapping[str, object]) -> Pending:
    """As the gate does it: judged again, and drawn again."""
    if "--force" in str(args):
        raise DeniedByPolicy(pending.call.tool_name, "nobody pushes with \x1b--force")
    call = ToolCall(run="run", id="1", tool_name=pending.call.tool_name, args=args)
    return replace(pending, call=call, preview=arguments_preview(call, "Redrawn"), digest=call.digest)


async def test_an_edited_command_is_judged_and_shown_again_and_approved_as_it_was_edited(
    person: Person, editor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decided = asking(person, question(args=COMMAND), Clerk(judged=redrawn))
    await person.is_asked("Question 1")
    monkeypatch.setenv("DOES", "file.write_text('git push --dry-run\\n')")
    person.types("e")
    await person.sees("Your edit of command:")
    shown = await person.is_asked('"command": "git push --dry-run"')
    assert "[h] Hunks" not in shown
    person.types("y")
    assert await decided == Approve(by="kim", override_args={"command": "git push --dry-run", "timeout": 5})
    ((given, name, text, mode, folder),) = told_by(editor)
    assert given == ["--wait", "$HOME; `x`"], "the words of EDITOR, without a shell"
    assert (name, text) == ("arguments.sh", "git push")
    assert isinstance(mode, int)
    assert isinstance(folder, int)
    assert (stat.S_IMODE(mode), stat.S_IMODE(folder)) == (0o600, 0o700)
    assert list((editor.parent / "drafts").iterdir()) == []


async def test_a_refused_edit_says_why_and_is_there_when_the_person_edits_again(
    person: Person, editor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decided = asking(person, question(args=COMMAND), Clerk(judged=redrawn))
    await person.is_asked("Question 1")
    monkeypatch.setenv("DOES", "file.write_text('git push --force\\n')")
    person.types("e")
    assert "\x1b--force" not in await person.sees("nobody pushes with ⟨U+001B⟩--force")
    await person.sees("Your edit is kept")
    await person.is_asked("Question 1")
    monkeypatch.setenv("DOES", "file.write_text(file.read_text().replace('--force', '--tags'))")
    person.types("e")
    await person.is_asked('"command": "git push --tags"')
    person.types("o")
    await person.is_asked('"command": "git push"')
    person.types("y")
    assert await decided == Approve(by="kim")
    assert [text for _, _, text, _, _ in told_by(editor)] == ["git push", "git push --force"]


@pytest.mark.usefixtures("editor")
@pytest.mark.parametrize("clerk", [None, Clerk()])
async def test_where_nobody_can_judge_it_yet_the_difference_is_shown_and_said_so(
    person: Person, monkeypatch: pytest.MonkeyPatch, clerk: Clerk | None
) -> None:
    decided = asking(person, question(args={"a": 1, "b": [2]}), clerk)
    await person.is_asked("Question 1")
    monkeypatch.setenv("DOES", "file.write_text(file.read_text().replace('1', '7'))")
    person.types("e")
    await person.sees("Your edit of a:")
    await person.sees("it is judged again with these arguments")
    assert "[s] Remember" not in await person.may_answer()
    person.types("y")
    assert await decided == Approve(by="kim", override_args={"a": 7, "b": [2]})


@pytest.mark.usefixtures("editor")
async def test_an_edit_that_changes_nothing_is_none(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    decided = asking(person, question(args=COMMAND), Clerk(judged=redrawn))
    await person.is_asked("Question 1")
    monkeypatch.setenv("DOES", "file.write_text(file.read_text() + '\\n')")
    person.types("e")
    await person.sees("Nothing was changed.")
    await person.is_asked("Question 1")
    person.types("y")
    assert await decided == Approve(by="kim")


LONG = Presentation(type="text", description="Long", content="\n".join(f"line {at}" for at in range(60)))


@pytest.mark.usefixtures("editor")
async def test_who_has_seen_an_edit_has_not_seen_the_original(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    decided = asking(person, question(args=COMMAND, presentation=LONG), Clerk(judged=redrawn))
    await person.is_asked("Question 1")
    await edits(person, monkeypatch, "git fetch")
    monkeypatch.setenv("DOES", "file.write_text('git push')")
    person.types("e")
    await person.sees("Nothing was changed.")
    await person.is_asked("Question 1")
    person.types("y")
    await person.sees("You have not seen all of it.")
    await person.may_answer()
    person.types("Y")
    assert await decided == Approve(by="kim")


async def edits(person: Person, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("DOES", f"file.write_text({command!r})")
    person.types("e")
    await person.is_asked(f'"command": "{command}"')


FETCH = Approve(by="kim", override_args={"command": "git fetch", "timeout": 5})


def asking_both(person: Person, *batch: Pending) -> asyncio.Task[Mapping[PendingId, ApprovalDecision]]:
    approver = TerminalApprover(person.keyboard, person.screen, by="kim", clock=lambda: NOW)
    return asyncio.ensure_future(approver.review(batch, Clerk(judged=redrawn)))


async def approves_all(person: Person, text: str) -> None:
    person.types("A")
    await person.sees(text)
    await person.may_answer()
    person.types("Y")


@pytest.mark.usefixtures("editor")
async def test_an_edit_is_what_is_approved_with_all_of_the_batch(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    decided = asking_both(person, question("1", args=COMMAND), question("2"))
    await person.is_asked("Question 1")
    await edits(person, monkeypatch, "git fetch")
    await approves_all(person, "Approve all 2 questions")
    assert list((await decided).values()) == [FETCH, Approve(by="kim")]


@pytest.mark.usefixtures("editor")
async def test_an_edit_is_what_is_approved_in_the_list_which_marks_it(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    decided = asking_both(person, question("1", args=COMMAND), question("2"))
    await person.is_asked("Question 1")
    await edits(person, monkeypatch, "git fetch")
    person.types("b")
    await person.sees("[ ] 1 Question 1  edited\n")
    await person.sees("[b] Back")
    await person.may_answer()
    person.types("y")
    await person.sees("[y] 1 Question 1  edited\n")
    await person.sees("[b] Back")
    await person.may_answer()
    await approves_all(person, "Approve the question that is not answered yet?")
    assert list((await decided).values()) == [FETCH, Approve(by="kim")]


@pytest.mark.usefixtures("editor")
async def test_what_is_remembered_for_the_original_does_not_answer_the_edit(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    same = ApprovalRequest(description="Push", fingerprint={})
    first, other = question("1", args=COMMAND, request=same), question("2", args=COMMAND, request=same)
    decided = asking_both(person, other, first)
    await person.is_asked("Push")
    await edits(person, monkeypatch, "git fetch")
    person.types("b")
    await person.sees("[b] Back")
    await person.may_answer()
    person.types("j")
    await person.sees("> [ ] 2")
    await person.sees("[b] Back")
    await person.may_answer()
    person.types("\r")
    await person.is_asked("Push")
    person.types("s")
    await person.sees("[1-6] Choose")
    await person.may_answer()
    person.types("1")
    await person.is_asked('"command": "git fetch"')
    person.types("y")
    assert await decided == {first.id: Approve(by="kim", scope=Scope.SESSION), other.id: FETCH}


@pytest.mark.usefixtures("editor")
@pytest.mark.parametrize(
    ("does", "why"),
    [
        ("file.write_text('{')", "This is no JSON"),
        ("file.write_text('[1]')", "The arguments are a JSON object"),
        ("sys.exit(3)", "The editor ended with code 3"),
        ("file.write_bytes(b'\\xff')", "not UTF-8"),
        ("file.unlink(); file.symlink_to('/etc/passwd')", "The editor left no file"),
        ("file.write_text('{\"a\": 1e999}')", "Your edit is kept"),
        ("file.write_text('[' * 100_000)", "This is no JSON"),
        ("file.unlink(); file.mkdir()", "What the editor left cannot be read"),
    ],
)
async def test_what_cannot_be_taken_over_is_said(
    person: Person, monkeypatch: pytest.MonkeyPatch, does: str, why: str
) -> None:
    decided = asking(person, question(args={"a": 1}), Clerk(judged=redrawn))
    await person.is_asked("Question 1")
    monkeypatch.setenv("DOES", does)
    person.types("e")
    said = await person.sees(why) + why + await person.sees("Approval needed")
    await person.may_answer()
    assert ("Your edit is kept" in said) is ("write_text" in does), "an editor that failed left nothing to keep"
    person.types("n")
    await person.may_answer()
    person.types("\n")
    assert await decided == Reject(by="kim")


@pytest.mark.usefixtures("editor")
async def test_where_there_is_no_place_for_the_file_the_question_stays(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    decided = asking(person, question())
    await person.is_asked("Question 1")
    person.types("e")
    await person.sees("There is no place for a file to edit")
    await person.is_asked("Question 1")
    person.types("y")
    assert await decided == Approve(by="kim")


@pytest.mark.usefixtures("editor")
async def test_the_original_is_not_approved_for_an_edit_that_could_not_be_taken_over(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    decided = asking(person, question(args={"a": 1}), Clerk(judged=redrawn))
    await person.is_asked("Question 1")
    monkeypatch.setenv("DOES", "file.write_text('{\"a\": 2,}')")
    person.types("e")
    assert "[y] Approve the original  " in await person.is_asked("Question 1")
    person.types("y")
    await person.sees("Your last edit is not in it: this would approve the original.")
    await person.may_answer()
    person.types("b")
    await person.is_asked("Question 1")
    person.types("o")
    assert "[y] Approve  " in await person.is_asked("Question 1")
    person.types("y")
    assert await decided == Approve(by="kim")


@pytest.mark.usefixtures("editor")
async def test_an_edit_that_leaves_no_arguments_answers_no_other_question(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    same = ApprovalRequest(description="Send it", fingerprint={})
    first, other = question("1", args={"a": 1}, request=same), question("2", args={"a": 1}, request=same)
    decided = asking_both(person, first, other)
    await person.is_asked("Send it")
    monkeypatch.setenv("DOES", "file.write_text('{}')")
    person.types("e")
    await person.sees("Your edit of a:")
    await person.may_answer()
    person.types("s")
    await person.sees("[1-4] Choose")
    await person.may_answer()
    person.types("1")
    await person.sees("(2 of 2)")
    await person.may_answer()
    person.types("\x04")
    edited, unanswered = (await decided).values()
    assert edited == Approve(by="kim", scope=Scope.SESSION, override_args={})
    assert isinstance(unanswered, Reject)


@pytest.mark.parametrize("words", ["/no/such/editor", "'unfinished"])
async def test_an_editor_that_does_not_start_is_named(
    person: Person, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.setenv("EDITOR", words)
    decided = asking(person, question())
    await person.is_asked("Question 1")
    person.types("e")
    await person.sees("EDITOR")
    await person.is_asked("Question 1")
    person.types("\x04")
    assert isinstance(await decided, Reject)


@pytest.mark.usefixtures("editor")
async def test_an_edit_may_be_remembered_as_well(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    decided = asking(person, question(args=COMMAND), Clerk(judged=redrawn))
    await person.is_asked("Question 1")
    monkeypatch.setenv("DOES", "file.write_text('git fetch')")
    person.types("e")
    await person.is_asked('"command": "git fetch"')
    person.types("s")
    # A no would be about what the agent asked for, which is not on the screen.
    await person.sees("[1-4] Choose")
    await person.may_answer()
    person.types("1")
    args = {"command": "git fetch", "timeout": 5}
    assert await decided == Approve(by="kim", scope=Scope.SESSION, override_args=args)


async def test_what_was_saved_when_the_question_was_taken_away_is_kept(
    person: Person, editor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decided = asking(person, question(args=COMMAND))
    await person.is_asked("Question 1")
    monkeypatch.setenv("DOES", "file.write_text('my work'); print('SAVED', flush=True); import time; time.sleep(60)")
    person.types("e")
    await person.sees("SAVED")
    decided.cancel("Answered by lee in the inbox.")
    await person.sees("What you had saved is in ")
    await person.sees("Answered by lee")
    with pytest.raises(asyncio.CancelledError):
        await decided
    (kept,) = (editor.parent / "drafts").glob("*/arguments.sh")
    assert kept.read_text() == "my work"


async def test_the_argument_a_person_means_is_edited(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    edit = await file_question(tmp_path, "edit_file", path="work/a.py", old_string="1", new_string="2")
    write = await file_question(tmp_path, "write_file", path="work/b.md", content="# B\n")
    assert draft_of(edit.call) == Draft(argument="new_string", text="2", suffix=".py")
    assert draft_of(write.call) == Draft(argument="content", text="# B\n", suffix=".md")
    other = draft_of(question(args={"to": "ä"}).call)
    assert (other.argument, other.suffix, json.loads(other.text)) == (None, ".json", {"to": "ä"})


def test_the_name_of_a_file_says_nothing_but_its_language() -> None:
    call = ToolCall(run="r", id="1", tool_name="t", args={"path": "a.x/../$(y)", "content": ""})
    assert draft_of(call).suffix == ".txt"
    with pytest.raises(EditFailed):
        arguments_of(Draft(argument=None, text="1", suffix=""), call)
