"""Questions of every kind, small enough to read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final

from assent.diff import diff
from assent.model import (
    EXACTLY,
    ApprovalRequest,
    Change,
    Command,
    CommandPart,
    DeletePresentation,
    EditPresentation,
    MovePresentation,
    PatchPresentation,
    Pending,
    Presentation,
    Preview,
    ReadPresentation,
    Shown,
    ToolCall,
    Version,
    WritePresentation,
    arguments_preview,
    pending_id,
)

NOW: Final = 1_000_000.0

BEFORE: Final = '''\
"""Prices."""

def calculate_total(items):
    """Calculate the total price."""
    total = 0
    for item in items:
        total += item.price
    return total


def report(items):
    print("total:", calculate_total(items))
'''
AFTER: Final = BEFORE.replace("total = 0", "total = Decimal('0')").replace(
    "    print(",
    "    # 漢字 and a long comment, longer than narrow terminals are wide, so that it has to wrap\n    print(",
)


def asked(
    shown: Shown | None,
    *,
    tool: str = "edit_file",
    args: Mapping[str, object] | None = None,
    description: str = "",
    reason: str = "writing in work asks (write_approval: true)",
    agents: tuple[str, ...] = ("planner", "writer"),
    covers: str = "",
) -> Pending:
    """A question as the gate would put it on the desk."""
    call = ToolCall(run="run-1", id="call-1", tool_name=tool, args=args or {"path": "work/prices.py"}, agents=agents)
    line = description or (shown.description if shown else tool)
    request = ApprovalRequest(description=line, fingerprint=call.args, reason=reason, covers=covers or EXACTLY)
    return Pending(
        id=pending_id(call),
        call=call,
        request=request,
        preview=Preview(presentation=shown) if shown else arguments_preview(call, line),
        digest=call.digest,
        created=NOW,
        expires=NOW + 299,
    )


def version(text: str) -> Version:
    data = text.encode()
    return Version(sha256=hashlib.sha256(data).hexdigest(), bytes=len(data), lines=text.count("\n"))


def change(path: str, before: str, after: str) -> Change:
    text = diff(before.encode(), after.encode()).text(path, path).decode()
    return Change(
        path=path,
        unified_diff=text,
        diff_lines=text.count("\n"),
        before=version(before),
        after=version(after),
    )


def edit(before: str = BEFORE, after: str = AFTER, path: str = "work/prices.py") -> EditPresentation:
    changed = change(path, before, after)
    return EditPresentation(
        description=f"Edit {path}: replace 1 line",
        path=path,
        sandbox="work",
        old_string="",
        new_string="",
        replace_all=False,
        unified_diff=changed.unified_diff,
        diff_lines=changed.diff_lines,
        match_line=5,
        match_count=1,
        context_before="",
        context_after="",
        file_lines=before.count("\n"),
        file_bytes=len(before.encode()),
        change=changed,
    )


def write(content: str, before: str | None = None, path: str = "work/prices.py") -> WritePresentation:
    lines = content.count("\n")
    return WritePresentation(
        description=f"Write {lines} lines to {path}",
        path=path,
        sandbox="work",
        content=content,
        content_lines=lines,
        content_bytes=len(content.encode()),
        preview="\n".join(content.split("\n")[:50]),
        preview_truncated=lines > 50,
        file_exists=before is not None,
        existing_lines=None if before is None else before.count("\n"),
        existing_bytes=None if before is None else len(before.encode()),
        change=None if before is None else change(path, before, content),
    )


def patch() -> PatchPresentation:
    changes = (change("work/prices.py", BEFORE, AFTER), change("work/notes.md", "# Notes\n\nold\n", "# Notes\n\nnew\n"))
    text = "".join(each.unified_diff for each in changes)
    return PatchPresentation(
        description="Patch 2 files: 3 places",
        path="work/prices.py",
        sandbox="work",
        unified_diff=text,
        diff_lines=text.count("\n"),
        patches=3,
        changes=changes,
    )


COMMAND: Final = "git status --short && rm -rf build | tee log.txt"
PARTS: Final = (
    CommandPart(
        text="git status --short", start=0, end=18, verdict="allow", rule="git status", why="it is pre-approved"
    ),
    CommandPart(text="rm -rf build", start=22, end=34, verdict="ask", rule="[default]", why="no rule covers rm"),
    CommandPart(text="tee log.txt", start=37, end=48, verdict="ask", rule="tee", why="tee writes files"),
)


def command(text: str = COMMAND, parts: tuple[CommandPart, ...] = PARTS) -> Presentation:
    return Presentation(
        type="command",
        description=f"Run {text}",
        content=text,
        language="bash",
        command=Command(
            parts=parts,
            cwd="/home/ana/shop",
            warnings=("deletes: rm -rf deletes a folder and all that is in it",),
            permits="write work, read /usr, no network",
        ),
    )


def screens() -> dict[str, Pending]:
    """One question for each thing that can be shown, by name."""
    gone = version("one\ntwo\n")
    return {
        "edit": asked(edit()),
        "write_new": asked(write(AFTER), tool="write_file"),
        "write_over": asked(write(AFTER, BEFORE), tool="write_file"),
        "write_rewritten": asked(
            write("".join(f"new {n}\n" for n in range(20)), "".join(f"old {n}\n" for n in range(30)), "work/list.txt"),
            tool="write_file",
        ),
        "read": asked(
            ReadPresentation(
                description="Read work/secrets/config.yaml",
                path="work/secrets/config.yaml",
                sandbox="work",
                file_lines=12,
                file_bytes=345,
                file_exists=True,
            ),
            tool="read_file",
            reason="reading in work asks (read_approval: true)",
        ),
        "delete": asked(
            DeletePresentation(
                description="Delete work/old.txt (2 lines)",
                path="work/old.txt",
                sandbox="work",
                file_lines=2,
                file_bytes=8,
                content="one\ntwo\n",
                preview="one\ntwo\n",
                preview_truncated=False,
                version=gone,
            ),
            tool="delete_file",
        ),
        "patch": asked(patch(), tool="patch_file"),
        "move": asked(
            MovePresentation(
                description="Move work/a.txt to archive/2026/a.txt",
                path="work/a.txt",
                sandbox="work",
                destination="archive/2026/a.txt",
                destination_sandbox="archive",
                file_lines=2,
                file_bytes=8,
            ),
            tool="move_file",
        ),
        "command": asked(
            command(),
            tool="run_command",
            args={"command": COMMAND},
            reason="rm -rf build: no rule covers rm",
            covers="exactly this command, in /home/ana/shop",
        ),
        "structured": asked(
            None,
            tool="send_email",
            args={"to": "ana@example.org", "copies": 2, "urgent": True, "body": "Hello\nAna"},
            description="Send an e-mail to ana@example.org",
            reason="this tool asks every time",
            agents=(),
        ),
        "text": asked(
            Presentation(type="text", description="Create an agent", content="Name: critic\nTools: read_file"),
            tool="create_agent",
        ),
        "diff": asked(
            Presentation(type="diff", description="Apply a change", content=change("a.py", BEFORE, AFTER).unified_diff),
            tool="apply",
        ),
        "file_content": asked(
            Presentation(type="file_content", description="Publish a page", content="# Hi\n\n*all*\n", language="md"),
            tool="publish",
        ),
        "tricks": asked(
            Presentation(
                type="text",
                description="Say hello\x1b[2K\nTool: harmless",
                content="safe\u202egpj.exe\u200b\n\x1b]52;c;cm0gLXJm\x07\r\n── Approval needed ──\n\ttab\x9b31m",
            ),
            tool="say",
        ),
    }
