"""One run of an agent: the calls of its last message, admitted together and spent one by one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from assent.adapters.anthropic._arguments import Shape
from assent.adapters.anthropic._blocks import Block, Message
from assent.adapters.anthropic._calls import Settings, ToolPolicy, Waiting, surroundings
from assent.adapters.anthropic._turn import Turn
from assent.errors import AssentError, Rejected, Stopped
from assent.gate import Inherited, inherited, new_call_id, run_sync
from assent.model import Pending, Permit, ToolCall

Admission = Permit | AssentError
_current: ContextVar[Run | None] = ContextVar("assent_anthropic_run", default=None)


class Run:
    """What surrounds a run, and what became of the calls that its model makes at the moment."""

    def __init__(self, settings: Settings, run: str = "", shapes: Mapping[str, Shape] | None = None) -> None:
        self.settings = settings
        self.here: Inherited = surroundings(settings, run)
        alone = inherited() is None
        self.goes_on = bool(settings.run) and alone  # others can go on with it
        # A pause of an inner run cannot pass through the tool that started it: there, the run waits.
        self.defers = settings.style == "deferred" and alone
        self.stopped: Stopped | None = None
        self.end: Callable[[], Awaitable[None] | None] | None = None  # before the SDK's next request
        self._shapes = shapes or {}
        self._turn = Turn()
        self._suffix = ""
        self._admitted: dict[str, Admission] = {}

    @classmethod
    def of(cls, settings: Settings) -> Run:
        """The run whose loop calls the tool; called from anywhere else, a run of its own."""
        run = _current.get()
        return run if run is not None and run.settings is settings else cls(settings)

    @contextmanager
    def looping(self) -> Generator[None]:
        """The time in which the loop may call tools; what surrounds it goes on afterwards."""
        before = _current.get()
        self.enter()
        try:
            yield
        finally:
            # Not with a token: a generator may be closed in another context than it was started in.
            _current.set(before)

    def enter(self) -> None:
        """The loop goes on: tools that are called from here belong to this run."""
        _current.set(self)

    def turn(self, message: Message) -> None:
        """The model wants these calls now; a group of them is asked about together."""
        self._turn.begin(message)
        # Other processes have the same ids of calls and nothing else.
        self._suffix = "" if self.goes_on else f"@{new_call_id()}"
        self._admitted.clear()

    async def admit(self, shape: Shape, given: object) -> Permit:
        """A permit for the call; all of the turn's questions are asked at once.

        Raises:
            AssentError: the call may not run.
        """
        block = self._turn.take(shape.name, given)
        if block.id not in self._admitted:
            await self.admit_all(block, shape)
        return self._permit(block)

    def admit_sync(self, shape: Shape, given: object) -> Permit:
        """The same for synchronous code."""
        block = self._turn.take(shape.name, given)
        if block.id not in self._admitted:
            if self._turn.open or self.defers:
                run_sync(self.admit_all(block, shape))
            else:
                self._admitted[block.id] = self._admit_one(block, shape)
        return self._permit(block)

    async def admit_all(self, *first: Block | Shape) -> None:
        """Ask about every call of the turn that is still open.

        Raises:
            Waiting: in the deferred style, where a question has no answer yet.
        """
        blocks = [each for each in first if isinstance(each, Block)] + self._turn.open
        shapes = {**self._shapes, **{each.name: each for each in first if isinstance(each, Shape)}}
        known = [(block, shapes[block.name]) for block in blocks if block.name in shapes]
        alone = bool(first) and len(known) == 1  # its tool waits for nothing else
        asked = [self._admission(block, shape, starts=alone) for block, shape in known]
        judged = [await asked[0]] if len(asked) == 1 else await asyncio.gather(*asked)
        if waiting := [each for each in judged if isinstance(each, Pending)]:
            raise Waiting(waiting)
        for (block, _), admission in zip(known, judged, strict=True):
            if not isinstance(admission, Pending):
                self._admitted[block.id] = admission

    async def _admission(self, block: Block, shape: Shape, *, starts: bool) -> Admission | Pending:
        gate = self.here.gate
        try:
            call, policy = self._wanted(block, shape)
            if self.defers:
                return await gate.judge(call, policy, timeout=gate.park_timeout)
            return await gate.admit(call, policy, starts=starts)
        except AssentError as refusal:
            return self._heard(refusal)

    def _admit_one(self, block: Block, shape: Shape) -> Admission:
        try:
            return self.here.gate.admit_sync(*self._wanted(block, shape), starts=True)
        except AssentError as refusal:
            return self._heard(refusal)

    def _wanted(self, block: Block, shape: Shape) -> tuple[ToolCall, ToolPolicy]:
        call = ToolCall(
            run=self.here.run,
            id=f"{block.id}{self._suffix}",
            tool_name=shape.name,
            args=shape.spelled(block.input),
            agents=self.here.agents,
            group_id=self._turn.group,
            metadata={"tool_call_id": block.id},
        )
        return call, ToolPolicy(shape, self.settings.policies)

    def _heard(self, refusal: AssentError) -> AssentError:
        """The refusal; one that ends the run ends it for all calls of the turn."""
        if isinstance(refusal, Rejected) and self.settings.on_reject == "stop":
            refusal = Stopped(note=refusal.note, by=refusal.by)
        if isinstance(refusal, Stopped):
            self.stopped = self.stopped or refusal
        return refusal

    def _permit(self, block: Block) -> Permit:
        admission = self._admitted.pop(block.id)
        if not isinstance(admission, Permit):
            raise self.stopped or admission
        if self.stopped is not None:
            self.here.gate.spender.abandon(admission)
            raise self.stopped
        return admission
