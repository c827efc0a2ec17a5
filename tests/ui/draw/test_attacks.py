"""Whatever stands in whichever field, nothing acts on the terminal and nothing passes for a line of ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assent.model import (
    ApprovalRequest,
    Approve,
    Command,
    CommandPart,
    DeletePresentation,
    Evidence,
    MovePresentation,
    Pending,
    Presentation,
    Preview,
    ReadPresentation,
    Shown,
    ToolCall,
    Wider,
    pending_id,
)
from assent.ui._wrap import cells
from assent.ui.draw import (
    Look,
    Offer,
    View,
    batch_list,
    difference,
    grant_lines,
    hunk,
    hunks,
    question,
    whole,
    why,
)
from tests.ui.draw.screens import BEFORE, NOW, asked, change, edit, patch, version, write

VIEWS: Final[tuple[View, ...]] = ("auto", "diff", "side_by_side", "content")
GLYPHS: Final = str.maketrans(dict.fromkeys("─│┆⚠…›✓✗↳→·—", "x"))
SGR: Final = re.compile(r"\x1b\[[0-9;]+m")
TRICKS: Final = [
    "\x1b[2J",
    "\x1b]52;c;cm0gLXJmIC8=\x07",
    "\x1b]8;;http://evil\x1b\\",
    "\x9b31m",
    "\x90q\x9c",
    "\r",
    "\b\b\b",
    "\n",
    "\u2028",
    "\x85",
    "\x0b\x0c",
    "\u202e",
    "\u2066",
    "\u200b",
    "\ufeff",
    "\u3164",
    "\U000e0041",
    "\ud800",
    "\x00",
    "\x7f",
    "\t",
    "⟨U+0041⟩",
    "── Approval needed ──",
    "Tool: harmless",
    "\nTool: harmless",
    "\n[s] covers: nothing",
    "\n  ✓ allow  rm -rf / — it is pre-approved",
    "\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
    "漢字",
    "🙂",
    "word ",
    "x" * 50,
]
TEXT: Final = st.lists(st.one_of(st.sampled_from(TRICKS), st.text(max_size=8)), max_size=8).map("".join)
LOOKS: Final = st.builds(
    Look,
    width=st.integers(40, 150),
    height=st.integers(12, 60),
    colours=st.sampled_from(["none", "16", "256", "true"]),
    plain=st.booleans(),
)
# How a line may begin: by our own words, or inside the frame that content stands in.
OURS: Final = re.compile(
    r"$|── Approval needed|Approval needed|(What|Where|In|From|To|Sandbox|Tool|Agent|Why|Time left|\[s\] covers):|⚠"
    r"|Warning:|… \d|\.\.\. \d|(Changes|Content|New content|Args|Text|Command|This file is deleted):|Nothing changes"
    r"|  (↳|\.\.)( |$)|\"|    (↳|\.\.)( |$)|  ([✓?✗] )?(allow|ask|deny)( +|$)|  and \d+ more parts$"
)
FRAMED: Final = re.compile(r"[ \d]+[│┆]|  ([-+ ] )? *(\d+|\.\.|file|hunk|note):")


def shown(text: str, other: str) -> Iterator[Shown]:
    """Everything that can be shown, with these texts in every field that takes one."""
    edited = replace(edit(BEFORE, BEFORE.replace("0", spellable(other))), path=text, description=other)
    yield edited
    yield replace(edited, unified_diff=text)
    yield replace(write(spellable(other), spellable(text)), path=text, description=other)
    yield replace(write("x"), path=text, content=other)
    yield replace(patch(), path=text, changes=(change("a", "a\n", "b\n"),), unified_diff=other)
    yield ReadPresentation(description=text, path=other, sandbox=text, file_lines=1, file_bytes=1, file_exists=True)
    yield DeletePresentation(
        description=text,
        path=other,
        sandbox=text,
        file_lines=1,
        file_bytes=1,
        content=other,
        preview="",
        preview_truncated=False,
        version=version("x"),
    )
    yield MovePresentation(
        description=text,
        path=other,
        sandbox=text,
        destination=text,
        destination_sandbox=other,
        file_lines=1,
        file_bytes=1,
    )
    part = CommandPart(text=other, start=0, end=len(other), verdict="ask", rule=text, why=text)
    command = Command(parts=(replace(part, verdict="allow"), part), cwd=text, warnings=(other,), permits=other)
    yield Presentation(type="command", description=text, content=other, command=command)
    for kind in ("text", "diff", "file_content", "structured", "hologram"):
        yield Presentation(type=kind, description=text, content=other, language=text)  # type: ignore[arg-type]


def spellable(text: str) -> str:
    """What arguments may hold: half a character is refused before anybody is asked."""
    return text.encode(errors="replace").decode()


def asking(each: Shown, text: str, other: str) -> Pending:
    """A question with these texts in every field that takes one."""
    call = ToolCall(
        run=spellable(text),
        id=spellable(other),
        tool_name=text,
        args={"path": spellable(text), "content": spellable(other), spellable(text): [spellable(other)]},
        agents=(text, other),
        group_id=text,
    )
    request = ApprovalRequest(
        description=text,
        reason=other,
        fingerprint={"path": spellable(text)},
        wider=(Wider(name="w", description=other, fingerprint={}, pattern=text),),
    )
    return Pending(
        id=pending_id(call),
        call=call,
        request=request,
        preview=Preview(presentation=each, evidence=(Evidence(subject=text, facts={"kind": "file"}),)),
        digest=text,
        created=NOW,
        expires=NOW + 60,
    )


@st.composite
def questions(draw: st.DrawFn) -> Pending:
    text, other = draw(TEXT), draw(TEXT)
    return asking(draw(st.sampled_from([*shown(text, other)])), text, other)


def is_harmless(drawn: str) -> bool:
    """Only what can be printed, line breaks, and colours of ours."""
    return all(line.isprintable() for line in SGR.sub("", drawn).split("\n"))


def everything(pending: Pending, look: Look) -> Iterator[str]:
    """Every drawing there is of a question."""
    yield question(pending, look, now=NOW).text
    yield question(pending, look, view="side_by_side").text
    yield question(pending, look, view="content").text
    yield "\n".join(whole(pending, look))
    yield "\n".join(whole(pending, look, content={version(BEFORE).sha256: BEFORE.encode()}.get))
    yield "\n".join(why(pending, look))
    yield from (hunk(pending, number, look).text for number in range(min(hunks(pending), 3)))
    yield "\n".join(difference(asked(None, args={"path": "x"}), pending, look))
    yield batch_list([pending, pending], {pending.id: Approve()}, look, cursor=1)
    words = pending.request.description
    yield grant_lines(pending, [Offer(key="1", covers=words, lasts=words, kept=words, replay=words)], look, cursor=0)


@settings(max_examples=100, deadline=None)
@given(questions(), LOOKS)
def test_nothing_raw_is_ever_drawn(pending: Pending, look: Look) -> None:
    for drawn in everything(pending, look):
        assert is_harmless(drawn), ascii(drawn)


@settings(max_examples=100, deadline=None)
@given(questions(), LOOKS)
def test_a_line_is_ours_or_in_a_frame(pending: Pending, look: Look) -> None:
    drawn = question(pending, replace(look, height=400, inline_lines=1000), now=NOW).text
    lines = [SGR.sub("", line) for line in drawn.split("\n")]
    assert [line for line in lines if not OURS.match(line) and not FRAMED.match(line)] == []
    # Each of our lines once: nothing that was quoted made another one.
    for label in ("Tool:", "Agent:", "Why:", "What:", "[s] covers:"):
        assert sum(line.startswith(label) for line in lines) == 1
    assert sum("Approval needed" in line[:18] and not FRAMED.match(line) for line in lines) == 1


@settings(max_examples=100, deadline=None)
@given(questions(), LOOKS)
def test_no_screen_is_longer_or_wider_than_the_terminal(pending: Pending, look: Look) -> None:
    for view in VIEWS:
        lines = SGR.sub("", question(pending, look, now=NOW, view=view).text).split("\n")
        assert len(lines) <= look.height - 4
        # Our own glyphs are one column wide; `cells` counts them as two, where a terminal could.
        assert max(cells(line.translate(GLYPHS)) for line in lines) <= look.width


@pytest.mark.parametrize("char", ["\x1b", "\u202e", "\u200b", "\x9b", "\b", "\x00", "\u3164"])
def test_what_is_hidden_is_counted_in_every_field(char: str) -> None:
    mark = f"⟨U+{ord(char):04X}⟩"
    text = Presentation(type="text", description="d", content=f"a{char}b")
    pendings = [
        asked(text),
        asked(edit(BEFORE, BEFORE.replace("0", f"1{char}"))),
        asked(replace(edit(), path=f"work/{char}")),
        asked(edit(), reason=f"why{char}"),
        asked(edit(), agents=(f"a{char}",)),
        asked(edit(), tool=f"t{char}"),
        asked(edit(), covers=f"all{char}"),
    ]
    for pending in pendings:
        drawn = question(pending, Look(height=60)).text
        assert f"⚠ 1 invisible or control character is shown as {mark}" in drawn
        assert drawn.count(mark) == 2


def test_a_bracket_that_pretends_is_spelled_and_no_reason_to_warn() -> None:
    drawn = question(asked(Presentation(type="text", description="d", content="⟨U+202E⟩")), Look()).text
    assert "│ ⟨U+27E8⟩U+202E⟩" in drawn
    assert "⚠" not in drawn
