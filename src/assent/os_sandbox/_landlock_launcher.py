"""Confines itself as it is told, and becomes the command: a program, and the kernel's calls it uses.

`python -I -S _landlock_launcher.py ORDER_FD STATUS_FD COMMAND...`: a new process rather than code
that runs between fork and exec, which a large parent would pay for and a threaded one may not do.
It is two processes: the first one stays outside, and ends the group when the caller is gone.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import struct
import sys
from collections.abc import Mapping, Sequence

_LIBC = ctypes.CDLL(None, use_errno=True)
_DIE_WITH_PARENT, _NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 1, 38, 22, 2
_DROP_CAPABILITY, _MOST_CAPABILITIES = 24, 64
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_BENEATH = 1


def main() -> None:
    """Read the order, obey it, and say so; nothing runs if any part of it fails."""
    order_fd, status_fd = int(sys.argv[1]), int(sys.argv[2])
    with os.fdopen(order_fd, "rb") as file:
        order = json.load(file)
    os.set_inheritable(status_fd, False)  # noqa: FBT003 (its only argument)
    caller = os.pidfd_open(order["parent"])
    if os.getppid() != order["parent"]:
        # It was gone before we could watch it.
        sys.exit(1)
    watcher = os.getpid()
    # What the command sends to its group is not meant for the watcher, however early it comes.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    command = os.fork()
    if command:
        _watch(command, caller, status_fd)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    _must(_LIBC.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0))
    if os.getppid() != watcher:
        sys.exit(1)
    for capability in range(_MOST_CAPABILITIES):
        # Root's: with them it sees into other processes. Nobody else has any, and may not drop them.
        _LIBC.prctl(_DROP_CAPABILITY, capability, 0, 0, 0)
    os.chdir(order["cwd"])
    _obey(order, order["rules"])
    _filter(bytes.fromhex(order["seccomp"]))
    os.write(status_fd, b"confined")
    failed = _become(sys.argv[3:], order["env"])
    os.write(status_fd, b" not started")
    sys.exit(f"{sys.argv[3]}: {failed}")


def _watch(command: int, caller: int, status_fd: int) -> None:
    """End as the command ends; and with the caller, end all of the group."""
    # An output that we held open would never end.
    os.closerange(0, 3)
    os.close(status_fd)
    ended = os.pidfd_open(command)
    poll = select.poll()
    poll.register(caller, select.POLLIN)
    poll.register(ended, select.POLLIN)
    if ended not in dict(poll.poll()):
        os.killpg(os.getpid(), signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
    os._exit(128 - code if code < 0 else code)


def _become(argv: list[str], env: Mapping[str, str]) -> str:
    """Become the command; if that fails, why."""
    # Not os.execvpe: it imports a module, whose file can no longer be read by now.
    folders = env.get("PATH", "").split(":")
    failed = "No such file or directory"
    for place in [argv[0]] if "/" in argv[0] else [f"{folder}/{argv[0]}" for folder in folders if folder]:
        try:
            os.execve(place, argv, env)  # noqa: S606 (a command without a shell)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            failed = os.strerror(error.errno or 0)
    return failed


def _obey(order: Mapping[str, int], rules: Sequence[tuple[str, int]]) -> None:
    ruleset = new_ruleset(order["handled"], order["network"], order["scoped"])
    for place, rights in rules:
        fd = os.open(place, os.O_PATH | os.O_CLOEXEC)
        permit(ruleset, fd, rights)
        os.close(fd)
    restrict_this_thread(ruleset)
    os.close(ruleset)


def new_ruleset(handled: int, network: int = 0, scoped: int = 0) -> int:
    """A descriptor of rules that permit nothing yet of what they handle."""
    # An older kernel refuses a structure with parts it does not know, unless they are zero.
    sizes = struct.pack("=QQQ", handled, network, scoped)
    return _must(_LIBC.syscall(_CREATE, sizes, ctypes.c_size_t(len(sizes)), 0))


def permit(ruleset: int, place: int, rights: int) -> None:
    """Permit this at and beneath an open place."""
    _must(_LIBC.syscall(_ADD, ruleset, _BENEATH, struct.pack("=Qi", rights, place), 0))


def restrict_this_thread(ruleset: int) -> None:
    """Hold the calling thread, and whatever it starts from now on, to the rules: for ever."""
    _must(_LIBC.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    _must(_LIBC.syscall(_RESTRICT, ruleset, 0))


def _filter(program: bytes) -> None:
    held = ctypes.create_string_buffer(program, len(program))
    order = struct.pack("@HP", len(program) // 8, ctypes.addressof(held))
    _must(_LIBC.prctl(_SECCOMP, _FILTER, order, 0, 0))


def _must(answer: int) -> int:
    if answer < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return answer


if __name__ == "__main__":
    main()
