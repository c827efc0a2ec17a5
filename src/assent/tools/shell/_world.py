"""Everything a verdict must look at outside the command, in one place."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from assent.config import SandboxPath

_SECONDS: Final = 5
_SYSTEM: Final = ("/bin", "/usr/bin")
# What a repository's own configuration may run, beyond what the environment keeps from it.
_WILD: Final = re.compile(
    rb"\[\s*(?:filter|include|includeif|diff|merge|credential|url|submodule|trailer|hook)\b"
    rb"|(?:^|\])\s*(?:sshcommand|gitproxy|uploadpack|receivepack|vcs|packobjectshook|external|textconv|worktreeconfig)\b"
    rb"|ext::",
    re.IGNORECASE | re.MULTILINE,
)


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
        """Whether it lies in one of the named sandbox paths."""
        ...

    def asks_to_read(self, path: str, *, deep: bool) -> bool:
        """Whether reading it asks first; `deep` if all that lies beneath it is read as well."""
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
        place = self._real(path)
        return any(name in self.paths and place.is_relative_to(self.paths[name].root) for name in names)

    def asks_to_read(self, path: str, *, deep: bool) -> bool:
        """Whether it, or for a deep reader anything beneath it, lies in a root whose reading asks."""
        place = self._real(path)
        roots = [each.root for each in self.paths.values() if each.read_approval]
        return any(place.is_relative_to(root) or (deep and root.is_relative_to(place)) for root in roots)

    def git_is_tame(self) -> bool:
        """Whether no configuration of the repository around `cwd` names a program."""
        for folder in (self.cwd, *self.cwd.parents):
            inside = folder / ".git"
            bare = folder if (folder / "HEAD").exists() and (folder / "objects").is_dir() else None
            if inside.exists() or bare:
                return not (folder / ".gitmodules").exists() and _is_tame(bare or inside)
        return True

    def _real(self, path: str) -> Path:
        return Path(os.path.realpath(self.cwd / path))


def _is_tame(git: Path) -> bool:
    """Whether the configuration in a git folder runs nothing; what cannot be read is not tame."""
    try:
        if git.is_file():
            # A worktree: its folder and the common one are elsewhere.
            git = (git.parent / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()).resolve()
            common = git / "commondir"
            if common.exists():
                git = (git / common.read_text(encoding="utf-8").strip()).resolve()
        files = [git / "config", git / "config.worktree"]
        # An empty folder is what stands in for an absent one while a command runs.
        return not _holds_anything(git / "modules") and not any(
            _WILD.search(file.read_bytes()) for file in files if file.exists()
        )
    except (OSError, ValueError):
        return False


def _holds_anything(place: Path) -> bool:
    return place.exists() and (not place.is_dir() or any(place.iterdir()))
