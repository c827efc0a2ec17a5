"""Options that write or run, where a tool's other options seem to swallow them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from assent.tools.shell import Machine, judge
from tests.tools.shell.cases import explained, rules_of

PRESET = rules_of(rules=[], default="ask", preset="read-only")
TOOLS = rules_of(
    rules=[
        {"pattern": name, "approval": False}
        for name in (
            *(
                "awk",
                "curl",
                "dd",
                "dmesg",
                "echo",
                "fd",
                "gcc",
                "git",
                "ip",
                "journalctl",
                "node",
                "nodejs",
                "openssl",
            ),
            *("python3", "sed", "ssh", "sysctl", "tar", "true", "uniq", "wget", "zip"),
        )
    ],
    default="ask",
)
EVERYTHING = rules_of(rules=[], default="allow")

# Each of them writes the file `made`, by programs that are everywhere.
WRITES = [
    "sort --key=$(echo 1 -o made) f",
    "for key in '1 -o made'; do sort --key=$key f; done",
    "sort -k $(echo 1 -o made) f",
    "sort -k {1,-omade} f",
    "sort -rk {1,-omade} f",
    "sort --temporary-directory -- -o made f",
    "sort -t : -k1 --temp -- -omade f",
    "uniq -f $(echo 0 f) made",
    "uniq -f {0,f} made",
    "uniq --group -- -in made",
    "uniq -s 0{,} made",
    "find . -name -- -o -fprint made",
    "find -- . -fprint made",
    "find f -exec sort + -o made {} \\;",
    """bash -c 'sort -k "${@}" f' x 1 -o made""",
    """bash -c 'sort -k "$@" f' x 1 -o made""",
    "git diff --no-index -S -- --output=made f g",
    "git diff --no-index -G -- --output=made f g",
    "git diff --no-index --src-prefix -- --output=made f g",
    "git diff --no-index -p --line-prefix -- --output=made f g",
]
# What they would do is said by their manuals.
RUNS = [
    "rg -e {a,--pre=./x} f",
    "rg --regexp -- --pre ./x a f",
    "rg --colors=$(echo path:none --pre ./x) a f",
    "rg -g * a f",
    "xxd -c $(echo 16 f) made",
    "xxd -c {16,f} made",
    "xxd f{,made}",
    "find f -exec rg x + --pre ./x {} \\;",
    "diff --label -- -l f g",
    "date -d $(echo now -s 2020)",
    "date -Id 010100002025",
    "date -syear",
    "date -usyear",
    "date -Rsd",
    "find -files0-from list -exec rg x {} +",
    "find -f -ofile -- -exec sort {} +",
    "git describe --dirty",
    "git describe --di=x",
    "git describe --broken",
    "git describe --br",
    "xxd f -made",
    "xxd -- -in made",
    "xxd f made",
    "printf '%s\\0' -omade f | find -files0-from - -exec sort {} +",
    "file --files-from -- -C f",
]
RUNS_BY_RULE = [
    "awk -v {a=1,-f,x.awk} 1",
    "awk -F $(echo , -f x.awk) 1",
    "awk -v a=$x 1",
    "dd -- of=made if=f",
    "dmesg -T -c",
    "fd -g -x ./x",
    "gcc -B./x/ -c f.c",
    "gcc -B ./x/ -c f.c",
    "gcc @options f.c",
    "gcc -Wl,-plugin,./x.so f.c",
    "gcc -specs=x f.c",
    "gcc -Wl,@options f.c",
    "gcc -Wa,-a,@options f.c",
    "gcc -fuse-ld=./x f.c",
    "curl --engine ./x a",
    "curl -w '%output{f}' a",
    "curl --write-out '%output{f}' a",
    "dmesg --console-off",
    "git fast-export --export-marks=f HEAD",
    "ip net exec a b",
    "ip vrf exec a b",
    "ip -ba f",
    "journalctl --cursor-file=f",
    "journalctl --update-cat",
    "nodejs -e 'code'",
    "openssl ca -in f",
    "openssl rand -writerand f 1",
    "openssl req -config f",
    "openssl req -new -keyout f",
    "ssh -I ./x.so h",
    "sysctl kernel.domainname=x",
    "sysctl -f f",
    'sysctl "$x"',
    "tar cf x y --listed-incremental=z",
    "tar -cgz -f x y",
    "tar cf x y -M --volno=z",
    "zip -lf x a b",
    "zip -rlf x a b",
    "zip a b --logfile-path=x",
    "git grep -e -- -O./x",
    "git grep -f -- -O./x",
    "git submodule --quiet foreach x",
    "git --namespace $(echo x --exec-path=.) log",
    "node --title x -e 'code'",
    "python3 --check-hash-based-pycs always -c 'code'",
    "wget --user-agent -- -O f",
]
# Usual commands that must not ask because of all this.
READS = [
    "sort -k 2 -t , f",
    "sort -u -- -o",
    "sort --unique -- -o",
    'sort --key="$k" f',
    'sort -k "$k" f',
    "uniq -c f",
    "uniq -f 1 f",
    'rg -n -- "$pattern" src',
    'rg -e a -- "$name"',
    "rg --hidden -- --pre",
    "rg -g '*.py' a",
    "rg -g src/*.py a",
    "rg --glob=*.py a",
    "xxd -c 16 f",
    "date -d yesterday +%F",
    'date -d "@$seconds"',
    "date -Iseconds",
    'git log --oneline -- "$name"',
    'git diff --stat -- "$name"',
    "git log -n 5 -- f",
    "git log -S foo -- $name",
    "git diff -- $name",
    "find . -name -- -print",
    "find . -name f -exec sort {} +",
    "xxd -l 16 f",
    "xxd -- f",
    "date -ud yesterday",
    "date -dyesterday",
    "git describe --tags --always",
]
# A variable that bash sets for a program: where git finds its configuration, where programs are found.
SETS = [
    *("printf %n HOME", "printf '%5n' HOME", "printf '%-n' HOME", "printf '%.3n' HOME", "printf '%ln' HOME"),
    *("printf '%hhn' HOME", "printf '%*n' 5 HOME", 'printf "%\'n" HOME', "printf '%%%n' HOME", "printf '\\%n' HOME"),
    *("printf '%s%n' a HOME", "printf -- %n HOME", 'for x in n; do printf "%$x" HOME; done', "printf -vHOME x"),
    *(
        "for x in %n; do printf $x HOME; done",
        "printf {%n,HOME}",
        "printf -v HOME x",
        "for x in -v; do printf $x HOME x; done",
    ),
]


def machine(folder: Path) -> Machine:
    for name in ("f", "g", "-in", "0", "+"):
        (folder / name).write_text(f"b\n{name}\na\n")
    return Machine(cwd=folder, path="/usr/bin:/bin")


@pytest.mark.parametrize("command", WRITES)
def test_an_option_that_writes_is_seen_behind_one_that_takes_a_value(command: str, tmp_path: Path) -> None:
    judgement = judge(command, PRESET, machine(tmp_path))
    subprocess.run(["bash", "-c", command], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert (tmp_path / "made").exists()
    assert judgement.verdict != "allow", explained(judgement)


@pytest.mark.parametrize("command", RUNS)
def test_the_preset_does_not_allow_what_an_option_smuggles_in(command: str, tmp_path: Path) -> None:
    judgement = judge(command, PRESET, machine(tmp_path))
    assert judgement.verdict == "ask", explained(judgement)


@pytest.mark.parametrize("command", RUNS_BY_RULE)
def test_nor_does_a_rule_for_the_tool(command: str, tmp_path: Path) -> None:
    judgement = judge(command, TOOLS, machine(tmp_path))
    assert judgement.verdict == "ask", explained(judgement)


@pytest.mark.parametrize("command", SETS)
def test_printf_sets_no_variable_unseen(command: str, tmp_path: Path) -> None:
    judgement = judge(command, PRESET, machine(tmp_path))
    done = subprocess.run(
        ["bash", "-c", f"{command}; echo; env"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert f"\nHOME={os.environ['HOME']}\n" not in done.stdout
    assert judgement.verdict == "ask", explained(judgement)
    assert judge(command, EVERYTHING, machine(tmp_path)).verdict == "ask"


@pytest.mark.parametrize(
    "command",
    [
        *("printf '%s\\n' \"$HOME\"", "printf '%d%%n' 5", "printf '%s\\n' $x", "printf 'a\\n'", "printf -- '-%s' x"),
        *("printf '%5.2f\\n' 1", "printf '%s, none' x", "printf '%(%F)T\\n'"),
    ],
)
def test_what_printf_only_prints_does_not_ask(command: str, tmp_path: Path) -> None:
    judgement = judge(command, PRESET, machine(tmp_path))
    assert judgement.verdict == "allow", explained(judgement)


@pytest.mark.parametrize(
    "script",
    [
        *("s/[/]/;s#x/e;#y#", "s/[/]/;s#a/w made#b#", "/[/]/;s#a/w made#b#", "s/[^/]/;s#a/w made#b#"),
        *("s/[[:alpha:]/]/;s#a/w made#b#", "s/[]/]/;s#a/w made#b#", "s/[a\\]/]/;s#a/w made#b#", "s|[|]|;s#a|w made#b#"),
    ],
)
def test_sed_asks_where_a_mark_in_brackets_may_not_end_a_pattern(script: str, tmp_path: Path) -> None:
    judgement = judge(f"sed '{script}' f", TOOLS, machine(tmp_path))
    assert judgement.verdict == "ask", explained(judgement)


@pytest.mark.parametrize(
    "script",
    [
        *(
            "s/[0-9]*/x/g",
            "s|[^/]*$||",
            "/[[:space:]]$/d",
            "s/[^\\/]*/x/",
            "s/\\[/x/",
            "s/a/[/",
            "1,5p",
            "$!d",
            "2q; p",
        ),
        *("/a/,/b/ ! p", "s/[]x]/y/", "p\n\np\n", "y/abc/def/"),
    ],
)
def test_sed_does_not_ask_where_brackets_are_closed(script: str, tmp_path: Path) -> None:
    judgement = judge(f"sed '{script}' f", TOOLS, machine(tmp_path))
    assert judgement.verdict == "allow", explained(judgement)


@pytest.mark.parametrize("command", READS)
def test_options_whose_words_are_certain_do_not_ask(command: str, tmp_path: Path) -> None:
    judgement = judge(command, PRESET, machine(tmp_path))
    assert judgement.verdict == "allow", explained(judgement)


@pytest.mark.parametrize(
    "command",
    [
        *("gcc -Wall -O2 -c f.c", "gcc -Wl,-Bstatic f.c", "awk -F , -v 'a=1' '{print $1}' f", "sysctl -a", "ip addr"),
        *("openssl version", "curl -s a", "journalctl -n 5", "zip -r a b", "tar tf a", "dmesg -T", "ip link show"),
    ],
)
def test_a_rule_for_the_tool_still_covers_its_usual_options(command: str, tmp_path: Path) -> None:
    judgement = judge(command, TOOLS, machine(tmp_path))
    assert judgement.verdict == "allow", explained(judgement)
