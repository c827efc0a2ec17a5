"""`assent serve`: the inbox and an agent in your browser, for you and whom you name."""
# ruff: noqa: T201 (a command speaks by printing)

from __future__ import annotations

import json
import secrets
import sys
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assent.cli._parsing import WRONG, config_option, mode_options
from assent.config import find_settings_file, load_settings
from assent.errors import ConfigError
from assent.ui import visible

if TYPE_CHECKING:
    from assent.config import Settings
    from assent.server import Served

_DESCRIPTION: Final = """\
Serves the inbox of the project, and an agent that works in its folder, to your
browser. It listens on this machine only, and obeys only who came by the link it
prints: that link is good once and for an hour, and turns into a session of that
browser. Other programs of yours reach it through a socket beside the record.

Questions of every run and process that shares the record appear there; the
first answer wins, wherever it is given. Ctrl-C ends it: what waits stays on the
desk."""
_EPILOG: Final = f"""\
examples:
  assent serve --root .
  assent serve --port 9000
  assent serve --strict
  assent serve --link
  assent serve --new-token ana

exit codes:
  0  ended
  1  the record cannot be used
{WRONG};
     the address is taken, or no server runs for --link"""


def describe(parser: ArgumentParser) -> None:
    """What `assent serve` takes."""
    parser.description, parser.epilog = _DESCRIPTION, _EPILOG
    parser.add_argument("--root", metavar="DIR", default=".", help="the folder the agent works in; by default here")
    parser.add_argument("--host", metavar="ADDRESS", help="listen on this address, not on server.host")
    parser.add_argument("--port", metavar="N", type=int, help="listen on this port, not on server.port; 0: any")
    mode_options(parser, approve_all="whoever is signed in may run the agent without being asked")
    parser.add_argument("--model", metavar="NAME", help="this model, not the one in assent.yaml; offline needs no key")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--link", action="store_true", help="print a new link to the server that runs, and end")
    only.add_argument("--new-token", metavar="NAME", help="make a token for somebody else, and end")
    config_option(parser, start="DIR")
    parser.set_defaults(command=_serve)


def _serve(options: Namespace) -> int:
    if options.new_token is not None:
        print(_token(options.new_token))
        return 0
    from assent import server

    root = Path(options.root).resolve()
    if not root.is_dir():
        raise ConfigError(f"--root {options.root!r} is no folder; name the one the agent works in")
    settings = _settings(options, root)
    if options.link:
        print(server.new_link(settings))
        return 0
    import asyncio

    def ready(served: Served) -> None:
        _say_where(served, settings, root)

    asyncio.run(server.serve(settings, root=root, ready=ready, model=options.model))
    return 0


def _settings(options: Namespace, root: Path) -> Settings:
    file = Path(options.config) if options.config else find_settings_file(root)
    # Without a file, the defaults: never those of the folder that happens to be the current one.
    from assent.config import Settings

    settings = load_settings(file) if file is not None else Settings()
    wanted = {name: given for name in ("host", "port") if (given := getattr(options, name)) is not None}
    if options.mode is None:
        return replace(settings, server=replace(settings.server, **wanted))
    # Strict stands against whatever a browser asks for; approve-all lets it ask for that, and no run begins so unasked.
    server = replace(settings.server, allow_bypass=options.mode == "approve_all", **wanted)
    return replace(settings, approvals=replace(settings.approvals, mode=options.mode), server=server)


def _say_where(served: Served, settings: Settings, root: Path) -> None:
    if served.notice:
        print(f"assent: {served.notice}", file=sys.stderr)
    print(visible(f"assent serves {root} at {served.address}"))
    print(f"Open {served.link}", flush=True)
    print("The link is good once, for an hour; `assent serve --link` prints another. Ctrl-C ends the server.")
    print(visible(f"Programs of yours: {served.socket}"), flush=True)
    allowed, mode = settings.server.allow_bypass, settings.approvals.mode
    if mode != "strict" and (allowed or mode == "approve_all"):
        name = "server.allow_bypass is on" if allowed else "approvals.mode is approve_all"
        print(f"{name}: whoever is signed in may run the agent without being asked.")
        print("For trusted work only; what policy denies stays denied.", flush=True)
    if settings.approvals.mode == "strict":
        print("Mode strict: the agent asks nobody, and what would ask is denied.", flush=True)


def _token(name: str) -> str:
    from assent.server import hashed

    if not _is_name(name):
        raise ConfigError(f"--new-token {name!r} is no name; use no /, no dot in front and nothing that cannot be seen")
    token = secrets.token_urlsafe(32)
    # To YAML, `a: b` is two things; what JSON quotes, it reads.
    key = name if name.isidentifier() else json.dumps(name, ensure_ascii=False)
    return (
        f"The token of {name}, shown only now: {token}\n"
        f"Put this into assent.yaml and start the server again:\n"
        f"server:\n  approvers:\n    {key}: {hashed(token)}"
    )


def _is_name(text: str) -> bool:
    """Whether the configuration takes it, and whoever reads it on the record sees all of it."""
    return text[:1] not in ("", ".") and "/" not in text and text == text.strip() == visible(text, keep="")
