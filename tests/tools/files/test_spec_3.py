"""The file tools as specified: every input, output, error code and example, with a gate and without one."""

from __future__ import annotations

import json
import os
import resource
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from assent.config import SandboxPath
from assent.runtime import Ungated
from assent.tools.files import FileSandbox, file_tools
from tests.tools.files.kit import files_in, refused, session

Call = Callable[..., Awaitable[Any]]

CONFIG = "DEBUG = True\n\ndef connect():\n    return db.connect(timeout=30)\n"
CONNECTION = "\n" * 40 + "# Establish database connection\ndef connect(host, port):\n    return Client(host, port)\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "workspace"
    (root / "src/db").mkdir(parents=True)
    (root / "src/config.py").write_text(CONFIG)
    (root / "src/db/connection.py").write_text(CONNECTION)
    (root / "notes.txt").write_text("one\ntwo\nthree\n")
    (tmp_path / "secret.txt").write_text("hunter2\n")
    (root / "way-out").symlink_to("../secret.txt")
    (root / "up").symlink_to("..")
    return root


@pytest.fixture(params=["behind a gate", "bare"])
def call(root: Path, request: pytest.FixtureRequest) -> Generator[Call]:
    """Call a tool by its name in the specification: `await call("read", path=...)`."""
    with FileSandbox.at(root) as sandbox:
        gated = session(sandbox, mode="approve_all", dialect="dotted")
        tools = Ungated(file_tools(sandbox, "dotted")) if request.param == "bare" else gated
        yield lambda verb, **args: tools.call(f"file.{verb}", args)


@contextmanager
def full_disk(size: int) -> Generator[None]:
    """Inside, no file can grow beyond this many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def inputs(verb: str, root: Path) -> dict[str, tuple[object, bool, object]]:
    """The type of every input, whether it is required, and its default."""
    (tool,) = (tool for tool in file_tools(FileSandbox.at(root), "dotted") if tool.name == f"file.{verb}")
    schema: Any = tool.schema
    assert schema["additionalProperties"] is False
    kinds = {name: about.get("type") or about["anyOf"][0]["type"] for name, about in schema["properties"].items()}
    return {
        name: (kind, name in schema.get("required", ()), schema["properties"][name].get("default"))
        for name, kind in kinds.items()
    }


# Inputs


@pytest.mark.parametrize(
    ("verb", "expected"),
    [
        ("read", {"path": ("string", True, None), "offset": ("integer", False, 1), "limit": ("integer", False, None)}),
        ("write", {"path": ("string", True, None), "content": ("string", True, None)}),
        ("patch", {"path": ("string", True, None), "patches": ("array", True, None)}),
        ("delete", {"path": ("string", True, None)}),
        ("list", {"path": ("string", False, None), "pattern": ("string", False, None)}),
        (
            "search",
            {
                "pattern": ("string", True, None),
                "path": ("string", False, None),
                "glob": ("string", False, None),
                "case_sensitive": ("boolean", False, True),
                "context_lines": ("integer", False, 0),
                "max_results": ("integer", False, 100),
            },
        ),
    ],
)
def test_every_input_is_there_with_its_default(root: Path, verb: str, expected: dict[str, object]) -> None:
    assert inputs(verb, root) == expected


# Errors

ESCAPES = ["../secret.txt", "src/../../secret.txt", "/etc/passwd", "way-out", "up/secret.txt", "~/secret.txt"]
ON_A_PATH: list[tuple[str, dict[str, object]]] = [
    ("read", {}),
    ("write", {"content": "x"}),
    ("edit", {"old_string": "a", "new_string": "b"}),
    ("patch", {"patches": [{"find": "a", "replace": "b"}]}),
    ("delete", {}),
    ("move", {"destination": "free.txt"}),
]
EVERY_VERB = pytest.mark.parametrize(("verb", "more"), ON_A_PATH, ids=[verb for verb, _ in ON_A_PATH])


def is_error(result: Any, code: str) -> bool:  # noqa: ANN401 — a JSON value
    """Whether this is the specified shape, with the code and a message that is one."""
    assert result == json.loads(json.dumps(result))
    assert set(result) == {"error", "message"}, result
    assert len(result["message"]) > 20
    return bool(result["error"] == code)


@EVERY_VERB
async def test_no_path_escapes_the_workspace(call: Call, root: Path, verb: str, more: dict[str, object]) -> None:
    before = files_in(root.parent)
    for path in ESCAPES:
        assert is_error(await call(verb, path=path, **more), "path_outside_workspace"), path
    assert files_in(root.parent) == before


@pytest.mark.parametrize(("verb", "more"), [("list", {}), ("search", {"pattern": "hunter"})])
async def test_no_folder_outside_is_listed_or_searched(call: Call, verb: str, more: dict[str, object]) -> None:
    for path in ["..", "src/../..", "/etc", "up"]:
        assert is_error(await call(verb, path=path, **more), "path_outside_workspace"), path


async def test_a_move_does_not_escape_at_its_other_end(call: Call, root: Path) -> None:
    for path in ["../new.txt", "/tmp/new.txt", "up/new.txt"]:  # noqa: S108 — never touched
        assert is_error(await call("move", path="notes.txt", destination=path), "path_outside_workspace")
    assert (root / "notes.txt").exists()


@pytest.mark.parametrize(("verb", "more"), [each for each in ON_A_PATH if each[0] != "write"])
async def test_a_file_that_does_not_exist(call: Call, verb: str, more: dict[str, object]) -> None:
    assert is_error(await call(verb, path="src/none.py", **more), "file_not_found")


@EVERY_VERB
async def test_a_directory_is_not_a_file(call: Call, root: Path, verb: str, more: dict[str, object]) -> None:
    assert is_error(await call(verb, path="src/db", **more), "is_directory")
    assert (root / "src/db/connection.py").exists()


async def test_a_file_is_not_a_directory(call: Call) -> None:
    assert is_error(await call("list", path="notes.txt"), "not_a_directory")


@EVERY_VERB
async def test_a_pipe_is_never_opened(call: Call, root: Path, verb: str, more: dict[str, object]) -> None:
    os.mkfifo(root / "pipe")
    assert is_error(await call(verb, path="pipe", **more), "not_a_regular_file")


@EVERY_VERB
async def test_a_path_no_file_can_have(call: Call, verb: str, more: dict[str, object]) -> None:
    for path in ["", "a\0b", "x" * 256, "d/" * 2100 + "f"]:
        assert is_error(await call(verb, path=path, **more), "invalid_path"), path


@pytest.mark.parametrize(
    ("verb", "args"),
    [
        ("read", {}),
        ("read", {"path": "notes.txt", "offset": 0}),
        ("read", {"path": "notes.txt", "limit": 0}),
        ("read", {"path": "notes.txt", "lines": 3}),
        ("write", {"path": "notes.txt"}),
        ("write", {"path": "notes.txt", "content": 5}),
        ("patch", {"path": "notes.txt", "patches": []}),
        ("patch", {"path": "notes.txt", "patches": [{"find": "one"}]}),
        ("patch", {"path": "notes.txt", "patches": [{"find": "", "replace": "x"}]}),
        ("patch", {"path": "notes.txt", "patches": [{"find": "one", "replace": "one"}]}),
        ("search", {"pattern": "x", "max_results": 0}),
        ("search", {"pattern": "x", "context_lines": -1}),
    ],
)
async def test_arguments_that_do_not_fit(call: Call, root: Path, verb: str, args: dict[str, object]) -> None:
    before = files_in(root)
    assert is_error(await call(verb, **args), "invalid_arguments")
    assert files_in(root) == before


@pytest.mark.parametrize(
    ("verb", "args"),
    [
        ("write", {"path": "notes.txt", "content": "x" * 1000}),
        ("edit", {"path": "notes.txt", "old_string": "one", "new_string": "x" * 1000}),
        ("patch", {"path": "notes.txt", "patches": [{"find": "one", "replace": "x" * 1000}]}),
    ],
)
async def test_a_disk_that_does_not_take_it_leaves_everything_as_it_was(
    call: Call, root: Path, verb: str, args: dict[str, object]
) -> None:
    before = files_in(root)
    with full_disk(100):
        result = await call(verb, **args)
    assert is_error(result, "write_failed")
    assert files_in(root) == before


# file.read


@pytest.mark.parametrize(
    ("args", "content", "truncated"),
    [
        ({}, "     1\tone\n     2\ttwo\n     3\tthree", False),
        ({"offset": 2}, "     2\ttwo\n     3\tthree", False),
        ({"limit": 2}, "     1\tone\n     2\ttwo", True),
        ({"offset": 2, "limit": 1}, "     2\ttwo", True),
        ({"offset": 2, "limit": 2}, "     2\ttwo\n     3\tthree", False),
        ({"offset": 1, "limit": 99}, "     1\tone\n     2\ttwo\n     3\tthree", False),
    ],
)
async def test_lines_are_read_with_their_numbers(
    call: Call, args: dict[str, object], content: str, *, truncated: bool
) -> None:
    assert await call("read", path="notes.txt", **args) == {
        "content": content,
        "total_lines": 3,
        "truncated": truncated,
    }


async def test_an_empty_file_has_no_lines(call: Call, root: Path) -> None:
    (root / "empty").touch()
    assert await call("read", path="empty") == {"content": "", "total_lines": 0, "truncated": False}


async def test_reading_after_the_end_still_says_how_many_lines_there_are(call: Call) -> None:
    result = await call("read", path="notes.txt", offset=9)
    assert (result["total_lines"], result["truncated"]) == (3, False)


async def test_a_file_over_the_limit_is_refused_and_the_limit_stated(root: Path) -> None:
    tools = Ungated(file_tools(FileSandbox.at(root, max_file_bytes=10), "dotted"))
    result: Any = await tools.call("file.read", {"path": "notes.txt"})
    assert is_error(result, "file_too_large")
    assert "14" in result["message"]
    assert "10" in result["message"]
    assert "max_file_bytes" in result["message"]


# file.write


async def test_a_write_creates_parents_and_counts_bytes(call: Call, root: Path) -> None:
    assert await call("write", path="a/b/c.txt", content="häuser\r\n") == {"success": True, "bytes_written": 9}
    assert (root / "a/b/c.txt").read_bytes() == "häuser\r\n".encode()


async def test_a_write_overwrites_and_keeps_the_mode(call: Call, root: Path) -> None:
    (root / "notes.txt").chmod(0o741)
    assert await call("write", path="notes.txt", content="new") == {"success": True, "bytes_written": 3}
    assert (root / "notes.txt").read_text() == "new"
    assert (root / "notes.txt").stat().st_mode & 0o777 == 0o741


# file.patch


async def test_the_example_of_the_specification_is_patched(call: Call, root: Path) -> None:
    patches = [
        {"find": "DEBUG = True", "replace": "DEBUG = False"},
        {
            "find": "def connect():\n    return db.connect(timeout=30)",
            "replace": "def connect():\n    return db.connect(timeout=60, retry=3)",
        },
    ]
    assert await call("patch", path="src/config.py", patches=patches) == {"success": True, "patches_applied": 2}
    assert (root / "src/config.py").read_text() == (
        "DEBUG = False\n\ndef connect():\n    return db.connect(timeout=60, retry=3)\n"
    )


async def test_each_patch_sees_what_the_one_before_it_left(call: Call, root: Path) -> None:
    patches = [{"find": "one", "replace": "two!"}, {"find": "two!", "replace": "first"}]
    assert await call("patch", path="notes.txt", patches=patches) == {"success": True, "patches_applied": 2}
    assert (root / "notes.txt").read_text() == "first\ntwo\nthree\n"


@pytest.mark.parametrize(
    ("find", "code"), [("four", "find_not_found"), ("t", "find_not_unique"), ("one", "find_not_found")]
)
async def test_patches_are_applied_all_or_none_and_the_wrong_one_is_named(
    call: Call, root: Path, find: str, code: str
) -> None:
    patches = [{"find": "one", "replace": "1"}, {"find": find, "replace": "x"}, {"find": "three", "replace": "3"}]
    result = await call("patch", path="notes.txt", patches=patches)
    assert is_error(result, code)
    assert "patch 2 of 3" in result["message"]
    assert (root / "notes.txt").read_text() == "one\ntwo\nthree\n"


async def test_a_patch_that_fits_twice_is_not_told_of_an_argument_patches_do_not_have(call: Call) -> None:
    result = await call("patch", path="notes.txt", patches=[{"find": "t", "replace": "x"}])
    assert is_error(result, "find_not_unique")
    assert "replace_all" not in result["message"]
    assert result["message"].endswith("Matches at lines: 2, 3")


# file.delete and file.move


async def test_a_file_is_deleted(call: Call, root: Path) -> None:
    assert await call("delete", path="notes.txt") == {"success": True}
    assert not (root / "notes.txt").exists()


async def test_a_file_is_moved_with_its_bytes_and_mode(call: Call, root: Path) -> None:
    (root / "notes.txt").chmod(0o640)
    assert await call("move", path="notes.txt", destination="new/place.txt") == {"success": True}
    assert not (root / "notes.txt").exists()
    assert (root / "new/place.txt").read_text() == "one\ntwo\nthree\n"
    assert (root / "new/place.txt").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("args", [{"path": "work/a.txt", "content": "half a character: \ud800"}, None, ["work/a.txt"]])
async def test_without_a_gate_what_no_file_can_hold_is_an_error(root: Path, args: Any) -> None:  # noqa: ANN401
    tools = Ungated(file_tools(FileSandbox({"work": SandboxPath(root=root, mode="rw")})))
    assert is_error(await tools.call("write_file", args), "invalid_arguments")


async def test_a_file_does_not_grow_past_the_limit_of_a_root_by_being_moved_there(root: Path) -> None:
    paths = {"work": SandboxPath(root=root, mode="rw")}
    (root.parent / "small").mkdir()
    paths["small"] = SandboxPath(root=root.parent / "small", mode="rw", max_file_bytes=10)
    result = await Ungated(file_tools(FileSandbox(paths))).call(
        "move_file", {"path": "work/notes.txt", "destination": "small/notes.txt"}
    )
    assert is_error(result, "file_too_large")
    assert (root / "notes.txt").exists()


# file.list


async def test_the_workspace_is_listed_by_default(call: Call, root: Path) -> None:
    (only,) = (await call("list"))["files"]
    assert set(only) == {"path", "size", "modified"}
    assert (only["path"], only["size"]) == ("notes.txt", 14)
    assert datetime.fromisoformat(only["modified"]).timestamp() == pytest.approx(
        (root / "notes.txt").stat().st_mtime, abs=1e-5
    )


@pytest.mark.parametrize(
    ("args", "paths"),
    [
        ({"pattern": "**/*.py"}, ["src/config.py", "src/db/connection.py"]),
        ({"pattern": "*.py"}, []),
        ({"path": "src"}, ["src/config.py"]),
        ({"path": "src", "pattern": "**/*.py"}, ["src/config.py", "src/db/connection.py"]),
        ({"path": "src/db/", "pattern": "*.py"}, ["src/db/connection.py"]),
        ({"path": "src/db/..", "pattern": "db/*"}, ["src/db/connection.py"]),
        ({"path": ".", "pattern": "**"}, ["notes.txt", "src/config.py", "src/db/connection.py"]),
    ],
)
async def test_files_are_listed_by_glob_relative_to_the_workspace(
    call: Call, args: dict[str, object], paths: list[str]
) -> None:
    assert [each["path"] for each in (await call("list", **args))["files"]] == paths


async def test_a_folder_that_does_not_exist_is_said_not_to(call: Call) -> None:
    assert is_error(await call("list", path="none"), "file_not_found")


async def test_everything_is_listed_in_the_order_of_the_paths(tmp_path: Path) -> None:
    for name in ("zeta", "alpha"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").touch()
    paths = {name: SandboxPath(root=tmp_path / name) for name in ("zeta", "alpha")}
    result: Any = await Ungated(file_tools(FileSandbox(paths))).call("list_files", {})
    assert [each["path"] for each in result["files"]] == ["alpha/a.txt", "zeta/a.txt"]


# file.search


async def test_the_example_of_the_specification_is_found(call: Call) -> None:
    assert await call("search", pattern=r"def\s+connect", glob="**/connection.py", context_lines=1) == {
        "matches": [
            {
                "path": "src/db/connection.py",
                "line": 42,
                "content": (
                    "    # Establish database connection\n"
                    "--> def connect(host, port):\n"
                    "        return Client(host, port)"
                ),
            }
        ],
        "truncated": False,
    }


@pytest.mark.parametrize(
    ("args", "found"),
    [
        ({"pattern": "^t"}, [("notes.txt", 2), ("notes.txt", 3)]),
        ({"pattern": "debug"}, []),
        ({"pattern": "debug", "case_sensitive": False}, [("src/config.py", 1)]),
        ({"pattern": "def", "glob": "*.py"}, [("src/config.py", 3), ("src/db/connection.py", 42)]),
        ({"pattern": "def", "path": "src/db"}, [("src/db/connection.py", 42)]),
        ({"pattern": "hunter2"}, []),
    ],
)
async def test_lines_are_found_by_pattern_folder_and_name(
    call: Call, args: dict[str, object], found: list[tuple[str, int]]
) -> None:
    result = await call("search", **args)
    assert [(each["path"], each["line"]) for each in result["matches"]] == found
    assert result["truncated"] is False
    assert all(set(each) == {"path", "line", "content"} for each in result["matches"])


async def test_more_matches_than_wanted_are_cut_and_said_to_be(call: Call, root: Path) -> None:
    (root / "many.txt").write_text("match\n" * 150)
    first = await call("search", pattern="match")
    assert (len(first["matches"]), first["truncated"]) == (100, True)
    exactly = await call("search", pattern="match", max_results=150)
    assert (len(exactly["matches"]), exactly["truncated"]) == (150, False)


@pytest.mark.parametrize("pattern", ["(", "[a", "a**", "(?=look)", r"(a)\1"])
async def test_a_pattern_that_is_wrong(call: Call, pattern: str) -> None:
    assert is_error(await call("search", pattern=pattern), "invalid_pattern")


@pytest.mark.parametrize(("verb", "name"), [("list", "pattern"), ("search", "glob")])
@pytest.mark.parametrize("glob", ["[", "../*", "/etc/*"])
async def test_a_glob_that_is_wrong(call: Call, verb: str, name: str, glob: str) -> None:
    more = {"pattern": "x"} if verb == "search" else {}
    assert is_error(await call(verb, **(more | {name: glob})), "invalid_pattern")


async def test_ripgrep_that_is_demanded_and_not_there(root: Path) -> None:
    # No program is started from below a root, and here everything is.
    paths = {"work": SandboxPath(root=root), "all": SandboxPath(root=Path("/"))}
    tools = Ungated(file_tools(FileSandbox(paths, engine="ripgrep")))
    assert is_error(await tools.call("search_files", {"pattern": "x", "path": "work"}), "ripgrep_not_found")


# What the messages say


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("read_file", {"path": "work/src/none.py"}),
        ("read_file", {"path": "work/src/db"}),
        ("read_file", {"path": "work/way-out"}),
        ("read_file", {"path": "work/notes.txt/x"}),
        ("write_file", {"path": "work/src/db", "content": "x"}),
        ("write_file", {"path": "work/up/new.txt", "content": "x"}),
        ("edit_file", {"path": "work/src/db", "old_string": "a", "new_string": "b"}),
        ("delete_file", {"path": "work/src/db"}),
        ("delete_file", {"path": "work/src/none.py"}),
        ("move_file", {"path": "work/notes.txt", "destination": "work/src/db"}),
        ("list_files", {"path": "work/notes.txt"}),
        ("list_files", {"path": "work/none"}),
        ("search_files", {"path": "work/none", "pattern": "x"}),
    ],
)
async def test_an_error_names_the_path_as_the_caller_wrote_it(root: Path, tool: str, args: dict[str, object]) -> None:
    sandbox = FileSandbox({"work": SandboxPath(root=root, mode="rw")})
    result: Any = await Ungated(file_tools(sandbox)).call(tool, args)
    assert refused(result)
    assert str(args.get("destination", args["path"])) in result["message"]


@pytest.mark.parametrize("path", ["work//notes.txt", "./work/notes.txt", "work/./src/../notes.txt", "work///notes.txt"])
async def test_a_path_may_be_written_in_a_roundabout_way(root: Path, path: str) -> None:
    tools = Ungated(file_tools(FileSandbox({"work": SandboxPath(root=root)})))
    result: Any = await tools.call("read_file", {"path": path})
    assert result.get("total_lines") == 3, result


@pytest.mark.parametrize("read_approval", [False, True])
@pytest.mark.parametrize(
    ("tool", "more"), [("read_file", {}), ("edit_file", {"old_string": "one", "new_string": "1"}), ("delete_file", {})]
)
async def test_a_limit_is_stated_with_the_setting_that_sets_it(
    root: Path, tool: str, more: dict[str, object], *, read_approval: bool
) -> None:
    rule = SandboxPath(root=root, mode="rw", max_file_bytes=10, read_approval=read_approval)
    tools = session(FileSandbox({"work": rule}), mode="approve_all")
    result: Any = await tools.call(tool, {"path": "work/notes.txt", **more})
    assert is_error(result, "file_too_large")
    for part in ("work/notes.txt", "14 bytes", "at most 10", "max_file_bytes"):
        assert part in result["message"]


@pytest.mark.parametrize("path", ["src/config.py", "/etc/passwd", "work/../x", "~/x", "elsewhere/a.txt"])
async def test_a_path_outside_is_answered_with_what_is_allowed(root: Path, path: str) -> None:
    paths = {"work": SandboxPath(root=root, mode="rw"), "docs": SandboxPath(root=root / "src")}
    result: Any = await Ungated(file_tools(FileSandbox(paths))).call("read_file", {"path": path})
    assert is_error(result, "path_outside_workspace")
    for part in (path, "work (rw)", "docs (ro)", "name/relative/path"):
        assert part in result["message"]


async def test_a_write_to_what_is_read_only_is_answered_with_what_is_writable(root: Path, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    paths = {"work": SandboxPath(root=root, mode="rw"), "docs": SandboxPath(root=tmp_path / "docs")}
    tools = Ungated(file_tools(FileSandbox(paths)))
    result: Any = await tools.call("write_file", {"path": "docs/a.md", "content": "x"})
    assert is_error(result, "path_not_writable")
    assert "docs/a.md lies in docs (ro), which is read-only" in result["message"]
    assert "writable: work (rw)" in result["message"]


async def test_a_message_of_wrong_arguments_speaks_of_json_and_not_of_python(call: Call) -> None:
    result = await call("patch", path="notes.txt", patches=[])
    assert is_error(result, "invalid_arguments")
    assert "Tuple" not in result["message"]
    assert "patches" in result["message"]


async def test_an_argument_that_is_not_known_is_answered_with_those_that_are(call: Call) -> None:
    result = await call("read", path="notes.txt", start=3)
    assert is_error(result, "invalid_arguments")
    for name in ("start", "path", "offset", "limit"):
        assert name in result["message"]
