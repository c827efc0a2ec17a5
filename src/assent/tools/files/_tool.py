"""What every file tool shares: arguments in some dialect, the sandbox, and what was agreed to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from assent.errors import CannotConfine, ChangedSinceApproval, InvalidArguments, InvalidPath, Unspellable
from assent.model import ApprovalRequest, Deny, Permit, Preview, ToolCall, freeze
from assent.tools.files._planning import Terms
from assent.tools.files._text import version
from assent.tools.files.sandbox._evidence import changed
from assent.tools.files.sandbox._place import Addressing, Place
from assent.tools.files.sandbox._requests import request_for
from assent.tools.files.sandbox._rules import Answer, Operation
from assent.tools.files.sandbox._sandbox import FileSandbox
from assent.tools.files.sandbox._spot import Spot

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic_core import ErrorDetails

A = TypeVar("A")
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording(Generic[A, R]):
    """How a dialect words a tool: its name, what the model fills in, and what it reads."""

    name: str
    description: str
    takes: type
    """The dataclass that the model fills."""
    native: Callable[[Any], A]
    """From there to the tool's own arguments."""
    told: Callable[[A, R], object]
    """From the tool's own result to what the model reads."""
    addressing: Addressing
    terms: Terms = field(default_factory=Terms)


class FileTool(ABC, Generic[A, R]):
    """A tool that touches files beneath the roots of a sandbox, and nothing else.

    It is a policy, so that a gate can decide; `run` does exactly what was permitted.
    """

    idempotent = False

    def __init__(self, sandbox: FileSandbox, wording: Wording[A, R]) -> None:
        self.sandbox = sandbox
        self.name = wording.name
        self.description = wording.description
        self.addressing: Addressing = wording.addressing
        self.terms = wording.terms
        self._wording = wording

    @abstractmethod
    def verdict(self, wanted: A) -> Answer:
        """Whether a person must agree; raises if nobody may."""

    @abstractmethod
    def draw(self, wanted: A) -> Preview:
        """What a person is shown; raises if it cannot work anyway."""

    @abstractmethod
    def do(self, wanted: A, permit: Permit | None) -> R:
        """Do it; without a permit only the limits of the sandbox hold."""

    def versions(self, wanted: A) -> Iterable[bytes]:  # noqa: ARG002 — most tools change nothing
        """The bytes before and after, which the drawing names by their digest."""
        return ()

    # As the gate knows it

    def validate(self, args: Mapping[str, object], /) -> Mapping[str, object]:
        """The arguments as they would run, defaults included.

        Raises:
            InvalidArguments: they do not fit.
        """
        adapter = self._adapter
        filled: dict[str, object] = adapter.dump_python(self._filled(args), by_alias=True)
        return filled

    def check_approval(self, call: ToolCall, /) -> Answer | Deny:
        """Allow, ask or deny by the rules of the roots involved; without walls that must be there, no."""
        try:
            return self.sandbox.threads.call(self.verdict, self.wanted(call.args))
        except CannotConfine as error:
            return Deny(reason=str(error), code=error.code)

    async def preview(self, call: ToolCall, /) -> Preview:
        """What would happen to which file, and what that was drawn from."""
        return await self.sandbox.threads.run(self.draw, self.wanted(call.args))

    async def run(self, permit: Permit, /) -> object:
        """Do exactly what was permitted."""
        return await self._perform(self.wanted(permit.call.args), permit)

    async def ungated(self, args: Mapping[str, object], /) -> object:
        """Do it without asking anybody, by the explicit choice of whoever calls this."""
        try:
            spellable = freeze(args, "arguments")
        except Unspellable as error:
            raise InvalidArguments(str(error)) from error
        return await self._perform(self.wanted(spellable), None)

    def contents(self, call: ToolCall, digest: str) -> bytes:
        """The exact bytes of a version that the drawing of this call names.

        Raises:
            ChangedSinceApproval: the file is another one by now.
        """
        found = self.sandbox.threads.call(self._version, self.wanted(call.args), digest)
        if found is not None:
            return found
        raise ChangedSinceApproval(f"no version of the file has the digest {digest} any more; look at it again")

    @cached_property
    def schema(self) -> dict[str, object]:
        """The JSON Schema of the arguments, for the model."""
        return self._adapter.json_schema()

    # For the tools

    def wanted(self, args: Mapping[str, object]) -> A:
        """The tool's own arguments."""
        return self._wording.native(self._filled(args))

    def place(self, path: str) -> Place:
        """The place of a file that a path means in this dialect."""
        if path.endswith("/"):
            raise InvalidPath(f"{path!r} ends in a slash, as a folder does; name a file")
        return self.sandbox.place(path, self.addressing)

    def answer(self, operation: Operation, place: Place, line: Callable[[str], str]) -> Answer:
        """Whether the operation asks, by the path and by where it really leads."""
        at_once = self.sandbox.at_once(place)
        if operation == "read" and at_once is not None and at_once.who_asks(operation) is None:
            # No link leads to a stricter rule, so the disk need not be asked.
            at_once.check_suffix(place.shown, place.plain)
            return place.home.allows(operation)
        return self.agree(None, operation, self.sandbox.find(place), line)

    def agree(
        self, permit: Permit | None, operation: Operation, spot: Spot, line: Callable[[str], str] = str
    ) -> Answer:
        """The limits of a place, and whether it asks; with a permit, whether that is what was agreed to.

        Raises:
            FileError: no approval could allow it.
            ChangedSinceApproval: the permit was given for another place or a laxer rule.
        """
        self.sandbox.check_limits(spot, operation)
        asks = spot.who_asks(operation)
        if asks is None:
            return spot.home.allows(operation)
        return agreed(permit, request_for(operation, spot, asks, line(spot.shown)), spot.place.shown)

    def _version(self, wanted: A, digest: str) -> bytes | None:
        return next((data for data in self.versions(wanted) if version("", data).sha256 == digest), None)

    async def _perform(self, wanted: A, permit: Permit | None) -> object:
        result = await self.sandbox.threads.run(self.do, wanted, permit)
        return self._wording.told(wanted, result)

    def _filled(self, args: Mapping[str, object]) -> object:
        from pydantic import ValidationError

        from assent.model import thaw

        try:
            return self._adapter.validate_python(thaw(dict(args)))
        except ValidationError as error:
            allowed = list(self._adapter.json_schema()["properties"])
            complaints = [_complaint(each, allowed) for each in error.errors(include_url=False)]
            raise InvalidArguments(f"{self.name}: {'; '.join(complaints)}") from error

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        from pydantic import TypeAdapter

        return TypeAdapter(self._wording.takes)


def agreed(permit: Permit | None, request: ApprovalRequest, shown: str) -> ApprovalRequest:
    """The request, if it is still what was agreed to; without a permit, nothing was agreed to yet.

    Raises:
        ChangedSinceApproval: policy allowed it, or a person or a grant something else.
    """
    if permit is None:
        return request
    if permit.request is None or permit.request.fingerprint != request.fingerprint:
        raise changed(shown)
    return request


def _complaint(error: ErrorDetails, allowed: Iterable[str]) -> str:
    """What is wrong with an argument, and what would be right."""
    where = ".".join(map(str, error["loc"]))
    match error["type"]:
        case "unexpected_keyword_argument":
            return f"{where} is not an argument; allowed: {', '.join(allowed)}"
        case "missing":
            return f"{where} is missing"
        case "too_short":
            return f"{where}: give at least {error.get('ctx', {}).get('min_length')} item"
        case _:
            return f"{where or 'the arguments'}: {error['msg'][:1].lower()}{error['msg'][1:]}"
