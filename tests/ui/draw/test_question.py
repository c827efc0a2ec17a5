from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from assent.model import ApprovalRequest, Approve, Pending, Presentation, Preview
from assent.ui._wrap import cells
from assent.ui.draw import Look, View, hunk, question, views
from tests.ui.draw.screens import AFTER, BEFORE, asked, command, edit, screens, write

SCREENS = screens()
TALL = Look(height=400)


def numbered(count: int) -> str:
    return "".join(f"line {number}\n" for number in range(1, count + 1))


@pytest.mark.parametrize(
    ("lines", "shown", "opens_pager"), [(29, 29, False), (30, 24, False), (100, 24, False), (101, 24, True)]
)
def test_few_lines_are_shown_some_are_counted_and_many_open_the_pager(
    lines: int,
    shown: int,
    opens_pager: bool,  # noqa: FBT001 (a column)
) -> None:
    drawing = question(asked(write(numbered(lines))), TALL)
    assert (drawing.shown, drawing.total, drawing.opens_pager) == (shown, lines, opens_pager)
    assert drawing.whole is (shown == lines)
    hidden = f"… {lines - shown} more lines · [v] shows all"
    assert (hidden in drawing.text.split("\n")) is (shown < lines)
    assert (f"line {shown}\n" in f"{drawing.text}\n", f"line {shown + 1}\n" in drawing.text) == (True, False)


def test_the_thresholds_can_be_set() -> None:
    pending = asked(write(numbered(12)))
    drawing = question(pending, replace(TALL, inline_lines=5, preview_lines=3, pager_lines=10))
    assert (drawing.shown, drawing.total, drawing.opens_pager) == (3, 12, True)


@pytest.mark.parametrize("height", [12, 16, 24, 40])
@pytest.mark.parametrize("width", [40, 80, 140])
@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_never_takes_more_lines_or_columns_than_there_are(name: str, width: int, height: int) -> None:
    for view in cast("tuple[View, ...]", ("diff", "side_by_side", "content")):
        drawing = question(SCREENS[name], Look(width=width, height=height), now=0, view=view)
        lines = drawing.text.split("\n")
        assert len(lines) <= height - 4
        # Our own glyphs are one column wide; `cells` counts them as two, where a terminal could.
        ours = str.maketrans(dict.fromkeys("─│┆⚠…›✓✗↳→·—⟨⟩", "x"))
        assert max(cells(line.translate(ours)) for line in lines) <= width


def test_what_does_not_fit_above_the_body_is_counted_and_makes_the_drawing_a_part() -> None:
    drawing = question(asked(edit(), reason="because " * 500), Look(height=20))
    assert "more lines · [v] shows all" in drawing.text
    assert "total = 0" in question(asked(edit()), Look(height=24)).text
    assert not drawing.whole


def test_a_line_longer_than_the_screen_is_begun_and_does_not_count_as_shown() -> None:
    drawing = question(asked(write("x = " + "word " * 100_000 + "\n")), Look(height=20))
    assert (drawing.shown, drawing.total, drawing.whole) == (0, 1, False)
    assert "1 │ x = word word" in drawing.text
    assert len(drawing.text.split("\n")) <= 16


def test_a_line_of_marks_that_take_no_column_does_not_count_as_shown_either() -> None:
    drawing = question(asked(write("a" + "\u0301" * 50_000 + "\n")), Look(height=20))
    assert not drawing.whole


def test_an_overwrite_is_a_diff_and_d_shows_the_content() -> None:
    pending = asked(write(AFTER, BEFORE))
    assert views(pending, Look(width=80)) == ("diff", "content")
    assert views(pending, Look(width=120)) == ("diff", "side_by_side", "content")
    shown = question(pending, TALL).text
    assert "⚠ This will overwrite existing file (was 12 lines, now 13 lines)" in shown
    assert "│ -     total = 0" in shown
    assert " 5 │     total = Decimal('0')" in question(pending, TALL, view="content").text


def test_an_overwrite_whose_diff_is_longer_than_the_file_is_a_summary_and_the_content() -> None:
    pending = SCREENS["write_rewritten"]
    assert views(pending, Look()) == ("content", "diff")
    shown = question(pending, TALL).text
    assert "Changes: +20 -30 ([d] shows the diff). New content:" in shown
    assert "old" not in shown
    assert "│ - old 0" in question(pending, replace(TALL, inline_lines=100), view="diff").text


def test_an_edit_has_no_other_view_on_a_narrow_terminal() -> None:
    assert views(SCREENS["edit"], Look(width=119)) == ("diff",)
    assert views(SCREENS["edit"], Look(width=120)) == ("diff", "side_by_side")
    assert views(SCREENS["read"], Look(width=120)) == ()
    narrow = Look(width=100)
    assert question(SCREENS["edit"], narrow, view="side_by_side") == question(SCREENS["edit"], narrow)


def test_side_by_side_every_row_is_counted() -> None:
    drawing = question(SCREENS["edit"], Look(width=120, height=40), view="side_by_side")
    assert (drawing.shown, drawing.total, drawing.whole) == (14, 14, True)


def test_a_type_nobody_knows_is_one_line_that_asks_below_the_arguments() -> None:
    shown = Presentation(type="hologram", description="Show it", content="?")  # type: ignore[arg-type]
    lines = question(asked(shown, args={"depth": 3}), Look()).text.split("\n")
    assert lines[-1] == '"Show it" - Approve? [y/n]'
    assert '  │   "depth": 3' in lines


def test_an_object_that_is_no_presentation_asks_in_one_line_too() -> None:
    class Later:
        description = "Do it"

    pending = replace(asked(None), preview=Preview(presentation=cast("Presentation", Later())))
    assert question(pending, Look()).text.endswith('\n"Do it" - Approve? [y/n]')


def test_the_first_head_of_a_diff_is_left_out_only_if_it_names_the_same_file() -> None:
    said = edit()
    other = replace(said, unified_diff=said.unified_diff.replace("+++ b/work/prices.py", "+++ b/etc/passwd"))
    assert "│   work/prices.py" not in question(asked(said), TALL).text
    assert "│   work/prices.py → etc/passwd" in question(asked(other), TALL).text


def test_a_file_that_stays_the_same_says_so() -> None:
    drawing = question(asked(edit(BEFORE, BEFORE)), Look())
    assert drawing.text.endswith("\nNothing changes.")
    assert drawing.whole


def test_the_full_content_is_drawn_where_there_is_more_than_the_excerpt() -> None:
    shown = Presentation(type="text", description="a text", content="a…", full_content="all of it")
    drawn = question(asked(shown), Look()).text
    assert "│ all of it" in drawn
    assert "a…" not in drawn


def test_what_an_approval_for_the_session_covers_is_said() -> None:
    def covered(fingerprint: dict[str, object] | None) -> str:
        pending = asked(None, tool="move", args={"from": "a", "to": "b"})
        request = ApprovalRequest(description="Move", fingerprint=fingerprint)
        drawn = question(replace(pending, request=request), Look()).text
        return next(line for line in drawn.split("\n") if line.startswith("[s] covers: "))

    assert covered(None) == "[s] covers: exactly this call"
    assert covered({"to": "b"}) == '[s] covers: every move with to="b", whatever else it is given'
    assert covered({}) == "[s] covers: every move, whatever its arguments"
    assert covered({"folder": "/"}) == '[s] covers: every move that amounts to {"folder":"/"}'


def test_the_position_in_the_batch_and_what_is_answered_stand_in_the_title() -> None:
    def title(pending: Pending, total: int, answered: int) -> str:
        answers = {pending.id: Approve()} if answered else {}
        return question(pending, Look(width=60), position=(1, total), answered=answers).text.split("\n")[1]

    assert title(SCREENS["read"], 1, 0).startswith("── Approval needed ──")
    assert title(SCREENS["read"], 3, 0).startswith("── Approval needed (1 of 3) ──")
    assert title(SCREENS["read"], 3, 1).startswith("── Approval needed (1 of 3, 1 answered) ──")


def test_a_command_of_a_thousand_parts_shows_what_is_not_allowed_and_counts_the_rest() -> None:
    (part, risky, _) = (shown := command()).command.parts  # type: ignore[union-attr]
    many = command(shown.content, (*[replace(part, text=f"ls {n}") for n in range(1000)], risky))
    drawn = question(asked(many), replace(TALL, inline_lines=500)).text
    assert "  ? ask    rm -rf build — no rule covers rm" in drawn
    assert "  and 970 more parts" in drawn


def test_a_tab_and_blanks_at_the_end_of_a_changed_line_can_be_seen() -> None:
    drawn = question(asked(edit("\tx\ny\n", "    x\ny  \n")), Look()).text
    assert "│ - →   x" in drawn
    assert "│ +     x" in drawn
    assert "│ + y··" in drawn


def test_a_windows_line_end_is_seen_and_no_reason_to_warn() -> None:
    drawn = question(asked(edit("a\r\nb\r\n", "a\nb\r\n")), Look()).text
    assert "│ - a␍" in drawn
    assert "│ + a\n" in drawn
    assert "⚠" not in drawn
    assert (
        "⚠ 1 invisible or control character is shown as ⟨U+000D⟩" in question(asked(edit("a\n", "a\rb\n")), Look()).text
    )


@pytest.mark.parametrize(("height", "keys", "whole"), [(24, 4, True), (11, 4, True), (10, 4, False), (5, 3, False)])
def test_on_a_screen_too_low_for_the_question_and_its_keys_it_does_not_count_as_shown(
    height: int,
    keys: int,
    whole: bool,  # noqa: FBT001 (a column)
) -> None:
    drawing = question(SCREENS["read"], Look(height=height), keys=keys)
    assert drawing.shown == drawing.total == 0
    assert drawing.whole is whole
    assert whole is (len(drawing.text.strip().split("\n")) + keys <= height)


def test_marks_above_the_body_that_are_too_many_to_draw_make_it_a_part() -> None:
    marks = "a" + "\u0301" * 2 * 80 * 24
    assert not question(asked(None, args={}, reason=marks), Look()).whole


def test_more_lines_of_keys_leave_fewer_for_the_question() -> None:
    drawing = question(asked(write(numbered(29))), Look(height=30), keys=9)
    assert len(drawing.text.split("\n")) == 21
    assert "more lines" in drawing.text


def test_a_hunk_that_scrolls_away_on_a_low_screen_does_not_count_as_shown() -> None:
    assert hunk(asked(edit()), 0, Look(height=24)).whole
    assert not hunk(asked(edit(AFTER, BEFORE)), 0, Look(height=6)).whole
