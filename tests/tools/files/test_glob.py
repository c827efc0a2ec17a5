from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.errors import InvalidPattern
from assent.tools.files.search._glob import Glob, name_glob, path_glob


@pytest.mark.parametrize(
    ("glob", "fits", "fails"),
    [
        ("*.py", ["a.py", ".py", ".hidden.py"], ["a.pyc", "sub/a.py", "a.PY"]),
        ("**/*.py", ["a.py", "sub/a.py", "a/b/c.py"], ["a.txt", "a.py/x"]),
        ("src/**", ["src/a", "src/a/b"], ["src", "other/a", "src2/a"]),
        ("src/**/test_*.py", ["src/test_a.py", "src/a/b/test_.py"], ["test_a.py", "src/a/b.py"]),
        ("**/a/**/b", ["a/b", "x/a/y/b", "a/a/b/b"], ["b", "a", "a/b/c"]),
        ("**", ["a", "a/b"], []),
        ("a**b", ["ab", "axxb"], ["a/b"]),
        ("?.md", ["a.md", "é.md", "日.md"], [".md", "ab.md"]),
        ("[a-c]x", ["ax", "cx"], ["dx", "x"]),
        ("[!a-c]x", ["dx", "-x"], ["ax"]),
        ("[^a]", ["b"], ["a"]),
        ("[]a]", ["]", "a"], ["b"]),
        ("[a-]", ["a", "-"], ["b"]),
        ("*.{py,ts}", ["a.py", "a.ts"], ["a.js", "a.{py,ts}"]),
        ("{a,b/**}/{c,d{e,f}}", ["a/c", "b/x/y/de", "b/df"], ["a/d", "b", "a/x/c"]),
        ("{,.}a", ["a", ".a"], ["b"]),
        (r"\*\{[*]", ["*{*"], ["a{*", "*{a"]),
        ("./a/./b", ["a/b"], ["./a/b"]),
        ("a,b", ["a,b"], ["a"]),
    ],
)
def test_a_glob_fits_the_whole_path(glob: str, fits: list[str], fails: list[str]) -> None:
    compiled = path_glob(glob)
    assert [path for path in fits if not compiled.matches(path)] == []
    assert [path for path in fails if compiled.matches(path)] == []


def test_a_glob_without_a_slash_searches_names_at_any_depth() -> None:
    assert name_glob("*.py").matches("a/b/c.py")
    assert not name_glob("b/*.py").matches("a/b/c.py")
    assert name_glob("{a,b}.py").matches("x/b.py")


@pytest.mark.parametrize(
    "glob",
    [
        "",
        "/a",
        "..",
        "a/../b",
        "a/",
        "a\x00",
        ".",
        "[a",
        "{a",
        "a}",
        "a\\",
        "[z-a]",
        "{/a,b}",
        "{a,..}",
        "x" * 5000,
        "{a,b}" * 9,
        "{" * 60,
    ],
)
def test_what_is_no_glob_is_refused(glob: str) -> None:
    for compile_glob in (path_glob, name_glob):
        with pytest.raises(InvalidPattern):
            compile_glob(glob)


@pytest.mark.parametrize("glob", ["*a*a*a*a*a*a*a*a*b", "**/" + "*a" * 40 + "b", "**/a/" * 30 + "b", "*?" * 60 + "b"])
def test_a_hostile_glob_takes_no_time(glob: str) -> None:
    compiled = path_glob(glob)
    started = time.perf_counter()
    assert not compiled.matches("/".join(["a"] * 60 + ["a" * 250]))
    assert time.perf_counter() - started < 10


parts = st.text("ab*?", min_size=1, max_size=6).filter(lambda part: "**" not in part) | st.just("**")
paths = st.lists(st.text("ab", min_size=1, max_size=5), min_size=1, max_size=4).map("/".join)


@given(st.lists(parts, min_size=1, max_size=4), paths)
def test_a_glob_agrees_with_a_plain_regular_expression(glob: list[str], path: str) -> None:
    *folders, name = glob
    source = "".join("(?:[^/]+/)*" if part == "**" else plain(part) + "/" for part in folders)
    source += "(?:[^/]+/)*[^/]+" if name == "**" else plain(name)
    assert path_glob("/".join(glob)).matches(path) is bool(re.fullmatch(source, path))


def plain(part: str) -> str:
    return "".join({"*": "[^/]*", "?": "[^/]"}.get(character, character) for character in part)


@given(st.lists(st.text("ab*?[]{},\\", min_size=1, max_size=6), min_size=1, max_size=2), paths)
def test_the_plain_end_of_a_glob_is_the_end_of_every_name_that_fits(glob: list[str], path: str) -> None:
    try:
        compiled: Glob = path_glob("/".join(glob))
    except InvalidPattern:
        return
    if compiled.matches(path) and compiled.tails is not None:
        name = path.rpartition("/")[2]
        assert any(name == tail if whole else name.endswith(tail) for tail, whole in compiled.tails)
