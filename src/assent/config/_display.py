"""The `display` section: how much of a question stands on the screen at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from assent.config._marks import FILE_RULES

_NO_LINES: Final = "allowed: a whole number of lines above 0, in digits alone, such as 30"


class Lines:
    """A whole number of lines above 0."""

    def __get_pydantic_core_schema__(
        self, source: object, handler: Callable[[object], dict[str, object]]
    ) -> dict[str, object]:
        """The same rule for every key here, with an error that says what is allowed."""
        schema = {**handler(source), "gt": 0, "strict": True}
        error = {"custom_error_type": "not_allowed", "custom_error_message": _NO_LINES}
        return {"type": "custom-error", "schema": schema, **error}


@dataclass(frozen=True, slots=True, kw_only=True)
class Display:
    """How much of a question stands on the screen at once; never more than the screen holds."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = FILE_RULES

    inline_lines: Annotated[int, Lines()] = 30
    """Content of fewer lines is shown whole."""
    pager_lines: Annotated[int, Lines()] = 100
    """Content of more lines opens the pager by itself."""
    preview_lines: Annotated[int, Lines()] = 24
    """Of anything between, so many lines are shown; a key shows the rest."""
