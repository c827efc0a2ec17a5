"""One process that serves a project: its record, its agent, and both doors."""

from __future__ import annotations

import getpass
import http.client
import json
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assent.agent import chosen_model
from assent.errors import ConfigError
from assent.gate import Gate
from assent.server._access import Access
from assent.server._agent import ServedAgent
from assent.server._app import create_app
from assent.server._doors import SOCKET_NAME, listen, local_door, origins_of
from assent.server._serving import ByDoor, serve_doors

if TYPE_CHECKING:
    from assent.config import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """Where a server that has started is reached."""

    address: str
    link: str
    """For the operator; good once."""
    socket: Path
    notice: str
    """What the operator should know of the agent: mostly nothing."""


async def serve(settings: Settings, *, root: Path, ready: Callable[[Served], None], model: str | None = None) -> None:
    """Serve a project until a signal ends it; `model` is another one than the configuration's.

    Raises:
        ConfigError: an address cannot be used.
        StoreFailed: the record cannot be opened.
    """
    chosen, notice = chosen_model(model, settings)
    gate = Gate.from_settings(settings)
    try:
        tcp = listen(settings.server)
        try:
            local = local_door(settings.store.parent)
        except ConfigError:
            tcp.close()
            raise
        me, port = user(), tcp.getsockname()[1]
        access = Access(approvers=settings.server.approvers, cookie=f"assent-{port}")
        origins = origins_of(tcp, settings.server)
        path = settings.store.parent / SOCKET_NAME
        app = create_app(
            gate,
            origins=origins,
            access=access,
            runner=ServedAgent(settings, cwd=root, gate=gate, model=chosen),
            allow_bypass=settings.server.allow_bypass,
        )
        link = f"{origins[0]}/agent#code={access.new_link(me)}"
        served = Served(address=origins[0], link=link, socket=path, notice=notice)
        await serve_doors(ByDoor(app, who=me, path=str(path)), [tcp, local], ready=lambda: ready(served))
    finally:
        gate.close()


def new_link(settings: Settings) -> str:
    """A new link to the server that runs, asked for through its local door.

    Raises:
        ConfigError: no server runs.
    """
    path = settings.store.parent / SOCKET_NAME
    connection = _Local(path)
    try:
        connection.request("POST", "/api/session/link", body="{}", headers={"Content-Type": "application/json"})
        answer = connection.getresponse()
        return str(json.loads(answer.read())["url"])
    except (OSError, http.client.HTTPException, KeyError, ValueError):
        raise ConfigError(f"no server is behind {str(path)!r}; start one with `assent serve`") from None
    finally:
        connection.close()


def user() -> str:
    """The name under which the operator's answers are on record."""
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        return "the operator"


class _Local(http.client.HTTPConnection):
    """HTTP over the local door."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=10)
        self._path = path

    def connect(self) -> None:
        """To the socket instead of a port."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))
