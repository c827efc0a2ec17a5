import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent import (
    Allow,
    Approve,
    Deny,
    Fixed,
    Pending,
    Permit,
    Presentation,
    Reject,
    Scope,
    ToolCall,
    Verdict,
    execute,
)
from assent.errors import ConflictingCall, DeniedByPolicy, GateFailed, Rejected
from assent.gate import Mode
from assent.testing import Answers, memory_store
from tests.gate.kit import ALLOW, ASK, DENY, Recorder, asking, call, gate, kinds

MODES: list[Mode] = ["interactive", "approve_all", "strict"]


def says_none(_call: object) -> None:
    return None


def raises(_call: object) -> Verdict:
    message = "not this folder; work/ is allowed"
    raise PermissionError(message)


@pytest.mark.parametrize("mode", MODES)
async def test_none_runs_in_every_mode(mode: Mode) -> None:
    tool = Recorder(says_none)
    assert await execute(call(), tool, gate(mode=mode)) == "ran write"


@pytest.mark.parametrize("mode", MODES)
async def test_a_permission_error_denies_in_every_mode(mode: Mode) -> None:
    tool = Recorder(raises)
    with pytest.raises(DeniedByPolicy, match="not this folder; work/ is allowed") as refusal:
        await execute(call(), tool, gate(Answers(Approve()), mode=mode))
    assert isinstance(refusal.value, PermissionError)
    assert tool.ran == []


async def test_a_request_asks_a_person_in_interactive_mode() -> None:
    person = Answers(Approve())
    assert await execute(call(), Recorder(asking()), gate(person)) == "ran write"
    assert len(person.asked) == 1


async def test_a_request_is_approved_by_approve_all_without_asking() -> None:
    tool, person = Recorder(asking()), Answers(Reject())
    assert await execute(call(), tool, gate(person, mode="approve_all")) == "ran write"
    assert (person.asked, tool.previews) == ([], 0)


async def test_a_request_is_denied_by_strict_with_the_tool_and_the_mode_named() -> None:
    person = Answers(Approve())
    with pytest.raises(DeniedByPolicy, match="write was denied by policy: Strict mode: approval required"):
        await execute(call(), Recorder(asking()), gate(person, mode="strict"))
    assert person.asked == []


async def test_a_grant_is_the_operators_own_word_and_holds_in_strict() -> None:
    store = memory_store()
    await execute(call(), Recorder(asking()), gate(Answers(Approve(scope=Scope.ALWAYS)), store=store))
    assert await execute(call(id="2"), Recorder(asking()), gate(store=store, mode="strict")) == "ran write"


@pytest.mark.parametrize("mode", MODES)
async def test_a_remembered_refusal_denies_in_every_mode(mode: Mode) -> None:
    store = memory_store()
    never = Reject(scope=Scope.ALWAYS, note="production", by="ana")
    with pytest.raises(Rejected):
        await execute(call(), Recorder(asking()), gate(Answers(never), store=store))
    with pytest.raises(DeniedByPolicy, match="production"):
        await execute(call(id="2"), Recorder(asking()), gate(Answers(Approve()), store=store, mode=mode))


@given(st.booleans(), st.sampled_from(MODES), st.text())
def test_no_mode_ever_passes_a_deny(raised: bool, mode: Mode, reason: str) -> None:  # noqa: FBT001
    def verdict(_call: object) -> Verdict:
        if raised:
            raise PermissionError(reason)
        return Deny(reason=reason)

    tool = Recorder(verdict)
    with pytest.raises(DeniedByPolicy):
        gate(Answers(Approve()), mode=mode).admit_sync(call(), tool)


@pytest.mark.parametrize("verdict", [True, "allow", 0, object()])
async def test_what_is_no_verdict_refuses_the_call(verdict: object) -> None:
    with pytest.raises(GateFailed, match="The check failed") as refusal:
        await gate().judge(call(), Recorder(lambda _call: verdict))  # type: ignore[arg-type, return-value]
    assert refusal.value.part == "check"


async def test_an_asynchronous_check_is_no_verdict() -> None:
    class Late:
        async def check_approval(self, _call: object) -> None: ...

    with pytest.raises(GateFailed, match="The check failed: it returned <coroutine"):
        await gate().judge(call(), Late())  # type: ignore[arg-type]


async def test_a_check_that_breaks_refuses_and_says_so() -> None:
    with pytest.raises(GateFailed, match="The check failed: ZeroDivisionError"):
        await gate().judge(call(), Recorder(lambda _call: 1 / 0))  # type: ignore[arg-type, return-value]


async def test_the_preview_is_built_once_and_only_when_a_person_must_look() -> None:
    tool = Recorder(asking())
    behind = gate(Answers(Approve(scope=Scope.SESSION)))
    await execute(call(), tool, behind)
    await execute(call(id="2"), tool, behind)
    assert (len(tool.ran), tool.previews) == (2, 1)


async def test_a_preview_that_breaks_refuses_and_says_so() -> None:
    class Broken(Recorder):
        async def preview(self, call: object, /) -> object:  # type: ignore[override]
            message = "no such file"
            raise OSError(message)

    with pytest.raises(GateFailed, match="The preview failed: OSError: no such file"):
        await execute(call(), Broken(asking()), gate(Answers(Approve())))


async def test_a_policy_without_a_preview_shows_the_arguments_as_they_are() -> None:
    person = Answers(Approve())
    await gate(person).admit(call(path="a.txt", content="é"), ASK)
    shown = person.asked[0].preview.presentation
    assert isinstance(shown, Presentation)
    assert (shown.type, shown.description) == ("structured", "write a.txt")
    assert shown.content == '{\n  "path": "a.txt",\n  "content": "é"\n}'


async def test_the_same_call_asked_again_is_the_same_question() -> None:
    behind = gate()
    first = await behind.judge(call(), Recorder(asking()))
    second = await behind.judge(call(), Recorder(asking()))
    assert isinstance(first, Pending)
    assert first == second
    assert kinds(behind) == ["asked"]


async def test_the_answer_that_was_given_stands_for_the_same_call() -> None:
    person = Answers(Reject(note="no"), Approve())
    behind = gate(person)
    for _ in range(2):
        with pytest.raises(Rejected, match="no"):
            await behind.admit(call(), Recorder(asking()))
    assert len(person.asked) == 1


@pytest.mark.parametrize("answer", [None, Approve(), Reject()])
async def test_the_same_id_with_other_arguments_is_refused(answer: Approve | Reject | None) -> None:
    behind = gate()
    pending = await behind.judge(call(path="a"), Recorder(asking()))
    assert isinstance(pending, Pending)
    if answer is not None:
        behind.answer(pending.id, answer)
    with pytest.raises(ConflictingCall):
        await behind.judge(call(path="b"), Recorder(asking()))


async def test_the_same_id_in_another_run_is_another_call() -> None:
    person = Answers(Approve())
    behind = gate(person)
    await behind.admit(call(path="a", run="one"), Recorder(asking()))
    await behind.admit(call(path="b", run="two"), Recorder(asking()))
    assert len(person.asked) == 2


async def test_once_a_person_was_asked_their_answer_wins_over_a_later_allow() -> None:
    behind = gate()
    pending = await behind.judge(call(), Recorder(asking()))
    assert isinstance(pending, Pending)
    assert await behind.judge(call(), ALLOW) == pending
    behind.answer(pending.id, Reject(note="no"))
    with pytest.raises(Rejected):
        await behind.judge(call(), ALLOW)


async def test_a_deny_wins_over_an_approval_given_before() -> None:
    behind = gate()
    pending = await behind.judge(call(), Recorder(asking()))
    assert isinstance(pending, Pending)
    behind.answer(pending.id, Approve())
    with pytest.raises(DeniedByPolicy):
        await behind.judge(call(), DENY)
    with pytest.raises(DeniedByPolicy):
        await behind.settle(pending, Approve(), DENY)


async def test_where_nobody_can_be_asked_the_call_is_refused() -> None:
    with pytest.raises(GateFailed, match="nobody can be asked"):
        await gate().admit(call(), Recorder(asking()))


async def test_a_verdict_may_be_a_ready_value() -> None:
    permit = await gate().judge(call(), Fixed(Allow(reason="reads only")))
    assert isinstance(permit, Permit)
    assert permit.why == "reads only"


@pytest.mark.parametrize("answer", [True, "yes", ["allow"]])
async def test_what_is_no_verdict_refuses_and_says_what_is(answer: object) -> None:
    with pytest.raises(GateFailed, match="return None to allow, an ApprovalRequest to ask, or raise PermissionError"):
        await gate().judge(call(), Recorder(lambda _call: answer))  # type: ignore[arg-type, return-value]


class LooksAround:
    """A policy that must look at something before it can say anything."""

    def __init__(self, *, fails: Exception | None = None) -> None:
        self.fails = fails
        self.looked: list[str] = []
        self.order: list[str] = []

    async def prepare(self, call: ToolCall, /) -> None:
        self.order.append("prepared")
        if self.fails is not None:
            raise self.fails

    def check_approval(self, call: ToolCall, /) -> Verdict | None:
        self.order.append("checked")
        return asking(path="a")


async def test_a_policy_looks_around_before_it_is_asked() -> None:
    policy = LooksAround()
    await gate(Answers(Approve(override_args={"path": "b"}))).admit(call(path="a"), policy)
    assert policy.order == ["prepared", "checked"] * 2


def test_a_policy_looks_around_in_synchronous_code_too() -> None:
    policy = LooksAround()
    gate(mode="approve_all").admit_sync(call(path="a"), policy)
    assert policy.order == ["prepared", "checked"]


async def test_a_policy_that_cannot_look_around_refuses() -> None:
    here = gate(mode="approve_all")
    with pytest.raises(GateFailed, match="The check failed: OSError: no disk"):
        await here.admit(call(), LooksAround(fails=OSError("no disk")))
    assert kinds(here) == ["refused"]
