"""The tool that runs commands: judged, shown with what the walls permit, and run behind them."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from assent.errors import CannotConfine, ChangedSinceApproval, InvalidArguments
from assent.model import Allow, ApprovalRequest, Deny, Permit, Presentation, Preview, ToolCall, Verdict, thaw
from assent.os_sandbox import Backend, OSProfile, Refusal, choose_backend
from assent.tools.command._environment import clean_environment
from assent.tools.command._kept import KEPT_FOR, Shelf
from assent.tools.command._output import Output
from assent.tools.command._result import add_findings
from assent.tools.command._run import Wanted, run_confined
from assent.tools.command._walls import Walls
from assent.tools.command._wording import ASSENT, Asked, Wording
from assent.tools.shell import CommandPolicy, Looked, environment_for

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from assent.config import Settings, Shell

Stream = Literal["output", "stdout", "stderr"]
"""Where a piece of text was written; `output` is both streams together."""
OnOutput = Callable[[ToolCall, str, Stream], None]
"""Called with each piece of a command's output as it comes."""


class CommandTool:
    """Runs a command behind the walls of the OS sandbox; where there are none, it refuses every call.

    A single plain command runs as the words that were judged, without a shell; anything else is run
    by bash, as exactly the text that was approved.
    """

    idempotent = False

    def __init__(
        self,
        policy: CommandPolicy,
        walls: Walls | Refusal,
        shell: Shell,
        *,
        cwd: str | Path = ".",
        wording: Wording = ASSENT,
        on_output: OnOutput | None = None,
        separate: bool = False,
    ) -> None:
        self.name = wording.name
        self.description = wording.description
        self._policy = policy
        self._walls = walls
        self._shell = shell
        self._cwd = Path(cwd).absolute()
        self._wording = wording
        self._on_output = on_output
        self._streams: tuple[Stream, ...] = ("stdout", "stderr") if separate else ("output",)

    @classmethod
    def from_settings(
        cls,
        settings: Settings,
        *,
        cwd: str | Path = ".",
        wording: Wording = ASSENT,
        on_output: OnOutput | None = None,
        separate: bool = False,
        candidates: Sequence[Backend] | None = None,
    ) -> CommandTool:
        """As `assent.yaml` says, for commands that run in this folder; the walls are tried for real, once.

        With `separate`, output and errors are told each for itself; without, together as they came.

        Raises:
            CannotConfine: an OS sandbox is required, there is none, and `os_sandbox_fallback` is fail_fast.
            ConfigError: a `match` or `not_match` example of a rule fails.
        """
        sandbox = settings.sandbox
        policy = CommandPolicy.from_settings(settings, cwd=cwd)
        backend = choose_backend(
            required=sandbox.require_os_sandbox,
            fallback=sandbox.os_sandbox_fallback,
            candidates=candidates,
            writable=sandbox.writable.values(),
        )
        if isinstance(backend, Refusal) and backend.fatal:
            raise CannotConfine(str(backend))
        walls = backend if isinstance(backend, Refusal) else Walls(backend, settings)
        return cls(policy, walls, settings.shell, cwd=cwd, wording=wording, on_output=on_output, separate=separate)

    # As the gate knows it

    def validate(self, args: Mapping[str, object], /) -> Mapping[str, object]:
        """The arguments as they would run, defaults included.

        Raises:
            InvalidArguments: they do not fit.
        """
        filled = self._filled(args)
        self._wording.asked(filled)
        dumped: dict[str, object] = self._adapter.dump_python(filled)
        return dumped

    async def prepare(self, call: ToolCall, /) -> None:
        """Look around off the event loop."""
        if not isinstance(self._walls, Refusal):
            await self._policy.prepare(call)

    def check_approval(self, call: ToolCall, /) -> Verdict:
        """As the shell rules say; without walls, and outside of what they show, no."""
        if isinstance(self._walls, Refusal):
            return Deny(reason=str(self._walls), code=CannotConfine.code)
        asked = self._asked(call.args)
        verdict = self._policy.check_approval(call)
        folder = Path(os.path.realpath(self._cwd / (asked.cwd or ".")))
        return self._walls.cannot_run_in(folder) or verdict

    async def preview(self, call: ToolCall, /) -> Preview:
        """The command in parts, each with its verdict, and what the walls permit."""
        preview = await self._policy.preview(call)
        shown = preview.presentation
        if isinstance(self._walls, Refusal) or not isinstance(shown, Presentation) or shown.command is None:
            return preview
        command = replace(shown.command, permits=self._walls.permits)
        return replace(preview, presentation=replace(shown, command=command))

    async def run(self, permit: Permit, /) -> object:
        """Run exactly what was permitted.

        Raises:
            ChangedSinceApproval: by now the command would be asked about, or denied, or its folder is gone.
            CannotConfine: there are no walls, or they could not be built.
        """
        if isinstance(self._walls, Refusal):
            raise CannotConfine(str(self._walls))
        call = permit.call
        asked = self._asked(call.args)
        looked = await asyncio.to_thread(self._policy.look, call.args)
        _still_agreed(permit, looked, self.name)
        if moved := self._walls.cannot_run_in(looked.folder):
            raise ChangedSinceApproval(f"{moved.reason}; so it was not run. Make a new call.")
        shelf = self._walls.shelf
        outputs = [self._output(call, stream, shelf) for stream in self._streams]
        before = await asyncio.to_thread(self._walls.before)
        result = await run_confined(self._wanted(permit, asked, looked, self._walls, before.profile), outputs)
        if shelf is not None and any(each.file for each in outputs):
            await asyncio.to_thread(shelf.sweep, time.time() - KEPT_FOR)
        after = await asyncio.to_thread(self._walls.after, before)
        add_findings(result, repositories=after.repositories, replaced=after.replaced)
        return self._wording.told(result)

    @cached_property
    def schema(self) -> dict[str, object]:
        """The JSON Schema of the arguments, for the model."""
        return self._adapter.json_schema()

    def _output(self, call: ToolCall, stream: Stream, shelf: Shelf | None) -> Output:
        heard = self._on_output
        # Together they hold no more than the configuration says.
        return Output(
            max(1, self._shell.max_output_bytes // len(self._streams)),
            None if heard is None else lambda text: heard(call, text, stream),
            kept=None if shelf is None else shelf.file_for(call.run, f"{call.id}-{stream}"),
        )

    def _wanted(self, permit: Permit, asked: Asked, looked: Looked, walls: Walls, profile: OSProfile) -> Wanted:
        env = clean_environment(os.environ, names=self._shell.env, writable=profile.writable)
        if permit.answered is None:
            # Nobody looked, so what a rule, a grant or a mode agreed to must run nothing beside it.
            env |= environment_for(replace(looked.judgement, verdict="allow"))
        # The system's own first: the walls always show that one.
        bash = shutil.which("/bin/bash") or shutil.which("bash", path=env["PATH"]) or "bash"
        most = self._shell.timeout
        return Wanted(
            argv=looked.judgement.argv or (bash, "--noprofile", "--norc", "-c", looked.command),
            backend=walls.backend,
            profile=profile,
            cwd=looked.folder,
            env=env,
            seconds=most if asked.seconds is None else min(asked.seconds, most),
        )

    def _asked(self, args: Mapping[str, object]) -> Asked:
        return self._wording.asked(self._filled(args))

    def _filled(self, args: Mapping[str, object]) -> object:
        from pydantic import ValidationError

        try:
            return self._adapter.validate_python(thaw(dict(args)))
        except ValidationError as error:
            wrong = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
            allowed = ", ".join(self._adapter.json_schema()["properties"])
            raise InvalidArguments(f"{self.name}: {wrong}; the arguments are: {allowed}") from error

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        from pydantic import TypeAdapter

        return TypeAdapter(self._wording.takes)


def _still_agreed(permit: Permit, looked: Looked, name: str) -> None:
    """Nothing stricter than what the permit was given for."""
    match looked.verdict(name):
        case Allow():
            return
        case ApprovalRequest(fingerprint=fingerprint):
            if permit.request is not None and permit.request.fingerprint == fingerprint:
                return
        case Deny():
            pass
    raise ChangedSinceApproval(
        f"by now this command is no longer what was agreed to ({looked.judgement.reason}), so it was not run. "
        "Make a new call."
    )
