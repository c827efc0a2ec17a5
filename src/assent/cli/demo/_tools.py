"""The demo's tools: plain functions, and what the gate is told about each of them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from assent.functions import FunctionTool, requires_approval, simple_approval_request
from assent.model import Allow, ApprovalRequest, Fixed, Presentation, Preview, Tool, ToolCall

_NOTES = {
    "monday.md": "Release moved to Friday. Ana writes the announcement.\n",
    "tuesday.md": "Tests are green. Ben checks the upgrade guide.\n",
}


def fill(folder: Path) -> None:
    """What the agent finds: two notes, and a folder worth keeping."""
    for name, text in _NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "archive").mkdir()


def tools_in(folder: Path) -> list[Tool]:
    """Four functions that an agent may call, each with its policy."""

    def list_notes() -> list[str]:
        return sorted(path.name for path in folder.glob("*.md"))

    def write_note(name: str, text: str) -> str:
        (folder / name).write_text(text, encoding="utf-8")
        return f"{name} written ({len(text)} characters)"

    def delete_folder(name: str) -> str:
        shutil.rmtree(folder / name)
        return f"{name} deleted"

    return [
        FunctionTool(list_notes, policy=Fixed(Allow(reason="reading changes nothing"))),
        FunctionTool(write_note, policy=_ShowsTheNote()),
        FunctionTool(delete_folder, policy=_NeverDeletes()),
        FunctionTool(send_email),
    ]


def _mail_line(args: Mapping[str, object]) -> str:
    return f"Send an e-mail to {args['to']}: {args['subject']}"


# The simplest way to make a function ask. The body is shown, but does not count when an
# answer is remembered: "for session" means this recipient and this subject.
@requires_approval(description=_mail_line, exclude_keys={"body"})
def send_email(to: str, subject: str, body: str) -> str:
    """Send nothing: this is a demo."""
    return f"{subject!r} sent to {to}, {len(body)} characters (not really)"


class _ShowsTheNote:
    """Asks, and shows the note as the file that would be written."""

    def check_approval(self, call: ToolCall, /) -> ApprovalRequest:
        name = str(call.args["name"])
        if Path(name).name != name:
            message = f"a note has a plain name, and {name!r} is a path"
            raise PermissionError(message)
        return simple_approval_request(
            call.tool_name, call.args, description=f"Write the note {name}", reason="writing a note asks every time"
        )

    async def preview(self, call: ToolCall, /) -> Preview:
        return Preview(
            presentation=Presentation(
                type="file_content", description=f"The note {call.args['name']}", content=str(call.args["text"])
            )
        )


class _NeverDeletes:
    """Denies, whatever anybody would say: a denial is a `PermissionError`."""

    def check_approval(self, _call: ToolCall, /) -> None:
        message = "no agent deletes folders here"
        raise PermissionError(message)
