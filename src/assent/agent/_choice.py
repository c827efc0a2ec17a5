"""Which model answers: the one somebody chose, or the embedded one where there is no key."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from assent.errors import ConfigError

if TYPE_CHECKING:
    from assent.config import Settings

_KEYS: Final = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
OFFLINE: Final = "offline"
"""The name of the embedded model."""
_BANNER: Final = (
    "no ANTHROPIC_API_KEY is set, so the embedded offline model answers: no network, and simple requests only"
)


def chosen_model(named: str | None, settings: Settings) -> tuple[str, str]:
    """The model's name, and what to say about it; empty, if there is nothing to say.

    Raises:
        ConfigError: somebody chose a model that needs a key, and there is none.
    """
    model = named or settings.agent.model
    if model == OFFLINE or any(os.environ.get(key) for key in _KEYS):
        return model, ""
    if named or ("agent", "model") in settings.lines:
        where = "--model" if named else "agent.model"
        raise ConfigError(
            f"the model {model!r} ({where}) needs a key, and ANTHROPIC_API_KEY is not set; "
            "set it, or choose the model offline"
        )
    return OFFLINE, _BANNER
