"""What hides in a wrapper's own words: bash runs rm here, so the rules must not allow it."""

from __future__ import annotations

import os

import pytest

from assent.tools.shell import Machine, judge
from tests.tools.shell.bash_room import BashRoom, build_room, room_works
from tests.tools.shell.cases import build_machine, explained, rules_of

RULES = rules_of(
    rules=[{"pattern": "rm", "allowed": False}]
    + [
        {"pattern": name, "approval": False}
        for name in ("sort", "ls", "find", "echo", "true", "nsenter", "setarch", "chrt", "choom", "x86_64", "unshare")
    ],
    default="ask",
)

# A value that the shell makes several words of, an option that takes no value after all, a plus that is no end.
HIDDEN = [
    "nice -n $(echo 1 rm) ls x",
    "nice --adjustment $(echo 1 rm) ls x",
    "nice -n {1,rm} ls x",
    "for n in '1 rm'; do nice -n $n ls x; done",
    "timeout -s $(echo KILL 5 rm) 5 ls",
    "timeout --kill-after {5,5,rm} 5 ls",
    "stdbuf -o {L,rm} ls x",
    "stdbuf -o $(echo L rm) ls x",
    "ionice -c $(echo 3 rm) ls x",
    "echo x | xargs -n $(echo 1 rm) ls",
    "echo x | xargs -n {1,rm} ls",
    "echo x | xargs --max-args $(echo 1 rm) ls",
    "echo x | xargs --max-lines rm ls",
    "echo x | xargs --replace rm ls",
    "echo x | xargs --eof rm ls",
    "echo x | xargs -l rm ls",
    "echo x | xargs -i rm ls",
    "echo x | xargs -e rm ls",
    "find f -exec nice -n $(echo 1 rm) ls {} \\;",
    "find f -exec ls {} + -exec rm {} \\;",
    "nice timeout -s $(echo KILL 5 rm) 5 ls",
]
# The same, with programs that a room does not have or may not use.
UNSEEN = [
    "nsenter -w rm ls",
    "nsenter -r rm ls",
    "nsenter -mt rm ls",
    "setarch -R rm ls",
    "setarch --verbose rm ls",
    "chrt rm ls",
    "choom -n $(echo 1 rm) ls x",
    "x86_64 -R $(echo rm) ls",
    "unshare -R $(echo / rm) ls",
    "script -c ls out -c 'rm x'",
    "find f -ok sort {} + -omade {} \\;",
    "find f -exec ls \\;* -exec rm x \\;",
]
SEEN = [
    "nice -n 5 ls",
    'nice -n "$n" ls',
    "timeout -s KILL 5 ls",
    "stdbuf -oL ls",
    "ionice -c 3 ls",
    "ls | xargs -n 1 ls",
    "ls | xargs --max-lines=2 ls",
    "ls | xargs --replace ls {}",
    "ls | xargs -I % ls %",
    "ls | xargs -0 -r -n1 -P 4 ls",
    "find . -exec ls {} +",
    "find . -exec ls + {} \\;",
    "find . -exec ls {} \\; -exec ls {} +",
]


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    return build_machine(tmp_path_factory.mktemp("machine"))


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> BashRoom:
    folder = tmp_path_factory.mktemp("room")
    if not room_works(folder / "trial"):
        if os.environ.get("CI"):
            pytest.fail("bubblewrap cannot build a room here: scripts/system-packages bubblewrap")
        pytest.skip("bubblewrap is not here, or may not build a room")
    return build_room(folder / "room")


@pytest.mark.parametrize("command", [*HIDDEN, *UNSEEN])
def test_a_command_that_hides_among_a_wrappers_words_is_not_allowed(command: str, machine: Machine) -> None:
    judgement = judge(command, RULES, machine)
    assert judgement.verdict != "allow", explained(judgement)


def test_each_of_them_would_have_run_it(room: BashRoom) -> None:
    ran = room.ran(HIDDEN)
    assert [command for command, names in zip(HIDDEN, ran, strict=True) if "rm" not in names] == []


@pytest.mark.parametrize("command", SEEN)
def test_a_wrapper_whose_words_are_certain_is_judged_by_what_it_starts(command: str, machine: Machine) -> None:
    rules = rules_of(
        rules=[{"pattern": "ls", "approval": False}, {"pattern": "find", "approval": False}], default="ask"
    )
    judgement = judge(command, rules, machine)
    assert judgement.verdict == "allow", explained(judgement)


@pytest.mark.parametrize("wrapper", ["choom -n 1 --", "x86_64", "i386 -R", "setarch x86_64", "script -qc", "chrt -i 0"])
def test_a_denied_command_is_found_behind_a_seldom_wrapper(wrapper: str, machine: Machine) -> None:
    assert judge(f"{wrapper} rm x", RULES, machine).verdict == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "echo -of | xargs -Ia sort a -- g",
        "echo -of | xargs -tI a sort a -- g",
        "echo -of | xargs --repl=a sort a -- g",
        "echo -of | xargs -I% -Ia sort a -- g",
        'for mark in a; do echo -of | xargs -I "$mark" sort a -- g; done',
    ],
)
def test_what_the_input_replaces_may_be_an_option_however_its_mark_is_spelled(command: str, machine: Machine) -> None:
    judgement = judge(command, RULES, machine)
    assert judgement.verdict == "ask", explained(judgement)


DEEP = [
    *(
        "watch " * 900,
        "xargs " * 900,
        "eval " * 900,
        "sudo " * 900,
        "nice " * 900,
        "env -S " * 900,
        "ssh h " * 900,
    ),
    *("sudo --unknown " * 300, "find -exec " * 200, "echo " + "{a,b}" * 16 + "; ", "echo " + "{a,b}" * 100 + "; "),
]


@pytest.mark.parametrize("start", DEEP, ids=lambda start: f"{start[:12]} {len(start)}")
def test_what_makes_more_and_more_of_itself_asks_instead_of_being_looked_through(start: str, machine: Machine) -> None:
    assert judge(f"{start}ls", RULES, machine).verdict == "ask"
    assert judge(f"{start}rm x", RULES, machine).verdict == "deny"


def test_the_answer_says_what_is_too_much(machine: Machine) -> None:
    reason = judge("echo " + "{a,b}" * 16, RULES, machine).reason
    assert "more lies inside each other here than can be looked through; write it simpler" in reason
    assert judge("echo " + "{a,b}" * 8, RULES, machine).verdict == "allow"


def test_where_the_default_denies_so_does_what_is_too_much(machine: Machine) -> None:
    rules = rules_of(rules=[{"pattern": "echo", "approval": False}], default="deny")
    assert judge("echo " + "{a,b}" * 16, rules, machine).verdict == "deny"


def test_many_scripts_are_not_all_given_to_bash(machine: Machine) -> None:
    few, many = ("; ".join(f"sh -c 'ls {number}'" for number in range(count)) for count in (9, 200))
    assert judge(few, RULES, machine).verdict == "allow"
    judgement = judge(many, RULES, machine)
    assert judgement.verdict == "ask"
    assert "it holds 200 scripts, of which at most 100 are tried" in judgement.reason


@pytest.mark.parametrize("script", ["p\n\n" * 40, "q\n\n" * 40, "p  \n  " * 40, "1" + " " * 1900, "s/[a" * 400])
def test_a_script_of_sed_is_read_once(script: str, machine: Machine) -> None:
    rules = rules_of(rules=[{"pattern": "sed", "approval": False}], default="ask")
    assert judge(f"sed '{script}@' f", rules, machine).verdict == "ask"


@pytest.mark.parametrize(
    "command", ["git submodule foreach 'rm x'", "git bisect run rm x", "ip net exec a rm x", "ip vrf exec a rm x"]
)
def test_a_denied_command_is_found_behind_a_verb_that_starts_it(command: str, machine: Machine) -> None:
    assert judge(command, RULES, machine).verdict == "deny"
