"""What is remembered: for a run or for good, for some agents or all, until it is revoked."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from assent.model import GrantId
from assent.store import SQLiteStore
from tests.store.conftest import Open
from tests.store.kit import OPERATION, approved, call, grant, question, until


def test_nothing_is_remembered_that_nobody_said(store: SQLiteStore) -> None:
    assert store.remembered(call(), OPERATION) is None
    assert store.grants() == []


def test_an_answer_is_remembered_for_its_operation_only(store: SQLiteStore) -> None:
    store.remember(grant())
    assert store.remembered(call(), OPERATION) == grant()
    assert store.remembered(call(), '["write",{"path":"b"}]') is None


def test_an_answer_and_what_it_leaves_behind_are_one(store: SQLiteStore) -> None:
    store.park([question()])
    store.decide(approved(question()), grant=grant())
    assert store.remembered(call("2"), OPERATION) == grant()


def test_a_session_grant_holds_for_its_run_and_ends_with_it(store: SQLiteStore) -> None:
    store.remember(grant(run="run"))
    assert store.remembered(call(run="run"), OPERATION) == grant(run="run")
    assert store.remembered(call(run="other"), OPERATION) is None
    store.end_run("run", 9.0)
    assert store.remembered(call(run="run"), OPERATION) is None
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
    found = store.remembered(call(), OPERATION)
    assert found is not None
    assert found.allow is False


def test_a_refusal_of_another_run_or_agent_beats_nothing(store: SQLiteStore) -> None:
    store.remember(grant("a", allow=False, run="other"))
    store.remember(grant("b", allow=False, agents=("helper",)))
    store.remember(grant("c"))
    assert store.remembered(call(), OPERATION) == grant("c")


def test_a_grant_for_a_chain_of_agents_holds_for_exactly_that_chain(store: SQLiteStore) -> None:
    store.remember(grant(agents=("main", "helper")))
    assert store.remembered(call(agents=("main", "helper")), OPERATION) is not None
    for agents in [(), ("main",), ("helper",), ("helper", "main"), ("main", "helper", "deeper")]:
        assert store.remembered(call(agents=agents), OPERATION) is None


def test_a_grant_for_the_outermost_agent_is_not_one_for_its_helpers(store: SQLiteStore) -> None:
    store.remember(grant(agents=()))
    assert store.remembered(call(agents=()), OPERATION) is not None
    assert store.remembered(call(agents=("helper",)), OPERATION) is None


@pytest.mark.parametrize("agents", [(), ("main",), ("main", "helper")])
def test_a_grant_for_every_agent_holds_for_all(store: SQLiteStore, agents: tuple[str, ...]) -> None:
    store.remember(grant(agents=None))
    assert store.remembered(call(agents=agents), OPERATION) is not None


def test_a_revoked_grant_stands_no_more(store: SQLiteStore) -> None:
    store.remember(grant())
    assert store.remembered(call(), OPERATION) is not None
    assert store.revoke(GrantId("g"), by="ben", at=8.0) is True
    assert store.remembered(call(), OPERATION) is None
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
    assert there.remembered(call(), OPERATION) is None
    here.remember(grant())
    until(lambda: there.remembered(call(), OPERATION) == grant())
    here.revoke(GrantId("g"), by="ana", at=3.0)
    until(lambda: there.remembered(call(), OPERATION) is None)


def test_another_process_sees_that_a_run_was_asked_about(open_store: Open) -> None:
    here, there = open_store(), open_store()
    assert there.history("run").calls == {}
    here.park([question()])
    until(lambda: there.history("run").calls == {"1": question().id})


def test_what_is_remembered_is_read_again_after_a_write_elsewhere_and_not_after_one_here(open_store: Open) -> None:
    store, other = open_store(), open_store()
    read: list[str] = []
    store.remembered(call(), OPERATION)
    store._db._reader.set_trace_callback(read.append)
    store._memory._fresh_until = 0.0
    store.note("allowed", 1.0, call(), "rule")
    store._db.flush()
    assert store.remembered(call(), OPERATION) is None
    assert read == []
    other.remember(grant("from elsewhere"))
    store._memory._fresh_until = 0.0
    assert store.remembered(call(), OPERATION) == grant("from elsewhere")
    assert len(read) == 1
    store._db._reader.set_trace_callback(None)


def test_what_was_revoked_elsewhere_is_not_kept_because_this_process_is_writing(open_store: Open) -> None:
    store, other = open_store(), open_store()
    store.remember(grant("g"))
    assert store.remembered(call(), OPERATION) == grant("g")
    assert other.revoke(grant("g").id, by="ben", at=3.0)
    store._memory._fresh_until = 0.0
    with ThreadPoolExecutor(1) as elsewhere, store._db.transaction(durable=False):
        assert elsewhere.submit(store.remembered, call(), OPERATION).result(timeout=20) is None
