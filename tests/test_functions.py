import asyncio
import functools
import inspect
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import cast

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assent import (
    Allow,
    ApprovalRequest,
    Approve,
    Deny,
    Fixed,
    Preview,
    Refused,
    Reject,
    Scope,
    Session,
    ToolCall,
    Verdict,
    requires_approval,
    simple_approval_request,
)
from assent.errors import DeniedByPolicy, InvalidArguments, Unspellable
from assent.functions import FunctionTool
from assent.model import Presentation
from assent.testing import Answers
from tests.gate.kit import gate, kinds


@requires_approval()
def delete_file(path: str, *, force: bool = False) -> str:
    """Delete a file."""
    return f"deleted {path} {force}"


@requires_approval(
    description=lambda args: f"Send email to {args['to']}: {args['subject']}",
    exclude_keys={"body"},
)
def send_email(to: str, subject: str, body: str) -> str:
    return f"Email sent to {to}: {subject}, {body}"


def request_of(function: Callable[..., object], **args: object) -> ApprovalRequest:
    call = ToolCall(run="r", id="1", tool_name=function.__name__, args=args)
    request = function.check_approval(call)  # type: ignore[attr-defined]
    assert isinstance(request, ApprovalRequest)
    return request


def test_a_decorated_function_is_called_as_before() -> None:
    assert delete_file("a", force=True) == "deleted a True"
    assert delete_file.__doc__ == "Delete a file."
    assert list(inspect.signature(delete_file).parameters) == ["path", "force"]


def test_the_description_shows_the_call_as_it_is_unless_one_is_given() -> None:
    assert request_of(delete_file, path="a").description == "delete_file(path='a')"
    assert request_of(send_email, to="bob", subject="hi", body="x").description == "Send email to bob: hi"

    @requires_approval(description="Restart the server")
    def restart() -> None: ...

    assert request_of(restart).description == "Restart the server"


def test_excluded_keys_are_neither_compared_nor_logged() -> None:
    request = request_of(send_email, to="bob", subject="hi", body="secret")
    assert request.fingerprint == {"to": "bob", "subject": "hi"}
    simple = simple_approval_request("send", {"to": "bob", "body": "secret"}, exclude_keys={"body"})
    assert simple.description == "send(to='bob', body=…)"
    assert simple.fingerprint == {"to": "bob"}


async def test_excluded_keys_do_not_reach_the_journal() -> None:
    behind = gate(Answers(Approve()))
    behind.wrap(send_email)("bob", "hi", "secret words")
    granted = gate(mode="approve_all")
    granted.wrap(send_email)("bob", "hi", "secret words")
    for store in (behind.store, granted.store):
        assert not [entry for entry in store.journal() if "secret" in str(entry.body)]


def test_excluded_keys_are_names_of_parameters() -> None:
    def send(to: str, body: str) -> None: ...

    def post(to: str, **more: object) -> None: ...

    with pytest.raises(
        ValueError, match=r"'bodyy', which is no parameter of send and excludes nothing: did you mean 'body'\?"
    ):
        requires_approval(exclude_keys={"bodyy"})(send)
    with pytest.raises(ValueError, match="its parameters are: to, body"):
        requires_approval(exclude_keys={"secret"})(send)
    with pytest.raises(TypeError, match=r"a set of names, not a text: write \{'to'\}"):
        requires_approval(exclude_keys="to")
    with pytest.raises(TypeError, match="a set of names"):
        simple_approval_request("send", {"to": "bob"}, exclude_keys="total")
    requires_approval(exclude_keys={"body"})(post)


def test_the_decorator_needs_no_parentheses() -> None:
    @requires_approval
    def restart(host: str) -> str:
        return host

    assert restart("a") == "a"
    assert request_of(restart, host="a").description == "restart(host='a')"
    with pytest.raises(TypeError, match="its options by name"):
        requires_approval("Restart the server")  # type: ignore[call-overload]


def test_names_that_could_look_alike_are_no_arguments() -> None:
    def keep(**named: object) -> None: ...

    person = Answers(Approve(scope=Scope.SESSION), Reject())
    wrapped = gate(person).wrap(keep)
    wrapped(**{"\U0001f600": 1})
    with pytest.raises(Unspellable):
        wrapped(**{"\ud83d\ude00": 1})


def hidden(function: Callable[..., object]) -> Callable[..., object]:
    """A decorator that does not look like what it wraps."""

    def wrapper(*args: object, **kwargs: object) -> object:
        return function(*args, **kwargs)

    wrapper.__name__ = function.__name__
    return wrapper


def test_a_generator_that_a_function_returns_is_its_result() -> None:
    def rows(count: int) -> Iterator[int]:
        return (number for number in range(count))

    behind = gate(Answers(Approve()))
    assert list(behind.wrap(requires_approval(rows))(2)) == [0, 1]
    assert kinds(behind) == ["asked", "approved", "started", "done"]


def test_excluded_names_are_checked_only_where_the_parameters_are_known() -> None:
    @requires_approval(exclude_keys={"token"})
    def handler(args: dict[str, object]) -> object:
        return args

    class Foreign:
        """A tool of a framework."""

    assert hasattr(handler, "check_approval")
    tool = cast("Callable[..., object]", Foreign())
    assert requires_approval(exclude_keys={"token"})(tool) is tool


async def test_what_yields_behind_a_decorator_is_refused_before_any_of_it_runs() -> None:
    ran: list[object] = []

    @hidden
    def pieces() -> Iterator[int]:
        ran.append("pieces")
        yield 1

    @hidden
    async def later() -> AsyncIterator[int]:
        ran.append("later")
        yield 1

    for function in (pieces, later):
        behind = gate(Answers(Approve()))
        with pytest.raises(TypeError, match="let it return a list"):
            behind.wrap(function)()
        with pytest.raises(TypeError, match="let it return a list"):
            await Session(behind, [function]).call(function.__name__, {})
        assert kinds(behind) == ["asked", "approved", "started", "failed"] * 2
    assert ran == []


def test_a_fingerprint_of_ones_own_says_what_is_the_same() -> None:
    @requires_approval(fingerprint=lambda args: {"host": str(args["url"]).split("/")[2]})
    def fetch(url: str) -> str:
        return url

    assert request_of(fetch, url="https://a.example/x").fingerprint == {"host": "a.example"}


async def test_methods_and_async_functions_can_be_decorated() -> None:
    class Box:
        def __init__(self) -> None:
            self.items: list[str] = []

        @requires_approval()
        def put(self, item: str) -> int:
            self.items.append(item)
            return len(self.items)

        @requires_approval()
        async def take(self) -> str:
            return self.items.pop()

    box, person = Box(), Answers(Approve())
    behind = gate(person)
    assert behind.wrap(box.put)("apple") == 1
    assert await behind.wrap(box.take)() == "apple"
    assert [pending.call.args for pending in person.asked] == [{"item": "apple"}, {}]


def test_a_function_without_a_policy_asks() -> None:
    def unknown(path: str) -> str:
        return path

    person = Answers(Approve())
    assert gate(person).wrap(unknown)("a") == "a"
    assert person.asked[0].request.reason == "no policy covers this tool, and unknown tools ask"


def test_a_given_policy_speaks_for_the_function() -> None:
    def read(path: str) -> str:
        return path

    assert gate().wrap(read, policy=Fixed(Allow(reason="reads only")))("a") == "a"


def test_what_a_person_is_shown_includes_defaults() -> None:
    def remove(path: str, recursive: bool = True) -> None: ...  # noqa: FBT001, FBT002

    person = Answers(Reject())
    with pytest.raises(Refused):
        gate(person).wrap(remove)("a")
    assert person.asked[0].call.args == {"path": "a", "recursive": True}


def test_every_kind_of_parameter_arrives_where_it_belongs() -> None:
    def odd(first: int, /, second: int, *rest: int, flag: bool = False, **more: int) -> tuple[object, ...]:
        return first, second, rest, flag, more

    person = Answers(Approve())
    assert gate(person).wrap(odd)(1, 2, 3, 4, flag=True, x=5) == (1, 2, (3, 4), True, {"x": 5})
    assert person.asked[0].call.args == {"first": 1, "second": 2, "rest": (3, 4), "flag": True, "x": 5}


def test_a_policy_finds_what_two_stars_take_under_its_own_name_whoever_calls() -> None:
    def fetch(**options: object) -> object:
        return options

    class NoFiles:
        def check_approval(self, call: ToolCall, /) -> None:
            if str(call.args.get("url", "")).startswith("file:"):
                message = "no files"
                raise PermissionError(message)

    tool = FunctionTool(fetch, policy=NoFiles())
    with pytest.raises(DeniedByPolicy):
        gate().wrap(fetch, policy=NoFiles())(url="file:///etc/shadow")
    session = Session(gate(), [tool])
    assert error_of(session.call_sync("fetch", {"url": "file:///etc/shadow"})) == "denied"
    # A name like any other: nothing inside of it is taken out.
    assert session.call_sync("fetch", {"options": {"url": "file:///x"}}) == {"options": {"url": "file:///x"}}


def error_of(result: object) -> object:
    assert isinstance(result, dict)
    return cast("dict[str, object]", result)["error"]


def test_one_name_for_two_arguments_is_refused() -> None:
    def odd(path: str = "a", /, *rest: int, **more: object) -> object:
        return path, rest, more

    for args, kwargs in ((("a",), {"path": 1}), (("a",), {"rest": [1, 2]}), ((), {"rest": "x"})):
        with pytest.raises(InvalidArguments, match=f"{next(iter(kwargs))} twice"):
            FunctionTool(odd).arguments(args, kwargs)


@pytest.mark.parametrize(
    "given", [None, [1], "a", {1: 2}, {"rest": "abc", "path": "a"}, {"rest": {"a": 1}, "path": "a"}]
)
def test_what_a_model_gives_for_arguments_may_be_anything(given: object) -> None:
    session = Session(gate(Answers(Approve())), [FunctionTool(_both, name="both")])
    assert error_of(session.call_sync("both", cast("dict[str, object]", given))) == "invalid_arguments"


async def test_what_can_be_awaited_and_is_no_coroutine_is_handed_on_as_it_is() -> None:
    async def later() -> int:
        return 7

    def starts() -> asyncio.Task[int]:
        return asyncio.create_task(later())

    started = gate(Answers(Approve())).wrap(starts)()
    assert isinstance(started, asyncio.Task)
    assert (await started, await started) == (7, 7)


@pytest.mark.parametrize("nameless", [lambda: None, functools.partial(print, "a")])
def test_what_has_no_name_of_its_own_needs_one(nameless: Callable[[], None]) -> None:
    with pytest.raises(ValueError, match="give it name="):
        gate().wrap(nameless)
    assert FunctionTool(nameless, name="tick").name == "tick"


def test_a_function_that_yields_cannot_be_wrapped() -> None:
    def pieces() -> Iterator[int]:
        yield 1

    async def later() -> AsyncIterator[int]:
        yield 1

    class Pieces:
        def __call__(self) -> Iterator[int]:
            yield 1

    for function in (pieces, later, Pieces()):
        with pytest.raises(TypeError, match="yields"):
            gate().wrap(function)


async def test_a_function_that_hides_that_it_is_async_ends_when_it_has_run() -> None:
    async def fails() -> None:
        message = "no such thing"
        raise OSError(message)

    def hides() -> object:
        return fails()

    behind = gate(Answers(Approve()))
    running = cast("Awaitable[None]", behind.wrap(hides)())
    assert kinds(behind) == ["asked", "approved", "started"]
    with pytest.raises(OSError, match="no such thing"):
        await running
    assert kinds(behind) == ["asked", "approved", "started", "failed"]


def test_wrong_arguments_are_pythons_own_error_and_ask_nobody() -> None:
    person = Answers(Approve())
    behind: Callable[..., str] = gate(person).wrap(_same)
    for args, kwargs in (((), {}), (("a", "b"), {}), (("a",), {"path": "b"}), ((), {"paht": "a"})):
        with pytest.raises(TypeError):
            behind(*args, **kwargs)
    assert person.asked == []


def _same(path: str) -> str:
    return path


def test_arguments_json_cannot_spell_are_refused_with_what_is_allowed() -> None:
    def read(path: object) -> object:
        return path

    with pytest.raises(Unspellable, match=r"arguments\.path is a .*Path, which JSON cannot spell; text, finite"):
        gate(Answers(Approve())).wrap(read)(Path("a"))


async def test_a_policy_may_draw_its_own_preview() -> None:
    class Draws:
        def check_approval(self, _call: ToolCall, /) -> ApprovalRequest:
            return ApprovalRequest(description="a drawing")

        async def preview(self, call: ToolCall, /) -> Preview:
            return Preview(presentation=Presentation(type="text", description="d", content=f"drawn {call.tool_name}"))

    person = Answers(Approve())
    gate(person).wrap(lambda: None, name="art", policy=Draws())()
    shown = person.asked[0].preview.presentation
    assert isinstance(shown, Presentation)
    assert shown.content == "drawn art"


class Never(list[str]):
    """A policy that holds no names yet, and is false to Python."""

    def check_approval(self, _call: ToolCall, /) -> Verdict:
        return Deny(reason="never")


def test_a_policy_that_is_false_to_python_counts() -> None:
    with pytest.raises(DeniedByPolicy):
        gate(Answers(Approve())).wrap(delete_file, policy=Never())("a")


async def test_what_is_called_like_a_function_can_be_wrapped() -> None:
    class Greeter:
        async def __call__(self, name: str) -> str:
            return f"hello {name}"

    behind = gate(Answers(Approve()))
    assert behind.wrap(functools.partial(_same, "a"), name="same")() == "a"
    assert await behind.wrap(Greeter())("ana") == "hello ana"


def test_a_failing_tool_does_not_log_what_is_excluded() -> None:
    @requires_approval(exclude_keys={"body"})
    def send(to: str, body: str) -> str:
        message = f"no such address: {to}"
        raise OSError(message)

    behind = gate(mode="approve_all")
    with pytest.raises(OSError, match="no such address"):
        behind.wrap(send)("bob", "secret words")
    assert [entry.kind for entry in behind.store.journal()] == ["approved_by_mode", "failed"]
    assert not [entry for entry in behind.store.journal() if "secret" in str(entry.body)]


def test_a_wrapped_function_keeps_its_name_and_documentation() -> None:
    wrapped = gate().wrap(delete_file)
    assert (wrapped.__name__, wrapped.__doc__) == ("delete_file", "Delete a file.")
    assert FunctionTool(delete_file, name="rm").name == "rm"


def test_what_looks_alike_to_python_is_asked_about_in_its_own_words() -> None:
    """A request is made once for the same arguments; 1, True and 1.0 are not the same."""
    said = [
        simple_approval_request("set", ToolCall(run="r", id="1", tool_name="set", args={"to": value}).args)
        for value in (1, True, 1.0, "1", 1, True)
    ]
    assert [each.description for each in said] == [
        "set(to=1)",
        "set(to=True)",
        "set(to=1.0)",
        "set(to='1')",
        "set(to=1)",
        "set(to=True)",
    ]
    assert [type(each.fingerprint["to"]) for each in said] == [int, bool, float, str, int, bool]


def test_a_request_is_of_its_tool_its_reason_and_its_names() -> None:
    args = ToolCall(run="r", id="1", tool_name="set", args={"a": "b"}).args
    other = ToolCall(run="r", id="1", tool_name="set", args={"b": "a"}).args
    assert simple_approval_request("set", args).description == "set(a='b')"
    assert simple_approval_request("set", other).description == "set(b='a')"
    assert simple_approval_request("put", args).description == "put(a='b')"
    assert simple_approval_request("set", args, reason="because").reason == "because"
    assert simple_approval_request("set", args, exclude_keys={"a"}).description == "set(a=…)"
    assert simple_approval_request("set", args).fingerprint == {"a": "b"}


def test_a_functions_own_copy_is_its_to_change() -> None:
    def empty(names: list[str], name: str) -> list[str]:
        names.clear()
        return [name]

    permit_args = {"names": ["a"], "name": "b"}
    behind = gate(Answers(Approve()))
    assert behind.wrap(empty, policy=Fixed(Allow(reason="any")))(**permit_args) == ["b"]  # type: ignore[arg-type]
    assert permit_args == {"names": ["a"], "name": "b"}


def _keywords(*, left: int, right: int = 2) -> None: ...
def _both(path: str, /, *rest: int, keep: bool = True, **more: int) -> None: ...
def _mutable(path: str, names: list[str] = ["a"], kind: object = object) -> None: ...  # noqa: B006
def _usual(path: str, line: int = 3, *, keep: bool = False) -> None: ...
def _odd(ﬁ: int, _: int = 0) -> None: ...  # noqa: PLC2401
def _none() -> None: ...


def _signed(*names: str) -> Callable[..., None]:
    def function(**_given: object) -> None: ...

    parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return function


@pytest.mark.parametrize(
    "function",
    [_keywords, _both, _mutable, _usual, _odd, _none, _signed("ﬁ", "fi"), _signed("__debug__"), _signed("a")],
)
@given(
    args=st.lists(st.integers(), max_size=4),
    kwargs=st.dictionaries(
        st.sampled_from(["left", "right", "path", "line", "keep", "names", "kind", "fi", "ﬁ", "_", "a", "x"]),
        st.integers(),
    ),
)
def test_arguments_are_sorted_as_python_sorts_them(
    function: Callable[..., object], args: list[int], kwargs: dict[str, int]
) -> None:
    tool = FunctionTool(function)
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except TypeError as error:
        with pytest.raises(TypeError, match=re.escape(str(error))):
            tool.arguments(tuple(args), kwargs)
        return
    bound.apply_defaults()
    more = bound.arguments.pop("more", {})
    if more.keys() & {"path", "rest"}:
        with pytest.raises(InvalidArguments):
            tool.arguments(tuple(args), kwargs)
        return
    shown = {name: value for name, value in (bound.arguments | more).items() if value not in ((), {}, object)}
    found = tool.arguments(tuple(args), kwargs)
    assert {name: value for name, value in found.items() if value not in ((), {})} == shown


def _everything(
    first: int, /, second: int = 2, *rest: int, flag: bool = False, kind: object = object, **more: int
) -> object:
    return first, second, rest, flag, kind, more


@given(
    args=st.lists(st.integers(), min_size=1, max_size=4),
    kwargs=st.dictionaries(st.sampled_from(["second", "flag", "more", "kwargs", "x", "self"]), st.integers()),
)
def test_a_function_gets_what_it_was_called_with(args: list[int], kwargs: dict[str, int]) -> None:
    assume(len(args) == 1 or "second" not in kwargs)
    behind = gate(Answers(Approve())).wrap(_everything)
    assert behind(*args, **kwargs) == _everything(*args, **kwargs)  # type: ignore[arg-type]
