"""Attempts on secrets and other programs; runs behind the walls, on the standard library alone.

What such a function returns is what it got hold of; what it could not get raises.
"""

# ruff: noqa: PTH123, PTH211 (the bare system calls are what is tried)

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Mapping

Place = Mapping[str, str]
_SECONDS = 1.0


def read_a_secret(place: Place) -> str:
    """Read a file outside."""
    return _read(place["secret"])


def read_a_secret_through_a_link(place: Place) -> str:
    """Read a file outside through a symbolic link."""
    link = place["root"] + "/secret-link"
    os.symlink(place["secret"], link)
    return _read(link)


def read_a_secret_through_proc(place: Place) -> str:
    """Read a file outside through the root folder of another process."""
    return _read(f"/proc/{place['victim']}/root" + place["secret"])


def read_the_environment(place: Place) -> str:
    """Find a secret in the environment of whoever started us."""
    for name in ("self", "1", str(os.getppid()), place["victim"]):
        try:
            if place["token"] in _read(f"/proc/{name}/environ"):
                return place["token"]
        except OSError:
            continue
    raise OSError("no environment holds it")


def read_shared_memory(place: Place) -> str:
    """Read shared memory of the host."""
    return _read("/dev/shm/" + place["shared"])  # noqa: S108 (the host's)


def read_a_disk(_place: Place) -> str:
    """Open a disk, or the memory of the machine."""
    with open("/proc/partitions", encoding="ascii") as table:
        names = [line.split()[3] for line in table if line.strip() and line.split()[3] != "name"]
    for name in (*names, "mem", "kmsg"):
        try:
            os.close(os.open("/dev/" + name, os.O_RDONLY | os.O_NONBLOCK))
        except OSError:
            continue
        return "/dev/" + name
    raise OSError("none can be opened")


def list_other_processes(place: Place) -> str:
    """See a process outside."""
    words = _read(f"/proc/{place['victim']}/cmdline")
    if place["token"] not in words:
        raise OSError("that number is another process here")
    return words


def signal_a_process(place: Place) -> str:
    """Send a signal to a process outside."""
    os.kill(int(place["prey"]), signal.SIGTERM)
    return "sent"


def connect_by_tcp(place: Place) -> str:
    """Connect to a server of this machine by TCP."""
    with socket.create_connection(("127.0.0.1", int(place["tcp"])), timeout=_SECONDS) as one:
        return one.recv(100).decode()


def send_by_udp(place: Place) -> str:
    """Send a datagram to a server of this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.settimeout(_SECONDS)
        one.sendto(b"?", ("127.0.0.1", int(place["udp"])))
        return one.recv(100).decode()


def connect_to_a_unix_socket(place: Place) -> str:
    """Connect to a UNIX socket outside."""
    return _ask_unix(place["unix"])


def connect_to_an_abstract_socket(place: Place) -> str:
    """Connect to an abstract UNIX socket of the host."""
    return _ask_unix("\0" + place["abstract"])


def open_a_packet_socket(_place: Place) -> str:
    """Listen to all packets of an interface."""
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()
    return "opened"


def open_a_machine_socket(_place: Place) -> str:
    """Open a socket to the hypervisor, or to the kernel's crypto."""
    for family in (socket.AF_VSOCK, socket.AF_ALG):
        try:
            socket.socket(family, socket.SOCK_STREAM if family == socket.AF_VSOCK else socket.SOCK_SEQPACKET).close()
        except OSError:
            continue
        return family.name
    raise OSError("no such family")


def _ask_unix(address: str) -> str:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
        one.settimeout(_SECONDS)
        one.connect(address)
        return one.recv(100).decode()


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


CLAIMED: tuple[Callable[[Place], str], ...] = (
    read_a_secret,
    read_a_secret_through_a_link,
    read_a_secret_through_proc,
    read_the_environment,
    read_shared_memory,
    read_a_disk,
    list_other_processes,
    signal_a_process,
    connect_by_tcp,
    send_by_udp,
    connect_to_a_unix_socket,
    connect_to_an_abstract_socket,
    open_a_packet_socket,
    open_a_machine_socket,
)
