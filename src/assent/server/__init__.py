"""The server: the inbox over HTTP, an agent over a WebSocket, and nobody but its operator is obeyed.

What needs the extra `web` is loaded when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assent.errors import ConfigError
from assent.server._access import Access, hashed
from assent.server._seam import About, Describes, Emit, Runner, Wanted

if TYPE_CHECKING:
    from assent.server._agent import ServedAgent
    from assent.server._app import create_app
    from assent.server._serve import Served, new_link, serve

__all__ = [
    "About",
    "Access",
    "Describes",
    "Emit",
    "Runner",
    "Served",
    "ServedAgent",
    "Wanted",
    "create_app",
    "hashed",
    "new_link",
    "serve",
]

_LAZY = {
    "ServedAgent": "_agent",
    "create_app": "_app",
    "Served": "_serve",
    "new_link": "_serve",
    "serve": "_serve",
}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module

    try:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"fastapi", "starlette", "uvicorn", "websockets"}:
            raise
        raise ConfigError(
            f"the server needs the package {error.name!r}, which is not installed; `pip install 'assent[web]'` "
            "installs all it needs"
        ) from None
