"""What a remembered answer, a variable or a pattern may do without saying so."""

from __future__ import annotations

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from assent import Approve, CommandPolicy, Gate, Scope
from assent.config import SETTINGS_FILE, Settings, Shell, read_settings
from assent.errors import ConfigError
from assent.testing import Answers, memory_store
from assent.tools.shell import Rules, generalisations
from tests.tools.shell.worlds import judged, rules


@pytest.mark.parametrize(
    "command",
    [
        *("sqlite3 x.db .tables", "psql -l", "mysql -e x", "gdb x", "dc f", "m4 f", "R -f x", "Rscript x", "lftp x"),
        *(
            "choom -p 1",
            "x86_64 true",
            "i386 true",
            "linux32 true",
            "uname26 true",
            "setarch -R true",
            "cpulimit -l 5 x",
        ),
        *("watch x", "flock f x", "unshare x", "nsenter x", "taskset 1 x", "chrt 1 x", "prlimit x", "setpriv x"),
        *(
            "runuser x",
            "strace x",
            "ltrace x",
            "busybox x",
            "script x",
            "expect x",
            "screen x",
            "tmux x",
            "perf stat x",
        ),
    ],
)
def test_nobody_may_grant_the_first_words_of_what_starts_other_programs(command: str) -> None:
    assert generalisations(judged(command)) == ()


@pytest.mark.parametrize(
    "command", ["openssl rand 4", "sysctl -a", "ip addr", "gcc x.c", "g++-12 x.c", "clang x.c", "nodejs --version"]
)
def test_nor_of_what_its_arguments_decide(command: str) -> None:
    assert generalisations(judged(command)) == ()


READS_CONFIGURATION = [
    *("git config --get user.name", "git config user.name", "git config --global user.name", "git config -l"),
    *("git config --list --show-origin", "git config get user.name", "git config list", "git config -f x --get a.b"),
    *("git config --file=x -z --list", "git config --type bool --get core.bare", "git config --get-all a.b x"),
]
SETS_CONFIGURATION = [
    *("git config core.hooksPath get", "git config set core.hooksPath list", "git config --add core.fsmonitor get"),
    *("git config --global alias.st list", "git config core.hooksPath x", "git config --unset a.b", "git config edit"),
    *("git config -f list a.b x", "git config -f --get a.b x", "git config --get --unset a.b", "git config -e --get"),
    *("git config --replace-all a.b --get", "git config --rename-section a --list", "git config unset a.b"),
    *("git config --fil --get a.b x", "git config --default --get a.b x", "git config -zf x a.b c"),
]


@pytest.mark.parametrize("command", READS_CONFIGURATION)
def test_a_rule_for_git_config_covers_reading(command: str) -> None:
    assert judged(command, rules(allow="git config")).verdict == "allow"


@pytest.mark.parametrize("command", SETS_CONFIGURATION)
def test_and_no_setting_wherever_a_word_that_reads_stands(command: str) -> None:
    assert judged(command, rules(allow="git config")).verdict == "ask"


def asked_for(command: str, folder: Path) -> list[str]:
    """What a person is offered to remember, beside the command itself."""
    person = Answers(Approve(by="ana", scope=Scope.ONCE))
    policy = CommandPolicy(Rules.of(Shell()), cwd=folder)
    run = Gate(approver=person, store=memory_store()).wrap(_run, policy=policy)
    run(command)
    return [wider.description.replace(str(folder), "FOLDER") for wider in person.asked[0].request.wider]


def _run(command: str) -> str:
    return command


def test_a_grant_promises_to_stop_at_options_only_where_they_are_known(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    assert asked_for("sort f", folder) == snapshot(
        ["sort with any arguments, in FOLDER; not options that run or write"]
    )
    assert asked_for("git add f", folder) == snapshot(
        ["git add with any arguments, in FOLDER; not options that run or write"]
    )
    assert asked_for("cp f g", folder) == snapshot(["cp with any arguments, in FOLDER, whatever they make it do"])


@pytest.mark.parametrize(
    "name",
    [
        *(
            "RIPGREP_CONFIG_PATH",
            "TAR_OPTIONS",
            "MAKEFLAGS",
            "AWKPATH",
            "GETCONF_DIR",
            "npm_config_script_shell",
            "LESS",
        ),
        *("CC", "RUSTC_WRAPPER", "CARGO_HOME", "PIP_INDEX_URL", "PERL5OPT", "RUBYOPT", "JDK_JAVA_OPTIONS", "LUA_INIT"),
        *("XDG_CONFIG_HOME", "POSIXLY_CORRECT", "PSQLRC", "WGETRC", "OPENSSL_CONF", "SSH_ASKPASS", "RSYNC_RSH"),
        *("AWS_KEY", "STRIPE_KEY"),
    ],
)
def test_a_variable_that_steers_a_program_is_not_passed_on(name: str) -> None:
    with pytest.raises(ConfigError, match="leave it out"):
        Shell(env=(name,))


@pytest.mark.parametrize(
    "name", ["CI", "NO_COLOR", "LANG", "TZ", "DATABASE_URL", "KEYBOARD", "CCACHE", "SSH_AUTH_SOCK"]
)
def test_other_variables_are(name: str) -> None:
    assert Shell(env=(name,)).env == (name,)


def settings(folder: Path, pattern: str) -> Settings:
    file = folder / SETTINGS_FILE
    file.write_text(f"shell:\n  rules:\n    - pattern: {pattern}\n      allowed: false\n")
    return read_settings(file)


@pytest.mark.parametrize(
    "pattern", ["rm *", "rm|ls", "rm; ls", "rm && ls", "A=1 rm", "rm $x", "rm > f", "rm ?", "(rm)"]
)
def test_a_pattern_that_could_never_match_as_it_reads_is_refused(pattern: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="first words of one command"):
        settings(tmp_path, f'"{pattern}"')


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("""find . -name '*.py'""", ("find", ".", "-name", "*.py")),
        ("""'grep "a|b" '""", ("grep", "a|b")),
        ("""'grep a\\*'""", ("grep", "a*")),
        ("""[rm, "*"]""", ("rm", "*")),
        ("""make CC=gcc""", ("make", "CC=gcc")),
    ],
)
def test_the_same_characters_in_quotes_or_in_a_list_are_part_of_a_word(
    pattern: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    assert settings(tmp_path, pattern).shell.rules[0].pattern == words
