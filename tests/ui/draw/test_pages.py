"""What is more than one screen, and what stands beside a question."""

from __future__ import annotations

from dataclasses import replace

from inline_snapshot import snapshot

from assent.diff import blocks, rows
from assent.model import ApprovalDecision, Approve, PendingId, Reject, Scope
from assent.ui.draw import Look, Offer, batch_list, difference, grant_lines, hunk, hunks, whole, why
from tests.ui.draw.screens import AFTER, BEFORE, asked, edit, screens, version, write

SCREENS = screens()
LOOK = Look(width=60)
CONTENTS = {version(text).sha256: text.encode() for text in (BEFORE, AFTER)}


def test_all_of_a_diff_is_in_the_pager() -> None:
    lines = "\n".join(f"{number}" for number in range(3000))
    pending = asked(edit(lines, lines.replace("7", "seven")))
    drawn = list(whole(pending, LOOK))
    total = rows(edit(lines, lines.replace("7", "seven")).unified_diff).total - 1
    assert sum("│" in line for line in drawn) == total
    assert not any("more lines" in line for line in drawn)


def test_the_pager_shows_the_whole_resulting_file_where_it_is_at_hand() -> None:
    drawn = list(whole(asked(edit()), LOOK, content=CONTENTS.get))
    assert "Changes: +2 -1, in the whole file:" in drawn
    assert '   1   1 │   """Prices."""' in drawn
    assert "   5     │ -     total = 0" in drawn
    assert "       5 │ +     total = Decimal('0')" in drawn


def test_in_the_whole_file_its_own_name_is_left_out_and_another_is_not() -> None:
    named = edit()
    elsewhere = replace(named, change=replace(named.change, path="work/linked.py"))
    for shown, rows_named in ((named, 0), (elsewhere, 1)):
        drawn = list(whole(asked(shown), LOOK, content=CONTENTS.get))
        assert sum(line.endswith((f"│   {shown.path}", "│   work/linked.py")) for line in drawn) == rows_named


def test_without_the_contents_the_pager_shows_the_diff() -> None:
    drawn = list(whole(asked(edit()), LOOK, content=lambda _: None))
    assert "Changes: +2 -1" in drawn
    assert '   1   1 │   """Prices."""' not in drawn


def test_of_a_new_file_the_pager_shows_all() -> None:
    drawn = list(whole(asked(write("".join(f"{n}\n" for n in range(1000)))), LOOK, content=CONTENTS.get))
    assert sum("│" in line for line in drawn) == 1000


def test_the_whole_says_all_that_stands_above_the_body_too() -> None:
    reason = " ".join(f"because{number}" for number in range(500))
    drawn = " ".join(whole(asked(edit(), reason=reason), LOOK))
    assert all(f"because{number}" in drawn for number in range(500))


def test_hunks_are_counted_over_all_files_and_each_names_its_own() -> None:
    assert hunks(SCREENS["patch"]) == 3
    assert [hunks(SCREENS[name]) for name in ("edit", "write_over", "read", "write_new", "diff")] == [2, 2, 0, 0, 0]
    assert hunk(SCREENS["patch"], 2, LOOK).text == snapshot("""\
Hunk 3 of 3 in work/notes.md, line 3: +1 -1
   1   1 │   # Notes
   2   2 │
   3     │ - old
       3 │ + new\
""")


def test_a_hunk_has_three_lines_around_it_at_most_and_never_another_change() -> None:
    before = "".join(f"{number}\n" for number in range(20))
    pending = asked(edit(before, before.replace("10\n", "ten\n").replace("12\n", "twelve\n")))
    assert hunks(pending) == 2
    first, second = (hunk(pending, number, Look(width=60, height=60)).text for number in range(2))
    assert ("ten" in first, "twelve" in first) == (True, False)
    assert ("ten" in second, "twelve" in second) == (False, True)


def test_a_hunk_longer_than_the_screen_says_how_much_is_missing() -> None:
    before = "".join(f"old {number}\n" for number in range(5000))
    pending = asked(edit(before, before.replace("old", "new")))
    (block,) = blocks(edit(before, before.replace("old", "new")).unified_diff)
    drawing = hunk(pending, 0, LOOK)
    assert not drawing.whole
    drawn = drawing.text.split("\n")
    assert len(drawn) <= LOOK.height - 4
    assert drawn[-1] == f"… {block.last - block.first + 1 - (len(drawn) - 2):,} more lines · [v] shows all"


def test_what_an_edit_of_the_arguments_changed_is_a_diff_of_each() -> None:
    before = asked(None, args={"command": "rm -rf x\necho a", "cwd": "."})
    after = asked(None, args={"command": "rm -r x\necho a", "cwd": ".", "timeout": 3})
    assert "\n".join(difference(before, after, LOOK)) == snapshot("""\
Your edit of command:
         │   @@ -1,2 +1,2 @@
   1     │ - rm -rf x
       1 │ + rm -r x
   2   2 │   echo a
Your edit of timeout:
         │   @@ -0,0 +1 @@
       1 │ + 3\
""")
    assert list(difference(before, before, LOOK)) == ["Your edit changes nothing."]


def test_an_edit_that_changes_only_the_last_line_break_is_seen() -> None:
    before, after = asked(None, args={"content": "a\n"}), asked(None, args={"content": "a"})
    assert any("No newline" in line for line in difference(before, after, LOOK))


def test_a_batch_is_a_list_with_an_answer_for_each() -> None:
    pendings = [replace(SCREENS[name], id=PendingId(name)) for name in ("edit", "command", "read", "move", "delete")]
    answers: dict[PendingId, ApprovalDecision] = {
        PendingId("edit"): Approve(),
        PendingId("command"): Reject(stop=True),
        PendingId("read"): Approve(scope=Scope.SESSION),
        PendingId("move"): Reject(),
    }
    assert batch_list(pendings, answers, Look(width=50), cursor=1) == snapshot("""\
5 questions, 4 answered
  [y] 1 Edit work/prices.py: replace 1 line  +2 -1
> [q] 2 Run git status --short && rm -rf build | …
  [s] 3 Read work/secrets/config.yaml
  [n] 4 Move work/a.txt to archive/2026/a.txt
  [ ] 5 Delete work/old.txt (2 lines)\
""")


def test_a_long_batch_shows_what_is_around_the_cursor() -> None:
    pendings = [replace(SCREENS["read"], id=PendingId(f"{number}")) for number in range(100)]
    for cursor in (0, 50, 99):
        lines = batch_list(pendings, {}, Look(height=20), cursor=cursor).split("\n")
        assert len(lines) <= 16
        assert any(line.startswith(f"> [ ] {cursor + 1:>3} ") for line in lines)


def test_offers_say_what_they_cover_how_long_and_where_they_are_kept() -> None:
    offers = [
        Offer(key="1", covers="git push origin *", lasts="this session", replay="would have covered 3 of 40 calls"),
        Offer(key="2", covers="git push origin *", lasts="always", kept="the record in ~/.local/share/assent"),
        Offer(key="3", covers="git push --force *", lasts="always", allow=False),
    ]
    assert grant_lines(SCREENS["command"], offers, Look(width=60), cursor=1) == snapshot("""\
Remember: Run git status --short && rm -rf build | tee
  ↳ log.txt
  1 allow: git push origin *  this session
    would have covered 3 of 40 calls
> 2 allow: git push origin *  always, kept in the
    ↳ record in ~/.local/share/assent
  3 never allow: git push --force *  always\
""")


def test_why_says_the_rule_the_agents_the_raw_arguments_and_what_is_bound() -> None:
    pending = SCREENS["command"]
    drawn = "\n".join(why(pending, Look(width=100)))
    for part in (
        "Why: rm -rf build: no rule covers rm",
        "Agent 1 of 2: planner",
        "Agent 2 of 2: writer",
        '"command": "git status --short && rm -rf build | tee log.txt"',
        f"Digest: {pending.digest}",
        "fingerprint",
        "[s] covers: exactly this command, in /home/ana/shop",
    ):
        assert part in drawn
