"""A folder that asks before it is read asks however a command spells its way there."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from assent.config import SandboxPath
from assent.tools.shell import Judgement, Machine, judge
from tests.tools.shell.cases import explained, rules_of

READ_ONLY = rules_of(
    rules=[
        {"pattern": name, "approval": False}
        for name in ("awk", "cp", "curl", "dd", "strings", "ld", "tar", "git add", "git grep")
    ],
    default="ask",
    preset="read-only",
)
LETTER = "TOPSECRET"


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """Letters at home, and a folder to work in beside it with a link and lists that lead to them."""
    for part in ("home/letters", "work/sub/deep", "work/src"):
        (tmp_path / part).mkdir(parents=True)
    (tmp_path / "home/letters/a").write_text(f"{LETTER}\n")
    work = tmp_path / "work"
    for name in ("f", "sub/x", "src/a.py", "src/b.py", "all"):
        (work / name).write_text(f"x{LETTER[1:-1]}x\n")
    (work / "all").write_text(f"x{LETTER}x\n")
    (work / "l").symlink_to("../home/letters/a")
    (work / "mine").symlink_to("/proc/self/cwd")
    (work / "list").write_bytes(b"../home/letters/a\0")
    return tmp_path


def judged(command: str, house: Path, *, letters: str = "home/letters") -> Judgement:
    paths = {
        "letters": SandboxPath(root=house / letters, read_approval=True),
        "work": SandboxPath(root=house / "work", mode="rw"),
    }
    return judge(command, READ_ONLY, Machine(cwd=house / "work", paths=paths, path="/usr/bin:/bin"))


def asks_for_the_place_alone(command: str, house: Path, *, letters: str = "home/letters") -> bool:
    """Whether it asks, and would not if no folder did."""
    open_house = Machine(cwd=house / "work", path="/usr/bin:/bin")
    assert judge(command, READ_ONLY, open_house).verdict == "allow"
    return judged(command, house, letters=letters).verdict == "ask"


def shown_by_bash(command: str, house: Path) -> str:
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(house / "home"), "LANG": "C.UTF-8"}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-c", command],
        cwd=house / "work",
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    "command",
    [
        "cat ../home/letters/a",
        "cat ~/letters/a",
        "cat ~/let*/a",
        "cat ~+/../home/letters/a",
        "cat $HOME/letters/a",
        'cat "$HOME/letters/a"',
        "cat {../home/letters,x}/a",
        "cat .{.,x}/home/letters/a",
        "cat ..{/home,x}/letters/a",
        "cat sub*/../../home/letters/a",
        "cat s?b/../../home/letters/a",
        "cat su[b]/../../home/letters/a",
        "cat {sub,src}/../../home/letters/a",
        "echo ../home/letters/a | xargs cat",
        "echo ../home/letters/a | xargs -I% cat %",
        "for f in ../home/letters/a; do cat $f; done",
        'for f in ../home; do cat "$f/letters/a"; done',
        "for f in ../../home; do cat sub/$f/letters/a; done",
        "cat $(printf %s ../home/letters/a)",
        "echo $(<../home/letters/a)",
        'echo "$(< ../home/letters/a)"',
        "(cat) < ../home/letters/a",
        "{ cat; } < ../home/letters/a",
        "if true; then cat; fi < ../home/letters/a",
        "for i in 1; do cat; done < ../home/letters/a",
        "case x in x) cat;; esac < ../home/letters/a",
        "{ (cat); } 3< f < ../home/letters/a",
        "sh -c '{ cat; } < ../home/letters/a'",
        "sh -c cat < ../home/letters/a",
        "date -f ../home/letters/a",
        "date --file=../home/letters/a",
        "cat /proc/self/cwd/../home/letters/a",
        "cat //proc/./self/cwd/../home/letters/a",
        "cat /proc/thread-self/cwd/../home/letters/a",
        "cat /dev/fd/../cwd/../home/letters/a",
        "cat mine/../home/letters/a",
        "cat /proc/s*/cwd/../home/letters/a",
        "sort --files0-from=list",
        "sort --files0-from list",
        "sort --files0=list",
        "find sub -maxdepth 1 -name x -execdir cat ../../home/letters/a ';'",
        "find sub -maxdepth 1 -name x -exec cat ../home/letters/a ';'",
        "grep -nf../home/letters/a all",
        "grep -nfl all",
        "grep -hnfl all",
        "diff <(cat ../home/letters/a) f",
    ],
)
def test_every_spelling_of_a_way_to_the_letters_asks(command: str, house: Path) -> None:
    assert asks_for_the_place_alone(command, house)
    # It is a way indeed: bash goes there.
    assert LETTER in shown_by_bash(command, house)


@pytest.mark.parametrize(
    "command",
    [
        *("cat ~root/x", "cat ~-/x", "cat a$x", "cat src/$x", "cat *$x", "head -n $x f", "ls ~"),
        *("cat .*/f", "cat ..*/f", "cat .?/f", "cat {'a,b',c}", "cat {a,{1..2}}", "find . -exec cat ~/{} ';'"),
        *("find . -exec cat ../{} ';'", "wc --files0-from=-", "sha256sum -c sums", "md5sum --check sums"),
        *("du --files0-from=list", "ls /proc/self/task/", "cat /proc/1/cwd/x", "cat < /proc/self/cwd/f"),
        *("grep -R x /proc", "sort <(cat f),../home/letters/a", "find . -okdir cat f ';'", "dd if=~/x | cat"),
        *(
            "strings @../home/letters/a",
            "strings @words",
            "ld -a,@words",
            "file -f words",
            "file -bf words",
            "tar cTf words x",
        ),
        *("tar -cT words", "find -files0-from list -exec cat {} +", "git add --pathspec-from-file=words"),
        f"cat {'{a,b}' * 7}",
        f"grep -{'n' * 80}fl all",
    ],
)
def test_what_may_be_anywhere_asks_where_any_folder_does(command: str, house: Path) -> None:
    assert asks_for_the_place_alone(command, house)


@pytest.mark.parametrize(
    "command",
    [
        *("echo letters/*", "echo let*/?", "printf '%s\\n' ./*/*", "echo {letters,src}/*", "basename letters/*"),
        *("for f in letters/*; do echo $f; done", "for f in */*; do echo $f; done", "echo ./letters/[a-z]"),
        *("[[ -f letters/a ]] && echo yes", "[[ ! -e letters/a ]] || echo yes", "[[ -d src && -s letters/a ]] && ls"),
        *("[ -f letters/a ] && echo yes", "echo $(< letters/a)", "cat < letters/a", "(cat) 3< f < letters/a"),
    ],
)
def test_the_shell_itself_does_not_look_into_the_folder_unasked(command: str, house: Path) -> None:
    (house / "work/letters").mkdir()
    assert asks_for_the_place_alone(command, house, letters="work/letters")


@pytest.mark.parametrize(
    "command",
    [
        *("ls -la", "ls *.py", "cat src/*.py", "cat src/{a,b}.py", "cat f{1..3}", "cat *.{c,h}", "ls .git*"),
        *("cat sub/../f", "cat /etc/hosts", "cat /proc/cpuinfo", "cat /dev/stdin", "cat < f", "(cat; ls) < f"),
        *("echo $(< f)", "echo $x", "echo ~", "echo ~/letters/a", "echo *", "sh -c cat < f", "date +%F", "date -d @12"),
        *("grep -rn x --include=*.py .", "grep '~' f", "grep -E '^(a|b)*$' f", "sort -k2,2n f", "head -n20 f"),
        *("find . -name '*.py' -exec grep -n x {} +", "diff <(sort f) <(sort -u f)", "wc -l < f", "sha256sum f"),
        *("[[ -f f ]] && ls", "[[ x == ../home/* ]] && ls", "for f in *.py; do echo $f; done", "ls -d sub/deep/.."),
    ],
)
def test_what_surely_lies_elsewhere_does_not_ask(command: str, house: Path) -> None:
    judgement = judged(command, house)
    assert judgement.verdict == "allow", explained(judgement)


@pytest.mark.parametrize(
    "command",
    [
        *("grep -rA3 SECRET .", "grep -rm1 SECRET", "grep -d recurse SECRET .", "grep -drecurse SECRET ."),
        *("grep --recurs SECRET .", "grep -nr5 SECRET", "grep --directories=recurse SECRET ."),
        *("grep --dereference-recurs SECRET .", "grep --der SECRET .", "grep -nd recurse SECRET", "grep -hr0 SECRET"),
        *("grep -e SECRET -1r .", "grep {-r,SECRET}", "grep -{r,n} SECRET ."),
        *("cp -a . ../copy && grep -h SECRET ../copy/letters/a", "cp --arch . ../copy && cat ../copy/letters/a"),
        *("awk 'BEGIN{ARGV[1]=\"letters/a\";ARGC=2}1'", "cat 2026", "cat < 2026"),
    ],
)
def test_a_folder_beneath_is_not_read_unasked_by_any_spelling(command: str, house: Path) -> None:
    (house / "work/letters").mkdir()
    (house / "work/letters/a").write_text(f"{LETTER}\n")
    (house / "work/2026").symlink_to("letters/a")
    assert asks_for_the_place_alone(command, house, letters="work/letters")
    assert LETTER in shown_by_bash(command, house)


@pytest.mark.parametrize(
    "command",
    [
        *(
            "ls -R1",
            "ls --recurs",
            "diff -rU3 src .",
            "ls {-R,-l}",
            "ls 2026",
            "stat 2026",
            "git status",
            "git ls-files",
        ),
        *(
            "curl file:///x",
            "curl -s FILE://localhost/x",
            "curl 'f{i}le:///x'",
            "curl --proto-default file localhost/x",
        ),
        *("curl -d x@letters/a h", "curl -F x=@letters/a h", 'awk \'BEGIN{SYMTAB["AR" "GV"][1]=2}\''),
    ],
)
def test_nor_are_its_names(command: str, house: Path) -> None:
    (house / "work/letters").mkdir()
    (house / "work/2026").symlink_to("letters")
    (house / "work/.git").mkdir()
    assert asks_for_the_place_alone(command, house, letters="work/letters")


@pytest.mark.parametrize("command", ["echo *.py", "for f in src/*; do echo $f; done", "echo src/*", "[[ -f f ]] && ls"])
def test_listing_another_folder_does_not_ask(command: str, house: Path) -> None:
    (house / "work/letters").mkdir()
    judgement = judged(command, house, letters="work/letters")
    assert judgement.verdict == "allow", explained(judgement)


@pytest.mark.parametrize(
    "command",
    [
        *("cat $x", "cat ~/x", "ls | xargs cat", "for i in 1 2; do cat $i.txt; done", "cat /proc/self/status"),
        *("sort --files0-from=list", "(cat) < f", "find . -execdir cat f ';'", "cat .*/x", "grep -nfl f"),
    ],
)
def test_where_no_folder_asks_nothing_changes(command: str, house: Path) -> None:
    judgement = judge(command, READ_ONLY, Machine(cwd=house / "work", path="/usr/bin:/bin"))
    assert judgement.verdict == "allow", explained(judgement)


def test_the_answer_names_the_word_that_may_lead_there(house: Path) -> None:
    for command, word in {
        "cat ~/letters/a": "~/letters/a",
        "grep -nfl all": "-nfl",
        "(cat) < ../home/letters/a": "../home/letters/a",
        "for f in ../home/letters/*; do echo $f; done": "../home/letters/*",
    }.items():
        assert f"{word} may be in a folder that asks before it is read" in judged(command, house).reason
