"""Which words of a judged command a person may grant for next time."""

from __future__ import annotations

from typing import Final

from assent.tools.shell._names import names
from assent.tools.shell._options import tool_name
from assent.tools.shell._shells import SHELLS
from assent.tools.shell._unwrap import base_name
from assent.tools.shell._values import Judgement
from assent.tools.shell._weigh import BUILTINS, STATE
from assent.tools.shell._wrapper_table import LAUNCHERS, WRAPPERS

# What they do is decided by their arguments, so their first words say nothing.
_NEVER: Final = (
    SHELLS
    | STATE
    | WRAPPERS.keys()
    | names(
        """xargs find awk sed perl ruby python pypy node deno bun php lua tclsh expect osascript r rscript julia
        java groovy scala irb ipython jupyter make gmake cmake ninja docker podman kubectl ssh scp rsync curl wget
        ed ex vi vim emacs nano less more man gdb git-shell crontab at batch tmux screen nc ncat socat ld
        sqlite3 sqlite psql mysql mariadb mongosh redis-cli duckdb ftp sftp lftp telnet mail mailx mutt lldb dc m4
        gnuplot octave R Rscript erl iex elixir ghci runghc guile racket sbcl clisp swipl ocaml wish tsx ts-node just
        rake ant bazel scons entr watchexec nodemon hyperfine perf ccache distcc nmap run-parts xterm openssl sysctl ip
        gcc g++ cc c++ clang clang++"""
    )
)
# Their second word is only a category; the third says what is done.
_THREE: Final = frozenset(
    {
        *(("git", each) for each in ("stash", "remote", "worktree", "bisect")),
        *((each, "run") for each in ("npm", "pnpm", "yarn", "cargo", "bun")),
        ("gh", "pr"),
        ("gh", "issue"),
    }
)
_TWO: Final = names(
    """git npm pnpm yarn cargo go pip pip3 poetry uv gh brew apt apt-get dnf systemctl rustup dotnet mvn gradle
    terraform helm aws gcloud az heroku conda mix bundle gem composer flutter dart swift hatch pdm"""
)


def generalisations(judgement: Judgement) -> tuple[tuple[str, ...], ...]:
    """The word lists a person may grant, narrowest first: this exact command, then its first words.

    Nothing for a command that is more than one plain command: what would be granted cannot be
    said in words.
    """
    words = judgement.argv
    if words is None or judgement.verdict == "deny":
        return ()
    name = tool_name(base_name(words[0]))
    if name in _NEVER or "/" in words[0] or name in BUILTINS:
        return ()
    if name in LAUNCHERS and len(words) > 1 and words[1] in LAUNCHERS[name]:
        return ()
    prefix = words[: _length(words)]
    return (words,) if prefix in {words, ()} else (words, prefix)


def _length(words: tuple[str, ...]) -> int:
    """How many words say what is done; 0 if that cannot be told."""
    if words[0] not in _TWO:
        return 1
    if len(words) < 2 or words[1].startswith("-"):  # noqa: PLR2004 (a program and its verb)
        return 0
    if words[:2] not in _THREE:
        return 2
    return 3 if len(words) > 2 and not words[2].startswith("-") else 0  # noqa: PLR2004 (and what it is about)
