"""Everything an agent or a tool can write, full of what a terminal would obey; all that reaches it is looked at."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from assent.errors import AlreadyDecided, DeniedByPolicy
from assent.model import ApprovalRequest, Command, CommandPart, Pending, Presentation, Reject, ToolCall, Wider
from assent.ui import TerminalApprover
from tests.ui.person import NOW, Clerk, Person, file_question, question

EVIL = (
    "\x1b[2J\x1b[H\x1b]52;c;ZXZpbA==\x07\x1b]0;owned\x07\x1b[?1049l\x1bP1$r\x1b\\\x9b31m\x9d0;x\x9c\r\x08\x7f\a\0"
    "\u202egpj.exe\u202c\u2066\u2069\u200b\u200d\ufeff\u2028\u2029\u00a0\u3164\ufe0f⟨U+0041⟩\U000e0041x"
)
OURS = re.compile(
    rb"\x1b\[[0-9;]*m|\x1b\[\?(?:2004|1049)[hl]|\x1b\[H|\x1b\[2J|\x1b\[22;0t|\x1b\[23;0t|\x1b\](?:0|9);[^\x00-\x1f\x7f]*\x07"
)
ARGS = {"command": EVIL, EVIL: [EVIL, {"x": EVIL}]}
REQUEST = ApprovalRequest(
    description=f"Do {EVIL}",
    reason=EVIL,
    covers=EVIL,
    wider=(Wider(name=EVIL, description=EVIL, fingerprint={}, pattern=EVIL),),
)
SHOWN = {
    "structured": None,
    "text": Presentation(type="text", description=EVIL, content=f"{EVIL}\n" * 40),
    "diff": Presentation(
        type="diff",
        description=EVIL,
        content=f"--- a/{EVIL!r}\n+++ b/x\n@@ -1,1 +1,1 @@\n-{EVIL.replace(chr(13), '')}\n+x{EVIL}\n",
        language=EVIL,
    ),
    "command": Presentation(
        type="command",
        description=EVIL,
        content=EVIL,
        command=Command(
            parts=(CommandPart(text=EVIL, start=0, end=len(EVIL), verdict="ask", rule=EVIL, why=EVIL),),
            cwd=EVIL,
            warnings=(EVIL,),
            permits=EVIL,
        ),
    ),
}


@pytest.fixture
def colourful(person: Person, monkeypatch: pytest.MonkeyPatch) -> Person:
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("COLORTERM", "truecolor")
    return person


def harmless(person: Person) -> None:
    """Nothing is left that acts or hides, once our own sequences are taken away."""
    rest = OURS.sub(b"", person.raw).decode()
    assert "⟨U+001B⟩" in rest, "nothing hostile was shown"
    assert "⟨U+202E⟩" in rest
    # The bell that rings once, the ends of lines, and going back within the line of the prompt.
    found = {char for char in rest if unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp", "Co", "Cs")}
    assert found <= {"\n", "\r", "\b", "\a"}
    assert rest.count("\a") == 1
    assert not {"\u3164", "\ufe0f", "\u00a0"} & {*rest}


def asked(shown: Presentation | None, call_id: str = "1") -> Pending:
    return question(call_id, tool=f"t{EVIL}", args=ARGS, request=REQUEST, agents=(EVIL, EVIL), presentation=shown)


def asking(person: Person, *batch: Pending) -> asyncio.Task[object]:
    async def judged(_pending: Pending, _args: Mapping[str, object]) -> Pending | None:
        raise DeniedByPolicy("t", EVIL)

    approver = TerminalApprover(person.keyboard, person.screen, by=f"kim{EVIL}", clock=lambda: NOW, where=EVIL)
    return asyncio.ensure_future(approver.review(batch, Clerk(judged=judged)))


async def back(person: Person) -> None:
    person.types("q")
    await person.sees("[q] Stop the run")
    await person.may_answer()


@pytest.mark.parametrize("kind", SHOWN)
async def test_no_screen_lets_anything_through(colourful: Person, kind: str) -> None:
    person = colourful
    decided = asking(person, asked(SHOWN[kind]), asked(SHOWN[kind], "2"))
    await person.sees("[q] Stop the run")
    await person.may_answer()
    for key in "v?":
        person.types(key)
        await person.sees("q = back to the question")
        person.types("G")
        await person.sees("-- end --")
        await back(person)
    person.types("b")
    await person.sees("[b] Back")
    await person.may_answer()
    person.types("b")
    await person.sees("[q] Stop the run")
    await person.may_answer()
    person.types("s")
    await person.sees("[1-2] Choose")
    await person.may_answer()
    person.types("2")
    await person.sees("[1-6] Choose")
    await person.may_answer()
    person.types("6")
    await person.sees("(Enter for no reason")
    await person.may_answer()
    person.types(f"\x1b[200~{EVIL.replace(chr(27), '').replace(chr(0), '')}\x1b[201~")
    await person.sees("gpj.exe")
    person.types("\n")
    await person.sees("Answered by that too")
    answers = await decided
    assert isinstance(answers, dict)
    assert all(isinstance(answer, Reject) and EVIL not in answer.note for answer in answers.values())
    harmless(person)


async def test_no_hunk_lets_anything_through(colourful: Person, tmp_path: Path) -> None:
    text = EVIL.replace("\0", "")
    (tmp_path / "a.txt").write_text("".join(f"{text}{at}\n" for at in range(30)), newline="")
    content = "".join(f"{text}{at}{'!' * (at in (3, 20))}\n" for at in range(30))
    pending = await file_question(tmp_path, "write_file", path="work/a.txt", content=content)
    decided = asking(colourful, pending)
    await colourful.sees("[q] Stop the run")
    await colourful.may_answer()
    colourful.types("h")
    await colourful.sees("Apply this hunk")
    await colourful.may_answer()
    colourful.types("\x04")
    await decided
    harmless(colourful)


async def test_neither_an_edit_nor_its_refusal_lets_anything_through(
    colourful: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "editor"
    script.write_text('#!/bin/sh\nprintf more >> "$1"\n')
    script.chmod(0o700)
    monkeypatch.setenv("VISUAL", str(script))
    decided = asking(colourful, asked(None))
    await colourful.sees("[q] Stop the run")
    await colourful.may_answer()
    colourful.types("e")
    await colourful.sees("Your edit is kept")
    await colourful.sees("[q] Stop the run")
    await colourful.may_answer()
    decided.cancel(f"Answered by {EVIL}")
    await colourful.sees("Answered by ")
    with pytest.raises(asyncio.CancelledError):
        await decided
    unjudged = TerminalApprover(colourful.keyboard, colourful.screen, by="kim", clock=lambda: NOW)
    again = asyncio.ensure_future(unjudged.decide([asked(None)]))
    await colourful.sees("[q] Stop the run")
    await colourful.may_answer()
    colourful.types("e")
    await colourful.sees("it is judged again")
    await colourful.may_answer()
    colourful.types("\x04")
    await again
    unjudged.lost(asked(None), AlreadyDecided(outcome="approved", by=EVIL, at=NOW))
    await colourful.sees("already approved")
    await colourful.sees("⟨U+E0041⟩x")
    colourful.raw = colourful.raw.replace(b"\x07", b"", 1)
    harmless(colourful)


async def test_the_title_and_the_notification_say_what_is_asked_and_nothing_else(person: Person) -> None:
    long = replace(asked(None), call=ToolCall(run="r", id="1", tool_name="t", args={}))
    decided = asking(person, long)
    await person.may_answer()
    person.types("\x04")
    await decided
    await person.sees("no answer was given")
    titles = re.findall(rb"\x1b\]([09]);([^\x07]*)\x07", person.raw)
    assert [kind for kind, _ in titles] == [b"9", b"0"]
    assert all(text.decode().isprintable() and len(text.decode()) <= 130 for _, text in titles)
    assert person.raw.index(b"\x1b[22;0t") < person.raw.index(b"\x1b]0;") < person.raw.index(b"\x1b[23;0t")
