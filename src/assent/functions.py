"""Plain Python functions as tools: their arguments, and the decorator that makes them ask."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any, TypeVar, cast, overload

from assent.errors import InvalidArguments, shown
from assent.model import (
    ASKS,
    EXACTLY,
    Allow,
    ApprovalRequest,
    Deny,
    FrozenDict,
    Permit,
    Policy,
    ToolCall,
    Verdict,
    freeze,
    is_spellable,
)

F = TypeVar("F", bound=Callable[..., object])

UNKNOWN = "no policy covers this tool, and unknown tools ask"
_KEPT = 256
_SHORT = 500
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)
_YIELDED = (GeneratorType, AsyncGeneratorType)
LATER = frozenset({CoroutineType, *_YIELDED})
"""What a function returns that has not run yet."""


def simple_approval_request(
    tool_name: str,
    args: Mapping[str, object],
    *,
    description: str | None = None,
    exclude_keys: Collection[str] = (),
    reason: str = ASKS,
) -> ApprovalRequest:
    """A request that shows the call as it is; excluded keys are neither compared nor logged.

    `args` are the call's own, as they are: only then is an answer remembered for exactly this call.
    """
    if type(args) is FrozenDict and args.flat and description is None and not exclude_keys:
        # Equal is not enough: to Python, 1 and True are.
        same = (tool_name, reason, *args, *args.values(), *map(type, args.values()))
        return _known.get(same) or _keep(same, _exact(_line(tool_name, args, args), args, reason))
    excluded = _excluded(exclude_keys)
    same_args = {key: value for key, value in args.items() if key not in excluded} if excluded else args
    line = _line(tool_name, args, same_args) if description is None else description
    if type(args) is FrozenDict and not excluded:
        return _exact(line, args, reason)
    return ApprovalRequest(description=line, fingerprint=same_args, reason=reason)


def _exact(line: str, args: FrozenDict, reason: str) -> ApprovalRequest:
    return ApprovalRequest(description=line, fingerprint=args, reason=reason, covers=EXACTLY)


def _line(tool_name: str, args: Mapping[str, object], told: Mapping[str, object]) -> str:
    shown = [f"{key}={value!r}" if key in told else f"{key}=…" for key, value in args.items()]
    return f"{tool_name}({', '.join(shown)})"


def _excluded(names: Collection[str]) -> Collection[str]:
    if isinstance(names, str):
        message = f"exclude_keys is a set of names, not a text: write {{{names!r}}}"
        raise TypeError(message)
    return names


_known: dict[tuple[object, ...], ApprovalRequest] = {}
"""Requests of late: an answer that is remembered is looked up with every call, in the same words."""


def _keep(same: tuple[object, ...], request: ApprovalRequest) -> ApprovalRequest:
    if len(request.description) <= _SHORT:
        if len(_known) >= _KEPT:
            _known.clear()
        _known[same] = request
    return request


@overload
def requires_approval(function: F, /) -> F: ...
@overload
def requires_approval(
    *,
    description: str | Callable[[Mapping[str, object]], str] | None = None,
    exclude_keys: Collection[str] = (),
    fingerprint: Callable[[Mapping[str, object]], Mapping[str, object]] | None = None,
) -> Callable[[F], F]: ...
def requires_approval(
    function: F | None = None,
    /,
    *,
    description: str | Callable[[Mapping[str, object]], str] | None = None,
    exclude_keys: Collection[str] = (),
    fingerprint: Callable[[Mapping[str, object]], Mapping[str, object]] | None = None,
) -> F | Callable[[F], F]:
    """Make a function ask before a gate runs it; called directly, it is what it was.

    `description` is a line or makes one from the arguments. `fingerprint` says what counts as
    the same operation when an answer is remembered; by default all arguments but `exclude_keys`.

    Raises:
        ValueError: `exclude_keys` has a name that is no parameter, so its value would be logged.
    """
    excluded = frozenset(_excluded(exclude_keys))

    def decorate(function: F) -> F:
        _check_names(function, excluded)

        def check_approval(call: ToolCall, /) -> ApprovalRequest:
            line = description(call.args) if callable(description) else description
            request = simple_approval_request(call.tool_name, call.args, description=line, exclude_keys=excluded)
            if fingerprint is None:
                return request
            return ApprovalRequest(
                description=request.description, fingerprint=fingerprint(call.args), reason=request.reason
            )

        function.check_approval = check_approval  # type: ignore[attr-defined]
        return function

    if function is None:
        return decorate
    if not callable(cast("object", function)):
        message = f"requires_approval takes its options by name, such as description=…, not {function!r}"
        raise TypeError(message)
    return decorate(function)


def _check_names(function: Callable[..., object], excluded: Collection[str]) -> None:
    try:
        parameters = inspect.signature(function).parameters.values() if excluded else ()
    except (TypeError, ValueError):
        return  # a tool of a framework: what it takes, only its adapter knows
    names = [each.name for each in parameters]
    wrong = sorted(set(excluded).difference(names))
    # One parameter may be all of them in one, as a handler of the Claude Agent SDK takes them.
    if not wrong or len(names) == 1 or any(each.kind is each.VAR_KEYWORD for each in parameters):
        return
    from difflib import get_close_matches

    near = get_close_matches(wrong[0], names, n=1)
    meant = f"did you mean {near[0]!r}?" if near else f"its parameters are: {', '.join(names) or 'none'}"
    name = getattr(function, "__name__", "the function")
    message = f"exclude_keys has {wrong[0]!r}, which is no parameter of {name} and excludes nothing: {meant}"
    raise ValueError(message)


def check_policy(policy: object) -> None:
    """Raise `TypeError` for what is taken for a policy and is none."""
    if policy is None or (hasattr(policy, "check_approval") and not isinstance(policy, type)):
        return
    if isinstance(policy, (Allow, ApprovalRequest, Deny)):
        hint = "is a verdict; Fixed(verdict) is a policy that has no other"
    elif isinstance(policy, type):
        hint = "is a class; give one of its objects"
    else:
        hint = (
            "is none: it needs check_approval(call), which returns None to allow, an ApprovalRequest to ask, or "
            "raises PermissionError to deny; Fixed(Allow(reason=…)) allows every call"
        )
    message = f"the policy {shown(policy)} {hint}"
    raise TypeError(message)


class FunctionTool:
    """A function as a tool; without a policy of its own or a given one, it asks every time."""

    _by_name: Callable[..., dict[str, object]] | None = None
    """Python's own way to see which argument is which, where the function's parameters are plain."""

    def __init__(self, function: Callable[..., object], *, name: str = "", policy: Policy | None = None) -> None:
        if not callable(cast("object", function)):
            message = f"{shown(function)} is no tool: a function is, and an object with name, check_approval and run"
            raise TypeError(message)
        self.function = function
        self.name: str = name or _name_of(function)
        if _is_any(function, inspect.isgeneratorfunction, inspect.isasyncgenfunction):
            raise self._yields()
        check_policy(policy)
        own = cast("Policy", function) if hasattr(function, "check_approval") else None
        self._policy: Policy | None = own if policy is None else policy
        self.check_approval: Callable[[ToolCall], Verdict | None] = (
            _ask if self._policy is None else self._policy.check_approval
        )
        """The function's own word, else a question."""
        drawing = getattr(self._policy, "preview", None)
        if drawing is not None:
            self.preview = drawing
        looking = getattr(self._policy, "prepare", None)
        if looking is not None:
            self.prepare = looking
        self.idempotent: bool = getattr(self._policy, "idempotent", False)
        self.is_async = _is_any(function, inspect.iscoroutinefunction)
        self._signature = inspect.signature(function)
        parameters = list(self._signature.parameters.values())
        self._plain = all(parameter.kind in _NAMED for parameter in parameters)
        self._possible = frozenset(parameter.name for parameter in parameters)
        self._placed = frozenset(each.name for each in parameters if each.kind in _BY_PLACE)
        self._rest = next((each.name for each in parameters if each.kind is each.VAR_KEYWORD), None)
        self._required = frozenset(parameter.name for parameter in parameters if not _is_optional(parameter))
        self._defaults = {
            parameter.name: parameter.default
            for parameter in parameters
            if _is_optional(parameter) and is_spellable(parameter.default)
        }
        # A default that nobody can be shown is not among the arguments: `bind` leaves it out.
        if self._plain and self._required | self._defaults.keys() == self._possible and _is_usual(self._possible):
            self._by_name = _naming(parameters)

    def arguments(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> dict[str, object]:
        """Every argument by name, defaults included: what a person is shown is the whole of it."""
        if self._by_name is not None:
            try:
                return self._by_name(*args, **kwargs)
            except TypeError:
                pass
        # What does not fit goes to `bind`, which says so as Python does, before anybody is asked.
        bound = self._signature.bind(*args, **kwargs).arguments
        # As a model gives them: what `**` takes lies beside the others, so that a policy finds it there.
        more: dict[str, object] = {} if self._rest is None else bound.pop(self._rest, {})
        # They are nobody's parameters: two of them could look alike.
        freeze(dict.fromkeys(more))
        if twice := more.keys() & self._placed:
            message = (
                f"{self.name} is given {', '.join(sorted(twice))} twice, by place and by name; nobody could tell which"
            )
            raise InvalidArguments(message)
        return self._defaults | bound | more

    def validate(self, args: Mapping[str, object], /) -> Mapping[str, object]:
        """The arguments, defaults included, if the function takes them.

        Raises:
            InvalidArguments: it does not.
        """
        if not (self._plain and self._fits(args)):
            self._bind(args)
        return self._defaults | dict(args)

    def call(self, permit: Permit) -> Any:  # noqa: ANN401 — whatever the function returns
        """Call the function with the permitted arguments."""
        args = permit.call.args
        # Python copies what it unpacks; what contains more is thawed, for the function to change.
        arguments = args if type(args) is FrozenDict and args.flat else permit.call.arguments()
        if not self._plain:
            bound = self._bind(arguments)
            return self.function(*bound.args, **bound.kwargs)
        try:
            return self.function(**arguments)
        except TypeError:
            self._bind(arguments)  # says so if it is the arguments that do not fit
            raise

    def runs_later(self, result: object) -> bool:
        """Whether the function has yet to run, and this is to be awaited.

        Raises:
            TypeError: it would run piece by piece, after the gate has looked: a decorator may hide that it yields.
        """
        # `(row for row in rows)` is a result like any other: the function itself has run.
        if type(result) in _YIELDED and getattr(result, "__name__", "") != "<genexpr>":
            raise self._yields()
        return type(result) is CoroutineType

    def _yields(self) -> TypeError:
        return TypeError(
            f"{self.name} yields: it would run piece by piece, after the gate has looked; let it return a list"
        )

    def run(self, permit: Permit, /) -> CoroutineType[Any, Any, object]:
        """Call the function with the permitted arguments, and wait for it."""
        started: Any = self.call(permit) if self.is_async else self._run(permit)
        running: CoroutineType[Any, Any, object] = started
        return running

    async def _run(self, permit: Permit) -> object:
        result = self.call(permit)
        # A decorator may hide that the function is async.
        if hasattr(result, "__await__"):
            result = await result
        self.runs_later(result)
        return result

    def _fits(self, args: Mapping[str, object]) -> bool:
        return self._required <= args.keys() <= self._possible

    def _bind(self, args: Mapping[str, object]) -> inspect.BoundArguments:
        """Arguments by name, back in the places the function wants them."""
        given = dict(args)
        bound = inspect.BoundArguments(self._signature, OrderedDict())
        for parameter in self._signature.parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                bound.arguments[parameter.name], given = given, {}
            elif parameter.name in given:
                bound.arguments[parameter.name] = given.pop(parameter.name)
                if parameter.kind is parameter.VAR_POSITIONAL:
                    self._check_list(parameter.name, bound.arguments[parameter.name])
        bound.apply_defaults()
        try:
            self._signature.bind(*bound.args, **bound.kwargs, **given)
        except TypeError as error:
            message = f"the arguments do not fit {self.name}{self._signature}: {error}"
            raise InvalidArguments(message) from error
        return bound

    def _check_list(self, name: str, value: object) -> None:
        if not isinstance(value, (list, tuple)):
            message = f"the arguments do not fit {self.name}{self._signature}: {name} is to be a list"
            raise InvalidArguments(message)


def _name_of(function: Callable[..., object]) -> str:
    """What a person knows it by, and what an answer is remembered for: it must be its own."""
    name: str = getattr(function, "__name__", "")
    if name == "<lambda>" or (not name and isinstance(function, partial)):
        message = 'a lambda or a partial has no name of its own, under which an answer is remembered; give it name="…"'
        raise ValueError(message)
    return name or type(function).__name__


def _is_any(function: Callable[..., object], *kinds: Callable[[object], bool]) -> bool:
    # An object may be called like a function, and its `__call__` be of that kind.
    return any(kind(function) or kind(type(function).__call__) for kind in kinds)


def _naming(parameters: Sequence[inspect.Parameter]) -> Callable[..., dict[str, object]]:
    """A function with these parameters that returns them by name: nothing else sorts arguments as fast."""
    by_place = [parameter for parameter in parameters if parameter.kind is _NAMED[0]]
    by_name = [parameter for parameter in parameters if parameter.kind is _NAMED[1]]
    taken = ", ".join([*map(_taken, by_place), *(["*"] if by_name else []), *map(_taken, by_name)])
    named = ", ".join(f"{parameter.name!r}: {parameter.name}" for parameter in parameters)
    # Only names of parameters are in the text, which are identifiers; what they default to is given beside it.
    made: Any = eval(f"lambda {taken}: {{{named}}}")  # noqa: S307
    made.__defaults__ = tuple(parameter.default for parameter in by_place if _is_optional(parameter))
    made.__kwdefaults__ = {parameter.name: parameter.default for parameter in by_name if _is_optional(parameter)}
    return cast("Callable[..., dict[str, object]]", made)


def _is_usual(names: Collection[str]) -> bool:
    """Whether Python itself would take the names as they are; a signature may be made of any."""
    return all(name.isascii() and name != "__debug__" for name in names)


def _taken(parameter: inspect.Parameter) -> str:
    return f"{parameter.name}=None" if _is_optional(parameter) else parameter.name


def _is_optional(parameter: inspect.Parameter) -> bool:
    return parameter.default is not inspect.Parameter.empty


def _ask(call: ToolCall, /) -> Verdict:
    return simple_approval_request(call.tool_name, call.args, reason=UNKNOWN)
