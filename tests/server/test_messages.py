"""Every message of the WebSocket, word for word."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from inline_snapshot import snapshot

from assent import __version__
from assent.agent import Event, RunResult, Text, TextDelta, ToolResult, ToolUse, Usage, message_of
from assent.gate import Gate, StoreClerk
from assent.model import (
    ApprovalRequest,
    Outcome,
    Pending,
    PendingId,
    Presentation,
    Preview,
    Reject,
    Ruling,
    Tool,
    ToolCall,
    WritePresentation,
)
from assent.server import messages
from assent.server.messages import Answer, Run, Stop, WrongMessage, approval_request, read_command
from assent.server.messages._previews import MOST_CHARACTERS, MOST_LINES
from assent.store import SQLiteStore
from assent.tools.command import command_tools
from assent.tools.files import FileSandbox, file_tools
from tests.server.served import settings_in

# Client to server


def test_run() -> None:
    said = """{
      "command": "run",
      "prompt": "Create a file called test.txt with 'hello world'",
      "continue": false,
      "permission_mode": "sdk",
      "auto_approve_safe": true
    }"""
    prompt = "Create a file called test.txt with 'hello world'"
    assert read_command(said) == Run(prompt=prompt, go_on=False, permission_mode="sdk", auto_approve_safe=True)


def test_run_says_the_rest_by_itself() -> None:
    assert read_command('{"command": "run", "prompt": "x"}') == Run(prompt="x")


def test_approval() -> None:
    said = '{"command": "tool_approval_response", "request_id": "uuid-del-request", "approved": true}'
    assert read_command(said) == Answer(request_id="uuid-del-request", approved=True)


def test_rejection() -> None:
    feedback = "Don't modify that file, use a different approach"
    said = {"command": "tool_approval_response", "request_id": "uuid-del-request", "approved": False}
    assert read_command(json.dumps(said | {"feedback": feedback})) == Answer(
        request_id="uuid-del-request", approved=False, feedback=feedback
    )


def test_stop() -> None:
    assert read_command('{"command": "stop"}') == Stop()


@pytest.mark.parametrize(
    "said",
    [
        "",
        "{",
        "[]",
        "null",
        "[" * 100_000,
        '{"command": "approve_all"}',
        '{"command": ["run"]}',
        '{"command": "run"}',
        '{"command": "run", "prompt": ""}',
        '{"command": "run", "prompt": "x", "permission_mode": "yolo"}',
        '{"command": "run", "prompt": "x", "auto_approve_safe": "yes"}',
        '{"command": "run", "prompt": "x", "mode": "approve_all"}',
        '{"command": "tool_approval_response", "request_id": "x"}',
        '{"command": "tool_approval_response", "request_id": "x", "approved": "true"}',
        '{"command": "tool_approval_response", "request_id": "x", "approved": 1}',
        '{"command": "tool_approval_response", "request_id": "x", "approved": true, "scope": "always"}',
        '{"command": "tool_approval_response", "request_id": "x", "approved": true, "feedback": "\\ud800"}',
    ],
)
def test_what_is_not_exactly_a_message_is_no_message(said: str) -> None:
    with pytest.raises(WrongMessage):
        read_command(said)


def test_a_wrong_message_is_told_what_is_allowed() -> None:
    with pytest.raises(WrongMessage, match="run, tool_approval_response and stop are allowed"):
        read_command('{"command": "go"}')


def test_every_permission_mode_has_its_label() -> None:
    assert dict(messages.PERMISSION_MODES) == {
        "bypassPermissions": "Auto Execute",
        "sdk": "Review & Approve (SDK)",
        "toolApproval": "Review & Approve (CLI)",
    }


# Server to client: what the agent does


def test_text() -> None:
    assert message_of(Text(text="I'll create that file for you.")) == {
        "type": "assistant",
        "subtype": "text",
        "content": {"text": "I'll create that file for you."},
    }


def test_tool_use() -> None:
    given = {"file_path": "/path/to/test.txt", "content": "hello world"}
    assert message_of(ToolUse(id="toolu_01ABC123", name="Write", input=given)) == {
        "type": "assistant",
        "subtype": "tool_use",
        "content": {"id": "toolu_01ABC123", "name": "Write", "input": given},
    }


def test_tool_result() -> None:
    told = "Wrote 11 characters to /path/to/test.txt"
    assert message_of(ToolResult(tool_use_id="toolu_01ABC123", content=told, is_error=False)) == {
        "type": "user",
        "subtype": "tool_result",
        "content": {"tool_use_id": "toolu_01ABC123", "content": told, "is_error": False},
    }


def test_result() -> None:
    ended = RunResult(status="success", message="done", usage=Usage(), conversation="c")
    assert message_of(ended) == {
        "type": "result",
        "subtype": "success",
        "content": {"message": "Conversation complete"},
    }


def test_a_plain_client_is_sent_exactly_these() -> None:
    plain: list[Event] = [
        Text(text=""),
        ToolUse(id="", name="", input={}),
        ToolResult(tool_use_id="", content="", is_error=False),
    ]
    assert all(messages.is_plain(message_of(each)) for each in plain)
    assert not messages.is_plain(message_of(TextDelta(text="")))
    assert not messages.is_plain(messages.run_started(Run(prompt="x"), by="ana"))


# Server to client: questions


def pending(shown: Presentation | WritePresentation, *, tool: str = "Write", **args: object) -> Pending:
    call = ToolCall(run="run", id="toolu_01ABC123", tool_name=tool, args=args)
    return Pending(
        id=PendingId("p"),
        call=call,
        request=ApprovalRequest(description="what would happen"),
        preview=Preview(presentation=shown),
        digest=call.digest,
        created=1.0,
    )


def written(path: str, content: str) -> WritePresentation:
    return WritePresentation(
        description="Write",
        path=path,
        sandbox="work",
        content=content,
        content_lines=1,
        content_bytes=len(content),
        preview=content,
        preview_truncated=False,
        file_exists=False,
    )


def message(of: Pending, contents: Mapping[str, bytes] | None = None) -> dict[str, Any]:
    made = approval_request(of, (contents or {}).get)
    assert str(UUID(str(made["request_id"]))) == made.pop("request_id")
    return made


def test_a_question_about_a_new_file() -> None:
    asked = pending(written("/path/to/test.txt", "hello world"), file_path="/path/to/test.txt", content="hello world")
    assert message(asked) == {
        "type": "tool_approval_request",
        "tool_name": "Write",
        "tool_input": {"file_path": "/path/to/test.txt", "content": "hello world"},
        "tool_use_id": "toolu_01ABC123",
        "preview_type": "diff",
        "preview_data": {
            "file_path": "/path/to/test.txt",
            "is_new_file": True,
            "original_lines": 0,
            "new_lines": 1,
        },
        "file_path": "/path/to/test.txt",
        "original_content": "",
        "new_content": "hello world",
        "diff_lines": [
            "--- a//path/to/test.txt",
            "+++ b//path/to/test.txt",
            "@@ -0,0 +1 @@",
            "+hello world",
        ],
    }


def test_the_id_of_a_question_names_what_is_shown_and_nothing_else() -> None:
    one = pending(written("/a", "x"), file_path="/a", content="x")
    same = replace(one, created=99.0, expires=100.0)
    assert messages.request_id(one) == messages.request_id(same)
    others = [
        replace(one, preview=Preview(presentation=written("/a", "y"))),
        replace(one, request=ApprovalRequest(description="something else")),
        replace(one, id=PendingId("q")),
        replace(one, digest="other arguments"),
    ]
    assert len({messages.request_id(each) for each in (one, *others)}) == 5


async def asked_by(tool_name: str, folder: Path, **args: object) -> dict[str, Any]:
    """The message about a call of a real tool, with the folder as `/w`."""
    settings = settings_in(folder)
    store = SQLiteStore(settings.store)
    sandbox = FileSandbox.from_settings(settings)
    tools: list[Tool] = [
        *file_tools(sandbox, "claude"),
        *file_tools(sandbox),
        *command_tools(settings, "claude", cwd=folder / "work"),
    ]
    tool = next(each for each in tools if each.name == tool_name)
    try:
        call = ToolCall(run="run", id="toolu_1", tool_name=tool_name, args=args)
        asked = await Gate(store=store).judge(call, tool)
        assert isinstance(asked, Pending)
        made = approval_request(asked, partial(StoreClerk(store).content, asked))
    finally:
        sandbox.close()
        store.close()
    text = json.dumps(made).replace(str(folder / "work"), "/w")
    shown: dict[str, Any] = json.loads(text)
    del shown["request_id"]
    return shown


async def test_a_question_about_an_edit(tmp_path: Path) -> None:
    settings_in(tmp_path)
    file = tmp_path / "work" / "a.py"
    file.write_text("one\ntwo\nthree")
    made = await asked_by("Edit", tmp_path, file_path=str(file), old_string="two", new_string="zwei")
    assert made == snapshot(
        {
            "type": "tool_approval_request",
            "tool_name": "Edit",
            "tool_input": {"file_path": "/w/a.py", "old_string": "two", "new_string": "zwei"},
            "tool_use_id": "toolu_1",
            "preview_type": "diff",
            "preview_data": {"file_path": "/w/a.py", "is_new_file": False, "original_lines": 3, "new_lines": 3},
            "file_path": "/w/a.py",
            "original_content": """\
one
two
three\
""",
            "new_content": """\
one
zwei
three\
""",
            "diff_lines": [
                "--- a//w/a.py",
                "+++ b//w/a.py",
                "@@ -1,3 +1,3 @@",
                " one",
                "-two",
                "+zwei",
                " three",
                "\\ No newline at end of file",
            ],
        }
    )


async def test_a_question_about_an_overwritten_file(tmp_path: Path) -> None:
    settings_in(tmp_path)
    file = tmp_path / "work" / "a.txt"
    file.write_text("one\ntwo\n")
    made = await asked_by("Write", tmp_path, file_path=str(file), content="one\nzwei\n")
    assert made == snapshot(
        {
            "type": "tool_approval_request",
            "tool_name": "Write",
            "tool_input": {
                "file_path": "/w/a.txt",
                "content": """\
one
zwei
""",
            },
            "tool_use_id": "toolu_1",
            "preview_type": "diff",
            "preview_data": {"file_path": "/w/a.txt", "is_new_file": False, "original_lines": 2, "new_lines": 2},
            "file_path": "/w/a.txt",
            "original_content": """\
one
two
""",
            "new_content": """\
one
zwei
""",
            "diff_lines": ["--- a//w/a.txt", "+++ b//w/a.txt", "@@ -1,2 +1,2 @@", " one", "-two", "+zwei"],
        }
    )


async def test_a_question_about_several_edits(tmp_path: Path) -> None:
    settings_in(tmp_path)
    file = tmp_path / "work" / "a.txt"
    file.write_text("one\ntwo\n")
    edits = [{"old_string": "one", "new_string": "eins"}, {"old_string": "two", "new_string": "zwei"}]
    made = await asked_by("MultiEdit", tmp_path, file_path=str(file), edits=edits)
    assert made == snapshot(
        {
            "type": "tool_approval_request",
            "tool_name": "MultiEdit",
            "tool_input": {
                "file_path": "/w/a.txt",
                "edits": [{"old_string": "one", "new_string": "eins"}, {"old_string": "two", "new_string": "zwei"}],
            },
            "tool_use_id": "toolu_1",
            "preview_type": "multi_diff",
            "preview_data": {
                "file_path": "/w/a.txt",
                "edits": 2,
                "files": [
                    {
                        "file_path": "/w/a.txt",
                        "is_new_file": False,
                        "original_lines": 2,
                        "new_lines": 2,
                        "diff_lines": [
                            "--- a//w/a.txt",
                            "+++ b//w/a.txt",
                            "@@ -1,2 +1,2 @@",
                            "-one",
                            "-two",
                            "+eins",
                            "+zwei",
                        ],
                    }
                ],
            },
            "file_path": "/w/a.txt",
            "original_content": """\
one
two
""",
            "new_content": """\
eins
zwei
""",
            "diff_lines": ["--- a//w/a.txt", "+++ b//w/a.txt", "@@ -1,2 +1,2 @@", "-one", "-two", "+eins", "+zwei"],
        }
    )


async def test_a_question_about_a_command(tmp_path: Path) -> None:
    made = await asked_by("Bash", tmp_path, command="rm -rf build && ls", description="Clean up")
    assert made["preview_data"].pop("sandbox")
    assert made == snapshot(
        {
            "type": "tool_approval_request",
            "tool_name": "Bash",
            "tool_input": {"command": "rm -rf build && ls", "description": "Clean up"},
            "tool_use_id": "toolu_1",
            "preview_type": "command",
            "preview_data": {
                "command": "rm -rf build && ls",
                "description": "Run rm -rf build && ls",
                "cwd": "/w",
                "warnings": ["recursive delete: it deletes folders with all they hold"],
                "parts": [
                    {
                        "text": "rm -rf build",
                        "start": 0,
                        "end": 12,
                        "verdict": "ask",
                        "rule": "[default]",
                        "why": "no rule names rm",
                    },
                    {
                        "text": "ls",
                        "start": 16,
                        "end": 18,
                        "verdict": "ask",
                        "rule": "[default]",
                        "why": "no rule names ls",
                    },
                ],
            },
            "file_path": None,
            "original_content": None,
            "new_content": None,
            "diff_lines": [],
        }
    )


async def test_a_question_about_a_deleted_file(tmp_path: Path) -> None:
    settings_in(tmp_path)
    (tmp_path / "work" / "a.txt").write_text("one\ntwo\n")
    made = await asked_by("delete_file", tmp_path, path="work/a.txt")
    assert made == snapshot(
        {
            "type": "tool_approval_request",
            "tool_name": "delete_file",
            "tool_input": {"path": "work/a.txt"},
            "tool_use_id": "toolu_1",
            "preview_type": "diff",
            "preview_data": {
                "file_path": "work/a.txt",
                "is_new_file": False,
                "original_lines": 2,
                "new_lines": 0,
                "is_deleted": True,
            },
            "file_path": "work/a.txt",
            "original_content": """\
one
two
""",
            "new_content": "",
            "diff_lines": ["--- a/work/a.txt", "+++ b/work/a.txt", "@@ -1,2 +0,0 @@", "-one", "-two"],
        }
    )


def test_a_question_about_any_other_tool() -> None:
    shown = Presentation(type="structured", description="Send a mail", content='{"to": "ana"}', language="json")
    assert message(pending(shown, tool="send_mail", to="ana")) == snapshot(
        {
            "type": "tool_approval_request",
            "tool_name": "send_mail",
            "tool_input": {"to": "ana"},
            "tool_use_id": "toolu_01ABC123",
            "preview_type": "generic",
            "preview_data": {
                "input": {"to": "ana"},
                "description": "Send a mail",
                "type": "structured",
                "content": '{"to": "ana"}',
                "language": "json",
            },
            "file_path": None,
            "original_content": None,
            "new_content": None,
            "diff_lines": [],
        }
    )


def test_a_diff_that_a_tool_drew_itself_is_shown_as_it_is() -> None:
    asked = pending(Presentation(type="diff", description="d", content="--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"))
    made = message(asked)
    assert made["preview_type"] == "diff"
    assert made["diff_lines"] == ["--- a/x", "+++ b/x", "@@ -1 +1 @@", "-a", "+b"]
    assert made["original_content"] is None


async def test_a_file_that_was_no_text_is_named_and_not_shown(tmp_path: Path) -> None:
    settings_in(tmp_path)
    file = tmp_path / "work" / "a.png"
    file.write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    made = await asked_by("Write", tmp_path, file_path=str(file), content="text")
    assert made["original_content"] is None
    assert made["new_content"] == "text"
    assert made["preview_data"]["original_media_type"] == "image/png"


def test_what_is_left_out_of_a_message_is_counted() -> None:
    text = "line\n" * (MOST_CHARACTERS // 5 + 1)
    made = message(pending(written("/big", text), file_path="/big", content=""))
    lines = text.count("\n")
    assert made["new_content"] is None
    assert len(made["diff_lines"]) == MOST_LINES
    left_out = {"new_content": len(text), "diff_lines": lines + 3 - MOST_LINES}
    assert made["preview_data"]["left_out"] == left_out


def test_how_a_question_ended() -> None:
    asked = pending(written("/a", "x"))
    said = Ruling(
        pending=asked.id, outcome=Outcome.REJECTED, by="ana", at=2.0, decision=Reject(note="not now", by="ana")
    )
    made = dict(messages.approval_ended(asked, said))
    assert made.pop("request_id") == messages.request_id(asked)
    assert made == snapshot(
        {
            "type": "tool_approval_ended",
            "tool_use_id": "toolu_01ABC123",
            "run": "run",
            "content": {"outcome": "rejected", "by": "ana", "at": 2.0, "note": "not now"},
        }
    )
    late = Ruling(pending=asked.id, outcome=Outcome.EXPIRED, by="clock", at=2.0, detail="nobody answered")
    assert messages.approval_ended(asked, late)["content"] == snapshot(
        {"outcome": "expired", "by": "clock", "at": 2.0, "note": "nobody answered"}
    )


def test_what_else_is_told_of_a_question() -> None:
    made = messages.details(pending(written("/a", "x")))
    assert made.pop("digest")
    assert made == snapshot(
        {
            "pending": "p",
            "run": "run",
            "agents": [],
            "group_id": None,
            "description": "what would happen",
            "reason": "this tool asks every time",
            "created": 1.0,
            "expires": None,
            "covers": "exactly this call",
            "wider": [],
        }
    )


def test_hello() -> None:
    made = messages.hello(
        messages.Standing(
            you="ana",
            running=False,
            since=0,
            head=7,
            missed=False,
            pending=[],
            modes=("sdk",),
            allow_bypass=False,
            cwd="/work",
            model="offline",
            offline=True,
            now=1.5,
        )
    )
    assert json.loads(messages.spelled(made)) == {
        "type": "hello",
        "content": {
            "you": "ana",
            "running": False,
            "since": 0,
            "head": 7,
            "missed": False,
            "pending": [],
            "modes": ["sdk"],
            "permission_modes": dict(messages.PERMISSION_MODES),
            "allow_bypass": False,
            "cwd": "/work",
            "model": "offline",
            "offline": True,
            "version": __version__,
            "now": 1.5,
        },
    }


def test_a_complaint() -> None:
    assert messages.complaint("run_in_progress", "wait") == {
        "type": "error",
        "subtype": "run_in_progress",
        "content": {"message": "wait"},
    }


def test_a_message_is_spelled_on_one_line_with_its_number() -> None:
    assert messages.spelled({"type": "x", "content": "ä\n"}, seq=7) == '{"type":"x","content":"ä\\n","seq":7}'
