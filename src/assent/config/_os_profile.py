"""The operator's own limit on confined commands: `sandbox.os_profile`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from assent.config._marks import FILE_RULES, Flag, Paths, PlaceText
from assent.config._places import real

_Places = Annotated[tuple[Annotated[Path, PlaceText()], ...], Paths()]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplicitProfile:
    """The most that confined commands may touch, whatever the tools are configured to do."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = FILE_RULES

    readable: _Places = ()
    """Folders that commands may read."""
    writable: _Places = ()
    """Folders that commands may also write."""
    masked: _Places = ()
    """What commands never write, even inside a folder they may write."""
    network: Annotated[bool, Flag()] = False
    """Whether commands may use the network, where shell.network lets them."""

    def __post_init__(self) -> None:
        for name in ("readable", "writable", "masked"):
            places: tuple[Path, ...] = getattr(self, name)
            object.__setattr__(self, name, tuple(map(real, places)))
