"""Real bash in an empty house: it can reach stub programs only, and they write down their names."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# The programs a command may name. None of them does anything.
STUBS = (
    *("rm", "ls", "cat", "git", "grep", "wc", "head", "tail", "sort", "uniq", "sudo", "frobnicate", "pytest"),
    *("awk", "sed", "tar", "curl", "python", "make", "date", "pwd", "cut", "tr", "rg", "tee", "cp", "touch"),
)

# What starts other programs is the real thing: its reading of options is what we compare with.
WRAPPERS = (
    *("bash", "dash", "env", "timeout", "nice", "nohup", "setsid", "stdbuf", "xargs", "find", "flock"),
    *("ionice", "chrt", "taskset", "prlimit", "setpriv", "unshare"),
)

# For a shell of their own, which starts faster than bash and knows neither exported functions nor
# BASH_ENV; `sh rm` reads a file, as it would with a real program, and is not taken for running it.
STUB = '#!/room/sh\n[ /proc/$$/exe -ef /room/sh ] && echo "${0##*/}" >> /log/ran\n'

# What a room answers, beside program names, when a command wrote the file `made` or removed `f`.
WROTE = ">made"
REMOVED = "-f"

# Everything a command starts holds descriptor 9, so that `read` ends only when the last of them
# has gone: what runs in the background counts too. What does not end is ended, wherever it hides.
DRIVER = """#!/bin/bash -p
while IFS= read -r -d '' command; do
  : > /log/ran
  for file in made f g in x lock; do : > $file; done
  exec 8< <(exec 9>&1; exec /bin/bash --noprofile --norc -c "$command" </dev/null >/dev/null 2>&1)
  read -r -t 2 <&8
  kill -KILL -1 2>/dev/null
  exec 8<&-
  mapfile -t names < /log/ran
  [[ -s made ]] && names+=('>made')
  [[ -e f ]] || names+=(-f)
  printf '%s\\n' "${names[*]}"
done < /room/commands
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BashRoom:
    """A folder on this machine that bubblewrap turns into a whole system."""

    folder: Path

    def ran(self, commands: Sequence[str], *, seconds: float = 100) -> list[frozenset[str]]:
        """The names of the stubs that each command ran, one command after the other."""
        if not commands:
            return []
        (self.folder / "commands").write_bytes(b"".join(command.encode() + b"\0" for command in commands))
        done = subprocess.run(
            [*_walls(self.folder), "/bin/bash", "-p", "/room/driver"],
            capture_output=True,
            check=False,
            timeout=seconds,
        )
        answers = done.stdout.decode().split("\n")[:-1]
        if len(answers) != len(commands):
            raise RuntimeError(f"{len(commands)} commands, {len(answers)} answers: {done.stderr.decode()}")
        return [frozenset(answer.split()) for answer in answers]


def build_room(folder: Path) -> BashRoom:
    """A room in `folder`; every place from which a path could name `rm` has one."""
    programs = folder / "bin"
    for part in ("bin", "work", "home"):
        (folder / part).mkdir(parents=True)
    for name in STUBS:
        (programs / name).write_text(STUB)
        (programs / name).chmod(0o755)
    for name in WRAPPERS:
        if found := shutil.which(name):
            shutil.copy(Path(found).resolve(), programs / name)
    shell = "dash" if (programs / "dash").exists() else "bash"
    (programs / "sh").symlink_to(shell)
    shutil.copy(programs / shell, folder / "sh")
    (folder / "home" / "rm").symlink_to("/usr/bin/rm")
    (folder / "driver").write_text(DRIVER)
    return BashRoom(folder=folder)


def room_works(folder: Path) -> bool:
    """Whether bubblewrap is here and may build a room."""
    if shutil.which("bwrap") is None:
        return False
    try:
        return build_room(folder).ran(["rm", "echo", "cat <(rm)"]) == [{"rm"}, set(), {"rm", "cat"}]
    except (OSError, RuntimeError):
        return False


def _walls(folder: Path) -> list[str]:
    walls = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
    walls += ["--setenv", "PATH", "/usr/bin", "--setenv", "HOME", "/home"]
    walls += ["--ro-bind", str(folder / "bin"), "/usr/bin", "--symlink", "usr/bin", "/bin"]
    walls += ["--ro-bind", "/usr/lib", "/usr/lib", "--ro-bind-try", "/usr/libexec/coreutils", "/usr/libexec/coreutils"]
    walls += ["--ro-bind-try", "/usr/lib64", "/usr/lib64"]
    for part in ("/lib", "/lib64"):
        link = Path(part)
        walls += ["--symlink", str(link.readlink()), part] if link.is_symlink() else ["--ro-bind-try", part, part]
    walls += ["--proc", "/proc", "--dev", "/dev", "--dir", "/log", "--ro-bind", str(folder / "home"), "/home"]
    walls += ["--dir", "/tmp", "--symlink", "/usr/bin/rm", "/tmp/rm"]  # noqa: S108 - inside the room
    walls += ["--bind", str(folder / "work"), "/tmp/work", "--chdir", "/tmp/work"]  # noqa: S108 - inside the room
    # Mounts, because no command can remove those from under the next one.
    walls += ["--ro-bind", str(folder / "bin" / "rm"), "/tmp/work/rm"]  # noqa: S108 - inside the room
    walls += ["--ro-bind", str(folder / "home"), "/tmp/work/sub"]  # noqa: S108 - inside the room
    walls += ["--dir", "/room"]
    for part in ("driver", "commands", "sh"):
        walls += ["--ro-bind", str(folder / part), f"/room/{part}"]
    return walls
