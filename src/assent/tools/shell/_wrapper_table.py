"""The programs that start other programs, with the number of values each option takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from assent.tools.shell._names import names


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapper:
    """How a wrapper's own words end, and what it does to what follows."""

    flags: str = ""
    """Letters of options without a value."""
    takes: str = ""
    """Letters of options with one."""
    may_take: str = ""
    """Letters of options whose value is attached, or missing."""
    long: str = ""
    """Long options; those whose value may be a separate word end in `=`."""
    operands: int = 0
    """How many words of its own stand before the command."""
    assigns: bool = False
    """Whether NAME=value may stand before the command."""
    clear: bool = False
    asks: str = ""
    """Options that change what the command sees, in letters and long names."""
    scripts: str = ""
    """Options whose value is shell text."""
    joined: bool = False
    """Whether the words are joined and given to a shell."""
    varies: bool = False
    """Whether its own words end in different places from version to version."""


_SUDO: Final = Wrapper(
    flags="AbEeHiKklnPSsVvBN",
    takes="CcDghpRrTtUu",
    long="askpass background preserve-env edit set-home login remove-timestamp reset-timestamp list non-interactive "
    "preserve-groups stdin shell version validate close-from= chdir= group= host= prompt= chroot= role= "
    "command-timeout= type= other-user= user=",
    assigns=True,
    asks="e edit l list i login s shell",
)
_NAMESPACES: Final = "mount uts ipc net pid user cgroup time"
_ARCHITECTURE: Final = Wrapper(
    flags="BFILRSTXZ3v",
    long="32bit fdpic-funcptrs short-inode addr-compat-layout addr-no-randomize whole-seconds sticky-timeouts "
    "read-implies-exec mmap-page-zero 3gb 4gb uname-2.6 verbose",
)
# Each is setarch under another name.
_ARCHITECTURES: Final = names(
    """linux32 linux64 uname26 i386 i486 i586 i686 athlon x86_64 ia64 arm armv7l armv8l aarch64 ppc ppc32 ppc64
    ppc64le s390 s390x sparc sparc32 sparc64 sparc32bash sparc64bash mips mips32 mips64 alpha parisc parisc32 parisc64
    riscv64"""
)
_VARIES: Final = Wrapper(varies=True)
_SELDOM: Final = names(
    """aa-exec cgexec chpst chronic cpulimit dumb-init eatmydata envdir envuidgid faketime ifne proxychains4 runcon
    setlock setuidgid sg softlimit ssh-agent sshpass start-stop-daemon systemd-inhibit tini torsocks"""
)
_RUN: Final = Wrapper()

WRAPPERS: Final[dict[str, Wrapper]] = {
    "env": Wrapper(
        flags="i0v-",
        takes="uCS",
        long="ignore-environment null debug unset= chdir= split-string= block-signal default-signal ignore-signal "
        "list-signal-handling",
        assigns=True,
        clear=True,
        asks="i - u C S ignore-environment unset chdir split-string",
    ),
    "jobs": Wrapper(flags="lnprsx"),
    "nohup": Wrapper(clear=True),
    "time": Wrapper(
        flags="pvq",
        takes="fo",
        long="portability verbose quiet append format= output=",
        assigns=True,
        clear=True,
        asks="o output",
    ),
    "timeout": Wrapper(
        flags="vfp",
        takes="ks",
        long="foreground preserve-status verbose kill-after= signal=",
        operands=1,
        clear=True,
    ),
    "nice": Wrapper(flags="0123456789", takes="n", long="adjustment=", clear=True),
    "ionice": Wrapper(flags="t", takes="cnpPu", long="ignore class= classdata= pid=", clear=True, asks="p P u pid"),
    "stdbuf": Wrapper(takes="ioe", long="input= output= error=", clear=True),
    "command": Wrapper(flags="p", clear=True),
    "builtin": Wrapper(clear=True),
    "exec": Wrapper(flags="cl", takes="a"),
    "sudo": _SUDO,
    "doas": Wrapper(flags="Lns", takes="uC"),
    "pkexec": Wrapper(long="user= disable-internal-agent keep-cwd"),
    "su": Wrapper(
        flags="lmpPf-",
        takes="cgGsw",
        long="login preserve-environment pty fast command= session-command= group= supp-group= shell= "
        "whitelist-environment=",
        operands=1,
        asks="s shell",
        scripts="c command session-command",
    ),
    "runuser": Wrapper(
        flags="lmpPf",
        takes="ucgGsw",
        long="login user= command= session-command= shell=",
        asks="s shell",
        scripts="c command session-command",
    ),
    "gosu": Wrapper(operands=1),
    "su-exec": Wrapper(operands=1),
    "setpriv": Wrapper(
        long="reuid= regid= ruid= euid= rgid= egid= groups= clear-groups keep-groups init-groups nnp no-new-privs "
        "ambient-caps= inh-caps= bounding-set= securebits= pdeathsig= selinux-label= apparmor-profile= reset-env"
    ),
    "capsh": _VARIES,
    "setsid": Wrapper(flags="cfw", long="ctty fork wait"),
    "chroot": Wrapper(long="groups= userspec= skip-chdir", operands=1),
    "unshare": Wrapper(
        flags="muinpCTUfrc",
        takes="RwSG",
        long=f"{_NAMESPACES} fork map-root-user map-current-user map-auto map-user= map-group= map-users= map-groups= "
        "kill-child mount-proc propagation= setgroups= keep-caps root= wd= setuid= setgid= monotonic= boottime=",
    ),
    "nsenter": Wrapper(
        flags="aFZ",
        takes="tSGW",
        may_take="muinpCTUrw",
        long=f"{_NAMESPACES} all target= setuid= setgid= preserve-credentials root wd wdns= no-fork follow-context",
    ),
    "systemd-run": Wrapper(
        flags="dGPqrSt",
        takes="uHpEM",
        long="user system scope slice-inherit remain-after-exit no-block wait pty pipe quiet collect same-dir shell "
        "unit= property= description= slice= setenv= working-directory= uid= gid= nice= on-active= on-calendar=",
    ),
    "chrt": _VARIES,
    "choom": Wrapper(takes="np", long="adjust= pid="),
    "taskset": Wrapper(flags="ac", operands=1),
    "numactl": Wrapper(flags="al", takes="CNmip", long="interleave= cpunodebind= physcpubind= membind= localalloc"),
    "prlimit": _RUN,
    "strace": Wrapper(
        flags="cCdfFhikqrtTvVwxyYzZnDA",
        takes="abeEIoOpPsSuUX",
        asks="o E",
    ),
    "ltrace": Wrapper(flags="bcCfhiLrStTV", takes="aADeFlnopsuwx", asks="o"),
    "watch": Wrapper(
        flags="bceghptwxCR",
        takes="nq",
        may_take="d",
        long="beep color differences errexit chgexit no-title no-wrap exec precise interval= equexit=",
        joined=True,
    ),
    "flock": Wrapper(
        flags="sxenuoFv",
        takes="wEc",
        long="shared exclusive unlock nonblock close no-fork verbose timeout= wait= conflict-exit-code= command=",
        operands=1,
        scripts="c command",
    ),
    "script": _VARIES,
    "ssh": Wrapper(flags="46AaCfGgKkMNnqsTtVvXxYy", takes="BbcDEeFIiJLlmOopQRSWw", operands=1, joined=True),
    "parallel": Wrapper(
        flags="0kmXqtuv",
        takes="jNnPIaSdEl",
        long="jobs= keep-order dry-run halt= delim= colsep= bar progress",
        joined=True,
    ),
    "busybox": _RUN,
    "toybox": _RUN,
    "dbus-run-session": Wrapper(long="config-file= dbus-daemon="),
    "fakeroot": Wrapper(takes="lsib", flags="uh"),
    "unbuffer": Wrapper(flags="p"),
    "rlwrap": Wrapper(flags="cnr", takes="fHsPSb", may_take="aAp"),
    "valgrind": _RUN,
    "catchsegv": _RUN,
    "setarch": _VARIES,
    **dict.fromkeys(_ARCHITECTURES, _ARCHITECTURE),
    "coproc": _RUN,
    "tsocks": _RUN,
    "torify": _RUN,
    "proxychains": Wrapper(flags="q", takes="f"),
    "caffeinate": Wrapper(flags="disum", takes="tw"),
    "npx": Wrapper(flags="y", takes="pc", long="yes no package= call=", scripts="c call"),
    "bunx": _RUN,
    "uvx": _RUN,
    "pipx": Wrapper(operands=1),
    "firejail": _RUN,
    "bwrap": _RUN,
    "xvfb-run": Wrapper(flags="al", takes="enfsp"),
    **dict.fromkeys(_SELDOM, _VARIES),
}
# Without a command they start a shell that reads its input.
STARTS_SHELL: Final = _ARCHITECTURES | names("su runuser unshare nsenter chroot ssh fakeroot firejail")
# The word after the program that makes it start another one.
LAUNCHERS: Final[dict[str, frozenset[str]]] = {
    "uv": frozenset({"run"}),
    "poetry": frozenset({"run"}),
    "pipenv": frozenset({"run"}),
    "pdm": frozenset({"run"}),
    "hatch": frozenset({"run"}),
    "rye": frozenset({"run"}),
    "conda": frozenset({"run"}),
    "bundle": frozenset({"exec"}),
    "npm": frozenset({"exec", "x"}),
    "pnpm": frozenset({"exec", "dlx"}),
    "yarn": frozenset({"exec", "dlx"}),
    "docker": frozenset({"exec", "run"}),
    "podman": frozenset({"exec", "run"}),
    "kubectl": frozenset({"exec"}),
    "direnv": frozenset({"exec"}),
    # Beginnings of netns and vrf will do.
    "ip": names("net netn netns v vr vrf"),
    "nix": frozenset({"run", "shell"}),
    "tmux": frozenset({"new-session", "new", "new-window", "neww", "run-shell", "split-window"}),
}
XARGS: Final = Wrapper(
    flags="0rtpxo",
    takes="adEILnPs",
    long="null no-run-if-empty verbose interactive exit open-tty arg-file= delimiter= max-lines max-args= max-procs= "
    "max-chars= replace eof process-slot-var= show-limits",
    clear=True,
    asks="process-slot-var",
)
