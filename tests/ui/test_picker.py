from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from assent.model import ApprovalDecision, ApprovalRequest, Approve, Pending, PendingId, Reject, Scope, Wider
from assent.ui import TerminalApprover
from tests.ui.person import NOW, Clerk, Person, question

WIDER = (
    Wider(name="folder:a", description="all writes in a", fingerprint={"folder": "a"}, pattern="write a/*"),
    Wider(name="all", description="all writes", fingerprint={}),
)
REQUEST = ApprovalRequest(description="Write a/x", fingerprint={"path": "a/x"}, wider=WIDER)


def asking(person: Person, clerk: Clerk, *batch: Pending) -> asyncio.Task[Mapping[PendingId, ApprovalDecision]]:
    approver = TerminalApprover(person.keyboard, person.screen, by="kim", clock=lambda: NOW, where="/state/assent.db")
    return asyncio.ensure_future(approver.review(batch, clerk))


async def picks(person: Person, key: str) -> str:
    await person.sees("Remember: ")
    shown = await person.may_answer()
    person.types(key)
    return shown


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("1", Approve(by="kim", scope=Scope.SESSION)),
        ("2", Approve(by="kim", scope=Scope.SESSION, seconds=900)),
        ("3", Approve(by="kim", scope=Scope.SESSION, calls=3)),
        ("4", Approve(by="kim", scope=Scope.ALWAYS)),
    ],
)
async def test_an_approval_is_remembered_for_as_long_as_a_person_says(
    person: Person, key: str, answer: Approve
) -> None:
    decided = asking(person, Clerk(), question())
    await person.is_asked("Question 1")
    person.types("s")
    await picks(person, key)
    assert list((await decided).values()) == [answer]


@pytest.mark.parametrize(("key", "scope"), [("5", Scope.SESSION), ("6", Scope.ALWAYS)])
async def test_a_no_is_remembered_too_with_its_reason(person: Person, key: str, scope: Scope) -> None:
    decided = asking(person, Clerk(), question())
    await person.is_asked("Question 1")
    person.types("s")
    await picks(person, key)
    await person.sees("(Enter for no reason")
    await person.may_answer()
    person.types("never\n")
    assert list((await decided).values()) == [Reject(by="kim", scope=scope, note="never")]


async def test_the_picker_shows_the_literal_grant_how_long_where_and_what_it_would_have_covered(
    person: Person,
) -> None:
    clerk = Clerk()
    decided = asking(person, clerk, question(request=REQUEST))
    await person.is_asked("Write a/x")
    person.types("s")
    what = await picks(person, "2")
    assert '1 allow: every send_email that amounts to {"path":"a/x"}' in what
    assert "2 allow: write a/*" in what
    assert "3 allow: all writes" in what
    assert what.count("Each would also have covered 14 of the last 200 calls") == what.count("would also") == 1
    lasting = await picks(person, "4")
    for line in (
        "1 allow: write a/*  this session\n",
        "2 allow: write a/*  for 15 minutes\n",
        "3 allow: write a/*  for 3 more calls\n",
        "4 allow: write a/*  always, kept in /state/assent.db\n",
        "5 never allow: write a/*  this session\n",
        "6 never allow: write a/*  always, kept in /state/assent.db\n",
    ):
        assert line in lasting
    assert list((await decided).values()) == [Approve(by="kim", scope=Scope.ALWAYS, covers="folder:a")]
    assert all(grant.run is None for grant in clerk.grants)
    assert {grant.pattern for grant in clerk.grants} == {"", "write a/*"}


async def test_what_would_have_covered_nothing_says_nothing_of_it(person: Person) -> None:
    decided = asking(person, Clerk(counts=(0, 5)), question())
    await person.is_asked("Question 1")
    person.types("s")
    assert "covered" not in await picks(person, "1")
    await decided


async def test_an_answer_for_every_agent_takes_a_key_of_its_own(person: Person) -> None:
    decided = asking(person, Clerk(), question(agents=("lead", "tester")))
    await person.is_asked("Question 1")
    person.types("s")
    assert "this session, only lead › tester" in await picks(person, "g")
    assert "this session, every agent" in await picks(person, "1")
    assert list((await decided).values()) == [Approve(by="kim", scope=Scope.SESSION, every_agent=True)]


@pytest.mark.parametrize("key", ["b", "\x1b"])
async def test_who_thinks_better_of_it_is_asked_the_question_again(person: Person, key: str) -> None:
    decided = asking(person, Clerk(), question(request=REQUEST))
    await person.is_asked("Write a/x")
    person.types("s")
    await picks(person, key)
    await person.is_asked("Write a/x")
    person.types("s")
    await picks(person, "1")
    await picks(person, key)
    await person.is_asked("Write a/x")
    person.types("y")
    assert list((await decided).values()) == [Approve(by="kim")]


async def test_what_is_remembered_answers_what_it_covers_in_the_batch(person: Person) -> None:
    first, inside = question("1", request=REQUEST), question("2", request=writing("Write a/y"))
    outside = question("3", request=ApprovalRequest(description="Write b/z", wider=(WIDER[1],)))
    decided = asking(person, Clerk(), first, inside, outside)
    await person.is_asked("Write a/x")
    person.types("s")
    await picks(person, "2")
    await picks(person, "1")
    await person.sees("Answered by that too: Write a/y")
    await person.is_asked("Write b/z")
    person.types("y")
    assert await decided == {
        first.id: Approve(by="kim", scope=Scope.SESSION, covers="folder:a"),
        inside.id: Approve(by="kim"),
        outside.id: Approve(by="kim"),
    }


async def test_a_counted_or_another_agents_answer_covers_nothing_else_in_the_batch(person: Person) -> None:
    first, same = question("1", request=REQUEST), question("2", request=REQUEST)
    other = question("3", request=REQUEST, agents=("helper",))
    decided = asking(person, Clerk(), first, same, other)
    await person.is_asked("Write a/x")
    person.types("s")
    await picks(person, "1")
    await picks(person, "3")
    await person.sees("(2 of 3)")
    await person.may_answer()
    person.types("s")
    await picks(person, "1")
    await picks(person, "1")
    await person.sees("(3 of 3)")
    await person.may_answer()
    person.types("y")
    assert list((await decided).values()) == [
        Approve(by="kim", scope=Scope.SESSION, calls=3),
        Approve(by="kim", scope=Scope.SESSION),
        Approve(by="kim"),
    ]
    assert "Answered by that too" not in person.seen


def writing(description: str) -> ApprovalRequest:
    return ApprovalRequest(description=description, fingerprint={"path": description}, wider=WIDER)
