"""The filter's bytes, run by a small machine as the kernel would, for both kinds of processor."""

from __future__ import annotations

import errno
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.os_sandbox._seccomp import AF_INET, AF_INET6, AF_NETLINK, AF_UNIX, seccomp_filter
from assent.os_sandbox._syscalls import AUDIT, CLONE, CLONE3, COLUMN, FORBIDDEN, IOCTL, SOCKET, UNSHARE, Machine

ALLOW, KILL = "allow", "kill"
FAMILIES = frozenset({AF_INET, AF_INET6, AF_NETLINK})
machines = pytest.mark.parametrize("machine", ["x86_64", "aarch64"])


def answer(machine: Machine, number: int, *arguments: int, arch: int | None = None) -> str | int:
    """What the kernel would do: allow, kill, or fail with this error."""
    filled = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("=IIQ6Q", number, AUDIT[machine] if arch is None else arch, 0, *filled)
    steps = list(struct.iter_unpack("=HBBI", seccomp_filter(machine, FAMILIES)))
    held, at = 0, 0
    while True:
        code, when_true, when_false, value = steps[at]
        at += 1
        match code:
            case 0x20:
                held = struct.unpack_from("=I", data, value)[0]
            case 0x06:
                return ALLOW if value == 0x7FFF0000 else KILL if value == 0x80000000 else int(value) & 0xFFFF
            case 0x15 | 0x35 | 0x45:
                holds = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[code]
                at += when_true if holds else when_false
            case _:
                pytest.fail(f"no such instruction: {code:#x}")


@machines
def test_everything_forbidden_fails(machine: Machine) -> None:
    column = COLUMN[machine]
    numbers = {name: numbers[column] for name, numbers in FORBIDDEN.items() if numbers[column] >= 0}
    assert {name: answer(machine, number) for name, number in numbers.items()} == dict.fromkeys(numbers, errno.EPERM)


@machines
def test_a_foreign_architecture_is_killed(machine: Machine) -> None:
    assert answer(machine, 1, arch=0x40000003) == KILL
    assert answer(machine, 1, arch=AUDIT["aarch64" if machine == "x86_64" else "x86_64"]) == KILL


def test_the_x32_way_of_calling_is_killed() -> None:
    assert answer("x86_64", 0x40000000 | 39) == KILL


@machines
@pytest.mark.parametrize("flag", [0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000])
def test_no_new_namespace_is_made(machine: Machine, flag: int) -> None:
    column = COLUMN[machine]
    assert answer(machine, CLONE[column], flag | 17) == errno.EPERM
    assert answer(machine, UNSHARE[column], flag) == errno.EPERM
    # The upper half is not the kernel's business here, so it must not hide the lower one.
    assert answer(machine, CLONE[column], 1 << 40 | flag) == errno.EPERM


@machines
def test_threads_and_processes_are_made(machine: Machine) -> None:
    column = COLUMN[machine]
    assert answer(machine, CLONE[column], 0x3D0F00) == ALLOW
    assert answer(machine, CLONE[column], 17) == ALLOW
    assert answer(machine, UNSHARE[column], 0x400) == ALLOW
    assert answer(machine, UNSHARE[column], 0x80) == errno.EPERM
    assert answer(machine, CLONE3[column]) == errno.ENOSYS


@machines
@given(st.integers(0, 50))
def test_only_named_kinds_of_socket_are_opened(machine: Machine, family: int) -> None:
    expected = ALLOW if family in FAMILIES else errno.EAFNOSUPPORT
    assert answer(machine, SOCKET[COLUMN[machine]], family, 1) == expected
    assert AF_UNIX not in FAMILIES


@machines
def test_nobody_types_into_a_terminal(machine: Machine) -> None:
    number = IOCTL[COLUMN[machine]]
    assert answer(machine, number, 0, 0x5412) == errno.EPERM
    assert answer(machine, number, 0, 1 << 32 | 0x5412) == errno.EPERM
    assert answer(machine, number, 0, 0x541C) == errno.EPERM
    assert answer(machine, number, 0, 0x5413) == ALLOW


@machines
@given(st.integers(0, 600))
def test_everything_else_is_allowed(machine: Machine, number: int) -> None:
    column = COLUMN[machine]
    looked_at = {CLONE[column], CLONE3[column], UNSHARE[column], SOCKET[column], IOCTL[column]}
    if number not in looked_at | {numbers[column] for numbers in FORBIDDEN.values()}:
        assert answer(machine, number) == ALLOW
