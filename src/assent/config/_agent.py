"""The `agent` section: which model works here, and within which limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from assent.config._marks import FILE_RULES, Flag, Text

DEFAULT_MODEL: Final = "claude-sonnet-5-5"
_NO_COUNT: Final = "allowed: a whole number above 0, in digits alone, such as 8192"
_NO_PRICE: Final = "allowed: a number, 0 or more, such as 2.5"


class _Number:
    """A number within bounds; neither text nor a truth value stands for one."""

    def __init__(self, allowed: str, **bounds: int) -> None:
        self._allowed = allowed
        self._bounds = bounds

    def __get_pydantic_core_schema__(
        self, source: object, handler: Callable[[object], dict[str, object]]
    ) -> dict[str, object]:
        """The same rule for every key here, with an error that says what is allowed."""
        error = {"custom_error_type": "not_allowed", "custom_error_message": self._allowed}
        return {"type": "custom-error", "schema": {**handler(source), **self._bounds, "strict": True}, **error}


_Count = Annotated[int, _Number(_NO_COUNT, gt=0)]
_Price = Annotated[float, _Number(_NO_PRICE, ge=0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What a million tokens cost, in whatever currency you count."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = FILE_RULES

    input: _Price
    """What the model reads."""
    output: _Price
    """What it writes."""
    cache_read: _Price | None = None
    """What it reads from the cache; null costs as much as input."""
    cache_write: _Price | None = None
    """What is put into the cache; null costs as much as input."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """The agent that `assent run` and the server start."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = FILE_RULES

    model: Annotated[str, Text()] = DEFAULT_MODEL
    """The model's name, or offline: a small one that needs neither key nor network."""
    max_tokens: _Count = 8192
    """The most tokens of one answer."""
    system_prompt: Annotated[str, Text()] | None = None
    """What the model is told beside what it is told anyway."""
    auto_approve_read: Annotated[bool, Flag()] = True
    """Whether reads follow read_approval; false makes every one of them ask."""
    max_turns: _Count = 100
    """How often the model may answer before a run is ended."""
    attempts: _Count = 4
    """How often an answer that broke off is asked for before a run fails."""
    prices: Prices | None = None
    """What a million tokens cost, so that the cost of a run is known; null leaves it unknown."""
