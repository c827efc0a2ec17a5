"""The dialects: the same tools under other names, with the arguments and answers their clients know."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from assent.config import SandboxPath
from assent.errors import ConfigError
from assent.runtime import Session, Ungated
from assent.tools.files import Dialect, FileSandbox, file_tools
from tests.tools.files.kit import Person, files_in, refused, session

DIALECTS: list[Dialect] = ["assent", "dotted", "underscored", "claude"]
CONNECT = "import db\n\ndef connect(host):\n    return db.Connect(host)\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = (tmp_path / "root").resolve()
    (root / "src").mkdir(parents=True)
    (root / "src/connect.py").write_text(CONNECT)
    (root / "notes.txt").write_text("one\ntwo\n")
    (root / "empty.txt").touch()
    (tmp_path / "outside.txt").write_text("hunter2\n")
    return root


def test_a_dialect_that_does_not_exist_names_those_that_do(root: Path) -> None:
    wrong: Any = "foo"
    with pytest.raises(ConfigError, match="'foo' is no dialect; there are: assent, dotted, underscored, claude"):
        file_tools(FileSandbox.at(root), wrong)


@pytest.fixture
def claude(root: Path) -> Session:
    return session(FileSandbox.at(root), Person(), dialect="claude")


def schema(tools: Session, name: str) -> dict[str, Any]:
    tool: Any = tools.tools[name]
    return dict(tool.schema)


# Names


@pytest.mark.parametrize(
    ("dialect", "names"),
    [
        ("assent", "read_file write_file edit_file patch_file delete_file move_file list_files search_files"),
        ("dotted", "file.read file.write file.edit file.patch file.delete file.move file.list file.search"),
        ("underscored", "file_read file_write file_edit file_patch file_delete file_move file_list file_search"),
        ("claude", "Read Write Edit MultiEdit NotebookEdit Glob Grep"),
    ],
)
def test_the_names_of_a_dialect(root: Path, dialect: Dialect, names: str) -> None:
    assert [tool.name for tool in file_tools(FileSandbox.at(root), dialect)] == names.split()


@pytest.mark.parametrize("dialect", ["dotted", "underscored"])
def test_a_dialect_with_one_root_does_not_take_several(root: Path, dialect: Dialect) -> None:
    several = FileSandbox({"a": SandboxPath(root=root), "b": SandboxPath(root=root / "src")})
    with pytest.raises(ConfigError, match="one workspace root, and there are several: a, b"):
        file_tools(several, dialect)


@pytest.mark.parametrize(
    ("dialect", "says"),
    [
        ("assent", "Paths are name/relative/path, where name is one of: work (rw)."),
        ("dotted", "Paths are relative to the workspace root."),
        ("claude", "Paths are absolute, in one of: {root} (rw)."),
    ],
)
def test_the_model_is_told_how_paths_are_written(root: Path, dialect: Dialect, says: str) -> None:
    for tool in file_tools(FileSandbox({"work": SandboxPath(root=root, mode="rw")}), dialect):
        assert tool.description.endswith(says.format(root=root))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_argument_is_explained_to_the_model(root: Path, dialect: Dialect) -> None:
    for tool in file_tools(FileSandbox.at(root), dialect):
        properties: Any = tool.schema["properties"]
        assert all(about.get("description") for about in properties.values()), tool.name


# What one tool answers, another one takes

READ = {"assent": "read_file", "dotted": "file.read", "underscored": "file_read", "claude": "Read"}
LIST = {"assent": "list_files", "dotted": "file.list", "underscored": "file_list", "claude": "Glob"}
SEARCH = {"assent": "search_files", "dotted": "file.search", "underscored": "file_search", "claude": "Grep"}


def paths_in(answer: Any) -> list[str]:  # noqa: ANN401 — JSON or text
    if isinstance(answer, str):
        return [line for line in answer.splitlines() if line.startswith("/")]
    return [each["path"] for each in answer.get("files", answer.get("matches"))]


@pytest.mark.parametrize("name", ["", "work"])
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("find", [LIST, SEARCH], ids=["listed", "searched"])
async def test_a_path_that_was_found_can_be_read(
    root: Path, find: dict[Dialect, str], dialect: Dialect, name: str
) -> None:
    tools = Ungated(file_tools(FileSandbox({name: SandboxPath(root=root)}), dialect))
    pattern = "**/*.py" if find is LIST else "def connect"
    paths = paths_in(await tools.call(find[dialect], {"pattern": pattern}))
    assert len(paths) == 1
    key = "file_path" if dialect == "claude" else "path"
    answer = await tools.call(READ[dialect], {key: paths[0]})
    assert "def connect(host):" in json.dumps(answer)


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_hint_names_a_tool_that_the_model_has(root: Path, dialect: Dialect) -> None:
    tools = Ungated(file_tools(FileSandbox.at(root), dialect))
    edit = {"assent": "edit_file", "dotted": "file.edit", "underscored": "file_edit", "claude": "Edit"}[dialect]
    write = {"assent": "write_file", "dotted": "file.write", "underscored": "file_write", "claude": "Write"}[dialect]
    where = {"file_path": f"{root}/none.txt"} if dialect == "claude" else {"path": "none.txt"}
    result: Any = await tools.call(edit, {**where, "old_string": "a", "new_string": "b"})
    assert refused(result) == "file_not_found"
    assert write in result["message"]


# The claude dialect: arguments


@pytest.mark.parametrize(
    ("name", "fields", "required"),
    [
        ("Read", "file_path offset limit", "file_path"),
        ("Write", "file_path content", "file_path content"),
        ("Edit", "file_path old_string new_string replace_all", "file_path old_string new_string"),
        ("MultiEdit", "file_path edits", "file_path edits"),
        ("NotebookEdit", "notebook_path new_source cell_id cell_type edit_mode", "notebook_path new_source"),
        ("Glob", "pattern path", "pattern"),
        ("Grep", "pattern path glob output_mode -i -n -A -B -C head_limit multiline", "pattern"),
    ],
)
def test_the_arguments_of_the_claude_dialect(claude: Session, name: str, fields: str, required: str) -> None:
    known = schema(claude, name)
    assert set(known["properties"]) == set(fields.split())
    assert set(known["required"]) == set(required.split())
    assert known["additionalProperties"] is False


def test_the_edits_of_a_multi_edit(claude: Session) -> None:
    (one,) = schema(claude, "MultiEdit")["$defs"].values()
    assert set(one["properties"]) == {"old_string", "new_string", "replace_all"}


# The claude dialect: answers


async def test_a_write_says_how_many_characters_were_written(claude: Session, root: Path) -> None:
    path = f"{root}/path/to/test.txt"
    answer = await claude.call("Write", {"file_path": path, "content": "hello world"})
    assert answer == f"Wrote 11 characters to {path}"
    assert (root / "path/to/test.txt").read_text() == "hello world"


async def test_characters_are_not_bytes(claude: Session, root: Path) -> None:
    answer = await claude.call("Write", {"file_path": f"{root}/a.txt", "content": "hällo wörld"})
    assert answer == f"Wrote 11 characters to {root}/a.txt"


async def test_a_file_is_read_as_numbered_lines(claude: Session, root: Path) -> None:
    path = f"{root}/src/connect.py"
    assert await claude.call("Read", {"file_path": path}) == snapshot(
        "     1\timport db\n     2\t\n     3\tdef connect(host):\n     4\t    return db.Connect(host)"
    )
    part = await claude.call("Read", {"file_path": path, "offset": 3, "limit": 1})
    assert part == "     3\tdef connect(host):"


async def test_a_reading_without_lines_says_why(claude: Session, root: Path) -> None:
    assert await claude.call("Read", {"file_path": f"{root}/empty.txt"}) == "The file is empty."
    after: Any = await claude.call("Read", {"file_path": f"{root}/notes.txt", "offset": 9})
    assert "2 lines" in after


async def test_an_edit_says_what_it_did(claude: Session, root: Path) -> None:
    path = f"{root}/notes.txt"
    answer = await claude.call("Edit", {"file_path": path, "old_string": "one", "new_string": "1"})
    assert answer == f"Replaced 1 line at line 1 in {path} (1 replacement)"
    every = {"file_path": f"{root}/src/connect.py", "old_string": "host", "new_string": "name", "replace_all": True}
    assert await claude.call("Edit", every) == f"Replaced 2 lines at line 3 in {root}/src/connect.py (2 replacements)"
    assert (root / "src/connect.py").read_text() == CONNECT.replace("host", "name")


async def test_a_multi_edit_makes_all_its_edits_in_order(claude: Session, root: Path) -> None:
    edits = [
        {"old_string": "host", "new_string": "name", "replace_all": True},
        {"old_string": "db.Connect(name)", "new_string": "db.open(name)"},
    ]
    path = f"{root}/src/connect.py"
    assert await claude.call("MultiEdit", {"file_path": path, "edits": edits}) == f"Applied 2 edits to {path}"
    assert (root / "src/connect.py").read_text() == CONNECT.replace("host", "name").replace("Connect(", "open(")


async def test_a_multi_edit_that_fails_makes_none_and_speaks_of_edits(claude: Session, root: Path) -> None:
    before = files_in(root)
    edits = [{"old_string": "import", "new_string": "from"}, {"old_string": "host", "new_string": "x"}]
    result: Any = await claude.call("MultiEdit", {"file_path": f"{root}/src/connect.py", "edits": edits})
    assert refused(result) == "find_not_unique"
    assert files_in(root) == before
    assert "edit 2 of 2: Found 2 matches for old_string" in result["message"]


async def test_a_glob_answers_absolute_paths_one_to_a_line(claude: Session, root: Path) -> None:
    found = await claude.call("Glob", {"pattern": "**/*.*"})
    assert found == f"{root}/empty.txt\n{root}/notes.txt\n{root}/src/connect.py"
    assert await claude.call("Glob", {"pattern": "*.py", "path": f"{root}/src"}) == f"{root}/src/connect.py"
    assert await claude.call("Glob", {"pattern": "*.rs"}) == "No files found"


@pytest.mark.parametrize(
    "path", ["../outside.txt", "/../outside.txt", "/src/../../outside.txt", "x/notes.txt"], ids=repr
)
async def test_only_absolute_paths_under_a_root_are_taken(claude: Session, root: Path, path: str) -> None:
    for written in (f"{root}{path}", path):
        result: Any = await claude.call("Read", {"file_path": written})
        assert refused(result) == "path_outside_workspace"
        assert f"{root} (rw)" in result["message"]


async def test_an_absolute_path_belongs_to_the_deepest_root(root: Path) -> None:
    paths = {"all": SandboxPath(root=root, mode="rw"), "src": SandboxPath(root=root / "src")}
    tools = session(FileSandbox(paths), Person(), dialect="claude")
    result = await tools.call("Write", {"file_path": f"{root}/src/connect.py", "content": ""})
    assert refused(result) == "path_not_writable"
    assert (
        await tools.call("Write", {"file_path": f"{root}/a.txt", "content": ""})
        == f"Wrote 0 characters to {root}/a.txt"
    )


async def test_errors_name_the_absolute_path_that_was_sent(claude: Session, root: Path) -> None:
    for path in (f"{root}/none.txt", f"{root}/src"):
        result: Any = await claude.call("Read", {"file_path": path})
        assert path in result["message"]


async def test_a_person_sees_the_path_that_was_sent(root: Path) -> None:
    person = Person()
    tools = session(FileSandbox({"work": SandboxPath(root=root, mode="rw")}), person, dialect="claude")
    await tools.call("Edit", {"file_path": f"{root}/notes.txt", "old_string": "one", "new_string": "1"})
    assert person.asked[-1].call.tool_name == "Edit"
    assert (person.shown.path, person.shown.sandbox) == (f"{root}/notes.txt", "work")
    assert person.shown.description == f"Edit {root}/notes.txt: replace 1 line"
    assert person.shown.unified_diff.startswith("--- a/notes.txt\n+++ b/notes.txt\n")


# Grep


async def test_grep_names_the_files_by_default(claude: Session, root: Path) -> None:
    answer: Any = await claude.call("Grep", {"pattern": "Connect"})
    assert f"{root}/src/connect.py" in answer.splitlines()
    assert "return" not in answer


async def test_grep_shows_lines_with_their_numbers(claude: Session, root: Path) -> None:
    content: Any = await claude.call("Grep", {"pattern": "def", "output_mode": "content", "-n": True})
    assert f"{root}/src/connect.py" in content
    assert "def connect(host):" in content
    assert "3" in content
    around: Any = await claude.call("Grep", {"pattern": "def", "output_mode": "content", "-A": 1})
    assert "return db.Connect(host)" in around
    assert "import db" not in around
    before: Any = await claude.call("Grep", {"pattern": "def", "output_mode": "content", "-B": 2})
    assert "import db" in before
    assert "return" not in before
    both: Any = await claude.call("Grep", {"pattern": "def", "output_mode": "content", "-C": 2})
    assert "import db" in both
    assert "return db.Connect(host)" in both


async def test_grep_counts(claude: Session, root: Path) -> None:
    answer: Any = await claude.call("Grep", {"pattern": "db", "output_mode": "count"})
    assert f"{root}/src/connect.py:2" in answer.splitlines()


async def test_grep_names_every_file_however_many_matches_one_of_them_has(claude: Session, root: Path) -> None:
    (root / "a.log").write_text("db\n" * 20_000)
    (root / "z.log").write_text("db\n" * 20_000)
    wanted = {"pattern": "db", "glob": "*.log"}
    assert await claude.call("Grep", wanted) == f"{root}/a.log\n{root}/z.log"
    counts: Any = await claude.call("Grep", {**wanted, "output_mode": "count"})
    assert counts.splitlines() == [
        f"{root}/a.log:10000",
        "[only the first 10000 matches are counted; narrow the search to count the rest]",
    ]


async def test_grep_can_leave_capital_letters_aside_and_choose_files(claude: Session, root: Path) -> None:
    (root / "more.md").write_text("CONNECT\n")
    exact: Any = await claude.call("Grep", {"pattern": "connect"})
    assert "more.md" not in exact
    either: Any = await claude.call("Grep", {"pattern": "connect", "-i": True})
    assert "more.md" in either
    only: Any = await claude.call("Grep", {"pattern": "connect", "-i": True, "glob": "*.md"})
    assert "connect.py" not in only
    within: Any = await claude.call("Grep", {"pattern": "connect", "-i": True, "path": f"{root}/src"})
    assert "more.md" not in within


async def test_grep_looks_into_a_single_file(claude: Session, root: Path) -> None:
    answer: Any = await claude.call(
        "Grep", {"pattern": "def", "path": f"{root}/src/connect.py", "output_mode": "content"}
    )
    assert "def connect(host):" in answer


async def test_grep_stops_at_the_head_limit(claude: Session, root: Path) -> None:
    (root / "many.txt").write_text("match\n" * 20)
    answer: Any = await claude.call("Grep", {"pattern": "match", "output_mode": "content", "head_limit": 3})
    assert answer.count("match") == 3


async def test_grep_over_several_lines_prints_each_with_its_number(claude: Session, root: Path) -> None:
    file = f"{root}/src/connect.py"
    over = {"pattern": "db\\n\\ndef", "output_mode": "content", "multiline": True}
    assert await claude.call("Grep", over) == f"{file}:1:import db\n{file}:2:\n{file}:3:def connect(host):"
    after = f"\n{file}-4-    return db.Connect(host)"
    assert await claude.call("Grep", {**over, "-A": 1}) == f"{await claude.call('Grep', over)}{after}"
    assert await claude.call("Grep", {**over, "pattern": "import.*return", "output_mode": "count"}) == f"{file}:1"
    within_one_line: Any = await claude.call("Grep", {**over, "multiline": False})
    assert refused(within_one_line) == "invalid_pattern"


async def test_a_person_is_told_that_a_match_may_go_over_several_lines(root: Path) -> None:
    person = Person()
    tools = session(FileSandbox.at(root, read_approval=True), person, dialect="claude")
    await tools.call("Grep", {"pattern": "db.*def", "multiline": True})
    assert "a match may go over several lines" in person.shown.content


async def test_grep_without_a_match_says_so(claude: Session) -> None:
    answer = await claude.call("Grep", {"pattern": "zzz"})
    assert isinstance(answer, str)
    assert answer.startswith("No ")
