"""Sets of rules a configuration can name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# Programs that neither write nor run anything, beyond the options in the tables of dangers.
# Left out on purpose: less, more, man (shell escapes), env, printenv (secrets and wrappers), tee,
# xargs (judged by what it starts), zcat and the like (scripts), top, curl, wget, and interpreters even for
# `--version`: what starts under their name may be a script that obeys a file in the folder.
_READ_ONLY: Final = """
    [
    b2sum
    base32
    base64
    basename
    cat
    cksum
    cmp
    column
    comm
    cut
    date
    df
    diff
    dirname
    du
    echo
    egrep
    expand
    expr
    factor
    false
    fgrep
    file
    find
    fmt
    fold
    free
    getconf
    grep
    groups
    head
    hexdump
    id
    join
    jq
    ls
    md5sum
    nl
    nproc
    numfmt
    od
    paste
    printf
    pwd
    readlink
    realpath
    rev
    rg
    seq
    sha1sum
    sha224sum
    sha256sum
    sha384sum
    sha512sum
    sleep
    sort
    stat
    strings
    tac
    tail
    test
    tr
    tree
    true
    tsort
    uname
    unexpand
    uniq
    uptime
    wc
    which
    whoami
    xxd
    command -v
    git blame
    git cat-file
    git check-ignore
    git config --get
    git describe
    git diff
    git grep
    git log
    git ls-files
    git ls-tree
    git merge-base
    git rev-list
    git rev-parse
    git shortlog
    git show
    git show-ref
    git status
    git --version
"""
# With more words behind them they change something, or may.
_ONLY: Final = """
    git branch
    git branch -a
    git branch -r
    git branch -v
    git branch -vv
    git branch -av
    git branch -avv
    git branch --list
    git branch --show-current
    git for-each-ref
    git reflog
    git remote
    git remote -v
    git stash list
    git tag
    git tag -l
    git tag --list
    git worktree list
    hostname
    ps
    ps aux
    ps -ef
"""


def _patterns(text: str) -> tuple[str, ...]:
    return tuple(" ".join(line.split()) for line in text.splitlines() if line.strip())


ALONE: Final = frozenset(_patterns(_ONLY))
"""Patterns that mean these words alone."""
PRESETS: Final[Mapping[str, tuple[str, ...]]] = {
    "none": (),
    "read-only": (*_patterns(_READ_ONLY), *_patterns(_ONLY)),
}
