"""What is dangerous in a command, and why; it changes no verdict."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from assent.tools.shell._findings import Findings, Started
from assent.tools.shell._names import names
from assent.tools.shell._shells import SHELLS
from assent.tools.shell._simple import Simple
from assent.tools.shell._unwrap import base_name
from assent.tools.shell._values import Caution

_DISK_TOOLS: Final = names(
    "mkfs fdisk sfdisk cfdisk gdisk sgdisk parted wipefs blkdiscard shred hdparm mkswap badblocks cryptsetup"
)
_RAISES: Final = frozenset({"sudo", "doas", "su", "pkexec", "runuser"})
_STOPS: Final = frozenset({"shutdown", "reboot", "halt", "poweroff", "killall", "pkill"})
_DISK: Final = re.compile(r"(?:of=)?/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|mapper/|dm-|loop)")
_CREDENTIALS: Final = re.compile(
    r"(?:^|/|=|~)(?:\.ssh(?:/|$)|\.aws(?:/|$)|\.gnupg|\.netrc|\.npmrc|\.pypirc|\.git-credentials|\.kube/config"
    r"|\.docker/config\.json|\.env(?:\.[\w.]+)?$|id_(?:rsa|dsa|ecdsa|ed25519)|credentials(?:\.json)?$)"
    r"|/etc/(?:shadow|sudoers)|/proc/[^/]+/environ"
)
_STARTUP: Final = re.compile(
    r"(?:^|/)(?:\.(?:bash|zsh)(?:rc|_profile|_login|env)|\.profile|\.gitconfig|authorized_keys|crontab)$"
    r"|\.git/(?:hooks|config)|/etc/(?:cron|profile|systemd)"
)
_INTERPRETERS: Final = SHELLS | {"python", "python3", "perl", "ruby", "node", "php"}
_DOWNLOADS: Final = frozenset({"curl", "wget", "fetch"})


def cautions(command: str, analysis: Findings) -> tuple[Caution, ...]:
    """Everything a person should notice before they agree."""
    found = [
        *(caution for started in analysis.started for caution in _of_words(started, analysis)),
        *(caution for simple in analysis.commands for caution in _of_flow(simple)),
        *(
            Caution(
                kind="fork bomb", why="a function that calls itself may fill the machine", start=0, end=len(command)
            )
            for part in analysis.parts
            if part.rule == "[recursion]"
        ),
    ]
    return tuple(dict.fromkeys(found))


def _of_words(started: Started, analysis: Findings) -> Iterator[Caution]:
    part = analysis.parts[started.part]
    values = [word.value if word.value is not None else word.guess for word in started.words]
    name = base_name(values[0])
    for kind, why in _dangers(name, values):
        yield Caution(kind=kind, why=why, start=part.start, end=part.end)


def _dangers(name: str, values: list[str]) -> Iterator[tuple[str, str]]:
    if name in _CHECKS:
        yield from _CHECKS[name](values)
    if name in _DISK_TOOLS or name.startswith("mkfs."):
        yield "disk tool", f"{name} works on whole disks"
    if any(_DISK.match(value) for value in values[1:]) and name in {"dd", "cp", "tee", "cat", "mount"}:
        yield "disk tool", f"{name} is given a whole disk"
    if name in _RAISES:
        yield "other user", f"{name} runs it as another user"
    if name in _STOPS:
        yield "stops programs", f"{name} stops programs or the machine"
    if any(_CREDENTIALS.search(value) for value in values[1:]):
        yield "credentials", "it names a place where secrets are kept"
    if name in {"env", "printenv"} and len(values) == 1:
        yield "credentials", "the environment may hold secrets"


def _letters(values: list[str]) -> set[str]:
    """The letters of all short options."""
    return {letter for value in values[1:] if value.startswith("-") and value[1:2] != "-" for letter in value[1:]}


def _rm(values: list[str]) -> Iterator[tuple[str, str]]:
    if _letters(values) & {"r", "R"} or "--recursive" in values:
        yield "recursive delete", "it deletes folders with all they hold"


def _git(values: list[str]) -> Iterator[tuple[str, str]]:
    verb = next((value for value in values[1:] if not value.startswith("-")), "")
    rest = set(values)
    forced = any(value.startswith(("--force", "--mirror", "--delete", "+")) for value in values[2:])
    if verb == "push" and (forced or "f" in _letters(values)):
        yield "force push", "it replaces what others may have built on"
    if verb in {"filter-branch", "filter-repo", "rebase"} or (verb == "commit" and "--amend" in rest):
        yield "rewrites history", f"git {verb} makes other commits out of those that are there"
    discards = (verb == "reset" and "--hard" in rest) or verb in {"clean", "restore"}
    if discards or (verb == "branch" and "D" in _letters(values)) or (verb == "checkout" and "--" in rest):
        yield "discards work", f"git {verb} here discards work that is saved nowhere else"


def _chmod(values: list[str]) -> Iterator[tuple[str, str]]:
    if any(re.fullmatch(r"[0-7]?777|[ao]*\+[rwx]*w[rwx]*", value) for value in values[1:]):
        yield "open to all", "everyone may write what it names"
    if "R" in _letters(values) or "--recursive" in values:
        yield "recursive change", f"{base_name(values[0])} changes everything beneath a folder"


def _dd(values: list[str]) -> Iterator[tuple[str, str]]:
    if any(value.startswith("of=") for value in values):
        yield "overwrites", "dd writes over what is there without asking"


def _find(values: list[str]) -> Iterator[tuple[str, str]]:
    if "-delete" in values:
        yield "recursive delete", "find -delete deletes everything it finds"


def _upload(values: list[str]) -> Iterator[tuple[str, str]]:
    sends = {"-T", "-F", "-d", "--upload-file", "--form", "--post-file", "--body-file", "--data-binary", "--data"}
    if any(value.partition("=")[0] in sends for value in values):
        yield "sends data", "it sends data to another machine"


def _publish(values: list[str]) -> Iterator[tuple[str, str]]:
    told = {"publish", "upload", "push", "destroy", "delete", "unpublish"} & set(values[1:3])
    if told:
        yield "cannot be undone", f"{base_name(values[0])} {min(told)} reaches others or cannot be undone"


_CHECKS: Final[dict[str, Callable[[list[str]], Iterator[tuple[str, str]]]]] = {
    "rm": _rm,
    "git": _git,
    "chmod": _chmod,
    "chown": _chmod,
    "dd": _dd,
    "find": _find,
    "curl": _upload,
    "wget": _upload,
    **dict.fromkeys(("npm", "cargo", "twine", "docker", "kubectl", "terraform", "gh", "gem"), _publish),
}


def _of_flow(simple: Simple) -> Iterator[Caution]:
    """What the way of the data makes dangerous."""
    name = base_name(simple.name or "")
    if simple.source and name in _INTERPRETERS and len(simple.words) == 1:
        source = base_name(simple.source.name or "")
        what = "what it downloads" if source in _DOWNLOADS else "whatever it is given"
        yield Caution(kind="pipe to a shell", why=f"{name} runs {what}", start=simple.start, end=simple.end)
    for redirect in simple.redirects:
        target = redirect.target.guess
        writes = redirect.operator not in {"<", "<<<", "<&"}
        if writes and _DISK.match(target):
            yield Caution(kind="disk tool", why="it writes over a disk", start=simple.start, end=simple.end)
        if writes and _STARTUP.search(target):
            why = f"{target} decides what runs later"
            yield Caution(kind="runs later", why=why, start=simple.start, end=simple.end)
