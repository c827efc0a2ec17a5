"""Everything a verdict must look at outside the command, in one place."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from assent.config import SandboxPath

_SECONDS: Final = 5
_SYSTEM: Final = ("/bin", "/usr/bin")
_MOST_CONFIGURATION: Final = 1_000_000
# What a repository's own configuration may run, beyond what the environment keeps from it.
# Between lines, blanks are not skipped: thousands of empty ones would be looked at from each of them.
_WILD: Final = re.compile(
    rb"\[\s*(?:filter|include|includeif|diff|difftool|merge|mergetool|guitool|credential|url|submodule|trailer|hook"
    rb"|alias|browser|man|tar)\b"
    rb"|(?:^|\])[ \t\r\v\f]*(?:sshcommand|gitproxy|uploadpack|receivepack|vcs|packobjectshook|recentobjectshook"
    rb"|external|textconv|worktreeconfig|worktree|defaultkeycommand|promisor|partialclone|tunnel|smtpserver|sendmailcmd|tocmd|cccmd"
    rb"|headercmd)\b"
    rb"|ext::",
    re.IGNORECASE | re.MULTILINE,
)
# What leads on from here is another file for every process.
_PROCESS: Final = re.compile(r"/proc/(?:self|thread-self|[0-9]+)")
_DESCRIPTOR: Final = re.compile(r"/dev/(?:stdin|stdout|stderr|fd/[0-9]*)")
_MOST_LINKS: Final = 40


class World(Protocol):
    """What a verdict asks about the machine; only asked when the command would be allowed."""

    @property
    def asks_somewhere(self) -> bool:
        """Whether reading any path at all asks first."""
        ...

    def accepts(self, script: str) -> bool:
        """Whether bash itself can read the script."""
        ...

    def program(self, name: str) -> str | None:
        """Where the program lies that the name starts; none if there is none."""
        ...

    def is_writable(self, path: str) -> bool:
        """Whether it lies where an agent may write."""
        ...

    def is_inside(self, path: str, names: Collection[str]) -> bool:
        """Whether it lies in one of the named sandbox paths; `.git` does if all of its repository does."""
        ...

    def asks_to_read(self, path: str, *, deep: bool) -> bool:
        """Whether reading it asks first; `deep` if all that lies beneath it is read as well.

        Whoever reads all of `.git` reads every file of the repository around it.
        """
        ...

    def git_is_tame(self) -> bool:
        """Whether the repository here names no program that our environment does not replace."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """This machine, seen from a folder."""

    cwd: Path
    paths: Mapping[str, SandboxPath] = field(default_factory=dict[str, SandboxPath])
    path: str | None = None
    """Where programs are looked for; none takes PATH of this process."""

    @property
    def asks_somewhere(self) -> bool:
        """Whether reading any path at all asks first."""
        return any(each.read_approval for each in self.paths.values())

    def accepts(self, script: str) -> bool:
        """Whether bash itself can read the script; without bash, nothing is accepted."""
        bash = self._bash()
        if bash is None or "\0" in script:
            return False
        try:
            done = subprocess.run(  # noqa: S603 (`-n` reads and runs nothing; the environment is empty)
                # As an argument, because that is how it would be run; what is too long for one is refused.
                [bash, "--noprofile", "--norc", "-n", "-c", script.encode("utf-8", "surrogatepass")],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env={},
                cwd="/",
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
        # A here-document that is never closed is only a warning.
        return done.returncode == 0 and not done.stderr

    def program(self, name: str) -> str | None:
        """The first program of that name, to be judged, never started by us.

        Relative entries of PATH are nothing to rely on.
        """
        return shutil.which(name, path=os.pathsep.join(self._folders()) or "/nowhere")

    def _bash(self) -> str | None:
        """The system's own bash, or the first that no agent can have put there: this one is started by us."""
        from assent.os_sandbox import find_program

        folders = [*_SYSTEM, *self._folders()]
        return find_program("bash", writable=self._writable(), path=os.pathsep.join(folders))

    def _folders(self) -> list[str]:
        folders = (self.path if self.path is not None else os.environ.get("PATH", os.defpath)).split(os.pathsep)
        return [each for each in folders if Path(each).is_absolute()]

    def _writable(self) -> list[Path]:
        return [each.root for each in self.paths.values() if each.mode == "rw"]

    def is_writable(self, path: str) -> bool:
        """Whether it, or what it leads to, lies where an agent may write."""
        roots = self._writable()
        places = {Path(os.path.abspath(self.cwd / path)), self._real(path)}  # noqa: PTH100 (`resolve` follows links)
        return any(place.is_relative_to(root) for place in places for root in roots)

    def is_inside(self, path: str, names: Collection[str]) -> bool:
        """Whether what it leads to lies in one of the named sandbox paths."""
        roots = [self.paths[name].root for name in names if name in self.paths]
        places = [self._place(path), *(self._repositories() if path == ".git" else ())]
        return all(place is not None and any(map(place.is_relative_to, roots)) for place in places)

    def asks_to_read(self, path: str, *, deep: bool) -> bool:
        """Whether it, or for a deep reader anything beneath it, lies in a root whose reading asks."""
        roots = [each.root for each in self.paths.values() if each.read_approval]
        for place in [self._place(path), *(self._repositories() if deep and path == ".git" else ())]:
            if place is None or (deep and place.is_relative_to("/proc")):
                return bool(roots)
            if any(place.is_relative_to(root) or (deep and root.is_relative_to(place)) for root in roots):
                return True
        return False

    def exists(self, path: str) -> bool:
        """Whether anything has that name, if only a link."""
        return os.path.lexists(self.cwd / path)

    def _repositories(self) -> Iterator[Path | None]:
        """The folders around `cwd` whose files a repository holds; none where that cannot be told."""
        here = self._real(".")
        for folder in (here, *here.parents):
            try:
                if (folder / ".git").exists():
                    yield folder
                    # What is linked here may be the repository of another folder.
                    yield from (each.resolve().parent for each in _folders_of(folder / ".git"))
            except (OSError, ValueError):
                yield None

    def git_is_tame(self) -> bool:
        """Whether no configuration of a repository around `cwd` names a program.

        Of all of them up to the top: git passes by what looks like a repository and is none.
        """
        here = self._real(".")
        return all(map(_is_tame_here, (here, *here.parents)))

    def _place(self, path: str) -> Path | None:
        """Where it leads, all links followed; none if it leads somewhere else for another process."""
        if _DESCRIPTOR.fullmatch(path):
            # What it leads to was opened by a redirection, which is judged for itself.
            return Path(path)
        place = self.cwd / path
        return None if _passes_a_process(str(place)) else Path(os.path.realpath(place))

    def _real(self, path: str) -> Path:
        return Path(os.path.realpath(self.cwd / path))


def _passes_a_process(path: str) -> bool:
    """Whether the way to a file leads through the folder of a process, as `/proc/self/cwd` does."""
    ahead = path.split("/")[::-1]
    place, links = "", 0
    while ahead:
        part = ahead.pop()
        if part == "..":
            place = place.rpartition("/")[0]
        if part in {"", ".", ".."}:
            continue
        inside, place = place, f"{place}/{part}"
        if _PROCESS.fullmatch(place):
            return True
        try:
            target = os.readlink(place)  # noqa: PTH115 (a text, to be taken apart)
        except OSError:
            continue
        links += 1
        if links > _MOST_LINKS:
            return True
        place = "" if target.startswith("/") else inside
        ahead += target.split("/")[::-1]
    return False


def _is_tame_here(folder: Path) -> bool:
    """Whether there is no repository in this very folder, or one that runs nothing."""
    try:
        inside = folder / ".git"
        found = [inside] if inside.exists() else []
        if (folder / "HEAD").exists() and any((folder / each).exists() for each in ("objects", "commondir")):
            found.append(folder)
        return not found or (not (folder / ".gitmodules").exists() and all(map(_is_tame, found)))
    except (OSError, ValueError):
        return False


def _is_tame(git: Path) -> bool:
    """Whether the configuration in a git folder runs nothing; what cannot be read is not tame."""
    folders = _folders_of(git)
    files = [folder / name for folder in folders for name in ("config", "config.worktree")]
    # An empty folder is what stands in for an absent one while a command runs.
    return not any(_holds_anything(folder / "modules") for folder in folders) and not any(
        _WILD.search(_bytes(file)) for file in files if file.exists()
    )


def _folders_of(git: Path) -> list[Path]:
    """The folder of a repository, and the one it shares with others."""
    if git.is_file():
        # A worktree or a submodule: its folder is elsewhere.
        git = (git.parent / _line(git).removeprefix("gitdir: ")).resolve()
    common = git / "commondir"
    return [git, (git / _line(common)).resolve()] if common.exists() else [git]


def _line(file: Path) -> str:
    """What a file of git's says, read as git reads it: blanks belong to it."""
    return _bytes(file).decode().rstrip("\r\n")


def _bytes(file: Path) -> bytes:
    """What a file of git's holds.

    Raises:
        ValueError: it is more than anyone writes there, or no file at all, whose end might never come.
    """
    if not file.is_file() or file.stat().st_size > _MOST_CONFIGURATION:
        raise ValueError(file)
    return file.read_bytes()


def _holds_anything(place: Path) -> bool:
    return place.exists() and (not place.is_dir() or any(place.iterdir()))
