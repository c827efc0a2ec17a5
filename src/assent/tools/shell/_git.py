"""git: what its subcommands and options run, and the environment that keeps a repository from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from assent.tools.shell._danger import Danger, Kind
from assent.tools.shell._names import names
from assent.tools.shell._word import Word

_GLOBAL_VALUES: Final = frozenset(
    {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix"}
)
# Another repository's configuration is none that we have looked at.
_GLOBAL_RUNS: Final = frozenset(
    {"-c", "--config-env", "--exec-path", "-p", "--paginate", "-C", "--git-dir", "--work-tree"}
)
_GLOBAL_FLAGS: Final = names(
    """--no-pager -P --no-replace-objects --bare --literal-pathspecs --glob-pathspecs --noglob-pathspecs
    --icase-pathspecs --no-optional-locks --version -v -h --html-path --man-path --info-path"""
)
_COMMANDS: Final = names(
    """add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap
    check-ref-format checkout cherry cherry-pick clean clone column commit commit-tree config count-objects describe
    diff diff-files diff-index diff-tree fast-export fetch for-each-ref format-patch fsck gc grep hash-object
    init interpret-trailers log ls-files ls-remote ls-tree merge merge-base merge-tree mktag mktree mv name-rev notes
    pack-refs patch-id prune pull push range-diff read-tree rebase reflog remote rerere reset restore rev-list
    rev-parse revert rm shortlog show show-branch show-index show-ref sparse-checkout stash status stripspace
    submodule switch symbolic-ref tag unpack-file update-index update-ref var verify-commit verify-pack verify-tag
    version whatchanged worktree write-tree"""
)
_RUN: Final = names(
    """--ext-diff --textconv --filters --open-files-in-pager --upload-pack --receive-pack --exec --extcmd --tool
    --edit --paginate --help --show-signature --gpg-sign --tree-filter --index-filter --template --config
    --recurse-submodules --submodule --ignore-submodules"""
)
_WRITE: Final = names("--output --output-directory --separate-git-dir")
_LONG: Final = tuple(sorted(_RUN | _WRITE))
# Spelled out in full they are other options, not the beginning of a dangerous one.
_SAFE: Final = frozenset({"--text", "--filter", "--tool-help", "--exec-path"})
# Options without a value, so that `--` behind them is no value: paths follow.
_ALONE: Final = re.compile(
    r"-[A-Za-z]?\d+|-[aipqrvwz]|--(?:all|cached|check|color|decorate|exit-code|first-parent|follow|full-history|graph"
    r"|ignore-all-space|merges|name-only|name-status|no-color|no-index|no-merges|no-patch|no-renames|numstat|oneline"
    r"|patch|porcelain|quiet|raw|reverse|short|shortstat|staged|stat|summary)"
)
_RUNNING: Final = {
    "bisect": "run",
    "submodule": "foreach",
    "filter-branch": "",
    "difftool": "",
    "mergetool": "",
    "send-email": "",
    "gui": "",
    "citool": "",
    "instaweb": "",
    "daemon": "",
    "shell": "",
    "web--browse": "",
}
_SHORT: Final = {
    ("grep", "O"): "--open-files-in-pager",
    ("rebase", "x"): "--exec",
    ("difftool", "x"): "--extcmd",
    ("ls-remote", "u"): "--upload-pack",
    ("clone", "u"): "--upload-pack",
    ("clone", "c"): "--config",
    ("commit", "S"): "--gpg-sign",
    ("format-patch", "o"): "--output-directory",
    ("archive", "o"): "--output",
    ("config", "e"): "--edit",
    # An editor is a program; and what a person would choose there, nobody has approved.
    ("add", "e"): "--edit",
    ("add", "i"): "--interactive",
    ("add", "p"): "--patch",
    ("commit", "e"): "--edit",
    ("commit", "p"): "--patch",
}


def subcommand(words: Sequence[Word]) -> int | None:
    """Which word is git's subcommand; none if there is none or the shell decides."""
    at = 1
    while at < len(words):
        value = words[at].value
        if value is None:
            return None
        if not value.startswith("-"):
            return at
        at += 2 if value in _GLOBAL_VALUES else 1
    return None


def git_dangers(words: Sequence[Word]) -> Iterator[Danger]:
    """What in a git command runs programs or writes outside of what the subcommand is for."""
    sub = subcommand(words)
    for at, word in enumerate(words[1:sub], start=1):
        yield from _global(word, at, words[at - 1].value or "")
    if sub is None:
        return
    name = words[sub].value or ""
    if name not in _COMMANDS:
        yield Danger(kind="run", key=f"git {name}, which may be an alias", at=sub)
    if name in _RUNNING and _RUNNING[name] in {"", *(word.value for word in words[sub + 1 :])}:
        yield Danger(kind="run", key=f"git {name}", at=sub)
    if name == "config" and _sets(words[sub + 1 :]):
        yield Danger(kind="write", key="setting a value", at=sub)
    for at, word in enumerate(words[sub + 1 :], start=sub + 1):
        if word.value == "--" and not _may_ask(words[at - 1].value or ""):
            return
        yield from _option(name, word, at)


def _may_ask(value: str) -> bool:
    """Whether the word is an option that may take the next word as its value."""
    return value.startswith("-") and value != "-" and "=" not in value and not _ALONE.fullmatch(value)


def _global(word: Word, at: int, before: str) -> Iterator[Danger]:
    value = word.value
    if value is None:
        if word.splits or (before not in _GLOBAL_VALUES and word.may_be_option):
            yield Danger(kind="unknown", key="", at=at)
        return
    name = value.partition("=")[0]
    if name in _GLOBAL_RUNS and before not in _GLOBAL_VALUES:
        yield Danger(kind="run", key=name, at=at)
    elif value.startswith("-") and name not in _GLOBAL_VALUES | _GLOBAL_FLAGS and before not in _GLOBAL_VALUES:
        yield Danger(kind="run", key=value, at=at)


def _sets(words: Sequence[Word]) -> bool:
    values = [word.value or "" for word in words]
    reading = {"--get", "--get-all", "--get-regexp", "--get-urlmatch", "-l", "--list", "get", "list"}
    operands = [value for value in values if not value.startswith("-")]
    return not (set(values) & reading) and (len(operands) > 1 or any(value.startswith("--") for value in values))


def _option(name: str, word: Word, at: int) -> Iterator[Danger]:
    value = word.value
    if value is None:
        if word.may_be_option:
            yield Danger(kind="unknown", key="", at=at)
    elif value.startswith("--"):
        yield from _long(value, at)
    elif value.startswith("-"):
        for letter in value[1:]:
            if (name, letter) in _SHORT:
                full = _SHORT[name, letter]
                yield Danger(kind="write" if full in _WRITE else "run", key=full, at=at)
    elif value.startswith("ext::"):
        yield Danger(kind="run", key="ext::", at=at, script=value.removeprefix("ext::"))


def _long(value: str, at: int) -> Iterator[Danger]:
    option, _, given = value.partition("=")
    if option in _SAFE:
        return
    for full in _LONG:
        if full.startswith(option) and len(option) > len("--"):
            kind: Kind = "write" if full in _WRITE else "run"
            yield Danger(kind=kind, key=full, at=at, script=given if kind == "run" else "")


_SETTINGS: Final = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.pager": "cat",
    "core.editor": "false",
    "core.sshCommand": "ssh",
    "core.askPass": "true",
    "core.attributesFile": "/dev/null",
    "core.alternateRefsCommand": "true",
    "diff.ignoreSubmodules": "all",
    "status.submoduleSummary": "false",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "log.showSignature": "false",
    "gpg.program": "false",
    "gpg.ssh.program": "false",
    "gpg.x509.program": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.ext.allow": "never",
    "safe.bareRepository": "explicit",
    "interactive.diffFilter": "cat",
    "sequence.editor": "false",
    **{f"pager.{name}": "false" for name in ("status", "log", "diff", "show", "blame", "grep", "branch", "tag")},
}
ENVIRONMENT: Final[Mapping[str, str]] = {
    "GIT_CONFIG_COUNT": str(len(_SETTINGS)),
    **{f"GIT_CONFIG_KEY_{index}": key for index, key in enumerate(_SETTINGS)},
    **{f"GIT_CONFIG_VALUE_{index}": value for index, value in enumerate(_SETTINGS.values())},
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "false",
    "GIT_SEQUENCE_EDITOR": "false",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "GIT_CONFIG_NOSYSTEM": "1",
}
"""What a pre-approved git must be started with."""
