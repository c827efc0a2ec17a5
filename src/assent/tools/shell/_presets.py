"""Sets of rules a configuration can name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# Programs that neither write nor run anything, beyond the options in the tables of dangers.
# Left out on purpose: less, more, man (shell escapes), env, printenv (secrets and wrappers), tee,
# xargs (judged by what it starts), zcat and the like (scripts), top, hostname, curl, wget.
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
    getconf
    grep
    groups
    head
    hexdump
    id
    join
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
    sort
    stat
    tac
    tail
    test
    tr
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
    git describe
    git diff
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
PRESETS: Final[Mapping[str, tuple[str, ...]]] = {
    "none": (),
    "read-only": tuple(" ".join(line.split()) for line in _READ_ONLY.splitlines() if line.strip()),
}
