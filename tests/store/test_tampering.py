"""A law: whatever somebody changes in the journal, `verify` names the first entry it touches."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import takewhile
from math import inf
from pathlib import Path

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from assent.errors import StoreFailed
from assent.store import SQLiteStore
from assent.store._journal import Head, Row, chained
from tests.store.kit import approved, call, question, rejected, stopped

COLUMNS = ("kind", "at", "run", "body", "previous", "hash")
Rows = list[Row]


@st.composite
def journals(draw: st.DrawFn) -> SQLiteStore:
    """A store in which some things happened."""
    store = SQLiteStore()
    names = st.text("ab\x00é", max_size=3)
    for number in range(draw(st.integers(1, 7))):
        call_id = str(number)
        match draw(st.integers(0, 3)):
            case 0:
                store.note("allowed", draw(st.floats(0, 1e10)), call(call_id, run=draw(names)), draw(names))
            case 1:
                store.park([question(call_id, run=draw(names))])
            case 2:
                store.park([question(call_id, run=call_id)])
                store.decide(draw(st.sampled_from([approved, rejected, stopped]))(question(call_id, run=call_id)))
            case _:
                store.park([question(call_id, expires=3.0)])
                store.expire(4.0)
    assert store.verify() is None
    return store


def stored(store: SQLiteStore) -> tuple[Rows, list[tuple[int, int, str]]]:
    execute = store._db._writer.execute
    return (
        execute("SELECT * FROM journal ORDER BY seq").fetchall(),
        execute("SELECT * FROM journal_head").fetchall(),
    )


def put(store: SQLiteStore, rows: Rows) -> None:
    store._db._writer.execute("DELETE FROM journal")
    store._db._writer.executemany("INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


@contextmanager
def tampered(store: SQLiteStore) -> Generator[Rows]:
    """The journal's rows, to be changed; a change that changes nothing is none."""
    before = stored(store)
    rows = list(before[0])
    yield rows
    put(store, rows)
    if stored(store) == before:
        store.close()
        reject()


def first_broken(store: SQLiteStore) -> int | None:
    broken = store.verify()
    store.close()
    return broken.seq if broken is not None else None


def places(rows: Rows) -> st.SearchStrategy[int]:
    return st.integers(0, len(rows) - 1)


def replaced(row: Row, column: int, value: object) -> Row:
    return (*row[:column], value, *row[column + 1 :])  # type: ignore[return-value]


values = {
    "at": st.floats(allow_nan=False) | st.sampled_from([inf, -inf]),
    **dict.fromkeys(("kind", "run", "body", "previous", "hash"), st.text(max_size=4)),
}


@given(store=journals(), data=st.data())
def test_an_edited_entry_is_found(store: SQLiteStore, data: st.DataObject) -> None:
    with tampered(store) as rows:
        place = data.draw(places(rows))
        column = data.draw(st.sampled_from(COLUMNS))
        elsewhere = [row[COLUMNS.index(column) + 1] for row in rows]
        value = data.draw(values[column] | st.sampled_from(elsewhere))
        rows[place] = replaced(rows[place], COLUMNS.index(column) + 1, value)
    assert first_broken(store) == place + 1


@given(store=journals(), data=st.data())
def test_a_renumbered_entry_is_found(store: SQLiteStore, data: st.DataObject) -> None:
    with tampered(store) as rows:
        place = data.draw(places(rows))
        taken = [row[0] for row in rows]
        number = data.draw(st.integers(-3, 20).filter(lambda number: number not in taken))
        rows[place] = replaced(rows[place], 0, number)
    assert first_broken(store) == (1 if number < 1 else place + 1)


@given(store=journals(), data=st.data())
def test_a_removed_entry_is_found_also_the_last(store: SQLiteStore, data: st.DataObject) -> None:
    with tampered(store) as rows:
        place = data.draw(places(rows))
        last = data.draw(st.booleans())
        del rows[place : len(rows) if last else place + 1]
    assert first_broken(store) == place + 1


@given(store=journals(), data=st.data())
def test_a_removed_entry_is_found_also_when_the_others_close_the_gap(store: SQLiteStore, data: st.DataObject) -> None:
    with tampered(store) as rows:
        place = data.draw(places(rows))
        del rows[place]
        rows[place:] = [replaced(row, 0, row[0] - 1) for row in rows[place:]]
    assert first_broken(store) == place + 1


@given(store=journals(), data=st.data())
def test_two_entries_that_changed_places_are_found(store: SQLiteStore, data: st.DataObject) -> None:
    with tampered(store) as rows:
        one, other = sorted([data.draw(places(rows)), data.draw(places(rows))])
        rows[one], rows[other] = (rows[one][0], *rows[other][1:]), (rows[other][0], *rows[one][1:])
    assert first_broken(store) == one + 1


@given(store=journals(), data=st.data())
def test_an_inserted_entry_is_found(store: SQLiteStore, data: st.DataObject) -> None:
    """A copy of another entry, or one whose own hash was never worked out."""
    with tampered(store) as rows:
        before = list(rows)
        place = data.draw(st.integers(0, len(rows)))
        new: Row = data.draw(st.sampled_from(rows) | st.just((0, "approved", 1.0, "run", "{}", "", "")))
        rows[place:] = [replaced(new, 0, place + 1), *(replaced(row, 0, row[0] + 1) for row in rows[place:])]
    # A copy of an entry before itself is the same as one behind it.
    same = takewhile(lambda pair: pair[0] == pair[1], zip(before, rows, strict=False))
    assert first_broken(store) == len(list(same)) + 1


@given(store=journals(), data=st.data())
def test_an_entry_written_with_all_our_knowledge_is_found_by_what_follows_it(
    store: SQLiteStore, data: st.DataObject
) -> None:
    """Its own hash is right; the next entry, or the journal's end, still knows the one it replaced."""
    with tampered(store) as rows:
        place = data.draw(places(rows))
        before = Head(place, rows[place][5])
        body = data.draw(st.sampled_from(["{}", rows[place][4]]))
        (rows[place],) = chained(before, [("approved", 1.0, "run", body)])
        last = place == len(rows) - 1
    assert first_broken(store) == (place + 1 if last else place + 2)


@given(store=journals(), data=st.data())
def test_entries_put_behind_the_end_are_found(store: SQLiteStore, data: st.DataObject) -> None:
    with tampered(store) as rows:
        length = len(rows)
        for _ in range(data.draw(st.integers(1, 2))):
            rows.extend(chained(Head(rows[-1][0], rows[-1][6]), [("approved", 1.0, "run", "{}")]))
    assert first_broken(store) == length + 1


@given(store=journals(), seq=st.integers(-2, 12), digest=st.none() | st.text("abc", max_size=3))
def test_another_end_is_found(store: SQLiteStore, seq: int, digest: str | None) -> None:
    with tampered(store) as rows:
        length = len(rows)
        statement = "UPDATE journal_head SET seq = ?, hash = ifnull(?, hash)"
        store._db._writer.execute(statement, (seq, digest))
    assert first_broken(store) == (length if seq == length else max(min(seq, length), 0) + 1)


@given(store=journals())
def test_an_end_that_was_removed_is_found_and_nothing_continues_it(store: SQLiteStore) -> None:
    with tampered(store) as rows:
        store._db._writer.execute("DELETE FROM journal_head")
    with pytest.raises(StoreFailed):
        store.park([question("another")])
    assert first_broken(store) == len(rows) + 1


@given(store=journals(), data=st.data())
def test_an_entry_that_is_no_text_any_more_is_found(store: SQLiteStore, data: st.DataObject) -> None:
    place = data.draw(places(stored(store)[0]))
    column = data.draw(st.sampled_from(["kind", "run", "body", "previous", "hash"]))
    bytes_ = data.draw(st.sampled_from(["ff", "c328", "eda080", "7b00ff"]))
    statement = f"UPDATE journal SET {column} = CAST(x'{bytes_}' AS TEXT) WHERE seq = ?"  # noqa: S608
    store._db._writer.execute(statement, (place + 1,))
    with pytest.raises(StoreFailed):
        list(store.journal())
    assert first_broken(store) == place + 1


def emptied(store: SQLiteStore) -> None:
    store._db._writer.execute("DELETE FROM journal")


def without_its_table(store: SQLiteStore) -> None:
    store._db._writer.execute("DROP TABLE journal")


def test_an_emptied_journal_is_found() -> None:
    store = SQLiteStore()
    store.park([question()])
    emptied(store)
    assert first_broken(store) == 1


@pytest.mark.parametrize("use", [SQLiteStore.verify, lambda store: store.park([question("2")])])
def test_without_its_table_the_journal_is_neither_whole_nor_continued(use: Callable[[SQLiteStore], object]) -> None:
    store = SQLiteStore()
    store.park([question()])
    without_its_table(store)
    with pytest.raises(StoreFailed):
        use(store)
    store.close()


def test_a_file_is_verified_as_memory_is() -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = SQLiteStore(Path(folder) / "store.db")
        store.park([question("1"), question("2"), question("3")])
        with tampered(store) as rows:
            rows[1] = replaced(rows[1], 4, "{}")
        assert first_broken(store) == 2
