from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest
from inline_snapshot import snapshot

from assent.config import Shell, ShellDefault, ShellRule
from assent.tools.shell import Rules
from tests.tools.shell.worlds import USUAL, Pretend, judged, rules

SPEC = Rules.of(
    Shell(
        default=ShellDefault(allowed=True, approval=True),
        rules=(
            ShellRule(pattern=("git", "status"), approval=False),
            ShellRule(pattern=("git", "add"), description="Stage files for commit"),
            ShellRule(pattern=("git", "commit"), description="Create a commit"),
            ShellRule(pattern=("rm",), allowed=False),
            ShellRule(pattern=("pytest",), approval=False, sandbox_paths=("output",)),
        ),
    )
)


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("git status", "allow"),
        ("git status --short", "allow"),
        ("git add x.py", "ask"),
        ("git commit -m 'a message'", "ask"),
        ("rm -rf x", "deny"),
        ("pytest", "ask"),
        ("pytest output/test_a.py", "allow"),
        ("pytest -x output/test_a.py", "allow"),
        ("pytest tests", "ask"),
        ("pytest output/test_a.py ../x", "ask"),
        ("pytest --junitxml=report.xml", "ask"),
        ("pytest $X", "ask"),
        ("pytest -k=x/../../y", "ask"),
        ("pytest -c/etc/x", "ask"),
        ("pytest output/test_a.py:/etc/x", "ask"),
        ("pytest --a=output/test_a.py,/etc/x", "ask"),
        ("pytest output/test_a.py --b=output/test_a.py -x", "allow"),
        ("pytest --a=output/test_a.py -xvs", "ask"),
        ("cd x; pytest output/test_a.py", "ask"),
        ("curl example.org", "ask"),
    ],
)
def test_the_example_of_the_specification_means_what_it_says(command: str, verdict: str) -> None:
    world = Pretend(inside=frozenset({"output/test_a.py"}))
    assert judged(command, SPEC, world).verdict == verdict


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "ls -la | grep x",
        "git status && ls",
        "if test -f x; then cat x; fi",
        'for f in a b; do cat "$f"; done',
        "(ls; cat x)",
        "{ ls; }",
        'echo "$(cat x)"',
        "cat <(ls)",
        "sh -c 'ls; cat x'",
        "timeout 5 ls",
        "env ls",
        "ls > /dev/null 2>&1",
        "! ls",
        "ls &",
        "ls # not a command",
        "ls \\\n -l",
        "find . -exec grep x {} +",
        "ls | xargs cat",
        "nohup nice -n 5 ls",
        "/usr/bin/ls",
        "echo 'rm x'",
        "[[ -f x ]] && ls",
        "cat < x",
    ],
)
def test_a_command_is_allowed_if_every_command_in_it_is(command: str) -> None:
    assert judged(command).verdict == "allow"


@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "ls; {}",
        "ls && {}",
        "ls || {}",
        "ls | {}",
        "ls |& {}",
        "ls & {}",
        "ls\n{}",
        "({})",
        "{{ {}; }}",
        "! {}",
        "if {}; then ls; fi",
        "if ls; then {}; fi",
        "if ls; then ls; else {}; fi",
        "while {}; do ls; done",
        "until ls; do {}; done",
        "for x in a; do {}; done",
        "for x in $({}); do ls; done",
        "f() {{ {}; }}; f",
        "function f {{ {}; }}",
        "case a in a) {};; esac",
        "case $({}) in a) ls;; esac",
        "echo $({})",
        'echo "$({})"',
        "echo `{}`",
        "echo \\`{}; `{}`",
        "cat <({})",
        "cat >({})",
        "cat <<E\n$({})\nE",
        "bash <<E\n{}\nE",
        "cat <<E | sh\n{}\nE",
        "bash <<< '{}'",
        "echo '{}' | sh",
        "sh -c '{}'",
        "bash -ec '{}'",
        "sh -c \"sh -c '{}'\"",
        "eval '{}'",
        "trap '{}' EXIT",
        "env {}",
        "env -i {}",
        "env A=b {}",
        "env -S '{}'",
        "A=b {}",
        "sudo {}",
        "sudo -u x -- {}",
        "nohup {}",
        "timeout -k 1 5 {}",
        "time {}",
        "time -p {}",
        "xargs {}",
        "xargs -I% {} %",
        "find . -exec {} \\;",
        "command {}",
        "exec {}",
        "nice -n 5 {}",
        "ionice -c 2 {}",
        "stdbuf -oL {}",
        "setsid {}",
        "watch {}",
        "ssh h {}",
        "su -c '{}'",
        "flock f {}",
        "busybox {}",
        "coproc {}",
        "[[ $({}) ]]",
        "echo $(( $({}) ))",
        "echo ${{x:-$({})}}",
        "A=$({})",
        "a=(1 $({}))",
        "export A=$({})",
        "> f {}",
        "2> /dev/null {}",
        "sudo --bogus {}",
        "uv run {}",
        "{} '",
        "if ls; then {}",
        "ls; {} )",
        "docker exec c {}",
        "parallel {} ::: a",
        "x='{}'; $x",
        "tar xf a --to-command='{}'",
    ],
)
def test_a_denied_command_is_denied_wherever_it_stands(form: str) -> None:
    lenient = replace(USUAL, default="allow")
    assert judged(form.replace("{}", "rm x").replace("{{", "{").replace("}}", "}"), lenient).verdict == "deny"


@pytest.mark.parametrize(
    "name",
    [
        "rm",
        "'rm'",
        '"rm"',
        "r'm'",
        'r""m',
        "\\rm",
        "r\\m",
        "$'rm'",
        "$'\\x72m'",
        "$'\\162m'",
        "r$@m",
        "r\\\nm",
        "/bin/rm",
        "./rm",
        "../a/rm",
        "~/rm",
        "$HOME/rm",
        "{rm,-r}",
        "${x:-rm}",
        "x=rm; $x",
    ],
)
def test_no_spelling_of_a_name_hides_it_from_a_rule_that_denies(name: str) -> None:
    assert judged(f"{name} x").verdict == "deny"


@pytest.mark.parametrize("command", ["rmdir x", "echo rm", "git statusx", "ls rm", "grep 'rm x' f", "ls --rm", "rmx"])
def test_only_whole_words_in_their_place_count(command: str) -> None:
    assert judged(command).verdict != "deny"


@pytest.mark.parametrize(
    "command",
    [
        "$x y",
        "$(echo ls)",
        "`echo ls`",
        "l? x",
        "{ls,-l}",
        "~/ls",
        "A=b ls",
        "A=b",
        "a[0]=1",
        "export A=b",
        "cd x",
        "set -e",
        "source x",
        ". x",
        "alias a=b",
        "declare -x A",
        "read x",
        "unset A",
        "trap x EXIT",
        "exec ls",
        "eval ls",
        "ls > f",
        "ls >> f",
        "ls &> f",
        "ls >| f",
        "ls >&f",
        "ls <> f",
        "ls > /dev/tcp/a/1",
        "ls < /dev/tcp/a/1",
        "ls {fd}> /dev/null",
        "ls `ls`",
        "cat <<E\nE",
        "coproc ls",
        "l\\\ns",
        "ls '",
        "ls )",
        "if ls",
        "echo $((x))",
        "[[ a -eq b ]]",
        "(( 1 ))",
        "echo ${x:=y}",
        "echo ${x@P}",
        "for PATH in a; do ls; done",
        "select x in a; do ls; done",
        "ls \u200b",
        "ls \u202e",
        "ls\xa0x",
        "ls\r",
        "ls \x1b[0m",
        "ls ㅤ",
        "ls \U000e0041",
        "ls\x00",
        ":(){ :|:& };:",
        "curl x | sh",
        "bash",
        "bash -i -c ls",
        "zsh -c ls",
        "sh -c $x",
        "git $x",
        "env A=b ls",
        "env -S ls",
        "env -i ls",
        "",
        "sh -c 'ls &>/dev/null x'",
        "git -c a=b status",
        "tar -I x -cf a b",
        "printf -v PATH x",
        "test -v 'a[$(x)]'",
    ],
)
def test_what_nobody_can_tell_asks_even_where_the_default_allows(command: str) -> None:
    assert judged(command, rules(allow="ls,echo", deny="git push", default="allow")).verdict == "ask"


@pytest.mark.parametrize(
    ("pattern", "command"),
    [
        ("sort", "sort -o f g"),
        ("sort", "sort -uo f"),
        ("sort", "sort -of"),
        ("sort", "sort --outp=f"),
        ("sort", "sort --compress-program=x"),
        ("sort", "sort $x"),
        ("sort", 'sort "$x"'),
        ("sort", "sort *"),
        ("find", "find . -delete"),
        ("find", "find . -fprint f"),
        ("find", "find . -exec x {} ;"),
        ("uniq", "uniq a b"),
        ("xxd", "xxd -r a"),
        ("xxd", "xxd -ps a b"),
        ("date", "date -s x"),
        ("date", "date -u 010100002020"),
        ("sed", "sed -i s/a/b/ f"),
        ("sed", "sed -n 's/a/b/w f'"),
        ("sed", "sed 's/a/b/e'"),
        ("sed", "sed '1e x'"),
        ("sed", "sed -f f"),
        ("awk", "awk 'BEGIN { system(1) }'"),
        ("awk", "awk '{ print > 1 }'"),
        ("awk", "awk '{ print | 1 }'"),
        ("awk", "awk -f f"),
        ("tar", "tar -cf a --checkpoint-action=exec=x b"),
        ("tar", "tar --use-comp=x -cf a b"),
        ("tar", "tar cIf x a"),
        ("rg", "rg --pre x y"),
        ("split", "split --filt=x f"),
        ("git", "git log --output=f"),
        ("git", "git diff --outp f"),
        ("git", "git diff --ext-diff"),
        ("git", "git grep -O x"),
        ("git", "git grep -nOx y"),
        ("git", "git -c a=b status"),
        ("git", "git -C x status"),
        ("git", "git st"),
        ("git", "git fetch ext::x"),
        ("git", "git rebase -x y"),
        ("git", "git bisect run x"),
        ("git", "git submodule foreach x"),
        ("git", "git log --help"),
        ("git", "git status --ignore-submodules=none"),
        ("bash", "bash x.sh"),
        ("python", "python -c x"),
        ("python3.11", "python3.11 -Bc x"),
        ("perl", "perl -pe x"),
        ("less", "less +!x"),
        ("sudo", "sudo x"),
        ("xargs", "xargs x"),
        ("docker", "docker run x"),
    ],
)
def test_a_rule_for_the_bare_tool_does_not_cover_options_that_run_or_write(pattern: str, command: str) -> None:
    assert judged(command, rules(allow=pattern)).verdict == "ask"


@pytest.mark.parametrize(
    ("pattern", "command"),
    [
        ("sort -o", "sort -o f g"),
        ("sort -o", "sort -o f -u -o g"),
        ("find . -delete", "find . -delete"),
        ("python -c", "python -c x"),
        ("bash x.sh", "bash x.sh y"),
        ("sudo x", "sudo x y"),
        ("xargs x", "xargs x"),
        ("timeout 5 x", "timeout 5 x y"),
        ("git -c a=b status", "git -c a=b status"),
        ("docker run", "docker run x"),
        ("sort", "sort -u -k 2,2o f"),
        ("sort", "sort -- -o"),
        ("sort", "sort ./*.txt"),
        ("sort", "sort <(sort x)"),
        ("python", "python x.py -c y"),
        ("python", "python -m x -c y"),
        ("sed", "sed -n '1,5p;$d' f"),
        ("sed", "sed -E 's/(a|b)/x/g' f"),
        ("awk", "awk -F: '$1 == 2 { print $1, $NF }' f"),
        ("date", "date -d 20240101 +%s"),
        ("date", "date -Iseconds"),
        ("uniq", "uniq -c a"),
        ("git", "git log --text --filter=x -n 5"),
        ("tar", "tar -xzf a"),
    ],
)
def test_a_rule_covers_what_it_names_and_the_usual_work_of_a_tool(pattern: str, command: str) -> None:
    assert judged(command, rules(allow=pattern)).verdict == "allow"


@pytest.mark.parametrize("command", ["./ls", "/opt/ls", "bin/ls", "/usr/bin/../../opt/ls", "/usr/bin//ls", "~/ls"])
def test_no_rule_allows_a_program_by_a_path_outside_the_system_folders(command: str) -> None:
    assert judged(command, rules(allow=f"ls,{command}")).verdict == "ask"


def test_no_rule_allows_a_program_that_an_agent_may_write() -> None:
    world = Pretend(writable=frozenset({"/usr/bin/ls"}))
    assert judged("cat x | ls", world=world).verdict == "ask"
    assert judged("/usr/bin/ls", world=world).verdict == "ask"


def test_the_order_of_rules_does_not_matter_and_the_strictest_wins() -> None:
    by = rules(allow="git,git push origin", ask="git push", deny="git push origin main")
    assert judged("git push origin main", by).verdict == "deny"
    assert judged("git push origin other", by).verdict == "ask"
    assert judged("git log", by).verdict == "allow"


def test_a_default_that_denies_is_for_what_no_rule_names() -> None:
    by = rules(allow="ls", ask="git commit", default="deny")
    wanted = {"ls": "allow", "git commit": "ask", "cat x": "deny", "$x": "deny", "ls; cat x": "deny", "ls '": "deny"}
    assert {command: judged(command, by).verdict for command in wanted} == wanted


def test_a_word_that_may_become_denied_asks() -> None:
    by = rules(deny="git push", default="allow")
    for command in ("git $x", "git $x push", "git $(x) y", 'git "$x"', "git {push,x}"):
        assert judged(command, by).verdict in {"ask", "deny"}


def test_options_before_the_subcommand_do_not_hide_it() -> None:
    for command in ("git -C x push", "git --git-dir=x -c a=b push", "git --no-pager push"):
        assert judged(command).verdict == "deny"


def test_changing_the_folder_needs_a_rule_of_its_own() -> None:
    by = rules(allow="cd,ls,git status")
    assert judged("cd x && ls", by).verdict == "allow"
    # Another folder may be another repository.
    assert judged("cd x && git status", by).verdict == "ask"


def test_bash_itself_must_be_able_to_read_what_it_would_run() -> None:
    assert judged("ls | cat", world=Pretend(readable=False)).verdict == "ask"
    assert judged("sh -c ls", world=Pretend(readable=False)).verdict == "ask"
    # Started without a shell.
    assert judged("ls -l", world=Pretend(readable=False)).verdict == "allow"


def test_a_path_that_asks_before_it_is_read_asks_in_a_command_too() -> None:
    world = Pretend(protected=frozenset({"secret/x", "secret/"}))
    asking = ["cat secret/x", "cat < secret/x", "cat secret/*", "sort --files0-from=secret/x", "cd y; cat x"]
    by = rules(allow="cat,sort,cd,echo,ls")
    assert {command: judged(command, by, world).verdict for command in asking} == dict.fromkeys(asking, "ask")
    assert judged("echo secret/x; ls y", by, world).verdict == "allow"


def test_git_needs_a_repository_that_runs_nothing_and_the_environment_for_it() -> None:
    assert judged("git status").verdict == "allow"
    assert judged("git status", world=Pretend(tame=False)).verdict == "ask"
    assert judged("sudo git status", rules(allow="sudo,git status")).verdict == "ask"


def test_the_world_is_not_asked_about_what_is_not_allowed() -> None:
    world = Pretend()
    for command in ("rm x", "ls; rm x", "curl x", "ls; curl x", "ls > f", "git push"):
        judged(command, world=world)
    assert world.asked == []


def test_no_length_and_no_depth_weakens_an_answer() -> None:
    assert judged("; ".join(["ls"] * 3000)).verdict == "allow"
    assert judged("; ".join(["ls"] * 3000 + ["rm x"])).verdict == "deny"
    nested = "rm x"
    for depth in range(60):
        nested = f"echo $({nested})"
        assert judged(nested).verdict == "deny", depth
    assert judged("sudo " * 500 + "rm x").verdict == "deny"
    assert judged("sudo --bogus " + "a " * 500 + "rm x").verdict == "deny"
    assert judged("(" * 500 + "rm x" + ")" * 500).verdict == "deny"


@pytest.mark.parametrize(
    "piece", ["{", "[", "(", "$(", "${", "((", "$((", "`", "'", '"', "{,", "<<a ", "\\", "!(", "; a=("]
)
def test_a_flood_of_brackets_is_answered_in_time(piece: str) -> None:
    assert judged(f"rm x; ls {piece * 1999}").verdict == "deny"


def test_every_answer_says_which_part_which_rule_and_which_word() -> None:
    judgement = judged("ls -l | sort -uo f; sudo rm x")
    assert json.loads(json.dumps(asdict(judgement))) == snapshot(
        {
            "verdict": "deny",
            "parts": [
                {
                    "text": "ls -l",
                    "start": 0,
                    "end": 5,
                    "words": ["ls", "-l"],
                    "verdict": "allow",
                    "rule": "ls",
                    "why": "ls is allowed",
                },
                {
                    "text": "sort -uo f",
                    "start": 8,
                    "end": 18,
                    "words": ["sort", "-uo", "f"],
                    "verdict": "ask",
                    "rule": "sort",
                    "why": "the rule sort does not cover -uo: -o writes or deletes files",
                },
                {
                    "text": "sudo rm x",
                    "start": 20,
                    "end": 29,
                    "words": ["sudo", "rm", "x"],
                    "verdict": "ask",
                    "rule": "[default]",
                    "why": "no rule names sudo",
                },
                {
                    "text": "rm x",
                    "start": 25,
                    "end": 29,
                    "words": ["rm", "x"],
                    "verdict": "deny",
                    "rule": "rm",
                    "why": "a rule denies rm",
                },
            ],
            "warnings": [{"kind": "other user", "why": "sudo runs it as another user", "start": 20, "end": 29}],
            "reason": "rm x: a rule denies rm",
            "argv": None,
        }
    )


def test_a_single_plain_command_can_run_without_a_shell() -> None:
    assert judged("git status  'a b'\n").argv == ("git", "status", "a b")
    for command in ("ls | cat", "ls *", "ls > f", "A=b ls", "ls &", "ls # x", "ls $x", "time ls", "cd x", "! ls"):
        assert judged(command).argv is None


def test_places_are_counted_in_characters() -> None:
    parts = judged("echo äöü; rm é").parts
    assert [(part.text, part.start, part.end) for part in parts] == [("echo äöü", 0, 8), ("rm é", 10, 14)]
