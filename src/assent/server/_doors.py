"""Two doors to one server: a TCP address for browsers, a socket in the state directory for programs."""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assent.errors import ConfigError

if TYPE_CHECKING:
    from assent.config import ServerSettings

SOCKET_NAME: Final = "server.sock"
BACKLOG: Final = 128
_LAST_PORT: Final = 65535
_LONGEST: Final = 100
"""Of a socket's path, in bytes; the kernel takes hardly more."""


def listen(settings: ServerSettings) -> socket.socket:
    """The TCP door, on loopback unless the configuration names the addresses it is reached under.

    Raises:
        ConfigError: it would be open to others, or the address is taken or none.
    """
    host = "127.0.0.1" if settings.host == "localhost" else settings.host
    if not _is_loopback(host) and not settings.origins:
        raise ConfigError(
            f"server.host {settings.host!r} is reached from other machines; keep 127.0.0.1 behind a proxy that speaks "
            "TLS, or name the addresses people use in server.origins, such as https://assent.example.org"
        )
    if not 0 <= settings.port <= _LAST_PORT:
        raise ConfigError(f"there is no port {settings.port}; ports are 0 to {_LAST_PORT}, and 0 takes any free one")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, settings.port), family=family, backlog=BACKLOG)
    except OSError as error:
        why = "is taken" if error.errno == errno.EADDRINUSE else f"cannot be used: {error.strerror}"
        raise ConfigError(f"the address {host}:{settings.port} {why}; choose another server.port") from None


def origins_of(door: socket.socket, settings: ServerSettings) -> list[str]:
    """Every address a browser may have come under, the one to tell people first."""
    host, port = door.getsockname()[:2]
    suffix = "" if port == 80 else f":{port}"  # noqa: PLR2004 — what browsers leave out
    here = f"[{host}]" if ":" in host else host
    names = dict.fromkeys([here, "localhost", "127.0.0.1", "[::1]"]) if _is_loopback(host) else {}
    return [*settings.origins, *(f"http://{name}{suffix}" for name in names)]


def local_door(folder: Path) -> socket.socket:
    """The socket for other programs of the same user; nobody else can open it.

    Raises:
        ConfigError: another server is behind it, or it cannot be made.
    """
    path = folder / SOCKET_NAME
    if len(os.fsencode(path)) > _LONGEST:
        raise ConfigError(f"the path {str(path)!r} is too long for a socket; set `store` to a shorter one")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if _answers(path):
        message = (
            f"another server is behind {str(path)!r}: end it first, use `assent serve --link`, or give this project "
            "a record of its own with `store:` in assent.yaml"
        )
        raise ConfigError(message)
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path.unlink(missing_ok=True)
        # Made with the right mode: between making and changing it, somebody could come in.
        before = os.umask(0o177)
        try:
            made.bind(str(path))
        finally:
            os.umask(before)
        made.listen(BACKLOG)
    except OSError as error:
        made.close()
        raise ConfigError(f"the socket {str(path)!r} cannot be made: {error.strerror}") from None
    return made


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
        return True


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
