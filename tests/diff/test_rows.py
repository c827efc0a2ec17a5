"""What a UI gets to draw: every line of the diff once, with numbers, changed words and colours."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic import TypeAdapter

from assent.diff import Page, Row, diff, rows
from tests.diff.calls import calls
from tests.diff.versions import files

BEFORE = b"""\
def total(items):
    total = 0
    for item in items:
        total += item.price
    return total
"""
AFTER = BEFORE.replace(b"= 0", b"= Decimal('0')").replace(b".price", b".price * item.count")
TEXT = diff(BEFORE, AFTER).text("shop.py", "shop.py").decode()


def drawn(row: Row) -> str:
    numbers = f"{row.old or '':>3}{row.new or '':>3}"
    changed = " ".join(f"[{row.text[start:end]}]" for start, end in row.changed)
    tokens = " ".join(f"{row.text[token.start : token.end]}:{token.kind}" for token in row.tokens)
    return f"{numbers} {row.kind}: {row.text.strip()} | {changed} | {tokens}"


def test_rows_have_numbers_changed_words_and_tokens() -> None:
    assert [drawn(row) for row in rows(TEXT).rows] == snapshot(
        [
            "       file: shop.py |  | ",
            "       hunk: @@ -1,5 +1,5 @@ |  | ",
            "  1  1 context: def total(items): |  | def:keyword total:name",
            "  2    removed: total = 0 |  | =:operator 0:number",
            "     2 added: total = Decimal('0') | [Decimal('] [')] | =:operator '0':string",
            "  3  3 context: for item in items: |  | for:keyword in:keyword",
            "  4    removed: total += item.price |  | +=:operator .:operator",
            "     4 added: total += item.price * item.count | [ * item.count] | +=:operator .:operator *:operator .:operator",
            "  5  5 context: return total |  | return:keyword",
        ]
    )


def test_any_page_is_a_piece_of_the_whole() -> None:
    whole = rows(TEXT)
    assert whole.total == len(whole.rows) == TEXT.count("\n") - 1
    pages = [rows(TEXT, offset=offset, limit=3) for offset in range(0, whole.total, 3)]
    assert [row for page in pages for row in page.rows] == list(whole.rows)
    assert {page.total for page in pages} == {whole.total}


@pytest.mark.parametrize(("offset", "limit", "count"), [(10**9, 5, 0), (-5, 2, 2), (0, 0, 0), (1, -1, 0)])
def test_a_page_that_is_not_there_is_empty(offset: int, limit: int, count: int) -> None:
    assert len(rows(TEXT, offset=offset, limit=limit).rows) == count


@given(files, files)
def test_rows_say_all_that_the_diff_says(before: bytes, after: bytes) -> None:
    text = diff(before, after).text("file", "file").decode("latin-1")
    marks = {"context": " ", "removed": "-", "added": "+", "hunk": "", "no_newline": ""}
    head, body = text.split("\n")[:2], text.split("\n")[2:-1]
    page = rows(text, limit=10**6)
    assert [marks[row.kind] + row.text for row in page.rows[1:]] == body
    assert [row.text for row in page.rows[:1]] == (["file"] if head[0] else [])


@given(files, files)
def test_numbers_name_the_lines_of_both_files(before: bytes, after: bytes) -> None:
    text = diff(before, after).text("file", "file").decode("latin-1")
    old, new = (content.decode("latin-1").split("\n") for content in (before, after))
    for row in rows(text, limit=10**6).rows:
        assert row.old is None or old[row.old - 1] == row.text
        assert row.new is None or new[row.new - 1] == row.text


def test_each_file_of_several_begins_with_a_row_of_its_own() -> None:
    texts = [
        diff(b"a\n", b"b\n").text("one.py", "one.py"),
        diff(None, b"new\n").text("new", "new"),
        diff(b"old\n", None).text("old", "old"),
        diff(b"a\n", b"b\n").text("x y\t", "z"),
    ]
    page = rows(b"".join(texts).decode())
    assert [row.text for row in page.rows if row.kind == "file"] == [
        "one.py",
        "/dev/null → new",
        "old → /dev/null",
        '"x y\\t" → z',
    ]


def test_a_removed_line_that_looks_like_the_head_of_a_file_is_a_removed_line() -> None:
    text = diff(b"-- a/x\n++ b/x\nend\n", b"end\n").text("file", "file").decode()
    assert [row.kind for row in rows(text).rows] == ["file", "hunk", "removed", "removed", "context"]


def test_nothing_in_a_foreign_or_broken_diff_is_hidden() -> None:
    text = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,5 +1,5 @@ def f\n a\n?odd\n--- lonely\nend"
    assert [(row.kind, row.text) for row in rows(text).rows] == [
        ("file", "diff --git a/x b/x"),
        ("file", "index 1..2 100644"),
        ("file", "x"),
        ("hunk", "@@ -1,5 +1,5 @@ def f"),
        ("context", "a"),
        ("file", "?odd"),
        ("file", "--- lonely"),
        ("file", "end"),
    ]


def changed(old: str, new: str) -> tuple[list[str], list[str]]:
    text = diff(old.encode(), new.encode()).text("x", "x").decode()
    found: dict[str, list[str]] = {"removed": [], "added": []}
    for row in rows(text).rows:
        found.get(row.kind, []).extend(row.text[start:end] for start, end in row.changed)
    return found["removed"], found["added"]


def test_words_are_compared_as_wholes_and_neighbours_are_one_span() -> None:
    assert changed("the quick brown fox\n", "the slow red fox\n") == (["quick brown"], ["slow red"])


def test_lines_that_have_little_in_common_have_no_changed_words() -> None:
    assert changed("import os\n", "return self.value\n") == ([], [])


def test_very_long_lines_have_no_changed_words_and_no_tokens() -> None:
    old = "x = " + "1 + " * 5_000
    text = diff(f"{old}1\n".encode(), f"{old}2\n".encode()).text("x.py", "x.py").decode()
    assert all((row.changed, row.tokens) == ((), ()) for row in rows(text).rows)


def test_the_line_most_like_the_removed_one_is_its_new_version() -> None:
    removed, added = changed("total = price * count\n", "# counted\nlog('sum')\ntotal = price * amount\n")
    assert (removed, added) == (["count"], ["amount"])


def test_what_spans_several_lines_is_coloured_on_each_and_carriage_returns_move_nothing() -> None:
    code = b'x = """one\r\ntwo\r\n"""\r\ny = 1\r\n'
    text = diff(b"", code).text("a.py", "a.py").decode()
    strings = [
        row.text[token.start : token.end] for row in rows(text).rows for token in row.tokens if token.kind == "string"
    ]
    assert strings == ['"""one\r', "two\r", '"""']


def test_a_file_of_an_unknown_kind_has_no_tokens() -> None:
    text = diff(b"", b"x = 1\n").text("notes.unknown", "notes.unknown").decode()
    assert [row.tokens for row in rows(text).rows] == [(), (), ()]


def test_a_page_survives_the_wire() -> None:
    pages = TypeAdapter(Page)
    page = rows(TEXT)
    assert pages.validate_json(pages.dump_json(page)) == page


def test_a_late_page_of_a_large_diff_reads_only_what_is_near() -> None:
    before = b"".join(b"value_%d = compute(%d)\n" % (number, number) for number in range(10_000))
    text = diff(before, before.replace(b"compute", b"work_out")).text("x.py", "x.py").decode()
    page = rows(text, offset=15_000, limit=50)
    assert (page.total, page.offset, len(page.rows)) == (20_002, 15_000, 50)
    assert [row.text[slice(*row.changed[0])] for row in page.rows] == ["work_out"] * 50
    assert all(row.tokens for row in page.rows)


_lines = st.sampled_from(
    (
        "--- lonely\n",
        "@@ -1,3 +1,3 @@\n",
        "@@ -2 +2,5 @@ x\n",
        "@@ bad\n",
        "-one two\n",
        "-one three\n",
        "+one two four\n",
        "+x = 1\n",
        "+\n",
        " context\n",
        "\n",
        "\\ No newline at end of file\n",
        "junk\n",
    )
)


@settings(max_examples=300)
@given(st.lists(_lines, max_size=30), st.integers(0, 12), st.integers(0, 12), st.integers(1, 7))
def test_any_page_of_any_text_is_a_piece_of_the_whole(lines: list[str], old: int, new: int, limit: int) -> None:
    text = f"--- a/x.py\n+++ b/x.py\n@@ -1,{old} +1,{new} @@\n" + "".join(lines)
    whole = [replace(row, tokens=()) for row in rows(text).rows]
    pages = [rows(text, offset=offset, limit=limit) for offset in range(0, len(whole), limit)]
    # A page does not know the syntax far above it; all else is the same.
    assert [replace(row, tokens=()) for page in pages for row in page.rows] == whole
    marks = {"context": " ", "removed": "-", "added": "+", "hunk": "", "no_newline": "", "file": ""}
    said = [marks[row.kind] + row.text for row in whole]
    expected = text.replace("--- a/x.py\n+++ b/x.py\n", "x.py\n").split("\n")[:-1]
    assert [line.strip() for line in said] == [line.strip() for line in expected]


def test_a_hunk_ends_where_its_head_says() -> None:
    text = "@@ -5,2 +7,3 @@\n a\n-b\n+c\n+d\n e\n-f\n"
    assert [(row.kind, row.old, row.new) for row in rows(text).rows] == [
        ("hunk", None, None),
        ("context", 5, 7),
        ("removed", 6, None),
        ("added", None, 8),
        ("added", None, 9),
        ("file", None, None),
        ("file", None, None),
    ]


@pytest.mark.parametrize("after", [b"value_%d = work_out(%d)\n", b"v%d_%d\n\n"], ids=["as many", "more"])
def test_a_page_of_a_diff_ten_times_as_long_is_not_ten_times_the_work(after: bytes) -> None:
    work: list[int] = []
    for lines in (4_000, 40_000):
        old = b"".join(b"value_%d = compute(%d)\n" % (number, number) for number in range(lines))
        new = b"".join(after % (number, number) for number in range(lines))
        text = diff(old, new, steps=1).text("x.unknown", "x.unknown").decode()
        total = rows(text, limit=0).total
        count, page = calls(partial(rows, text, offset=total - 60))
        work.append(count)
        assert [row.new for row in page.rows] == list(range(new.count(b"\n") - 59, new.count(b"\n") + 1))
    assert work[1] <= 1.2 * work[0] + 100


def test_a_page_that_is_hard_to_compare_is_drawn_with_fewer_changed_words_and_colours() -> None:
    old, new = "1 2 " * 200, "2 1 3 " * 160
    removed, added = (f"{line}\n" * 250 for line in (f"-{old}", f"+{new}"))
    count, page = calls(partial(rows, f"--- a/x.py\n+++ b/x.py\n@@ -1,250 +1,250 @@\n{removed}{added}"))
    assert count < 3_000_000
    assert [row.text for row in page.rows[2:]] == [old] * 250 + [new] * 248
    assert page.rows[2].changed
    assert page.rows[2].tokens
    assert not page.rows[249].changed
    assert not page.rows[249].tokens
