"""The agent of a server: one run at a time, seen by every client, and it outlives their connections."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import Final

from assent.config import Mode
from assent.server._desk import ServedDesk
from assent.server._log import EventLog
from assent.server._seam import About, Runner, Wanted
from assent.server.messages import Message, PermissionMode, Run, run_started

_BYPASS: Final = (
    "this server does not execute without asking; set `server.allow_bypass: true` in its assent.yaml and start it "
    "again, or choose the permission mode sdk"
)
_CLI: Final = (
    "this mode works with Claude Code through a hook that asks here, and this version of assent has no such hook yet; "
    "choose the permission mode sdk: the server's own agent does the work, and asks about it here"
)
_RUNNING: Final = "a run is under way; wait for it to end, or send the command stop first"

_AFTER_ANSWERS: Final = frozenset({"user", "result"})


class NotStarted(Exception):
    """A command was not done; `code` says which way."""

    def __init__(self, code: str, text: str) -> None:
        self.code = code
        super().__init__(text)


class AgentSession:
    """Starts and stops the runs of one agent; only on the server's loop."""

    def __init__(
        self, runner: Runner | None, desk: ServedDesk, log: EventLog, *, mode: Mode, allow_bypass: bool
    ) -> None:
        self._runner = runner
        self._desk = desk
        self._log = log
        self._mode: Mode = mode
        # A configuration that approves all allows a client to ask for just that.
        self.allow_bypass = allow_bypass or mode == "approve_all"
        self._task: asyncio.Task[None] | None = None
        self._stopped_by = ""

    @property
    def running(self) -> bool:
        """Whether a run is under way."""
        return self._task is not None and not self._task.done()

    @property
    def about(self) -> About:
        """What is known of the agent; nothing, where there is none."""
        found: object = getattr(self._runner, "about", None)
        return found if isinstance(found, About) else About()

    @property
    def modes(self) -> tuple[PermissionMode, ...]:
        """The permission modes in which a run would start here."""
        if self._runner is None:
            return ()
        return ("sdk", "bypassPermissions") if self.allow_bypass else ("sdk",)

    def start(self, said: Run, *, by: str) -> None:
        """Start a run.

        Raises:
            NotStarted: it may not be started so, or another one is under way.
        """
        if self._runner is None:
            raise NotStarted("no_agent", "this server has no agent; it only shows and takes answers")
        if self.running:
            raise NotStarted("run_in_progress", _RUNNING)
        wanted = Wanted(
            prompt=said.prompt,
            go_on=said.go_on,
            mode=self._mode_for(said),
            auto_approve_safe=said.auto_approve_safe,
        )
        self._stopped_by = ""
        self._log.publish(run_started(said, by=by))
        self._task = asyncio.create_task(self._work(self._runner, wanted, by), name="assent-run")

    def _mode_for(self, said: Run) -> Mode:
        """What the client wants, or what the configuration says if that is stricter."""
        match said.permission_mode:
            case "toolApproval":
                raise NotStarted("no_cli", _CLI)
            case "bypassPermissions" if not self.allow_bypass:
                raise NotStarted("bypass_not_allowed", _BYPASS)
            case "bypassPermissions":
                # Asked for and allowed: then only `strict` stands against it.
                return "strict" if self._mode == "strict" else "approve_all"
            case "sdk":
                return "strict" if self._mode == "strict" else "interactive"

    async def _work(self, runner: Runner, wanted: Wanted, by: str) -> None:
        ended = False

        async def emit(message: Message) -> None:
            nonlocal ended
            ended = ended or message.get("type") == "result"
            if message.get("type") in _AFTER_ANSWERS:
                # How a question ended is told before what came of it.
                await self._desk.look()
            self._log.publish(message, run=runner.run)

        try:
            if wanted.go_on and runner.run:
                # Whoever goes on with a run that was stopped wants it to work.
                await asyncio.to_thread(self._desk.gate.store.resume_run, runner.run, by=by, at=time.time())
            await runner.work(wanted, emit)
        except asyncio.CancelledError:
            if not ended:
                await emit(_result("stopped", f"Stopped by {self._stopped_by or 'the server'}; nothing more is run."))
        except Exception as error:  # noqa: BLE001 — whatever broke, the clients are told and the server goes on
            if not ended:
                await emit(_result("error", f"The run failed: {str(error) or type(error).__name__}"))
        else:
            if not ended:
                await emit(_result("success", "Conversation complete"))

    async def stop(self, *, by: str) -> None:
        """End the run: what waits ends unanswered, and nothing more is started.

        Raises:
            NotStarted: there is nothing to stop.
        """
        if self._task is None or self._task.done() or self._runner is None:
            raise NotStarted("not_running", "no run is under way, so there is nothing to stop")
        self._stopped_by = by
        if self._runner.run:
            await asyncio.to_thread(self._desk.gate.store.stop_run, self._runner.run, by=by, at=time.time())
        self._task.cancel()

    async def close(self) -> None:
        """End what is under way and let go of the agent."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        if self._runner is not None:
            await asyncio.to_thread(self._runner.close)


def _result(subtype: str, text: str) -> Message:
    return {"type": "result", "subtype": subtype, "content": {"message": text}}
