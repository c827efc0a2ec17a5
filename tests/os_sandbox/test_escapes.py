"""Every way out, tried for real by an ordinary user and by root; and that each attempt can succeed."""

from __future__ import annotations

import json
import os
from functools import cache

import pytest

from assent.os_sandbox import Backend, Bubblewrap, Landlock
from assent.os_sandbox.escapes import attempts, try_to_escape
from tests.os_sandbox.kit import as_nobody_special

# What neither user can do here even without walls, and the kernel's reason.
NEVER = {
    "load_a_module": "this kernel is built without modules (ENOSYS)",
    "load_a_kernel": "this kernel is built without kexec (ENOSYS)",
    "read_the_kernel_log": "a container without CAP_SYSLOG (EPERM)",
    "load_bpf": "a container without CAP_BPF (EPERM)",
    "type_into_the_terminal": "dev.tty.legacy_tiocsti is 0 (EIO)",
    "call_as_32_bit": "a kernel without 32-bit programs (SIGSEGV), or another processor",
    "use_io_uring": "kernel.io_uring_disabled is 2 (EPERM)",
    "open_a_packet_socket": "a container without CAP_NET_RAW (EPERM)",
    "open_a_machine_socket": "neither AF_VSOCK nor AF_ALG is built in (EAFNOSUPPORT)",
}
AS_A_USER = """
import json
from assent.os_sandbox import Bubblewrap, Landlock
from assent.os_sandbox.escapes import try_to_escape
backend = {backend}
print(json.dumps([(each.attempt.name, each.verdict, each.said) for each in try_to_escape(backend)]))
"""
Verdicts = dict[str, str]
who = pytest.mark.parametrize("user", ["root", "ordinary"])


@cache
def verdicts(user: str, walls: str) -> Verdicts:
    """What became of every attempt."""
    if user == "ordinary" and os.getuid() == 0:
        told = json.loads(as_nobody_special(AS_A_USER.format(backend=walls)))
        return {name: verdict for name, verdict, _ in told}
    if user == "root" and os.getuid() != 0:
        pytest.skip("we are not root")
    backends: dict[str, Backend | None] = {"None": None, "Bubblewrap()": Bubblewrap(), "Landlock()": Landlock()}
    return {each.attempt.name: each.verdict for each in try_to_escape(backends[walls])}


def test_there_are_enough_attempts_and_no_two_alike() -> None:
    names = [each.name for each in attempts()]
    assert len(names) == len(set(names)) >= 35
    assert all(each.what for each in attempts())


@who
def test_nothing_gets_out_of_bubblewrap(walls: Bubblewrap, user: str) -> None:
    found = verdicts(user, "Bubblewrap()")
    assert {name: verdict for name, verdict in found.items() if verdict != "held"} == {}
    assert set(found) == {each.name for each in attempts()}


def test_without_walls_each_attempt_succeeds_for_one_of_the_two() -> None:
    users = ["root", "ordinary"] if os.getuid() == 0 else ["ordinary"]
    got_out = {name for user in users for name, verdict in verdicts(user, "None").items() if verdict == "escaped"}
    if os.getuid() == 0:
        assert {each.name for each in attempts()} - got_out <= set(NEVER)
    assert len(got_out) >= 35


@who
def test_landlock_holds_all_but_its_known_gaps(user: str) -> None:
    missing = Landlock().probe()
    if missing is not None:
        pytest.skip(str(missing))
    found = verdicts(user, "Landlock()")
    assert {name for name, verdict in found.items() if verdict not in {"held", "open"}} == set()
    assert "plant_a_hook" in {name for name, verdict in found.items() if verdict == "open"}


def test_with_the_network_on_only_the_network_is_reached(walls: Bubblewrap) -> None:
    found = {each.attempt.name: each.verdict for each in try_to_escape(walls, network=True)}
    assert {name: verdict for name, verdict in found.items() if verdict != "held"} == {
        "connect_by_tcp": "permitted",
        "send_by_udp": "permitted",
    }
