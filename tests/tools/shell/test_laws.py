from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from assent.tools.shell import Rules, Verdict, strictest
from tests.tools.shell.worlds import judged, rules

STRICTNESS = ("allow", "ask", "deny")
PROGRAMS = ["ls", "cat", "rm", "git", "foo"]
verdicts: st.SearchStrategy[Verdict] = st.sampled_from(["allow", "ask", "deny"])
words = st.sampled_from(["-l", "status", "push", "x", "'a b'", '"$x"', "*", "$(ls)", "--o=f", "> f", "2>&1", "<<< y"])
simple = st.builds(lambda name, rest: " ".join([name, *rest]), st.sampled_from(PROGRAMS), st.lists(words, max_size=3))
joined = st.builds(
    lambda first, glue, second: f"{first}{glue}{second}", simple, st.sampled_from(["; ", " && ", " | ", "\n"]), simple
)
commands = simple | joined
patterns = st.sampled_from(["ls", "cat", "rm", "git", "git status", "git push", "foo", "foo x", "ls -l"])
tables = st.builds(
    lambda allow, ask, deny, default: rules(
        allow=",".join(allow), ask=",".join(ask), deny=",".join(deny), default=default
    ),
    st.lists(patterns, max_size=4),
    st.lists(patterns, max_size=2),
    st.lists(patterns, max_size=2),
    verdicts,
)
WRAPS = [
    "env {}",
    "sudo {}",
    "nohup {}",
    "({})",
    "{{ {}; }}",
    "time {}",
    "timeout 5 {}",
    "if {}; then :; fi",
    "! {}",
    "sh -c {!r}",
]


def strict(command: str, by: Rules) -> int:
    return STRICTNESS.index(judged(command, by).verdict)


@given(st.lists(verdicts, min_size=1))
def test_the_strictest_of_several_verdicts_is_the_last_in_order(given_verdicts: list[Verdict]) -> None:
    assert STRICTNESS.index(strictest(given_verdicts)) == max(map(STRICTNESS.index, given_verdicts))


@given(commands, tables)
def test_a_command_is_as_strict_as_its_strictest_part(command: str, by: Rules) -> None:
    judgement = judged(command, by)
    assert judgement.verdict == strictest(part.verdict for part in judgement.parts)
    assert all(part.why and part.rule and part.text == command[part.start : part.end] for part in judgement.parts)


@given(commands, tables, patterns)
def test_a_rule_that_denies_never_makes_an_answer_more_lenient(command: str, by: Rules, pattern: str) -> None:
    limits = dict(by.limits)
    for name, found in rules(deny=pattern).limits.items():
        limits[name] = (*limits.get(name, ()), *found)
    assert strict(command, replace(by, limits=limits)) >= strict(command, by)


@given(simple, simple, tables)
def test_a_longer_command_is_never_more_lenient(first: str, second: str, by: Rules) -> None:
    assert strict(f"{first}; {second}", by) == max(strict(first, by), strict(second, by))


@given(st.sampled_from(PROGRAMS), st.lists(st.sampled_from(["x", "push", "-l"]), max_size=2), tables, st.data())
def test_quoting_a_word_otherwise_never_changes_a_denial(
    name: str, rest: list[str], by: Rules, data: st.DataObject
) -> None:
    spelled = [data.draw(spellings(word)) for word in (name, *rest)]
    plain = judged(" ".join([name, *rest]), by).verdict
    quoted = judged(" ".join(spelled), by).verdict
    assert (plain == "deny") == (quoted == "deny")


def spellings(word: str) -> st.SearchStrategy[str]:
    styles = st.sampled_from(["{}", "'{}'", '"{}"', "\\{}", "''{}", '{}""', "$'{}'"])
    return st.lists(styles, min_size=len(word), max_size=len(word)).map(
        lambda marks: "".join(mark.replace("{}", char) for mark, char in zip(marks, word, strict=True))
    )


@given(simple, tables, st.sampled_from(WRAPS))
def test_wrapping_a_command_never_makes_it_more_lenient(command: str, by: Rules, wrap: str) -> None:
    assert strict(wrap.format(command), by) >= strict(command, by)


pieces = st.sampled_from(
    [
        *"{}[]()<>|&;\n\t \\'\"`$#!*?~=",
        "$(",
        "${",
        "$((",
        "<<E\n",
        "E\n",
        "<<<",
        "&>",
        "ls",
        "rm",
        "x",
        "=(",
        "case ",
        " in ",
        "esac",
        ";;",
        "if ",
        "then ",
        "fi",
        "for ",
        "do ",
        "done",
        "function ",
        "f()",
        "[[ ",
        " ]]",
        "coproc ",
        "time ",
        "sh -c ",
        "\u202e",
        "\r",
    ]
)


@given(st.lists(pieces, max_size=30).map("".join) | st.text(), tables)
def test_any_text_gets_an_answer_whose_parts_lie_in_it(command: str, by: Rules) -> None:
    judgement = judged(command, by)
    assert judgement.parts
    assert all(0 <= part.start <= part.end <= len(command) for part in judgement.parts)
