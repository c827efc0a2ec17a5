"""The options of a session, with the ways past the gate taken out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from claude_agent_sdk import ClaudeAgentOptions, HookMatcher
from claude_agent_sdk.types import HookEvent

from assent.adapters.claude_agent._door import Door

_SIMPLE = {"CLAUDE_CODE_SIMPLE": "0"}
"""In its simple (or bare) mode Claude Code calls no hook at all."""
_TAKEN = {
    "bare": "it switches the gate's hooks off",
    "settings": "it would replace the gate's settings: use ClaudeAgentOptions(settings=…)",
    "permission-prompt-tool": "the gate answers Claude Code's questions",
}

_MODES = ("bypassPermissions", "dontAsk")
"""Modes that answer for the gate: all that would ask runs, or none of it."""


def behind(options: ClaudeAgentOptions, door: Door, patience: float) -> ClaudeAgentOptions:
    """The options for a session whose calls all pass the door; its hook takes `patience` seconds at most.

    Raises:
        ValueError: with these options the gate would not be asked.
    """
    if options.can_use_tool or options.permission_prompt_tool_name:
        raise ValueError("the gate answers Claude Code's questions: leave out can_use_tool and its like")
    for flag in options.extra_args:
        if why := _TAKEN.get(flag.partition("=")[0]):
            raise ValueError(f"leave out --{flag}: {why}")
    return replace(
        options,
        hooks=_hooks(options, door, patience),
        can_use_tool=door.confirm,
        allowed_tools=[],
        permission_mode=None if options.permission_mode in _MODES else options.permission_mode,
        # A settings file may lie where the agent writes, and its hooks run commands and answer questions.
        setting_sources=options.setting_sources or [],
        settings=_settings(options),
        env={**options.env, **_SIMPLE},
        # Else a call that is resumed may start before Claude Code knows the hooks.
        extra_args={**options.extra_args, "await-initialize": None},
    )


def _hooks(options: ClaudeAgentOptions, door: Door, patience: float) -> dict[HookEvent, list[HookMatcher]]:
    ours: dict[HookEvent, HookMatcher] = {
        "UserPromptSubmit": HookMatcher(hooks=[door.prompted]),
        "PreToolUse": HookMatcher(hooks=[door.before], timeout=patience, on_failure="block"),
        "PostToolUse": HookMatcher(hooks=[door.after]),
        "PostToolUseFailure": HookMatcher(hooks=[door.after]),
    }
    theirs = options.hooks or {}
    return {**theirs, **{event: [matcher, *theirs.get(event, ())] for event, matcher in ours.items()}}


def _settings(options: ClaudeAgentOptions) -> str:
    """The given settings, and ours: of those that are not managed, they win over every settings file."""
    given = _given(options)
    permissions = _part(given, "permissions")
    ask = cast("list[str]", permissions.get("ask") or [])
    ours = {
        # A skill's own commands are no tool calls: they would run without a question.
        "disableSkillShellExecution": True,
        "env": {**_part(given, "env"), **_SIMPLE},
        # Whatever would run without the hook, in a mode or at a moment we do not know, is still a question to us.
        "permissions": {**permissions, "ask": [*ask, "*"]},
    }
    return json.dumps({**given, **ours})


def _given(options: ClaudeAgentOptions) -> dict[str, Any]:
    """What the options say, as text or in a file, read as the SDK reads it."""
    text = (options.settings or "{}").strip()
    try:
        if not (text.startswith("{") and text.endswith("}")):
            text = (Path(options.cwd or "") / text).read_text(encoding="utf-8-sig")
        found: object = json.loads(text)
    except (OSError, ValueError) as error:
        raise ValueError(f"the settings cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise ValueError(f"the settings are an object, not {text!r}")  # noqa: TRY004 — a value, as for the others
    return cast("dict[str, Any]", found)


def _part(given: dict[str, Any], name: str) -> dict[str, Any]:
    part: object = given.get(name) or {}
    if not isinstance(part, dict):
        raise ValueError(f"{name} in the settings is an object, not {part!r}")  # noqa: TRY004
    return cast("dict[str, Any]", part)
