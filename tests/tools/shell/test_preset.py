"""What the read-only preset allows, and the same words with which they would write, run or leak."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from assent.tools.shell import PRESETS, Judgement, Machine, judge
from tests.tools.shell.cases import explained, rules_of

PRESET = rules_of(rules=[], default="ask", preset="read-only")


def judged(command: str) -> Judgement:
    return judge(command, PRESET, Machine(cwd=Path("/"), path="/usr/bin:/bin"))


@pytest.mark.parametrize(
    "command",
    [
        *('[ -z "$x" ]', '[ "$x" = y ]', 'test "$x" = y', '[ ! -n "$x" ]', '[ "$x" ]', '[ "$n" -gt 5 ]', "[ -f f ]"),
        *('if [ -n "$CI" ]; then echo ci; fi', '[ "$(pwd)" != / ] && ls', '[ ! "$x" = "$y" ]', 'test -d "$x"'),
        *("git --no-pager log -5", "git -P diff", "git -C . status", "git --no-pager -C . log", "git grep -n foo"),
        *("git branch", "git branch -a", "git branch --show-current", "git remote -v", "git stash list", "git tag"),
        *("git tag -l", "git worktree list", "git for-each-ref", "git reflog", "git check-ignore -v x"),
        *("git config --get user.name", "git --no-pager branch -vv", "jq . f", "jq -r '.a | keys[]' f", "tree -L 2"),
        *(
            "tree -a -I node_modules src",
            "ps aux",
            "ps aux | grep x",
            "sleep 2 && ls",
            "free -h",
            "strings f",
            "hostname",
        ),
    ],
)
def test_what_only_looks_does_not_ask(command: str) -> None:
    judgement = judged(command)
    assert judgement.verdict == "allow", explained(judgement)


@pytest.mark.parametrize(
    "command",
    [
        *(
            '[ "$x" y ]',
            '[ "$x" "$y" z ]',
            "[ -v 'a[$(id)]' ]",
            "[ ! -v x ]",
            "[ -n x -o -v x ]",
            '[ -n "$x" -a "$y" x ]',
        ),
        *("[ -n $x ]", "[ $x = y ]", '[ "$@" = y ]', 'test "$x" = y -o -v z', '[ "$x" = y', '[ "$o" "$x" ]'),
        *("git --no-pager -c a=b log", "git -C .. status", "git -C . -C .. status", "git --git-dir=. log", "git -C"),
        *("git --exec-path=. log", "git -p log", "git --bare log", "git --no-pager push", 'git -C "$x" log'),
        *("git branch x", "git branch -a -m x", "git branch -D x", "git branch --show-current x", "git remote add x y"),
        *("git remote -v update", "git stash", "git stash list -p", "git tag x", "git tag -l -d x", "git tag -d x"),
        *("git worktree list x", "git reflog expire --all", "git reflog delete x", "git for-each-ref --format=%x"),
        *("git config --get a.b --unset", "git config a.b", "git config --get -e", "git config --get-color a.b"),
        *("git grep -Ox foo", "git grep --open=x foo", "git grep -nO foo", "git grep --textconv x", "git grep $x"),
        *(
            "jq -f f",
            "jq -rf f",
            "jq --from-file f",
            "jq --run-tests f",
            "git config --get --includes -f f a.b",
            "jq -L . x",
            "jq env",
            "jq '$ENV.X'",
            "jq -n 'import \"a\" as a; 1'",
        ),
        *(
            'jq "$x" f',
            "jq 'include \"a\"; .'",
            "tree -o f",
            "tree -ao f",
            "tree -Lo 2 f",
            "tree -R",
            "ps e",
            "ps auxe",
        ),
        *("hostname x", "hostname -F f", "npm --version", "python3 --version", "node --version", "python3 -V x"),
    ],
)
def test_the_same_words_ask_where_they_may_do_more(command: str) -> None:
    judgement = judged(command)
    assert judgement.verdict == "ask", explained(judgement)


@pytest.mark.parametrize(
    ("test", "value"),
    [
        ('[ -z "$x" ]', "-v"),
        ('[ "$x" = y ]', "-v"),
        ('[ "$x" = y ]', "!"),
        ('[ ! "$x" = y ]', "("),
        ('[ "$x" ]', "a[$(touch made)]"),
        ('[ "$x" -gt 5 ]', "a[$(touch made)]"),
        ('[ ! -n "$x" ]', "a[$(touch made)]"),
        ('[ "$x" = "a[$(echo 0)]" ]', "-v"),
    ],
)
def test_no_value_makes_a_short_test_evaluate_anything(test: str, value: str, tmp_path: Path) -> None:
    judgement = judged(test)
    assert judgement.verdict == "allow", explained(judgement)
    subprocess.run(["bash", "-c", f"x=$1; {test}", "bash", value], cwd=tmp_path, capture_output=True, check=False)
    assert list(tmp_path.iterdir()) == []


def test_the_answer_to_a_pattern_says_how_to_write_it() -> None:
    assert judged("rg -n foo *.py").reason.endswith("; write ./*.py")
    assert judged("rg -n foo ./*.py").verdict == "allow"
    assert "write ./" not in judged("rg -n foo $x").reason


def test_no_pattern_stands_there_twice() -> None:
    assert len(set(PRESETS["read-only"])) == len(PRESETS["read-only"])
