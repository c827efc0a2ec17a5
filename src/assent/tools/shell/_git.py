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
_GLOBAL_QUIET: Final = frozenset({"--no-pager", "-P", "--no-optional-locks"})
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
    --recurse-submodules --submodule --ignore-submodules --dirty --broken"""
)
_WRITE: Final = names("--output --output-directory --separate-git-dir --export-marks")
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
        if not _stays_here(words, at):
            yield from _global(word, at, words[at - 1].value or "")
    if sub is None:
        return
    name = words[sub].value or ""
    if name not in _COMMANDS:
        yield Danger(kind="run", key=f"git {name}, which may be an alias", at=sub)
    if name in _RUNNING and _RUNNING[name] in {"", *(word.value for word in words[sub + 1 :])}:
        yield Danger(kind="run", key=f"git {name}", at=sub, script=_started(words[sub + 1 :], _RUNNING[name]))
    if name == "config" and _sets(words[sub + 1 :]):
        yield Danger(kind="write", key="setting a value", at=sub)
    for at, word in enumerate(words[sub + 1 :], start=sub + 1):
        if word.value == "--" and not _may_ask(words[at - 1].value or ""):
            return
        yield from _option(name, word, at)


def without_globals(words: Sequence[Word]) -> Sequence[Word]:
    """The words without what stands before the subcommand, if that changes nothing it shows; else as they are."""
    sub = subcommand(words)
    at = 1
    while sub is not None and at < sub:
        if not _stays_here(words, at) and words[at].value not in _GLOBAL_QUIET:
            return words
        at += 2 if _stays_here(words, at) else 1
    return words if sub is None else [words[0], *words[sub:]]


def _stays_here(words: Sequence[Word], at: int) -> bool:
    """Whether these are the words `-C .`, which lead nowhere."""
    return words[at].value == "-C" and at + 1 < len(words) and words[at + 1].value == "."


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


def _started(words: Sequence[Word], verb: str) -> str:
    """What stands behind the verb that starts it."""
    behind = [word.guess for word in words]
    return " ".join(behind[behind.index(verb) + 1 :]) if verb in behind else ""


_CONFIG_READS: Final = names("--get --get-all --get-regexp --get-urlmatch -l --list")
_CONFIG_VALUES: Final = names("-f --file --blob --type --default")
_CONFIG_FLAGS: Final = names(
    """--global --system --local --worktree --bool --int --path -z --null --name-only --show-origin --show-scope
    --no-includes --fixed-value"""
)


def _sets(words: Sequence[Word]) -> bool:
    """Whether `git config` changes anything: what is not known to read does."""
    values = [word.value or "" for word in words]
    if values[:1] in ([], ["get"], ["list"]):
        # As verbs they stand first; elsewhere they are values like any other.
        return False
    reads, operands, before = False, list[str](), ""
    for value in values:
        name = value.partition("=")[0]
        if before in _CONFIG_VALUES:
            before = ""
            continue
        before = value
        if value in _CONFIG_READS:
            reads = True
        elif not value.startswith("-"):
            operands.append(value)
        elif name not in _CONFIG_VALUES | _CONFIG_FLAGS:
            return True
    # Without a dot it is a verb, as `edit` is.
    return not reads and (len(operands) > 1 or any("." not in each for each in operands))


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


_PAGED: Final = names(
    """blame branch cat-file check-ignore config describe diff for-each-ref grep log ls-files ls-tree merge-base reflog
    remote rev-list rev-parse shortlog show show-ref stash status tag worktree"""
)
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
    **{f"pager.{name}": "false" for name in sorted(_PAGED)},
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
