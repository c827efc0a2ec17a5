"""The laws of searching: ripgrep and Python give the same answers, and they are the right ones."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from assent.errors import InvalidPattern
from assent.tools.files.search import Found, Search, _lines, _python, _ripgrep, _values, _worker, find_ripgrep, search
from assent.tools.files.search._characters import Characters
from assent.tools.files.search._lines import Lines, around, shown, worth_a_look
from assent.tools.files.search._pattern import Pattern, parse

# Patterns out of the subset, as text.
letters = st.sampled_from([*"abAB1_ -", "é", "日", r"\.", r"\t", r"\x62", r"\u00e9", r"\-", ",", "]", "}"])
members = st.sampled_from(
    ["a", "b", "a-c", "A-Z", r"\d", r"\w", r"\s", r"\W", r"\S", "é", "à-ü", "_", r"\]", " ", r"\r"]
)
classes = st.builds("[{}{}]".format, st.sampled_from(["", "^"]), st.lists(members, min_size=1, max_size=3).map("".join))
edges = st.sampled_from(["^", "$", r"\b"])
single = letters | classes | st.sampled_from([".", r"\d", r"\w", r"\s", r"\D", r"\W", r"\S"])
times = st.sampled_from(["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,2}?", "{1,}", "{2,}"])
opening = st.sampled_from(["(", "(?:", "(?i:", "(?-i:", "(?s:"])


def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    groups = st.builds("{}{})".format, opening, inner)
    return (
        st.lists(inner, min_size=1, max_size=3).map("".join)
        | groups
        | st.builds("{}{}".format, groups, times)
        | st.lists(inner, min_size=2, max_size=3).map("|".join).map("(?:{})".format)
    )


patterns = st.recursive(single | st.builds("{}{}".format, single, times) | edges, larger, max_leaves=6)
raw = st.text(r"ab^$.*+?{}[]()|\-,012&~:=!<>Piwdsb" + "é\n", max_size=12)

# Trees with everything in them that engines treat differently by default.
words = st.sampled_from(
    [b"a", b"b", b"ab", b"A", b"1", b"_", b" ", b"-", b".", b"\t", b"\r", "é".encode(), "日".encode()]
)
line = st.lists(words | st.sampled_from([b"\xff", b"\xe9", b"\xa0", b"\xc3"]), max_size=5).map(b"".join)
endings = st.sampled_from([b"\n", b"\n", b"\r\n"])
lines = st.lists(st.tuples(line, endings).map(b"".join), max_size=5).map(b"".join)
contents = st.tuples(
    st.sampled_from([b"", b"", b"\xef\xbb\xbf"]), lines, line, st.sampled_from([b"", b"", b"", b"\0"])
).map(b"".join)
names = st.sampled_from(
    [
        b"a.py",
        b"b.txt",
        b".hidden.py",
        b"sub/a.py",
        b"sub/b",
        b"sub/.git/x",
        b"sub-b",
        b"-e",
        b"x\ny",
        b"\xff.py",
        b"[!a]*{/c.py",
    ]
)
trees = st.dictionaries(names, contents, min_size=2, max_size=6)
options = st.fixed_dictionaries(
    {
        "glob": st.sampled_from([None, None, "*.py", "sub/*", "**/*.{py,txt}", "?.*", "[!s]*", "-e", r"\[*/*"]),
        "case_sensitive": st.booleans(),
        "context_lines": st.integers(0, 2),
        "max_results": st.sampled_from([1, 3, 100]),
        "first_only": st.booleans(),
        "suffixes": st.sampled_from([None, None, frozenset({".py"}), frozenset({".txt", "b"})]),
        "nested": st.sampled_from(
            [{}, {"sub": frozenset[str]()}, {"sub": None, "sub/.git": {"y"}, "[!a]*{": frozenset({".txt"})}]
        ),
        "most_bytes": st.sampled_from([10, 1000]),
        "nested_bytes": st.sampled_from([{}, {"sub": 5}, {"sub": 0, "sub/.git": 1000}]),
    }
)


def plant(root: Path, tree: Mapping[bytes, bytes]) -> None:
    for name, content in {**tree, b".gitignore": b"*\n", b".ignore": b"*\n"}.items():
        path = Path(os.fsdecode(os.fsencode(root) + b"/" + name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def both(wanted: Search) -> tuple[Found, Found]:
    """What the engines answer; the work of Python's process is done here, since starting it takes longer.

    Few lines are looked at without a second run of ripgrep, so it is also asked to look at them.
    """
    found = search(wanted, engine="ripgrep")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_ripgrep, "_QUICK", 0)
        assert search(wanted, engine="ripgrep") == found
    pattern = parse(wanted.pattern, ignore_case=not wanted.case_sensitive)
    again = _values.found(_worker.search(_python.job(wanted, pattern)))
    event(f"found {min(len(again.matches), 3)}")
    return found, again


@pytest.fixture(autouse=True, scope="module")
def short_lines() -> Iterator[None]:
    """Lines are cut early, so that where a match begins shows in the answers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_lines, "MOST_LINE_BYTES", 6)
        patch.setattr(_lines, "_BEFORE_HIT", 2)
        yield


slow = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@settings(slow, max_examples=60)
@given(trees, st.lists(st.tuples(patterns, options), min_size=3, max_size=6))
def test_ripgrep_and_python_find_the_same(
    tree: dict[bytes, bytes], searches: list[tuple[str, dict[str, object]]]
) -> None:
    with tempfile.TemporaryDirectory() as place:
        plant(Path(place), tree)
        folder = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for pattern, chosen in searches:
                wanted = replace(Search(folder=folder, pattern=pattern), **chosen)  # type: ignore[arg-type]
                try:
                    found, again = both(wanted)
                except InvalidPattern:
                    event("refused")
                    continue
                assert found == again, pattern
        finally:
            os.close(folder)


@settings(slow, max_examples=60)
@given(trees, st.lists(raw, min_size=5, max_size=15))
def test_any_text_as_a_pattern_is_refused_or_means_the_same_to_both(tree: dict[bytes, bytes], texts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as place:
        plant(Path(place), tree)
        folder = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for text in texts:
                try:
                    found, again = both(Search(folder=folder, pattern=text))
                except InvalidPattern:
                    continue
                assert found == again, text
        finally:
            os.close(folder)


newlines = st.sampled_from([r"\n", "\n", r"[\n]", r"\n+", r"[^\n]*", r"\s*", ".*?", r"$\n", r"\n^", r"[a\n]+"])
over_lines = st.lists(patterns | newlines, min_size=1, max_size=4).map("".join)


def first_lines_of_ripgrep(folder: int, place: str, pattern: Pattern) -> dict[str, int]:
    """Where ripgrep itself finds something over several lines: in which files, and its first line there.

    From the second match in a file on it is no judge: it forgets what stands before, and takes any place for `^`.
    """
    case = "--ignore-case" if pattern.ignore_case else "--case-sensitive"
    rg = find_ripgrep([folder])
    assert rg
    command = [rg, *_ripgrep.BOTH, case, "--multiline", "--hidden", "--no-ignore", "--json", "-e", pattern.source, "."]
    done = subprocess.run(command, cwd=place, capture_output=True, check=False)
    assert not done.stderr
    found: dict[str, int] = {}
    for message in map(json.loads, done.stdout.splitlines()):
        data: dict[str, Any] = message["data"]
        if message["type"] == "match":
            found.setdefault(path_of(data), data["line_number"])
        elif message["type"] == "end" and data["binary_offset"] is not None:
            found.pop(path_of(data), None)
    return found


def path_of(data: dict[str, dict[str, str]]) -> str:
    path = data["path"]
    return path.get("text", os.fsdecode(base64.b64decode(path.get("bytes", "")))).removeprefix("./")


@settings(slow, max_examples=60)
@given(trees, st.lists(st.tuples(over_lines | raw, st.booleans()), min_size=3, max_size=6))
def test_over_several_lines_python_finds_what_ripgrep_does(
    tree: dict[bytes, bytes], searches: list[tuple[str, bool]]
) -> None:
    with tempfile.TemporaryDirectory() as place:
        plant(Path(place), tree)
        folder = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for text, folds in searches:
                try:
                    pattern = parse(text, ignore_case=folds, multiline=True)
                except InvalidPattern:
                    event("refused")
                    continue
                wanted = Search(folder=folder, pattern=text, case_sensitive=not folds, multiline=True)
                again = _worker.search(_python.job(wanted, pattern))
                event(f"over lines: {any(chr(10) in content for _, _, content in again['matches'])}")
                first = {path: line for path, line, _ in reversed(again["matches"])}
                assert first == first_lines_of_ripgrep(folder, place, pattern), text
        finally:
            os.close(folder)


@settings(slow, max_examples=6)
@given(trees, over_lines, options, st.booleans())
def test_the_engines_agree_through_their_processes_too(
    tree: dict[bytes, bytes],
    pattern: str,
    chosen: dict[str, object],
    multiline: bool,  # noqa: FBT001 (drawn)
) -> None:
    with tempfile.TemporaryDirectory() as place:
        plant(Path(place), tree)
        folder = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
        try:
            wanted = replace(Search(folder=folder, pattern=pattern, multiline=multiline), **chosen)  # type: ignore[arg-type]
            try:
                found = search(wanted, engine="ripgrep")
            except InvalidPattern:
                with pytest.raises(InvalidPattern):
                    search(wanted, engine="python")
            else:
                again = search(wanted, engine="python")
                assert [(match.path, match.line) for match in found.matches] == [
                    (match.path, match.line) for match in again.matches
                ]
                assert found.truncated is again.truncated
        finally:
            os.close(folder)


text_lines = st.lists(st.sampled_from([*"abAB1_ -.,]}\t", "é", "ü", "日", "\U0001f600"]), max_size=6).map("".join)


@given(patterns, st.lists(text_lines, min_size=1, max_size=5), st.booleans())
def test_on_text_a_pattern_means_what_python_says(pattern: str, texts: list[str], folds: bool) -> None:  # noqa: FBT001 (drawn)
    try:
        parsed = parse(pattern, ignore_case=folds)
    except InvalidPattern:
        return
    lines = Lines(parsed.source.encode(), ignore_case=parsed.ignore_case, needles=parsed.needles)
    data = "".join(f"{text}\n" for text in texts).encode()
    judge = re.compile(pattern, re.ASCII | (re.IGNORECASE if folds else re.NOFLAG))
    expected = [text for text in texts if judge.search(text)]
    assert [data[start:end].decode() for start, end, _ in lines.find(data)] == expected


@given(over_lines, st.lists(text_lines, min_size=1, max_size=5), st.booleans(), st.sampled_from(["", "\n"]))
def test_on_text_over_several_lines_a_pattern_means_what_python_says(
    pattern: str,
    texts: list[str],
    folds: bool,  # noqa: FBT001 (drawn)
    end: str,
) -> None:
    try:
        parsed = parse(pattern, ignore_case=folds, multiline=True)
    except InvalidPattern:
        return
    lines = Lines(
        parsed.source.encode(),
        ignore_case=parsed.ignore_case,
        needles=parsed.needles,
        every_needle=parsed.every_needle,
        multiline=True,
    )
    text = "\n".join(texts) + end
    data = text.encode()
    touched = [
        number
        for start, stop, _ in lines.find(data)
        for number in range(data.count(b"\n", 0, start), data.count(b"\n", 0, stop) + 1)
    ]
    flags = re.ASCII | re.MULTILINE | re.DOTALL | (re.IGNORECASE if folds else re.NOFLAG)
    assert touched == touched_lines(re.compile(pattern, flags), text)


def touched_lines(judge: re.Pattern[str], text: str) -> list[int]:
    """Every line that is part of a match, or where an empty one is."""
    touched: set[int] = set()
    position = 0
    while position <= len(text) and (match := judge.search(text, position)):
        touched.update(text.count("\n", 0, each) for each in range(match.start(), max(match.end(), match.start() + 1)))
        position = max(match.end(), match.start() + 1)
    return sorted(touched - {text.count("\n")} if text.endswith("\n") or not text else touched)


needles = st.lists(st.sampled_from([b"aab", b"aba", b"babb"]), min_size=1, max_size=3, unique=True)
lines_with_some = st.lists(st.sampled_from([b"", b"a", b"aab", b"AAb", b"babb", b"xabab", b"abaab", b"b"]), max_size=6)


@given(lines_with_some, st.integers(0, 5), st.integers(0, 3), st.booleans())
def test_the_lines_around_a_match_are_all_that_is_needed_to_show_it(
    lines: list[bytes],
    number: int,
    context: int,
    ends: bool,  # noqa: FBT001 (drawn)
) -> None:
    data = b"\n".join(lines) + b"\n" * ends
    real = data.removesuffix(b"\n").split(b"\n")
    if number >= len(real):
        return
    start = sum(len(line) + 1 for line in real[:number])
    end = start + len(real[number])
    first, last = around(data, start, end, context)
    nearby = range(max(0, number - context), min(len(real), number + context + 1))
    assert data[first:last].removesuffix(b"\n").split(b"\n") == [real[each] for each in nearby]
    expected = [f"{'--> ' if each == number else '    '}{real[each].decode()}" for each in nearby]
    place = start - first, end - first, start - first
    assert shown(data[first:last], place, context) == ("\n".join(expected) if context else real[number].decode())


@given(lines_with_some, needles, st.booleans(), st.booleans())
def test_every_line_with_a_needle_is_worth_a_look_and_no_other(
    each: list[bytes],
    wanted: list[bytes],
    folds: bool,  # noqa: FBT001 (drawn)
    ends: bool,  # noqa: FBT001 (drawn)
) -> None:
    data = b"\n".join(each) + b"\n" * ends
    seen = [data[start:end] for start, end in worth_a_look(data, wanted, ignore_case=folds)]
    assert seen == [one for one in each if any(needle in (one.lower() if folds else one) for needle in wanted)]


points = st.integers(0, 0x10FFFF).filter(lambda point: not 0xD800 <= point <= 0xDFFF and point != 10)
ranges = st.lists(st.tuples(points, points).map(lambda two: (min(two), max(two))), min_size=1, max_size=3)


@given(ranges, points, st.booleans())
def test_a_set_takes_the_utf8_of_its_characters_and_of_no_other(
    chosen: list[tuple[int, int]],
    point: int,
    negated: bool,  # noqa: FBT001 (drawn)
) -> None:
    characters = Characters.of(chosen, negated=negated)
    if characters.ranges:
        inside = any(low <= point <= high for low, high in chosen) is not negated
        assert bool(re.fullmatch(characters.spelled().encode(), chr(point).encode(), re.DOTALL)) is inside
