"""Options that run programs or write files, tool by tool."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from assent.tools.shell._danger import Danger, Kind
from assent.tools.shell._git import git_dangers
from assent.tools.shell._programs import (
    awk_dangers,
    date_dangers,
    jq_dangers,
    only_compares,
    printf_dangers,
    sed_dangers,
    xxd_dangers,
)
from assent.tools.shell._shells import SHELLS, shell_dangers
from assent.tools.shell._word import Word
from assent.tools.shell._wrapper_table import LAUNCHERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """The options of a tool that do more than its usual work, separated by blanks."""

    run: str = ""
    write: str = ""
    code: str = ""
    takes: str = ""
    """Letters of short options with a value, where a cluster of letters ends."""
    alone: str = ""
    """Usual long options without a value, so that `--` behind them is no value."""
    begins: str = ""
    """Beginnings of words that run programs, however they go on."""
    operands: int | None = None
    """How many operands it may have before one of them is written to."""
    whole: bool = False
    """Whether a single dash begins a long option, as with find."""
    plus: bool = False
    """Whether a word that begins with + is a command to it."""
    ends: bool = False
    """Whether its own options end at the first operand, as with interpreters."""


_PYTHON: Final = Tool(code="-c", takes="cmWX", ends=True)
# A word @file is as many options as the file holds.
_GCC: Final = Tool(
    run="-wrapper -fplugin -fpass-plugin -load -B -specs -iplugindir -plugin -fuse-ld -ld-path",
    begins="-B @",
    whole=True,
)
TOOLS: Final[dict[str, Tool]] = {
    "sort": Tool(
        run="--compress-program",
        write="-o --output",
        takes="kotST",
        alone="--unique --reverse --numeric-sort --human-numeric-sort --version-sort --stable --zero-terminated "
        "--ignore-case --merge --check",
    ),
    "uniq": Tool(takes="fsw", operands=1, alone="--count --repeated --unique --ignore-case --zero-terminated"),
    "shuf": Tool(write="-o --output", takes="ino"),
    # Every letter counts: of several in one word, each takes a word of its own.
    "tree": Tool(write="-o -R"),
    "hostname": Tool(write="-F -b --file --boot", operands=0),
    "find": Tool(write="-delete -fprint -fprint0 -fprintf -fls", whole=True),
    "fd": Tool(run="-x -X --exec --exec-batch", takes="deEtoScjC", alone="--hidden --no-ignore --glob --absolute-path"),
    "rg": Tool(
        run="--pre --hostname-bin -z --search-zip",
        takes="ABCEMTdefgjmrt",
        alone="--line-number --no-line-number --files-with-matches --files --count --ignore-case --smart-case "
        "--case-sensitive --fixed-strings --word-regexp --hidden --no-ignore --no-heading --heading --json "
        "--multiline --only-matching --with-filename --no-filename --vimgrep --pcre2 --invert-match --column",
    ),
    "diff": Tool(
        run="-l --paginate",
        takes="CUFIxXSDLW",
        alone="--brief --recursive --unified --side-by-side --new-file --ignore-all-space --text",
    ),
    "file": Tool(run="-z -Z --uncompress --uncompress-noreport", write="-C --compile", takes="eFfmP"),
    "split": Tool(run="--filter", takes="abClnt"),
    "tar": Tool(
        run="-I -F --checkpoint-action --to-command --use-compress-program --info-script --new-volume-script "
        "--rsh-command --rmt-command",
        write="--delete --remove-files --index-file --overwrite --unlink-first --recursive-unlink -g "
        "--listed-incremental --volno-file",
        takes="bCfgHKLNTVXIF",
    ),
    # -l is part of -lf too, which names a log and may stand among other letters.
    "zip": Tool(
        run="-T --test -TT --unzip-command", write="-m --move -l --logfile-path -O --output-file", takes="bntOP"
    ),
    "rsync": Tool(run="-e --rsh --rsync-path", write="--delete --remove-source-files --log-file", takes="efBTM"),
    "scp": Tool(run="-S -o -F -D", takes="cFiJloPSXD"),
    "sftp": Tool(run="-S -o -F -D -b", takes="BbcDFiJloPRSsX"),
    "ssh": Tool(run="-o -F -S -I", write="-E", takes="BbcDEeFIiJLlmOopQRSWw"),
    "curl": Tool(
        run="-K --config --engine",
        # A text for --write-out may name a file for its output.
        write="-o -O --output --output-dir --remote-name --remote-name-all -D --dump-header -c --cookie-jar --trace "
        "--trace-ascii --stderr --libcurl --etag-save --hsts --alt-svc --ssl-sessions -w --write-out",
        takes="AbcCdDeEFhHKmoPQrtTuUwxXyYz",
    ),
    "wget": Tool(
        run="--use-askpass -e --execute --config",
        write="-a -o -O --output-file --append-output --output-document",
        takes="aoeiOPUtTwQlADRIXB",
    ),
    "tcpdump": Tool(run="-z", write="-w -W -C", takes="BcCEFGijmMrsTVwWyzZ"),
    "dd": Tool(write="of=", whole=True),
    "man": Tool(run="-P --pager -H --html -C --config-file", takes="CEHLMPSepr"),
    "less": Tool(run="-o -O --log-file --LOG-FILE -k --lesskey-file", takes="bhjkoOpPtTxyz#", plus=True),
    "vim": Tool(run="-c -S -s -u --cmd -W -w", takes="cSsutTUwW", plus=True),
    "vi": Tool(run="-c -S -s -u --cmd -W -w", takes="cSsutTUwW", plus=True),
    "openssl": Tool(
        run="-engine -provider -provider-path -config",
        write="-out -outdir -keyout -writerand -CAcreateserial -sess_out -keylogfile -signer ca rehash",
        whole=True,
    ),
    **dict.fromkeys(("gcc", "g++", "cc", "c++", "clang", "clang++"), _GCC),
    "yq": Tool(write="-i --inplace -s --split-exp", takes="opfs"),
    "php": Tool(code="-r -B -R -E -F", run="-d -c -z", takes="rBREFdcz", ends=True),
    "node": Tool(
        code="-e -p --eval --print -pe",
        run="-r --require --import --loader --experimental-loader",
        takes="epr",
        ends=True,
    ),
    "lua": Tool(code="-e", run="-l", takes="el", ends=True),
    "ruby": Tool(code="-e", run="-r -S", write="-i", takes="eIrCEFKTW", ends=True),
    "perl": Tool(code="-e -E", run="-M -m -d -S", write="-i", takes="eEIMm", ends=True),
    "python": _PYTHON,
    "pypy": _PYTHON,
    "gdb": Tool(run="-ex -x -iex -ix --eval-command --command --args -p", whole=True),
    "journalctl": Tool(
        write="--vacuum-size --vacuum-time --vacuum-files --rotate --flush --sync --setup-keys --cursor-file "
        "--update-catalog --relinquish-var --smart-relinquish-var"
    ),
    "dmesg": Tool(
        write="-c -C -n -D -E --clear --read-clear --console-level --console-off --console-on", takes="Flnfs"
    ),
    "sysctl": Tool(write="-w --write -p -f --load --system"),
    "history": Tool(write="-a -c -d -n -r -s -w"),
    "test": Tool(run="-v", whole=True),
    "[": Tool(run="-v", whole=True),
    "iconv": Tool(write="-o --output", takes="fto"),
    "base64": Tool(write="-o --output", takes="wiob"),
    "ss": Tool(write="-K -D --kill --diag", takes="fADFN"),
    "ip": Tool(run="-b -ba -bat -batc -batch -force", whole=True),
}
_VERSIONED: Final = re.compile(
    r"(python|pypy|perl|ruby|php|lua|node|gcc|g\+\+|clang|clang\+\+|pip|go|vim)[-0-9.]+|(?:g|m|n)(awk)|(egrep|fgrep)"
)
_ALSO: Final = {"gsed": "sed", "vim.basic": "vim", "nodejs": "node"}
_ANALYSED: Final[dict[str, Callable[[Sequence[Word]], Iterator[Danger]]]] = {
    "git": git_dangers,
    "sed": sed_dangers,
    "awk": awk_dangers,
    "xxd": xxd_dangers,
    "date": date_dangers,
    "jq": jq_dangers,
    "printf": printf_dangers,
}


def tool_name(name: str) -> str:
    """The name without a version, under which the tool is in the tables."""
    versioned = _VERSIONED.fullmatch(name)
    return next(filter(None, versioned.groups())) if versioned else _ALSO.get(name, name)


def is_tabled(name: str) -> bool:
    """Whether it is known which options of the tool run programs or write files."""
    return tool_name(name) in TOOLS.keys() | _ANALYSED.keys()


def dangers(name: str, words: Sequence[Word]) -> list[Danger]:
    """What a rule for the bare tool does not cover in these words; the first is the program."""
    name = tool_name(name)
    if name in SHELLS:
        return list(shell_dangers(words))
    if name in _ANALYSED:
        return list(_ANALYSED[name](words))
    return [*_launching(name, words), *_tabled(name, words)]


def _launching(name: str, words: Sequence[Word]) -> Iterator[Danger]:
    """The word that makes a launcher start another program."""
    if name in LAUNCHERS:
        for at, word in enumerate(words[1:6], start=1):
            if word.value in LAUNCHERS[name]:
                yield Danger(kind="code", key=f"{name} {word.value}", at=at)


def _tabled(name: str, words: Sequence[Word]) -> list[Danger]:
    tool = TOOLS.get(name)
    if name in {"test", "["} and only_compares(words):
        return []
    if tool is None or not (tool.run or tool.write or tool.code or tool.operands is not None):
        return []
    found = list(_found(tool, words))
    if name == "tar" and len(words) > 1 and (words[1].value or "-")[0] != "-":
        # The old spelling: letters without a dash.
        found += [Danger(kind="run", key=f"-{letter}", at=1) for letter in "IF" if letter in (words[1].value or "")]
    if name == "sysctl":
        # A name with a value is set, with or without -w.
        found += [
            Danger(kind="write", key="setting a value", at=at)
            for at, word in enumerate(words[1:], start=1)
            if word.value is None or "=" in word.value
        ]
    return found


def _found(tool: Tool, words: Sequence[Word]) -> Iterator[Danger]:
    operands = 0
    dashes = only_operands = skip = asked = False
    for at, word in enumerate(words[1:], start=1):
        value = word.value
        if skip:
            skip = False
            # The first word that the shell makes of it is the value; the others are not.
            operands += word.splits + dashes
            if word.splits and word.may_be_option:
                yield Danger(kind="unknown", key="", at=at)
        elif only_operands or value is None or not _is_option(value):
            yield from () if only_operands else _operand(tool, word, at)
            operands += 1 + word.splits
            if tool.ends and value is not None and not asked:
                return
        elif value == "--" and not tool.whole:
            # Behind an option that may take a value it may be that value: then options follow, else operands.
            dashes, only_operands = True, not asked
        else:
            operands += dashes
            listed, skip = _option(tool, value, at)
            yield from listed
            if tool.ends and value.startswith("-m"):
                return
        asked = value is not None and not skip and not only_operands and _may_ask(tool, value)
    if tool.operands is not None and operands > tool.operands:
        yield Danger(kind="write", key="its last operand", at=len(words) - 1)


def _may_ask(tool: Tool, value: str) -> bool:
    """Whether the word is a long option that may take the next word as its value."""
    return value.startswith("--") and value != "--" and "=" not in value and value not in tool.alone.split()


def _is_option(value: str) -> bool:
    return value.startswith("-") and value != "-"


def _operand(tool: Tool, word: Word, at: int) -> Iterator[Danger]:
    """What a word is that does not look like an option."""
    begins = [each for each in tool.begins.split() if word.prefix.startswith(each)]
    if begins:
        yield Danger(kind="run", key=begins[0], at=at)
    elif word.value is None and word.may_be_option:
        name = word.prefix.partition("=")[0]
        # Globs and braces make words that begin as this one does; what else makes several may make options.
        certain = "=" in word.prefix and name.startswith("--") and (bool(word.literal) or not word.splits)
        yield from _named(tool, name, at) if certain else [Danger(kind="unknown", key="", at=at)]
    elif tool.plus and word.prefix.startswith("+"):
        yield Danger(kind="run", key="+", at=at)
    elif word.value and tool.whole:
        yield from _whole(tool, word.value, at)


def _option(tool: Tool, value: str, at: int) -> tuple[list[Danger], bool]:
    """What an option does, and whether the next word is its value."""
    if tool.whole:
        return list(_whole(tool, value, at)), False
    if value.startswith("--"):
        name, _, given = value.partition("=")
        return list(_named(tool, name, at, given)), False
    found: list[Danger] = []
    for index, letter in enumerate(value[1:], start=1):
        attached = value[index + 1 :]
        found += _exact(tool, f"-{letter}", at, attached)
        if letter in tool.takes:
            return found, not attached
    found += _exact(tool, value, at, "")
    return found, False


@cache
def _listed(tool: Tool) -> tuple[tuple[Kind, str], ...]:
    """Each option of the tables, and what it does."""
    lists: tuple[tuple[Kind, str], ...] = (("run", tool.run), ("write", tool.write), ("code", tool.code))
    return tuple((kind, option) for kind, listed in lists for option in listed.split())


def _exact(tool: Tool, option: str, at: int, given: str) -> list[Danger]:
    return [Danger(kind=kind, key=option, at=at, script=given) for kind, each in _listed(tool) if option == each]


def _named(tool: Tool, name: str, at: int, given: str = "") -> Iterator[Danger]:
    """Every long option that `name` may be short for: GNU programs accept any beginning."""
    for kind, option in _listed(tool):
        if option.startswith("--") and option.startswith(name) and len(name) > len("--"):
            yield Danger(kind=kind, key=option, at=at, script=given.removeprefix("exec="))


def _whole(tool: Tool, value: str, at: int) -> Iterator[Danger]:
    # gcc hands on what stands in a list: -Wl,-plugin,x and -Wl,@file
    pieces = value.split(",") if value.startswith("-W") else [value]
    for each in tool.begins.split():
        if value.startswith(each) or (each == "@" and any(piece.startswith("@") for piece in pieces)):
            yield Danger(kind="run", key=each, at=at)
    for piece in pieces:
        plain = f"-{piece.lstrip('-')}" if piece.startswith("-") else piece
        for kind, option in _listed(tool):
            if plain == option or plain.startswith(f"{option.removesuffix('=')}="):
                yield Danger(kind=kind, key=option, at=at)
