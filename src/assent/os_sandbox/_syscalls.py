"""System calls no confined process needs, by number: first on x86_64, then on aarch64."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from typing import Final, Literal

from assent.errors import CannotConfine

Machine = Literal["x86_64", "aarch64"]

# Newer calls have the same number everywhere. -1: that machine has no such call.
FORBIDDEN: Final[Mapping[str, tuple[int, int]]] = {
    # into other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    # kernel machinery that has been a way out before, or sees more than one process
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "fanotify_init": (300, 262),
    "lookup_dcookie": (212, 18),
    "open_by_handle_at": (304, 265),
    "modify_ldt": (154, -1),
    "uselib": (134, -1),
    "syslog": (103, 116),
    # mounts, roots and namespaces; `clone` and `unshare` are looked at more closely
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "setns": (308, 268),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    # the machine
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "iopl": (172, -1),
    "ioperm": (173, -1),
    "vhangup": (153, 58),
}

CLONE: Final = (56, 220)
CLONE3: Final = (435, 435)
UNSHARE: Final = (272, 97)
SOCKET: Final = (41, 198)
IOCTL: Final = (16, 29)

AUDIT: Final[Mapping[Machine, int]] = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
COLUMN: Final[Mapping[Machine, Literal[0, 1]]] = {"x86_64": 0, "aarch64": 1}


def known_machine() -> Machine:
    """The machine we are on.

    Raises:
        CannotConfine: its system calls are not in this table.
    """
    machine = platform.machine()
    for known in AUDIT:
        if machine == known:
            return known
    raise CannotConfine(f"there is no seccomp filter for {machine}; x86_64 and aarch64 have one")
