from __future__ import annotations

from typing import Literal

from inline_snapshot import snapshot

from assent.model import ApprovalRequest, Command, CommandPart, Pending, Presentation
from assent.ui import draw
from tests.ui.person import NOW, question

TRICK = "notes\u202etxt.exe\x1b[2K\nTool: harmless"


def test_a_question_is_drawn_whole() -> None:
    pending = question(
        args={"to": "ana@example.org", "subject": "Notes", "body": "Hello\nAna"},
        request=ApprovalRequest(
            description="Send an e-mail to ana@example.org",
            fingerprint={"to": "ana@example.org", "subject": "Notes"},
            reason="sending asks every time",
        ),
        expires=NOW + 299.2,
    )
    assert draw(pending, now=NOW, width=60) == snapshot("""\

── Approval needed ─────────────────────────────────────────
Send an e-mail to ana@example.org
Tool: send_email
Why: sending asks every time
Time left: 5 min
[s] covers: every send_email with the same to, subject
Args:
  │ {
  │   "to": "ana@example.org",
  │   "subject": "Notes",
  │   "body": "Hello\\nAna"
  │ }
""")


def test_nothing_in_a_description_or_an_agents_name_acts_or_hides() -> None:
    pending = question(
        tool="write\u200bfile",
        args={"path": TRICK},
        request=ApprovalRequest(description=f"Write {TRICK}", reason="why\u2066?"),
        agents=("planner\u202e", "writer\n[y] Approve"),
    )
    assert draw(pending, position=(2, 3), width=72) == snapshot("""\

── Approval needed (2 of 3) ────────────────────────────────────────────
Write notes⟨U+202E⟩txt.exe⟨U+001B⟩[2K⟨U+000A⟩Tool: harmless
Tool: write⟨U+200B⟩file
Agent: planner⟨U+202E⟩ › writer⟨U+000A⟩[y] Approve
Why: why⟨U+2066⟩?
[s] covers: every write⟨U+200B⟩file, whatever its arguments
Args:
  │ {
  │   "path": "notes⟨U+202E⟩txt.exe\\u001b[2K\\nTool: harmless"
  │ }
""")


def test_no_line_of_the_content_can_pass_for_a_line_of_ours() -> None:
    wide = f"harmless{' ' * 40}[y] Approve  [n] Reject"
    content = Presentation(type="file_content", description="a file", content=f"── Approval needed ──\n{wide}\n\ttab\n")
    assert draw(question(args={}, presentation=content), width=40) == snapshot("""\

── Approval needed ─────────────────────
Question 1
Tool: send_email
Why: this tool asks every time
[s] covers: exactly this call
Content:
  │ ── Approval needed ──
  │ harmless                            \n\
  ┆             [y] Approve  [n] Reject
  │ 	tab
  │ \n\
""")


def test_the_full_content_is_drawn_where_there_is_more_than_the_excerpt() -> None:
    shown = Presentation(type="text", description="a text", content="a…", full_content="all of it")
    drawn = draw(question(presentation=shown))
    assert "│ all of it" in drawn
    assert "a…" not in drawn


def test_what_an_approval_for_the_session_covers_is_said() -> None:
    def covered(fingerprint: dict[str, object]) -> str:
        request = ApprovalRequest(description="Move", fingerprint=fingerprint)
        drawn = draw(question(tool="move", args={"from": "a", "to": "b"}, request=request))
        return next(line for line in drawn.split("\n") if line.startswith("[s] covers: "))

    assert covered({"from": "a", "to": "b"}) == snapshot("[s] covers: exactly this call")
    assert covered({"to": "b"}) == snapshot("[s] covers: every move with the same to")
    assert covered({}) == snapshot("[s] covers: every move, whatever its arguments")
    assert covered({"folder": "/"}) == snapshot('[s] covers: every move that amounts to {"folder":"/"}')


def command(
    *parts: tuple[Literal["allow", "ask", "deny"], str, str],
    content: str,
    cwd: str | None = None,
    warnings: tuple[str, ...] = (),
) -> Pending:
    """A question about a command whose parts have these verdicts."""
    made = tuple(
        CommandPart(text=text, start=0, end=len(text), verdict=verdict, rule="[default]", why=why)
        for verdict, text, why in parts
    )
    return question(
        tool="bash",
        args={"command": content},
        request=ApprovalRequest(
            description=f"Run {content}", reason="tee log: no rule names tee", covers="exactly this command, in /work"
        ),
        presentation=Presentation(
            type="command", description="", content=content, command=Command(parts=made, cwd=cwd, warnings=warnings)
        ),
    )


def test_a_command_is_drawn_with_where_it_runs_what_is_dangerous_and_every_part() -> None:
    pending = command(
        ("allow", "git status", "git status is allowed"),
        ("ask", "rm -rf build", "a rule asks for rm: it deletes for good, and nobody can bring it back"),
        ("ask", "tee log", "no rule names tee"),
        content="git status && rm -rf build | tee log",
        cwd="/work",
        warnings=("recursive delete: it deletes folders with all they hold",),
    )
    assert draw(pending, width=60) == snapshot("""\

── Approval needed ─────────────────────────────────────────
Run git status && rm -rf build | tee log
Tool: bash
Why: tee log: no rule names tee
[s] covers: exactly this command, in /work
In: /work
⚠ recursive delete: it deletes folders with all they hold
✓ allow git status: git status is allowed
? ask   rm -rf build: a rule asks for rm: it deletes for \n\
  good, and nobody can bring it back
? ask   tee log: no rule names tee
Command:
  │ git status && rm -rf build | tee log
""")


def test_nothing_in_a_part_of_a_command_acts_or_passes_for_a_line_of_ours() -> None:
    trick = "a\n[y] Approve\x1b[2K" + " " * 60 + "Tool: harmless"
    pending = command(("ask", trick, "why\nCommand:"), content=trick, cwd="/w\nIn: /tmp", warnings=("x\ny",))
    lines = draw(pending, width=60).split("\n")
    assert not any(line.startswith(("[y]", "Tool: harmless", "In: /tmp", "y")) for line in lines)
    assert [line for line in lines if line.startswith("Command:")] == ["Command:"]
    assert [line for line in lines if line.startswith(("✓", "?", "✗"))] == [lines[lines.index("⚠ x⟨U+000A⟩y") + 1]]
    assert max(map(len, lines)) <= 60


def test_a_command_of_thousands_of_parts_shows_all_of_itself_and_says_how_many_parts_it_has() -> None:
    many: list[tuple[Literal["allow", "ask"], str, str]] = [("allow", f"ls {number}", "") for number in range(3000)]
    pending = command(*many, ("ask", "touch a", "no rule names touch"), content="; ".join(each[1] for each in many))
    drawn = draw(pending)
    assert "? ask   touch a: no rule names touch" in drawn
    assert "… and 2970 more parts" in drawn
    assert "ls 2999" in drawn
