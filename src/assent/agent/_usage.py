"""What a run used: tokens, and what they cost where the prices are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from assent.config import Prices

_PER: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens as the model's server counted them; of a turn, or of a whole run."""

    input_tokens: int = 0
    """Read at the full price; what the cache held is counted below."""
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    requests: int = 0
    """How many times the model was asked, failed attempts included."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            requests=self.requests + other.requests,
        )

    def cost(self, prices: Prices | None) -> float | None:
        """In the currency of the prices; None where they are not known."""
        if prices is None:
            return None
        total = (
            self.input_tokens * prices.input
            + self.output_tokens * prices.output
            + self.cache_read_tokens * (prices.input if prices.cache_read is None else prices.cache_read)
            + self.cache_write_tokens * (prices.input if prices.cache_write is None else prices.cache_write)
        )
        return total / _PER
