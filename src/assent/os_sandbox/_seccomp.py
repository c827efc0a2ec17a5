"""The seccomp filter of confined processes, as the bytes the kernel loads."""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from assent.os_sandbox._syscalls import AUDIT, CLONE, CLONE3, COLUMN, FORBIDDEN, IOCTL, SOCKET, UNSHARE, Machine

AF_UNIX: Final = 1
AF_INET: Final = 2
AF_INET6: Final = 10
AF_NETLINK: Final = 16
"""Asks the kernel about interfaces and addresses; name lookups need it."""

_LOAD: Final = 0x20  # BPF_LD | BPF_W | BPF_ABS
_EQUAL: Final = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_AT_LEAST: Final = 0x35  # BPF_JMP | BPF_JGE | BPF_K
_ANY_BIT: Final = 0x45  # BPF_JMP | BPF_JSET | BPF_K
_RETURN: Final = 0x06  # BPF_RET | BPF_K
_ALLOW: Final = 0x7FFF0000
_KILL: Final = 0x80000000
_FAIL: Final = 0x00050000

_NUMBER: Final = 0  # offsets into struct seccomp_data
_ARCH: Final = 4
_ARGUMENT: Final = (16, 24)  # the low halves: all these arguments are 32 bits wide for the kernel

# Every CLONE_NEW*. Time namespaces share their bit with a signal number, so only `unshare` knows them.
_NAMESPACES: Final = 0x7E020000
_TIME_NAMESPACE: Final = 0x80
_X32: Final = 0x40000000
_TYPES_INTO_A_TERMINAL: Final = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX

_Step = tuple[int, int, int, int]


@cache
def seccomp_filter(machine: Machine, families: frozenset[int]) -> bytes:
    """Refuses what `FORBIDDEN` names, new namespaces, and sockets of other families; kills foreign calls."""
    return b"".join(struct.pack("=HBBI", *step) for step in _steps(machine, families))


def _steps(machine: Machine, families: Iterable[int]) -> Iterator[_Step]:
    column = COLUMN[machine]
    yield _LOAD, 0, 0, _ARCH
    # Another architecture's numbers would mean other calls: a filter that let them by would filter nothing.
    yield _EQUAL, 1, 0, AUDIT[machine]
    yield _RETURN, 0, 0, _KILL
    yield _LOAD, 0, 0, _NUMBER
    if machine == "x86_64":
        yield _AT_LEAST, 0, 1, _X32
        yield _RETURN, 0, 0, _KILL
    for numbers in FORBIDDEN.values():
        if numbers[column] >= 0:
            yield _EQUAL, 0, 1, numbers[column]
            yield _RETURN, 0, 0, _FAIL | errno.EPERM
    # Its flags lie in memory, where no filter sees them; as if it did not exist, libraries use `clone`.
    yield _EQUAL, 0, 1, CLONE3[column]
    yield _RETURN, 0, 0, _FAIL | errno.ENOSYS
    yield from _when(CLONE[column], 0, [(_ANY_BIT, 0, 1, _NAMESPACES), (_RETURN, 0, 0, _FAIL | errno.EPERM)])
    unshared = _NAMESPACES | _TIME_NAMESPACE
    yield from _when(UNSHARE[column], 0, [(_ANY_BIT, 0, 1, unshared), (_RETURN, 0, 0, _FAIL | errno.EPERM)])
    typing = [_step for each in _TYPES_INTO_A_TERMINAL for _step in _unless(each)]
    yield from _when(IOCTL[column], 1, typing)
    yield from _when(SOCKET[column], 0, [*_one_of(sorted(families)), (_RETURN, 0, 0, _FAIL | errno.EAFNOSUPPORT)])
    yield _RETURN, 0, 0, _ALLOW


def _when(number: int, argument: int, then: list[_Step]) -> Iterator[_Step]:
    """For this call only: look at one argument, and allow what `then` does not end."""
    yield _EQUAL, 0, len(then) + 2, number
    yield _LOAD, 0, 0, _ARGUMENT[argument]
    yield from then
    yield _RETURN, 0, 0, _ALLOW


def _unless(value: int) -> list[_Step]:
    return [(_EQUAL, 0, 1, value), (_RETURN, 0, 0, _FAIL | errno.EPERM)]


def _one_of(values: list[int]) -> Iterator[_Step]:
    for value in values:
        yield _EQUAL, 0, 1, value
        yield _RETURN, 0, 0, _ALLOW
