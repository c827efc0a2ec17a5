from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import FrameType

import pytest

from assent.errors import InvalidArguments, InvalidPattern, RipgrepNotFound
from assent.tools.files.search import Engine, Found, Match, Search, find_ripgrep, search
from assent.tools.files.search._answer import MOST_TEXT
from assent.tools.files.search._lines import MOST_LINE_BYTES, MOST_MATCH_LINES
from assent.tools.files.search._process import started_inside

ENGINES: list[Engine] = ["ripgrep", "python"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def look(root: Path) -> Iterator[Search]:
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    yield Search(folder=folder, pattern="needle")
    os.close(folder)


def write(root: Path, **files: str | bytes) -> None:
    for name, content in files.items():
        put(root / name, content)


def put(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def hits(found: Found) -> list[tuple[str, int]]:
    return [(match.path, match.line) for match in found.matches]


def matching(look: Search, pattern: str) -> list[str]:
    """What matches, which must be the same for both engines."""
    found = [search(replace(look, pattern=pattern), engine=engine) for engine in ENGINES]
    assert found[0] == found[1]
    return [match.content for match in found[0].matches]


def test_ripgrep_is_installed_where_tests_run(look: Search) -> None:
    assert find_ripgrep([look.folder])


@pytest.mark.parametrize("engine", ENGINES)
def test_the_example_of_the_specification(root: Path, look: Search, engine: Engine) -> None:
    before = "\n" * 40 + "# Establish database connection\n"
    put(root / "src/db/connection.py", f"{before}def connect(host, port):\n    return Client(host, port)\n")
    put(root / "src/db/connection.txt", "def connect")
    found = search(replace(look, pattern=r"def\s+connect", glob="**/*.py", context_lines=1), engine=engine)
    content = "    # Establish database connection\n--> def connect(host, port):\n        return Client(host, port)"
    assert found == Found(matches=[Match(path="src/db/connection.py", line=42, content=content)], truncated=False)


@pytest.mark.parametrize("engine", ENGINES)
def test_one_match_for_each_line_with_its_own_context(root: Path, look: Search, engine: Engine) -> None:
    put(root / "a", "needle needle\nx\nneedle")
    found = search(replace(look, context_lines=1), engine=engine)
    assert [match.content for match in found.matches] == ["--> needle needle\n    x", "    x\n--> needle"]
    assert [match.content for match in search(look, engine=engine).matches] == ["needle needle", "needle"]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_first_matches_by_path_and_line_are_answered(root: Path, look: Search, engine: Engine) -> None:
    for name in ["b", "a/z", "a.b/x", "a-b"]:
        put(root / name, "needle\n\nneedle\n")
    found = search(replace(look, max_results=5), engine=engine)
    assert hits(found) == [("a-b", 1), ("a-b", 3), ("a.b/x", 1), ("a.b/x", 3), ("a/z", 1)]
    assert found.truncated
    assert not search(replace(look, max_results=8), engine=engine).truncated
    assert search(replace(look, max_results=7), engine=engine).truncated


@pytest.mark.parametrize("engine", ENGINES)
def test_hidden_and_ignored_files_are_searched_and_binary_and_large_ones_are_not(
    root: Path, look: Search, engine: Engine
) -> None:
    write(root, **{".hidden": "needle", ".gitignore": "*\n!needle", ".ignore": "*\n#needle", ".rgignore": "needle"})
    put(root / ".git/config", "needle")
    put(root / "ignored.txt", "needle")
    put(root / "binary", b"needle\n\0")
    put(root / "early_binary", b"needle\n\0" + b"x" * 300_000)
    put(root / "late_binary", b"needle\n" + b"x" * 300_000 + b"\0")
    put(root / "long_text", b"needle\n" + b"x" * 300_000)
    put(root / "utf16", "needle".encode("utf-16"))
    put(root / "large", "needle" + " " * 1000)
    put(root / ".assent-00ff.tmp", "needle")
    found = search(replace(look, most_bytes=1000), engine=engine)
    assert [path for path, _ in hits(found)] == [
        ".git/config",
        ".gitignore",
        ".hidden",
        ".ignore",
        ".rgignore",
        "ignored.txt",
    ]
    everything = {path for path, _ in hits(search(look, engine=engine))}
    assert {"large", "long_text"} <= everything
    assert everything.isdisjoint({"early_binary", "late_binary"})


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("glob", "paths"),
    [
        (None, ["[x]/a.py", "a.py", "a.txt", "sub/a.py", "sub/b.md"]),
        ("*.py", ["[x]/a.py", "a.py", "sub/a.py"]),
        ("a.py", ["[x]/a.py", "a.py", "sub/a.py"]),
        ("sub/*", ["sub/a.py", "sub/b.md"]),
        ("**/*.{py,md}", ["[x]/a.py", "a.py", "sub/a.py", "sub/b.md"]),
        (r"\[x\]/**", ["[x]/a.py"]),
        ("*.[tm][xd]*", ["a.txt", "sub/b.md"]),
    ],
)
def test_a_glob_chooses_the_files(root: Path, look: Search, engine: Engine, glob: str | None, paths: list[str]) -> None:
    for name in ["a.py", "a.txt", "sub/a.py", "sub/b.md", "[x]/a.py"]:
        put(root / name, "needle")
    assert [path for path, _ in hits(search(replace(look, glob=glob), engine=engine))] == paths


@pytest.mark.parametrize("engine", ENGINES)
def test_what_may_not_be_read_is_not_found(root: Path, look: Search, engine: Engine) -> None:
    for name in ["a.md", "a.py", "sub/a.md", "sub/a.py", "sub/deep/a.md", "sub/deep/a.py", "sub2/a.md", "x/sub/a.md"]:
        put(root / name, "needle")
    nested = {"sub": {".py"}, "sub/deep": set[str](), "sub2": None}
    found = search(replace(look, suffixes={".md"}, nested=nested), engine=engine)
    assert [path for path, _ in hits(found)] == ["a.md", "sub/a.py", "sub2/a.md", "x/sub/a.md"]
    assert hits(search(replace(look, suffixes={".md"}, glob="*.py"), engine=engine)) == []
    assert hits(search(replace(look, suffixes=set()), engine=engine)) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_an_answer_ends_at_a_million_characters_whatever_is_asked_for(root: Path, look: Search, engine: Engine) -> None:
    put(root / "a", "".join(f"needle {number:05}{'x' * 80}\n" for number in range(30_000)))
    asked = replace(look, context_lines=100, max_results=10_000)
    found = search(asked, engine=engine)
    size = sum(len(match.content) for match in found.matches)
    assert MOST_TEXT - 30_000 < size < MOST_TEXT + 30_000
    assert [match.line for match in found.matches] == list(range(1, len(found.matches) + 1))
    assert found.truncated
    assert not search(replace(asked, pattern="needle 00001"), engine=engine).truncated


def test_reading_what_ripgrep_names_is_ended_in_time_too(
    root: Path, look: Search, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    put(root / "a", "x" * 9_000_000)
    # It says so 5,000 times that there is something in this file.
    program(tmp_path, r"yes './a' | head -n 5000 | tr '\n' '\000'", monkeypatch)
    begun = time.monotonic()
    with pytest.raises(InvalidPattern, match=r"ended after 0\.5 s"):
        search(replace(look, timeout=0.5), engine="ripgrep")
    assert time.monotonic() - begun < 10


def test_case_counts_unless_told_otherwise_and_is_folded_in_ascii_only(root: Path, look: Search) -> None:
    put(root / "a", "Needle\nNEEDLE\nÄrger\närger\nK\n\u212a\n")
    assert matching(look, "needle") == []
    loose = replace(look, case_sensitive=False)
    assert matching(loose, "needle") == ["Needle", "NEEDLE"]
    assert matching(loose, "ÄRGER") == ["Ärger"]
    assert matching(loose, "k") == ["K"]
    assert matching(loose, "^[^nkäÄ]") == ["\u212a"]
    assert matching(look, "(?i)needle") == ["Needle", "NEEDLE"]
    assert matching(look, "N(?i:EED)le") == ["Needle"]
    assert matching(loose, "(?-i:N)EED(?-i:l)") == ["Needle"]


def test_a_dot_is_a_whole_character_and_a_run_of_them_passes_over_any_bytes(root: Path, look: Search) -> None:
    put(root / "a", "é\n日x\n".encode() + b"a\xe9b\na\xa0\xa0b\n")
    assert matching(look, "^.$") == ["é"]
    assert matching(look, "^..$") == ["日x"]
    assert matching(look, "a.b") == [r"a\xe9b"]
    assert matching(look, "a.*b") == [r"a\xe9b", r"a\xa0\xa0b"]
    assert matching(look, "[à-ü]") == ["é"]
    assert matching(look, "^[^é]") == ["日x", r"a\xe9b", r"a\xa0\xa0b"]


def test_the_end_of_a_line_is_before_its_carriage_return(root: Path, look: Search) -> None:
    put(root / "a", b"foo\r\nfoo\nfoo x\r\n\r\n\nfoo")
    assert matching(look, "foo$") == ["foo", "foo", "foo"]
    assert matching(look, "^$") == ["", ""]


def test_a_byte_order_mark_is_a_character(root: Path, look: Search) -> None:
    put(root / "a", b"\xef\xbb\xbfneedle")
    assert matching(look, "^needle") == []
    assert matching(look, r"^\ufeffneedle") == ["\ufeffneedle"]


def test_a_long_line_is_cut_around_the_match_and_the_rest_counted(root: Path, look: Search) -> None:
    put(root / "a", "é" * 5000 + "needle" + "x" * 5000)
    (content,) = matching(look, "needle")
    assert content.startswith("[9700 bytes not shown] é")
    assert "éneedlex" in content
    assert content.endswith("x [4306 bytes not shown]")
    assert content.count("é") == 150
    put(root / "a", "x" * MOST_LINE_BYTES + "\r\n")
    assert matching(look, "x") == ["x" * MOST_LINE_BYTES]


# Over several lines


def over_lines(look: Search, pattern: str) -> list[tuple[int, str]]:
    """What matches over several lines, which must be the same for both engines."""
    found = [search(replace(look, pattern=pattern, multiline=True), engine=engine) for engine in ENGINES]
    assert found[0] == found[1]
    return [(match.line, match.content) for match in found[0].matches]


def test_a_match_over_several_lines_is_all_of_them_from_its_first_one_on(root: Path, look: Search) -> None:
    put(root / "a", "one\ndef f(\n    x,\n):\n    pass\ndef g(): pass\n")
    assert over_lines(look, r"def \w\(.*?\)") == [(2, "def f(\n    x,\n):"), (6, "def g(): pass")]
    assert over_lines(look, r"one\ndef") == [(1, "one\ndef f(")]
    assert over_lines(look, "one\ndef") == [(1, "one\ndef f(")]
    assert over_lines(look, r"one\s+d[^x]+x") == [(1, "one\ndef f(\n    x,")]
    assert over_lines(look, r"[\n]\)") == [(3, "    x,\n):")]
    assert matching(look, r"def \w\(.*?\)") == ["def g(): pass"]


def test_a_newline_belongs_to_the_line_it_ends(root: Path, look: Search) -> None:
    put(root / "a", "one\ntwo\n")
    assert over_lines(look, r"one\n") == [(1, "one")]
    assert over_lines(look, r"\n") == [(1, "one"), (2, "two")]
    assert over_lines(look, r"e\nt") == [(1, "one\ntwo")]


def test_over_lines_the_edges_are_still_those_of_each_line(root: Path, look: Search) -> None:
    put(root / "a", b"one\r\ntwo\n\nthree")
    assert over_lines(look, r"^two$") == [(2, "two")]
    assert over_lines(look, r"one$\n^two$\n^$") == [(1, "one\ntwo")]
    assert over_lines(look, r"one$\n^two$\n^$\n") == [(1, "one\ntwo\n")]
    assert over_lines(look, r"^$") == [(3, "")]
    assert over_lines(look, r"^three$") == [(4, "three")]
    assert over_lines(look, r"three\n") == []
    assert over_lines(look, "") == [(1, "one"), (2, "two"), (3, ""), (4, "three")]


def test_matches_that_share_a_line_are_one(root: Path, look: Search) -> None:
    put(root / "a", "<a\n> <b\n> x\n<c\n>\n")
    assert over_lines(look, "<.*?>") == [(1, "<a\n> <b\n> x"), (4, "<c\n>")]


@pytest.mark.parametrize("engine", ENGINES)
def test_every_line_of_a_match_is_marked_among_its_neighbours(root: Path, look: Search, engine: Engine) -> None:
    put(root / "a", "0\n1\nfrom\nto\n4\n5\n")
    found = search(replace(look, pattern="from.to", multiline=True, context_lines=1), engine=engine)
    assert [(match.line, match.content) for match in found.matches] == [(3, "    1\n--> from\n--> to\n    4")]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_match_over_very_many_lines_is_shown_in_part_and_the_rest_counted(
    root: Path, look: Search, engine: Engine
) -> None:
    put(root / "a", "0\n" + "x\n" * 5_000)
    found = search(replace(look, pattern="x.*", multiline=True, context_lines=1), engine=engine)
    marked = f"--> [{5_000 - MOST_MATCH_LINES} more lines of this match not shown]"
    assert found.matches[0].content.split("\n") == ["    0", *["--> x"] * MOST_MATCH_LINES, marked]


def test_a_hostile_pattern_over_several_lines_is_ended_in_time(root: Path, look: Search) -> None:
    put(root / "a", "b\n" + "a" * 60 + "!\n")
    before = children()
    for engine in ENGINES:
        with pytest.raises(InvalidPattern, match=r"ended after 0\.5 s"):
            search(replace(look, pattern=r"(a+\s*)+b?$|b\n", multiline=True, timeout=0.5), engine=engine)
    assert children() == before


@pytest.mark.parametrize("engine", ENGINES)
def test_what_goes_on_to_the_end_in_vain_is_looked_for_only_where_it_can_be(
    root: Path, look: Search, engine: Engine
) -> None:
    # From every <a> Python would go through the rest, and from every <b> once more.
    put(root / "a", "<a> <b> <c>\n" + "<a> <b>\n" * 20_000)
    found = search(replace(look, pattern="<a>.*?<b>.*?<c>", multiline=True, timeout=20), engine=engine)
    assert hits(found) == [("a", 1)]


@pytest.mark.parametrize(
    "pattern",
    [
        "(?=a)",
        "(?!a)",
        "(?<=a)",
        "(?<!a)b",
        r"(a)\1",
        "(?P<n>a)(?P=n)",
        "(?>a)",
        "a++",
        "a*+",
        "a{2}+",
        "a**",
        "a{2}{3}",
        r"\p{L}",
        r"\pL",
        r"\A",
        r"\z",
        r"\Z",
        r"\<a",
        r"\n",
        "a\nb",
        r"[\n]",
        "[[:alpha:]]",
        "[a&&b]",
        "[a--b]",
        "[a~~b]",
        "(",
        ")",
        "[",
        "[]",
        "*a",
        "a|*",
        "{",
        "a{",
        "a{,3}",
        "a{3,2}",
        "a{1001}",
        "((a{999}){999})",
        "(?x)a",
        "(?u)a",
        "a(?i)b",
        r"\x",
        r"\xg0",
        r"\x{41}",
        r"\u00",
        r"\ud800",
        r"\U00110000",
        r"\0",
        "\x00",
        r"\x00",
        r"\é",
        r"\y",
        "\\",
        "^*",
        r"\b+",
        "$?",
        "(?P<a>x)(?P<a>y)",
        "(?P<1>a)",
        "(?<n>a)",
        "[z-a]",
        r"[a-\d]",
        r"[\d-a]",
        "[a-c-e]",
        r"[\b]",
        "(?(1)a|b)",
        "(?#c)",
        "\ud800",
        "a" * 2001,
        "(" * 60 + "a" + ")" * 60,
        r"[^\s\S]",
    ],
)
def test_a_pattern_that_only_one_engine_understands_is_refused_by_both(look: Search, pattern: str) -> None:
    said: list[str] = []
    for engine in ENGINES:
        with pytest.raises(InvalidPattern) as refused:
            search(replace(look, pattern=pattern), engine=engine)
        said.append(str(refused.value))
    assert said[0] == said[1]


@pytest.mark.parametrize(
    "pattern", [r"a\{", "]", "}", "a,b", "#", r"\#\-\ \@", "(?s).", "(?m)^", "(?im)X", "", "()", "a||b"]
)
def test_what_both_understand_is_taken(root: Path, look: Search, pattern: str) -> None:
    put(root / "a", "a{]} a,b x ##\n#- @\n")
    assert matching(look, pattern)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_pattern_or_a_name_that_looks_like_an_option_is_none(root: Path, look: Search, engine: Engine) -> None:
    names = ["-e", "--pre=touch pwned", "a\nb", os.fsdecode(b"\xff"), "-"]
    for name in names:
        put(root / name, "--files")
    found = search(replace(look, pattern="--files"), engine=engine)
    assert [path for path, _ in hits(found)] == sorted(names, key=os.fsencode)


@pytest.mark.parametrize("engine", ENGINES)
def test_links_and_pipes_are_not_searched(root: Path, look: Search, engine: Engine, tmp_path: Path) -> None:
    put(tmp_path / "outside" / "canary", "needle CANARY")
    put(root / "a", "needle")
    (root / "file").symlink_to(tmp_path / "outside" / "canary")
    (root / "folder").symlink_to(tmp_path / "outside")
    (root / "inside").symlink_to("a")
    os.mkfifo(root / "pipe")
    assert hits(search(replace(look, timeout=20), engine=engine)) == [("a", 1)]


SWAP = """
import os, sys
os.chdir(sys.argv[1])
print("ready", flush=True)
while True:
    os.rename("sub", "away"); os.symlink(sys.argv[2], "sub"); os.unlink("sub"); os.rename("away", "sub")
    os.rename("file", "real"); os.symlink(sys.argv[2] + "/file", "file"); os.unlink("file"); os.rename("real", "file")
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_swapped_for_a_link_meanwhile_is_not_read(
    root: Path, look: Search, engine: Engine, tmp_path: Path
) -> None:
    put(tmp_path / "outside" / "file", "needle CANARY")
    put(root / "file", "needle")
    put(root / "sub/file", "needle")
    seen: set[tuple[str, str]] = set()
    command = [sys.executable, "-c", SWAP, str(root), str(tmp_path / "outside")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as swapper:
        try:
            assert swapper.stdout
            assert swapper.stdout.readline() == b"ready\n"
            end = time.monotonic() + 1.5
            while time.monotonic() < end:
                seen.update((match.path, match.content) for match in search(look, engine=engine).matches)
            assert swapper.poll() is None
        finally:
            swapper.kill()
    assert seen
    assert {content for _, content in seen} == {"needle"}


def test_a_hostile_pattern_is_ended_in_time(root: Path, look: Search) -> None:
    put(root / "a", "a" * 60 + "!\nab\n")
    hostile = replace(look, pattern="^(a+)+b?$|ab", timeout=0.5)
    before = children()
    started = time.monotonic()
    with pytest.raises(InvalidPattern, match=r"ended after 0\.5 s"):
        search(hostile, engine="python")
    assert time.monotonic() - started < 10
    assert children() == before
    # ripgrep takes its time in proportion to the text, whatever the pattern.
    assert hits(search(replace(hostile, timeout=30), engine="ripgrep")) == [("a", 2)]


@pytest.mark.parametrize(
    ("pattern", "line", "runs"),
    [
        ("needle", "needle", 1),
        ("no|needle|nothing", "needle", 1),
        (r"ne+dle|s\w*p", "needle", 1),
        ("(?i)^n[a-f]{2}dle$", "needle", 1),
        # What could take long is looked at by who cannot.
        ("x*needle", "x" * 100_000 + "needle", 2),
        ("(n|m)e?edle", "needle", 2),
        ("(?:ne+)+dle", "needle", 2),
        ("n.*d.*le", "needle", 2),
        ("(?:ne?){2}edle", "nneedle", 2),
        (r"\w{3}", "needle", 1),
    ],
)
def test_ripgrep_starts_again_only_for_what_could_take_long(
    root: Path, look: Search, pattern: str, line: str, runs: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    put(root / "a", f"other\n{line}\n")
    program(tmp_path, f'echo >> "{tmp_path}/runs"; exec "{find_ripgrep([look.folder])}" "$@"', monkeypatch)
    wanted = replace(look, pattern=pattern, max_results=1)
    assert [match.line for match in search(wanted, engine="ripgrep").matches] == [1 if pattern == r"\w{3}" else 2]
    assert (tmp_path / "runs").read_text() == "\n" * runs


@pytest.mark.parametrize("most", [1, 700, 5_000])
def test_many_files_are_searched_by_several_processes_with_the_same_answer(root: Path, look: Search, most: int) -> None:
    for number in range(1_000):
        put(root / f"{number % 7}" / f"{number}", f"x\nneedle {number}\nneedle\n")
    asked = replace(look, max_results=most, context_lines=1)
    found = search(asked, engine="python")
    assert found == search(asked, engine="ripgrep")
    assert len(found.matches) == min(most, 2_000)
    assert found.truncated is (most < 2_000)


def test_processes_that_share_a_search_end_together(root: Path, look: Search) -> None:
    for number in range(1_000):
        put(root / f"{number}", "a" * 60 + "!")
    with pytest.raises(InvalidPattern, match=r"ended after 1 s"):
        search(replace(look, pattern="^(a+)+$", timeout=1), engine="python")
    end = time.monotonic() + 3
    while holders(root) and time.monotonic() < end:
        pass
    assert holders(root) == set()


def holders(folder: Path) -> set[str]:
    """The other processes that have this folder open."""
    pids: set[str] = set()
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        with suppress(OSError):
            if link.readlink() == folder and link.parts[2] != str(os.getpid()):
                pids.add(link.parts[2])
    return pids


def test_a_ripgrep_that_hangs_is_ended_in_time(
    root: Path, look: Search, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program(tmp_path, "exec /bin/sleep 60", monkeypatch)
    before = children()
    with pytest.raises(InvalidPattern, match=r"ended after 0\.2 s"):
        search(replace(look, timeout=0.2), engine="ripgrep")
    assert children() == before


def program(place: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Something else that is found as `rg`."""
    put(place / "bin" / "rg", f"#!/bin/sh\n{script}\n")
    (place / "bin" / "rg").chmod(0o755)
    monkeypatch.setenv("PATH", str(place / "bin"))


class Interrupted(BaseException):
    """Like Ctrl-C, but only for the one who set the timer."""


@pytest.mark.parametrize("engine", ENGINES)
def test_an_interrupted_search_leaves_no_process_behind(
    root: Path, look: Search, engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    put(root / "a", "a" * 60 + "!\n")
    program(tmp_path, "exec /bin/sleep 60", monkeypatch)

    def interrupt(signum: int, frame: FrameType | None) -> None:
        raise Interrupted

    before = children()
    old = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(Interrupted):
            search(replace(look, pattern="^(a+)+$"), engine=engine)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert children() == before


def children() -> set[str]:
    tasks = Path("/proc/self/task").glob("*/children")
    return {child for task in tasks for child in task.read_text().split()}


def test_ripgrep_that_is_demanded_and_missing_is_an_error_and_auto_does_without(root: Path, look: Search) -> None:
    put(root / "a", "needle")
    # With the whole disk distrusted there is no ripgrep to be had.
    disk = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    try:
        assert hits(search(look, engine="auto", roots=[disk])) == [("a", 1)]
        with pytest.raises(RipgrepNotFound, match=r"assent\[ripgrep\]"):
            search(look, engine="ripgrep", roots=[disk])
    finally:
        os.close(disk)


def test_ripgrep_is_not_taken_from_the_searched_tree_nor_from_a_relative_path(
    root: Path, look: Search, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = find_ripgrep([look.folder])
    assert real
    for place in [root / "bin", tmp_path / "other"]:
        put(place / "rg", "#!/bin/sh\ntouch pwned\n")
        (place / "rg").chmod(0o755)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "rg").symlink_to(root / "bin" / "rg")
    monkeypatch.chdir(root)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", "bin", str(root / "bin"), str(tmp_path / "linked")]))
    assert find_ripgrep([look.folder]) == str(Path(sys.executable).parent / "rg")
    monkeypatch.setenv("PATH", str(tmp_path / "other"))
    assert find_ripgrep([look.folder]) == str(tmp_path / "other" / "rg")
    other = os.open(tmp_path / "other", os.O_RDONLY)
    assert find_ripgrep([look.folder, other]) != str(tmp_path / "other" / "rg")
    os.close(other)


def test_a_ripgrep_that_fails_is_done_without_unless_demanded(
    root: Path, look: Search, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    put(root / "a", "needle")
    program(tmp_path, "echo 'unknown flag --encoding' >&2; exit 2", monkeypatch)
    assert hits(search(look, engine="auto")) == [("a", 1)]
    with pytest.raises(Exception, match="unknown flag"):
        search(look, engine="ripgrep")


def test_no_setting_of_ripgrep_from_outside_counts(
    root: Path, look: Search, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    put(tmp_path / "rgrc", "--glob=!*\n")
    put(root / "a", "needle")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / "rgrc"))
    assert hits(search(look, engine="ripgrep")) == [("a", 1)]


def test_ripgrep_lies_about_files_in_vain(
    root: Path, look: Search, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = find_ripgrep([look.folder])
    put(root / "a", "nothing")
    put(root / "b", "needle")
    put(tmp_path / "secret", "needle CANARY")
    lies = [r"./a\0", r"./b\0", r"./../secret\0", rf"{tmp_path}/secret\0", r"./missing\0", r"\0"]
    # It lies when it is to name files, and is itself when it gets the bytes to look through.
    honest = f'case "$*" in *" -- -") exec "{real}" "$@";; esac'
    program(tmp_path, f"{honest}\nprintf '{''.join(lies)}'", monkeypatch)
    assert hits(search(look, engine="ripgrep")) == [("b", 1)]


@pytest.mark.parametrize("proc", [Path("/proc/self/fd"), Path("/nowhere")])
def test_a_child_stands_in_the_open_folder_even_if_that_was_moved(root: Path, look: Search, proc: Path) -> None:
    root.rename(root.with_name("moved"))
    root.mkdir()
    with started_inside(["/bin/sh", "-c", "pwd -P"], folder=look.folder, proc=proc) as process:
        assert process.communicate()[0].decode().strip() == str(root.with_name("moved"))


@pytest.mark.parametrize("wrong", [{"context_lines": -1}, {"max_results": 0}])
def test_counts_below_their_least_are_refused(look: Search, wrong: dict[str, int]) -> None:
    with pytest.raises(InvalidArguments):
        search(replace(look, **wrong))  # type: ignore[arg-type]
