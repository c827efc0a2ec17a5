from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from assent.config import SandboxPath, Settings, read_settings
from tests.config.conftest import Complain, Write

KEYS = sorted(each.name for each in fields(SandboxPath))


def read_path(write: Write, rules: str) -> SandboxPath:
    return read_settings(write(f"sandbox:\n  paths:\n    a:\n      root: .\n      {rules}\n")).sandbox.paths["a"]


def complaint(complain: Complain, rules: str) -> str:
    """What is said of the path named a, from its place in the file on."""
    said = complain(f"sandbox:\n  paths:\n    a:\n      root: .\n      {rules}\n")
    return said.replace("/project/assent.yaml:", "")


def test_a_path_that_says_nothing_is_read_freely_and_asks_for_every_change(write: Write, project: Path) -> None:
    assert read_path(write, "") == SandboxPath(
        root=project,
        mode="ro",
        suffixes=None,
        max_file_bytes=10_000_000,
        read_approval=False,
        write_approval=True,
        edit_approval=None,
        delete_approval=True,
    )


def test_suffixes_keep_the_order_of_the_file(write: Write) -> None:
    assert read_path(write, "suffixes: [.txt, .tar.gz, .5, .inf]").suffixes == (".txt", ".tar.gz", ".5", ".inf")


def test_null_suffixes_are_every_file(write: Write) -> None:
    assert read_path(write, "suffixes: null").suffixes is None


def test_the_largest_file_is_a_number_of_bytes(write: Write) -> None:
    assert read_path(write, "max_file_bytes: 1").max_file_bytes == 1


@pytest.mark.parametrize("key", [key for key in KEYS if key.endswith("_approval")])
@pytest.mark.parametrize("value", [True, False])
def test_each_approval_is_set_by_its_own_key(write: Write, project: Path, key: str, *, value: bool) -> None:
    expected = SandboxPath(root=project, **{key: value})  # type: ignore[arg-type]
    assert read_path(write, f"{key}: {str(value).lower()}") == expected


@pytest.mark.parametrize(
    ("write_approval", "edit_approval", "asks"),
    [
        (True, None, True),
        (False, None, False),
        (True, False, False),
        (False, True, True),
    ],
)
def test_an_edit_asks_as_a_write_does_unless_it_has_its_own_word(
    *, write_approval: bool, edit_approval: bool | None, asks: bool
) -> None:
    path = SandboxPath(root=Path("/"), write_approval=write_approval, edit_approval=edit_approval)
    assert path.edits_ask is asks


def test_the_search_engine_is_the_one_that_is_named(write: Write) -> None:
    assert Settings().search.engine == "auto"
    for engine in ("auto", "ripgrep", "python"):
        assert read_settings(write(f"search: {{engine: {engine}}}")).search.engine == engine


def test_an_unknown_search_engine_names_the_engines(complain: Complain) -> None:
    assert complain("search:\n  engine: grep\n") == snapshot(
        "/project/assent.yaml:2:11: search.engine is 'grep'; allowed: 'auto', 'ripgrep' or 'python'"
    )


@pytest.mark.parametrize("value", ["0", "-1", "10_000_000", "10 MB", "1e7", "10.0", "'10'", "true", "null", "[1]"])
def test_a_size_is_a_whole_number_of_bytes(complain: Complain, value: str) -> None:
    said = complaint(complain, f"max_file_bytes: {value}")
    assert said.startswith("5:23: sandbox.paths.a.max_file_bytes is ")
    assert said.partition("; ")[2] == snapshot(
        "allowed: a whole number of bytes above 0, in digits alone, such as 10000000"
    )


def test_a_size_with_a_unit_is_repeated_as_it_was_written(complain: Complain) -> None:
    assert complaint(complain, "max_file_bytes: 10 MB") == snapshot(
        "5:23: sandbox.paths.a.max_file_bytes is '10 MB'; allowed: a whole number of bytes above 0, in digits alone, such as 10000000"
    )


@pytest.mark.parametrize("key", ["read_approval", "write_approval", "delete_approval"])
@pytest.mark.parametrize("value", ["yes", "'true'", "1", "null", "[true]"])
def test_an_approval_is_true_or_false(complain: Complain, key: str, value: str) -> None:
    said = complaint(complain, f"{key}: {value}")
    assert said.startswith(f"5:{9 + len(key)}: sandbox.paths.a.{key} is ")
    assert said.partition("; ")[2] == snapshot("allowed: true or false")


def test_the_approval_of_an_edit_may_also_be_null(complain: Complain, write: Write) -> None:
    assert read_path(write, "edit_approval: null").edit_approval is None
    assert complaint(complain, "edit_approval: maybe") == snapshot(
        "5:22: sandbox.paths.a.edit_approval is 'maybe'; allowed: true or false, or null to do as write_approval"
    )


@pytest.mark.parametrize("value", [".md", "5", "true", "{.md: .txt}"])
def test_suffixes_are_a_list(complain: Complain, value: str) -> None:
    said = complaint(complain, f"suffixes: {value}")
    assert said.startswith("5:17: sandbox.paths.a.suffixes is ")
    assert said.partition("; ")[2] == snapshot(
        "allowed: a list of ends of file names, such as [.md, .tar.gz], or null for every file"
    )


def test_an_empty_list_of_suffixes_could_mean_two_things(complain: Complain) -> None:
    assert complaint(complain, "suffixes: []") == snapshot(
        "5:17: sandbox.paths.a.suffixes is [], which leaves no file to use; name at least one, or write null for every file"
    )


@pytest.mark.parametrize("value", ["md", "'*.md'", "'.'", "''", "./x", ".a/", "5", "null", "[.md]", "{.md: 1}"])
def test_a_suffix_begins_with_a_dot_and_stays_in_one_name(complain: Complain, value: str) -> None:
    said = complaint(complain, f"suffixes: [.txt, {value}]")
    assert said.startswith("5:24: sandbox.paths.a.suffixes.1 is ")
    assert said.partition("; ")[2] == snapshot(
        "allowed: the end of a file name from a dot on, as text and without /, such as .md or .tar.gz"
    )


def test_each_bad_suffix_has_its_own_line(complain: Complain) -> None:
    assert complaint(complain, "suffixes:\n      - md\n      - .txt\n      - '*.x'") == snapshot("""\
6:9: sandbox.paths.a.suffixes.0 is 'md'; allowed: the end of a file name from a dot on, as text and without /, such as .md or .tar.gz
8:9: sandbox.paths.a.suffixes.2 is '*.x'; allowed: the end of a file name from a dot on, as text and without /, such as .md or .tar.gz\
""")


def test_a_lone_bad_suffix_is_one_mistake_not_two(complain: Complain) -> None:
    assert complaint(complain, "suffixes: [md]") == snapshot(
        "5:18: sandbox.paths.a.suffixes.0 is 'md'; allowed: the end of a file name from a dot on, as text and without /, such as .md or .tar.gz"
    )


@pytest.mark.parametrize("key", [key for key in KEYS if key != "root"])
def test_a_key_with_a_slip_of_the_hand_names_the_nearest_one(complain: Complain, key: str) -> None:
    said = complaint(complain, f"{key}x: 1")
    assert said.startswith(f"5:7: unknown key '{key}x'; did you mean {key!r}? ")
    assert said.endswith(f"allowed here: {', '.join(KEYS)}")


@pytest.mark.parametrize("key", KEYS)
def test_whatever_is_wrong_with_a_key_says_what_is_allowed(complain: Complain, key: str) -> None:
    said = complain(f"sandbox: {{paths: {{a: {{root: ., {key}: {{x: y}}}}}}}}".replace("root: ., root", "root"))
    assert f": sandbox.paths.a.{key} is {{'x': 'y'}}" in said
    assert "; allowed: " in said
