"""Attempts on the kernel itself; runs behind the walls, on the standard library alone.

What such a function returns is what it could do; what the kernel refused raises. Each is harmless
where it works: it changes nothing, undoes what it did, or asks for something that cannot be.
"""

# ruff: noqa: PTH108 (the bare system calls are what is tried)

from __future__ import annotations

import ctypes
import errno
import fcntl
import mmap
import os
import platform
import signal
from collections.abc import Callable, Mapping

Place = Mapping[str, str]
_ARM = platform.machine() == "aarch64"
_LIBC = ctypes.CDLL(None, use_errno=True)
_NEW_USER = 0x10000000
_NEW_UTS = 0x04000000
_FLAGGED_CLONE = 0x11  # SIGCHLD
_PTRACE_ATTACH, _PTRACE_DETACH = 16, 17
_NO_REASON = {errno.EPERM, errno.EACCES, errno.ENOSYS}


def make_a_user_namespace(_place: Place) -> str:
    """Become root in a new user namespace."""
    return _done(_call(97 if _ARM else 272, _NEW_USER))


def clone_into_a_user_namespace(_place: Place) -> str:
    """Start a process in a new user namespace."""
    pid = _call(220 if _ARM else 56, _NEW_USER | _FLAGGED_CLONE, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    _done(pid)
    os.waitpid(pid, 0)
    return "started"


def clone3_into_a_user_namespace(_place: Place) -> str:
    """Start a process in a new user namespace, the newer way."""
    order = (ctypes.c_uint64 * 8)(_NEW_USER, 0, 0, 0, signal.SIGCHLD)
    pid = _call(435, ctypes.byref(order), ctypes.sizeof(order))
    if pid == 0:
        os._exit(0)
    _done(pid)
    os.waitpid(pid, 0)
    return "started"


def enter_a_namespace(_place: Place) -> str:
    """Enter a namespace by its file."""
    fd = os.open("/proc/self/ns/uts", os.O_RDONLY)
    return _done(_call(268 if _ARM else 308, fd, _NEW_UTS))


def mount_a_file_system(place: Place) -> str:
    """Mount a file system."""
    target = place["root"].encode()
    done = _done(_call(40 if _ARM else 165, b"none", target, b"tmpfs", 0, None))
    _call(39 if _ARM else 166, target, 0)
    return done


def mount_in_steps(_place: Place) -> str:
    """Prepare a mount, the newer way."""
    return _done(_call(430, b"tmpfs", 0))


def copy_the_mount_tree(_place: Place) -> str:
    """Take a copy of the mount tree."""
    return _done(_call(428, -100, b"/", 1))


def change_the_root(_place: Place) -> str:
    """Change the root folder."""
    return _done(_call(51 if _ARM else 161, b"/"))


def trace_a_process(place: Place) -> str:
    """Trace a process outside."""
    pid = int(place["victim"])
    _done(_call(117 if _ARM else 101, _PTRACE_ATTACH, pid, None, None))
    os.waitpid(pid, 0x40000000)  # __WALL
    _call(117 if _ARM else 101, _PTRACE_DETACH, pid, None, None)
    return "attached"


def be_traced(_place: Place) -> str:
    """Use ptrace at all."""
    return _done(_call(117 if _ARM else 101, 0, 0, None, None))


def read_the_memory_of_another(_place: Place) -> str:
    """Read the memory of another process."""
    secret = ctypes.create_string_buffer(b"secret")
    pid = _sleeper()
    mine = ctypes.create_string_buffer(6)
    here = (ctypes.c_void_p * 2)(ctypes.addressof(mine), 6)
    there = (ctypes.c_void_p * 2)(ctypes.addressof(secret), 6)
    try:
        return _done(_call(270 if _ARM else 310, pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0))
    finally:
        os.kill(pid, signal.SIGKILL)


def take_a_descriptor(_place: Place) -> str:
    """Take an open file from another process."""
    pid = _sleeper()
    try:
        return _done(_call(438, os.pidfd_open(pid), 0, 0))
    finally:
        os.kill(pid, signal.SIGKILL)


def use_io_uring(_place: Place) -> str:
    """Use io_uring, which goes around the filter."""
    return _done(_call(425, 1, ctypes.byref((ctypes.c_char * 120)())))


def add_a_key(_place: Place) -> str:
    """Put a key into the kernel's keyring."""
    return _done(_call(217 if _ARM else 248, b"user", b"assent", b"x", 1, -2))


def use_the_keyring(_place: Place) -> str:
    """Look at the kernel's keyring."""
    return _done(_call(219 if _ARM else 250, 0, -3, 0))


def load_bpf(_place: Place) -> str:
    """Make a BPF map."""
    order = (ctypes.c_uint32 * 32)(2, 4, 4, 1)
    return _done(_call(280 if _ARM else 321, 0, ctypes.byref(order), 72))


def watch_performance(_place: Place) -> str:
    """Open a performance counter."""
    order = (ctypes.c_uint64 * 16)()
    ctypes.memmove(order, (1).to_bytes(4, "little") + (128).to_bytes(4, "little"), 8)
    order[5] = 1 << 5 | 1 << 6  # neither the kernel nor the hypervisor
    return _done(_call(241 if _ARM else 298, ctypes.byref(order), 0, -1, -1, 0))


def handle_page_faults(_place: Place) -> str:
    """Handle page faults from user space."""
    return _done(_call(282 if _ARM else 323, 1))


def watch_all_files(_place: Place) -> str:
    """Watch a whole file system."""
    return _done(_call(262 if _ARM else 300, 0x200, 0))


def open_by_handle(_place: Place) -> str:
    """Open a file by its number on the disk."""
    handle = (ctypes.c_char * 64)()
    ctypes.memmove(handle, (8).to_bytes(4, "little") + (1).to_bytes(4, "little"), 8)
    return _reached(_call(265 if _ARM else 304, -100, ctypes.byref(handle), 0))


def load_a_module(_place: Place) -> str:
    """Load a kernel module."""
    return _reached(_call(105 if _ARM else 175, None, 0, b""))


def load_a_kernel(_place: Place) -> str:
    """Load another kernel."""
    return _reached(_call(104 if _ARM else 246, 0, 1 << 30, None, 0))


def restart_the_machine(_place: Place) -> str:
    """Restart the machine."""
    return _reached(_call(142 if _ARM else 169, 0, 0, 0, None))


def read_the_kernel_log(_place: Place) -> str:
    """Read the kernel's log."""
    return _done(_call(116 if _ARM else 103, 3, ctypes.create_string_buffer(100), 100))


def set_the_host_name(_place: Place) -> str:
    """Change the name of the machine."""
    name = os.uname().nodename.encode()
    return _done(_call(161 if _ARM else 170, name, len(name)))


def type_into_the_terminal(_place: Place) -> str:
    """Type into the terminal that started us."""
    fcntl.ioctl(2, 0x5412, b"#")
    return "typed"


def call_as_32_bit(_place: Place) -> str:
    """Call the kernel through the 32-bit gate."""
    if _ARM:
        raise OSError("this machine has no such gate")
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(b"\x53\xb8\x14\x00\x00\x00\xcd\x80\x5b\xc3")  # push rbx; eax = getpid; int 0x80; pop rbx; ret
    get_pid = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    if get_pid() != os.getpid():
        raise OSError("the gate is closed")
    return "called"


def make_a_device(place: Place) -> str:
    """Make a device file."""
    path = place["root"] + "/device"
    os.mknod(path, 0o20600, os.makedev(1, 3))
    os.unlink(path)
    return "made"


def write_a_kernel_setting(_place: Place) -> str:
    """Write a kernel setting under /proc/sys."""
    fd = os.open("/proc/sys/kernel/core_pattern", os.O_RDWR)
    value = os.pread(fd, 4096, 0)
    os.pwrite(fd, value, 0)
    return "its own value written"


def write_to_a_system_folder(place: Place) -> str:
    """Write into /usr."""
    name = f"/usr/assent-{place['token']}"
    os.close(os.open(name, os.O_WRONLY | os.O_CREAT, 0o600))
    os.unlink(name)
    return "written"


def _call(number: int, *arguments: object) -> int:
    ready = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    result: int = _LIBC.syscall(ctypes.c_long(number), *ready)
    return result


def _done(result: int) -> str:
    """What the kernel answered, if it did what was asked."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return f"answered {result}"


def _reached(result: int) -> str:
    """The kernel's answer to something impossible, unless it said that we may not even ask."""
    if result < 0 and ctypes.get_errno() in _NO_REASON:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return f"permitted, and then answered {os.strerror(ctypes.get_errno())}"


def _sleeper() -> int:
    pid = os.fork()
    if pid == 0:
        signal.pause()
    return pid


CLAIMED: tuple[Callable[[Place], str], ...] = (
    make_a_user_namespace,
    clone_into_a_user_namespace,
    clone3_into_a_user_namespace,
    enter_a_namespace,
    mount_a_file_system,
    mount_in_steps,
    copy_the_mount_tree,
    change_the_root,
    trace_a_process,
    be_traced,
    read_the_memory_of_another,
    take_a_descriptor,
    use_io_uring,
    add_a_key,
    use_the_keyring,
    load_bpf,
    watch_performance,
    handle_page_faults,
    watch_all_files,
    open_by_handle,
    load_a_module,
    load_a_kernel,
    restart_the_machine,
    read_the_kernel_log,
    set_the_host_name,
    type_into_the_terminal,
    call_as_32_bit,
    make_a_device,
    write_a_kernel_setting,
    write_to_a_system_folder,
)
