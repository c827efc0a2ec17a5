"""What is remembered: for a run or for good, for some agents or all, until it is revoked."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest

from assent.model import ApprovalRequest, GrantId
from assent.store import SQLiteStore
from tests.store.conftest import Open
from tests.store.kit import NOW, REQUEST, approved, call, grant, question, until


def test_nothing_is_remembered_that_nobody_said(store: SQLiteStore) -> None:
    assert store.remembered(call(), REQUEST, NOW) is None
    assert store.grants() == []


def test_an_answer_is_remembered_for_its_operation_only(store: SQLiteStore) -> None:
    store.remember(grant())
    assert store.remembered(call(), REQUEST, NOW) == grant()
    assert store.remembered(call(), ApprovalRequest(description="", fingerprint={"path": "b"}), NOW) is None


def test_an_answer_and_what_it_leaves_behind_are_one(store: SQLiteStore) -> None:
    store.park([question()])
    store.decide(approved(question()), grant=grant())
    assert store.remembered(call("2"), REQUEST, NOW) == grant()


def test_a_session_grant_holds_for_its_run_and_ends_with_it(store: SQLiteStore) -> None:
    store.remember(grant(run="run"))
    assert store.remembered(call(run="run"), REQUEST, NOW) == grant(run="run")
    assert store.remembered(call(run="other"), REQUEST, NOW) is None
    store.end_run("run", 9.0)
    assert store.remembered(call(run="run"), REQUEST, NOW) is None
    assert store.grants() == []


def test_always_outlives_the_run(store: SQLiteStore) -> None:
    store.remember(grant("always"))
    store.remember(grant("other", run="other"))
    store.end_run("run", 9.0)
    assert store.grants() == [grant("always"), grant("other", run="other")]


@pytest.mark.parametrize("order", [("grant", "refusal"), ("refusal", "grant")])
def test_a_refusal_beats_a_grant(store: SQLiteStore, order: tuple[str, str]) -> None:
    for name in order:
        store.remember(grant(name, allow=name == "grant"))
    found = store.remembered(call(), REQUEST, NOW)
    assert found is not None
    assert found.allow is False


def test_a_refusal_of_another_run_or_agent_beats_nothing(store: SQLiteStore) -> None:
    store.remember(grant("a", allow=False, run="other"))
    store.remember(grant("b", allow=False, agents=("helper",)))
    store.remember(grant("c"))
    assert store.remembered(call(), REQUEST, NOW) == grant("c")


def test_a_grant_for_a_chain_of_agents_holds_for_exactly_that_chain(store: SQLiteStore) -> None:
    store.remember(grant(agents=("main", "helper")))
    assert store.remembered(call(agents=("main", "helper")), REQUEST, NOW) is not None
    for agents in [(), ("main",), ("helper",), ("helper", "main"), ("main", "helper", "deeper")]:
        assert store.remembered(call(agents=agents), REQUEST, NOW) is None


def test_a_grant_for_the_outermost_agent_is_not_one_for_its_helpers(store: SQLiteStore) -> None:
    store.remember(grant(agents=()))
    assert store.remembered(call(agents=()), REQUEST, NOW) is not None
    assert store.remembered(call(agents=("helper",)), REQUEST, NOW) is None


@pytest.mark.parametrize("agents", [(), ("main",), ("main", "helper")])
def test_a_grant_for_every_agent_holds_for_all(store: SQLiteStore, agents: tuple[str, ...]) -> None:
    store.remember(grant(agents=None))
    assert store.remembered(call(agents=agents), REQUEST, NOW) is not None


def test_a_revoked_grant_stands_no_more(store: SQLiteStore) -> None:
    store.remember(grant())
    assert store.remembered(call(), REQUEST, NOW) is not None
    assert store.revoke(GrantId("g"), by="ben", at=8.0) is True
    assert store.remembered(call(), REQUEST, NOW) is None
    assert [(entry.kind, entry.at, entry.body["by"]) for entry in store.journal()] == [
        ("remembered", 2.0, "ana"),
        ("revoked", 8.0, "ben"),
    ]


def test_revoking_what_does_not_stand_is_told_and_not_recorded(store: SQLiteStore) -> None:
    assert store.revoke(GrantId("g"), by="ben", at=8.0) is False
    store.remember(grant())
    store.revoke(GrantId("g"), by="ben", at=8.0)
    assert store.revoke(GrantId("g"), by="ben", at=9.0) is False
    assert [entry.kind for entry in store.journal()] == ["remembered", "revoked"]


def test_another_process_sees_a_new_and_a_revoked_grant(open_store: Open) -> None:
    here, there = open_store(), open_store()
    assert there.remembered(call(), REQUEST, NOW) is None
    here.remember(grant())
    until(lambda: there.remembered(call(), REQUEST, NOW) == grant())
    here.revoke(GrantId("g"), by="ana", at=3.0)
    until(lambda: there.remembered(call(), REQUEST, NOW) is None)


def test_another_process_sees_that_a_run_was_asked_about(open_store: Open) -> None:
    here, there = open_store(), open_store()
    assert there.history("run").calls == {}
    here.park([question()])
    until(lambda: there.history("run").calls == {"1": question().id})


def test_what_is_remembered_is_read_again_after_a_write_elsewhere_and_not_after_one_here(open_store: Open) -> None:
    store, other = open_store(), open_store()
    read: list[str] = []
    store.remembered(call(), REQUEST, NOW)
    for connection in (store._db._reader, store._db._writer):
        connection.set_trace_callback(lambda said: read.append(said) if "FROM grants" in said else None)
    store._memory._fresh_until = 0.0
    store.note("allowed", 1.0, call(), "rule")
    store._db.flush()
    assert store.remembered(call(), REQUEST, NOW) is None
    assert read == []
    other.remember(grant("from elsewhere"))
    store._memory._fresh_until = 0.0
    assert store.remembered(call(), REQUEST, NOW) == grant("from elsewhere")
    assert len(read) == 1


def test_what_was_revoked_elsewhere_is_not_kept_because_this_process_is_writing(open_store: Open) -> None:
    store, other = open_store(), open_store()
    store.remember(grant("g"))
    assert store.remembered(call(), REQUEST, NOW) == grant("g")
    assert other.revoke(grant("g").id, by="ben", at=3.0)
    store._memory._fresh_until = 0.0
    with ThreadPoolExecutor(1) as elsewhere:

        def look(_connection: sqlite3.Connection) -> None:
            assert elsewhere.submit(store.remembered, call(), REQUEST, NOW).result(timeout=20) is None

        store._db.write("no", look)


def test_a_grant_stands_until_its_time_is_over(store: SQLiteStore) -> None:
    store.remember(grant(expires=900.0))
    assert store.remembered(call(), REQUEST, 899.9) is not None
    assert store.remembered(call(), REQUEST, 900.0) is None


def test_a_refusal_whose_time_is_over_does_not_hide_a_grant(store: SQLiteStore) -> None:
    store.remember(grant("no", allow=False, expires=5.0))
    store.remember(grant("yes"))
    assert store.remembered(call(), REQUEST, 6.0) == grant("yes")


def test_what_is_over_is_swept_away_when_something_new_is_remembered(store: SQLiteStore) -> None:
    store.remember(grant("old", expires=1.0))
    store.remember(grant("new"))
    assert [each.id for each in store.grants()] == ["new"]


def test_a_counting_grant_lets_as_many_calls_through_as_it_says_in_all_processes_together(open_store: Open) -> None:
    here, there = open_store(), open_store()
    here.remember(grant(calls=3))
    assert [here.use(GrantId("g"), NOW), there.use(GrantId("g"), NOW), here.use(GrantId("g"), NOW)] == [True] * 3
    assert not there.use(GrantId("g"), NOW)
    assert here.grants() == []
    assert [entry.kind for entry in here.journal()] == ["remembered", "used_up"]


def test_of_many_threads_only_as_many_use_a_counting_grant_as_it_says(store: SQLiteStore) -> None:
    store.remember(grant(calls=5))
    with ThreadPoolExecutor(8) as pool:
        used = list(pool.map(lambda _: store.use(GrantId("g"), NOW), range(20)))
    assert sum(used) == 5


def test_a_counting_grant_whose_time_is_over_lets_nothing_through(store: SQLiteStore) -> None:
    store.remember(grant(calls=5, expires=3.0))
    assert not store.use(GrantId("g"), 3.0)
