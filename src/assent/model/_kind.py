"""Unions whose members say on the wire which one they are."""

from __future__ import annotations

from typing import Any


class ByKind:
    """Marks a union that is read by its `kind` alone: the first member that fits would be a guess."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:  # noqa: ANN401 — pydantic's own types
        """Asked by pydantic, which is not loaded before that."""
        from pydantic import Discriminator

        return Discriminator("kind").__get_pydantic_core_schema__(source, handler)
