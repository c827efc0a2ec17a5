"""Every way out, tried for real by an ordinary user and by root; and that each attempt can succeed."""

from __future__ import annotations

import json
import os
import re
from functools import cache

import pytest

from assent.os_sandbox import Backend, Bubblewrap, Landlock
from assent.os_sandbox.escapes import attempts, try_to_escape
from tests.os_sandbox.kit import SRC, as_nobody_special

# What neither user may be able to do even without walls: the kernel's answer then, and its reason.
NEVER = {
    "load_a_module": ("Function not implemented|not permitted", "a kernel without modules, or a container"),
    "load_a_kernel": ("Function not implemented|not permitted", "a kernel without kexec, or a container"),
    "read_the_kernel_log": ("not permitted", "a container without CAP_SYSLOG"),
    "load_bpf": ("not permitted", "a container without CAP_BPF"),
    "type_into_the_terminal": ("Input/output error", "dev.tty.legacy_tiocsti is 0"),
    "call_as_32_bit": ("killed by SIGSEGV|no such gate", "a kernel without 32-bit programs, or another processor"),
    "use_io_uring": ("not permitted", "kernel.io_uring_disabled is 2"),
    "open_a_packet_socket": ("not permitted", "a container without CAP_NET_RAW"),
    "open_a_machine_socket": ("no such family", "neither AF_VSOCK nor AF_ALG is built in"),
}
AS_A_USER = """
import json
from assent.os_sandbox import Bubblewrap, Landlock
from assent.os_sandbox.escapes import try_to_escape
backend = {backend}
print(json.dumps([(each.attempt.name, each.verdict, each.said) for each in try_to_escape(backend)]))
"""
Ends = dict[str, tuple[str, str]]
who = pytest.mark.parametrize("user", ["root", "ordinary"])


@cache
def ends(user: str, walls: str) -> Ends:
    """What became of every attempt, and what was said."""
    if user == "ordinary" and os.getuid() == 0:
        told = json.loads(as_nobody_special(AS_A_USER.format(backend=walls)))
        return {name: (verdict, said) for name, verdict, said in told}
    if user == "root" and os.getuid() != 0:
        pytest.skip("we are not root")
    backends: dict[str, Backend | None] = {"None": None, "Bubblewrap()": Bubblewrap(), "Landlock()": Landlock()}
    return {each.attempt.name: (each.verdict, each.said) for each in try_to_escape(backends[walls])}


def verdicts(user: str, walls: str) -> dict[str, str]:
    return {name: verdict for name, (verdict, _) in ends(user, walls).items()}


def test_there_are_enough_attempts_and_no_two_alike() -> None:
    names = [each.name for each in attempts()]
    assert len(names) == len(set(names)) >= 35
    assert all(each.what for each in attempts())
    page = (SRC.parent / "docs/sandbox.md").read_text()
    assert f"It makes {len(names)} attempts" in page


@who
def test_nothing_gets_out_of_bubblewrap(walls: Bubblewrap, user: str) -> None:
    found = verdicts(user, "Bubblewrap()")
    assert {name: verdict for name, verdict in found.items() if verdict != "held"} == {}
    assert set(found) == {each.name for each in attempts()}


def test_without_walls_each_attempt_succeeds_for_one_of_the_two() -> None:
    users = ["root", "ordinary"] if os.getuid() == 0 else ["ordinary"]
    got_out = {name for user in users for name, verdict in verdicts(user, "None").items() if verdict == "escaped"}
    assert len(got_out) >= 35
    if os.getuid() != 0:
        return
    for name in {each.name for each in attempts()} - got_out:
        answer, reason = NEVER[name]
        for user in users:
            assert re.search(answer, ends(user, "None")[name][1]), (name, reason)


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
