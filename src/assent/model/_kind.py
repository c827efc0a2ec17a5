"""Unions whose members say on the wire which one they are."""

from __future__ import annotations

from typing import Any, ClassVar


class ByKind:
    """Marks a union that is read by its `kind` alone: the first member that fits would be a guess."""

    tag: ClassVar = "kind"

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:  # noqa: ANN401 — pydantic's own types
        """Asked by pydantic, which is not loaded before that."""
        from pydantic import Discriminator

        return Discriminator(self.tag).__get_pydantic_core_schema__(source, handler)


class ByType(ByKind):
    """The same for a union whose members have a `type`."""

    tag: ClassVar = "type"
