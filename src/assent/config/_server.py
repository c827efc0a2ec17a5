"""The `server` section: where the server listens, and whom it obeys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, ClassVar, Final

from assent.config._marks import FILE_RULES, Flag, Listed, Name, OnlyNames

DEFAULT_PORT: Final = 8643
_HOST: Final = "allowed: an IP address or localhost, as text, such as 127.0.0.1"
_PORT: Final = "allowed: a whole number from 0 to 65535, in digits alone; 0 takes any free port"
_TOKEN: Final = "allowed: the SHA-256 of a token in 64 hexadecimal digits; `assent serve --new-token NAME` makes one"  # noqa: S105 — a message
_ORIGIN: Final = "allowed: the address people use, without a path, such as https://assent.example.org"
_ORIGINS: Final = "a list of addresses, such as [https://assent.example.org]"
_Handler = Callable[[object], dict[str, object]]


class _Rule:
    """A bound of a value, with an error that says what is allowed."""

    def __init__(self, allowed: str, **bounds: object) -> None:
        self._allowed = allowed
        self._bounds = bounds

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> dict[str, object]:
        """The same type within the bounds; neither text nor a truth value stands for a number."""
        error = {"custom_error_type": "not_allowed", "custom_error_message": self._allowed}
        return {"type": "custom-error", "schema": {**handler(source), **self._bounds, "strict": True}, **error}


_Origin = Annotated[str, _Rule(_ORIGIN, pattern=r"^https?://(\[[0-9a-fA-F:]+\]|[a-z0-9.-]+)(:[0-9]{1,5})?$")]
_Token = Annotated[str, _Rule(_TOKEN, pattern="^[0-9a-fA-F]{64}$")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Where the server listens, and whom it obeys."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = FILE_RULES

    host: Annotated[str, _Rule(_HOST, pattern=r"^(localhost|[0-9.]+|[0-9a-fA-F:]*:[0-9a-fA-F:.]*)$")] = "127.0.0.1"
    """The address it listens on; anything but loopback needs origins."""
    port: Annotated[int, _Rule(_PORT, ge=0, le=65535)] = DEFAULT_PORT
    """Its port; 0 takes any free one."""
    origins: Annotated[tuple[_Origin, ...], Listed(_ORIGINS)] = ()
    """Addresses it is reached under beside loopback, such as that of a proxy that speaks TLS."""
    allow_bypass: Annotated[bool, Flag()] = False
    """Whether a client may run an agent without being asked; what is denied stays denied."""
    approvers: Annotated[Mapping[Annotated[str, Name()], _Token], OnlyNames()] = field(
        default_factory=dict[str, str], hash=False
    )
    """Who else may answer: the SHA-256 of each one's token, by name."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "approvers", MappingProxyType(dict(self.approvers)))
