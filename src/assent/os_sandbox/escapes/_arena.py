"""A scratch world to attack: victims, secrets and servers outside, writable roots inside."""

from __future__ import annotations

import hashlib
import os
import secrets
import socket
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assent.os_sandbox._derive import derive_os_sandbox_profile
from assent.os_sandbox._profile import OSProfile

_ROOTS: Final = ("root", "repository", "other", "plain", "home")
_WATCHED: Final = (
    "repository/.git/hooks/pre-commit",
    "other/.git/hooks/pre-commit",
    "repository/.git/config",
    "repository/.git/commondir",
    "plain/.git/hooks/pre-commit",
    "plain/assent.yaml",
    "home/.bashrc",
    "repository/settings/assent.yaml",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Root:
    root: Path
    mode: str = "rw"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Roots:
    paths: dict[str, _Root]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shell:
    network: bool
    toolchains: tuple[Path, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arena:
    """Where the attempts are made, and what tells afterwards whether one came through."""

    folder: Path
    place: dict[str, str]
    token: str
    prey: subprocess.Popen[bytes]

    def profile(self, *, network: bool) -> OSProfile:
        """The profile that the configuration of these roots leads to."""
        shell = _Shell(network=network, toolchains=(Path(sys.base_prefix).resolve(),))
        roots = _Roots(paths={name: _Root(root=self.folder / name) for name in _ROOTS})
        masked = [self.folder / "repository/settings/assent.yaml"]
        return derive_os_sandbox_profile(roots, shell, masked=masked, homes=[self.folder / "home"])

    def victim(self, name: str) -> Path:
        """The folder outside that belongs to one attempt."""
        return self.folder / "outside" / name

    def state(self, name: str) -> str:
        """What an attempt of this name could have changed, as it is now."""
        parts = [_described(path) for path in [self.victim(name), *sorted(self.victim(name).iterdir())]]
        parts += [str(name in _words(self.folder / place)) for place in _WATCHED]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@contextmanager
def arena(folder: Path, names: list[str]) -> Generator[Arena]:
    """Build it in an empty folder, with a victim for each attempt; its servers end with it."""
    token = secrets.token_hex(16)
    with ExitStack() as stack:
        for name in names:
            (folder / "outside" / name).mkdir(parents=True)
            (folder / "outside" / name / "victim").write_text("untouched", encoding="ascii")
        _make_roots(folder)
        (folder / "secret").write_text(token, encoding="ascii")
        victim, prey = (stack.enter_context(_process(token)) for _ in range(2))
        place = {
            "outside": str(folder / "outside"),
            **{name: str(folder / name) for name in _ROOTS},
            "settings": str(folder / "repository/settings"),
            "secret": str(folder / "secret"),
            "token": token,
            "victim": str(victim.pid),
            "prey": str(prey.pid),
            "shared": stack.enter_context(_shared_memory(token)),
            **stack.enter_context(_servers(folder, token)),
        }
        yield Arena(folder=folder, place=place, token=token, prey=prey)


def _make_roots(folder: Path) -> None:
    for name in _ROOTS:
        (folder / name).mkdir()
    for git in (folder / "repository/.git", folder / "other/.git"):
        for inner in ("hooks", "objects", "refs/heads"):
            (git / inner).mkdir(parents=True)
        (git / "HEAD").write_text("ref: refs/heads/main\n", encoding="ascii")
        (git / "config").write_text("[core]\n\tbare = false\n", encoding="ascii")
    (folder / "repository/settings").mkdir()
    (folder / "repository/settings/assent.yaml").write_text("approvals: {mode: strict}\n", encoding="ascii")


@contextmanager
def _process(token: str) -> Generator[subprocess.Popen[bytes]]:
    """Somebody's process: its command line and environment hold the token."""
    wait = "import sys; sys.stdin.read()"
    with subprocess.Popen(  # noqa: S603 (our own interpreter)
        [sys.executable, "-I", "-S", "-c", wait, token],
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "SECRET": token},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def _shared_memory(token: str) -> Generator[str]:
    place = Path("/dev/shm", f"assent-{token}")  # noqa: S108 (an unguessable name)
    with suppress(OSError):
        place.write_text(token, encoding="ascii")
    try:
        yield place.name
    finally:
        place.unlink(missing_ok=True)


@contextmanager
def _servers(folder: Path, token: str) -> Generator[dict[str, str]]:
    """Servers that give the token to whoever reaches them."""
    abstract = f"assent-{secrets.token_hex(8)}"
    tcp, udp = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
    unix, hidden = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    every = (tcp, udp, unix, hidden)
    try:
        tcp.bind(("127.0.0.1", 0))
        udp.bind(("127.0.0.1", 0))
        unix.bind(str(folder / "socket"))
        hidden.bind("\0" + abstract)
        for each in (tcp, unix, hidden):
            each.listen()
            threading.Thread(target=_answer, args=(each, token.encode()), daemon=True).start()
        threading.Thread(target=_answer_datagrams, args=(udp, token.encode()), daemon=True).start()
        ports = {"tcp": str(tcp.getsockname()[1]), "udp": str(udp.getsockname()[1])}
        yield {**ports, "unix": str(folder / "socket"), "abstract": abstract}
    finally:
        for each in every:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


def _answer(server: socket.socket, token: bytes) -> None:
    with suppress(OSError):
        while True:
            peer, _ = server.accept()
            with peer:
                peer.sendall(token)


def _answer_datagrams(server: socket.socket, token: bytes) -> None:
    with suppress(OSError):
        while True:
            _, sender = server.recvfrom(10)
            # An empty sender: woken by the shutdown.
            if not sender:
                return
            server.sendto(token, sender)


def _words(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").split()
    except OSError:
        return []


def _described(path: Path) -> str:
    """Everything about a file that an attempt could change; not the time it was last read."""
    seen = path.lstat()
    facts = [path.name, seen.st_mode, seen.st_uid, seen.st_gid, seen.st_nlink, seen.st_mtime_ns, seen.st_size]
    with suppress(OSError):
        facts += sorted(os.listxattr(path, follow_symlinks=False))
    with suppress(OSError):
        facts.append(path.read_bytes().hex() if path.is_file() else "")
    return repr(facts)
