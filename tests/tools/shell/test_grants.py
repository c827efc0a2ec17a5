from __future__ import annotations

import pytest

from assent.tools.shell import generalisations
from tests.tools.shell.worlds import judged


@pytest.mark.parametrize(
    ("command", "grants"),
    [
        ("git add a b", [("git", "add", "a", "b"), ("git", "add")]),
        ("git add", [("git", "add")]),
        ("npm run test -- x", [("npm", "run", "test", "--", "x"), ("npm", "run", "test")]),
        ("mkdir 'a b'", [("mkdir", "a b"), ("mkdir",)]),
        ("touch", [("touch",)]),
        ("git -C x add", [("git", "-C", "x", "add")]),
        ("npm run", [("npm", "run")]),
    ],
)
def test_a_person_may_grant_the_command_or_its_first_words(command: str, grants: list[tuple[str, ...]]) -> None:
    assert list(generalisations(judged(command))) == grants


@pytest.mark.parametrize(
    "command",
    [
        "python x.py",
        "python3.12 -m x",
        "node x",
        "sh x",
        "bash -c x",
        "xargs x",
        "sudo x",
        "env x",
        "npx x",
        "ssh h x",
        "find . -name x",
        "awk x",
        "docker run x",
        "uv run x",
        "npm exec x",
        "make x",
        "./x y",
        "/opt/x",
        "cd x",
        "eval x",
    ],
)
def test_nobody_may_grant_what_only_its_arguments_decide(command: str) -> None:
    assert generalisations(judged(command)) == ()


@pytest.mark.parametrize(
    "command", ["mkdir a; ls", "mkdir $x", "mkdir *", "mkdir a > b", "A=b mkdir a", "mkdir '", "rm x"]
)
def test_nobody_may_grant_more_than_one_plain_command_or_what_is_denied(command: str) -> None:
    assert generalisations(judged(command)) == ()
