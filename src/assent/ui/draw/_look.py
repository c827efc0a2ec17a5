"""How much room and which colours there are, and what a drawing says about itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Colours = Literal["none", "16", "256", "true"]
View = Literal["auto", "diff", "side_by_side", "content"]
"""What stands in the body where there is a choice; `auto` is what suits most."""

SIDE_BY_SIDE_COLUMNS: Final = 120
"""From this width on, two versions fit beside each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How much room there is, and how it may be filled."""

    width: int = 80
    height: int = 24
    colours: Colours = "none"
    plain: bool = False
    """No boxes and no glyphs: for screen readers and logs."""
    inline_lines: int = 30
    """Fewer lines than these are shown at once,"""
    pager_lines: int = 100
    """more than these open the pager,"""
    preview_lines: int = 24
    """and of any number between, so many are shown."""
    longest: int | None = None
    """So many characters are enough of a text: more of it fills no screen, and takes long to draw."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A question, ready to be written to a terminal."""

    text: str
    shown: int
    """Lines of the body that are in it."""
    total: int
    """Lines of the body there are."""
    opens_pager: bool
    clipped: bool = False
    """What stands above the body did not fit either."""

    @property
    def whole(self) -> bool:
        """Whether nothing is hidden."""
        return self.shown >= self.total and not self.clipped
