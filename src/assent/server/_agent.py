"""The real agent behind the server's seam."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assent.agent import LATEST, OFFLINE, AgentConfig, AgentRunner
from assent.config import Mode
from assent.gate import Gate
from assent.server._seam import About, Emit, Wanted

if TYPE_CHECKING:
    from assent.agent import Model
    from assent.config import Settings


class ServedAgent:
    """Works in one folder; its questions are on the desk of the server's gate."""

    def __init__(self, settings: Settings, *, cwd: Path, gate: Gate, model: str | Model | None = None) -> None:
        self._settings = settings
        self._cwd = cwd
        self._gate = gate
        self._model = model
        self._terms: tuple[Mode, bool] | None = None
        self._runner: AgentRunner | None = None

    @property
    def about(self) -> About:
        """Where it works, and who answers there."""
        model = self._settings.agent.model if self._model is None else self._model
        name = model if isinstance(model, str) else model.name
        return About(cwd=str(self._cwd), model=name, offline=name == OFFLINE)

    @property
    def run(self) -> str:
        """The conversation, which is also the run."""
        return "" if self._runner is None else self._runner.conversation.id

    async def work(self, wanted: Wanted, emit: Emit, /) -> None:
        """Work on a prompt; the conversation before goes on if that is wanted."""
        known = self._runner
        runner = self._for(wanted)
        await runner.run_prompt(wanted.prompt, emit, fresh=runner is known and not wanted.go_on)

    def close(self) -> None:
        """Let go of the conversation and the tools."""
        if self._runner is not None:
            self._runner.close()
            self._runner = None

    def _for(self, wanted: Wanted) -> AgentRunner:
        """The runner on these terms; other terms make another one, with the same conversation."""
        terms = wanted.mode, wanted.auto_approve_safe
        if self._runner is not None and self._terms == terms:
            return self._runner
        before = (self._spoken or LATEST) if wanted.go_on else None
        self.close()
        config = AgentConfig(
            cwd=self._cwd, model=self._model, auto_approve_read=None if wanted.auto_approve_safe else False
        )
        self._runner = AgentRunner(
            config, settings=self._settings, gate=self._in_mode(wanted.mode), conversation=before
        )
        self._terms = terms
        return self._runner

    @property
    def _spoken(self) -> str:
        """The conversation at hand, if anything was said in it: of another, nothing is kept."""
        return self.run if self._runner is not None and self._runner.conversation.messages else ""

    def _in_mode(self, mode: Mode) -> Gate:
        if mode == self._gate.mode:
            return self._gate
        given = self._gate
        # The same clerk: whoever asks at the server's own gate is told of these questions too.
        return Gate(
            store=given.store, mode=mode, timeout=given.timeout, park_timeout=given.park_timeout, clerk=given.clerk
        )
