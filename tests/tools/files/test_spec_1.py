"""Structured approvals: every field, message and example of the specification of `edit_file` and its presentations."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from assent.config import SandboxPath
from assent.errors import (
    EditNotFoundError,
    EditNotUniqueError,
    InvalidArguments,
    PathNotInSandboxError,
    PathNotWritableError,
    ToolError,
)
from assent.model import (
    PREVIEW_LINES,
    DeletePresentation,
    EditPresentation,
    MovePresentation,
    PatchPresentation,
    ReadPresentation,
    WritePresentation,
)
from assent.model.wire import dump
from assent.runtime import Ungated
from assent.tools.files import EditResult, FileSandbox, file_tools
from assent.tools.files._presenting import first_lines
from tests.tools.files.kit import Person, refused, session

UTILS = "import os\nimport sys\n\ndef helper():\n    pass\n" + "x = 1\n" * 44 + "# " + "-" * 922 + "\n"
TEN = "".join(f"line {number}\n" for number in range(1, 11))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("workspace/src", "reference"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "workspace/src/utils.py").write_text(UTILS)
    (tmp_path / "workspace/ten.txt").write_text(TEN)
    (tmp_path / "reference/a.txt").write_text("one\n")
    return tmp_path


@pytest.fixture
def sandbox(root: Path) -> FileSandbox:
    workspace = SandboxPath(root=root / "workspace", mode="rw")
    return FileSandbox({"workspace": workspace, "reference": SandboxPath(root=root / "reference")})


def edit(path: str, old: str, new: str, **more: object) -> dict[str, object]:
    return {"path": path, "old_string": old, "new_string": new, **more}


async def shown(sandbox: FileSandbox, tool: str, args: dict[str, object]) -> Any:  # noqa: ANN401 — any presentation
    """What a person is asked to approve."""
    person = Person()
    result = await session(sandbox, person).call(tool, args)
    assert "error" not in json.loads(json.dumps(result)), result
    return person.shown


async def told(sandbox: FileSandbox, tool: str, args: dict[str, object]) -> dict[str, Any]:
    """What the model is told; nobody may be asked about what cannot work."""
    person = Person()
    result = await session(sandbox, person).call(tool, args)
    assert person.asked == []
    assert isinstance(result, dict)
    return result


# The worked example

EXAMPLE = edit("workspace/src/utils.py", "import os\nimport sys", "import os\nimport sys\nimport json")


async def test_the_worked_example_is_shown_field_for_field(sandbox: FileSandbox) -> None:
    on_the_wire = json.loads(dump(await shown(sandbox, "edit_file", EXAMPLE)))
    of_the_law = {name: on_the_wire.pop(name) for name in ("unified_diff", "diff_lines", "change")}
    assert on_the_wire == {
        "type": "edit",
        "description": "Edit workspace/src/utils.py: add 1 line at line 1",
        "path": "workspace/src/utils.py",
        "sandbox": "workspace",
        "old_string": "import os\nimport sys",
        "new_string": "import os\nimport sys\nimport json",
        "replace_all": False,
        "match_line": 1,
        "match_count": 1,
        "context_before": "",
        "context_after": "\ndef helper():\n    pass",
        "file_lines": 50,
        "file_bytes": 1234,
    }
    assert of_the_law["unified_diff"] == snapshot("""\
--- a/src/utils.py
+++ b/src/utils.py
@@ -1,5 +1,6 @@
 import os
 import sys
+import json
 \n\
 def helper():
     pass
""")
    assert of_the_law["diff_lines"] == len(of_the_law["unified_diff"].splitlines())


async def test_the_worked_example_gives_its_result(sandbox: FileSandbox, root: Path) -> None:
    assert await session(sandbox, Person()).call("edit_file", EXAMPLE) == {
        "path": "workspace/src/utils.py",
        "replacements_made": 1,
        "lines_changed": 1,
        "message": "Added 1 line at line 1 in workspace/src/utils.py",
    }
    after = UTILS.replace("import sys\n", "import sys\nimport json\n")
    assert (root / "workspace/src/utils.py").read_text() == after


# edit_file


def test_the_signature_of_edit_file(sandbox: FileSandbox) -> None:
    (tool,) = (tool for tool in file_tools(sandbox) if tool.name == "edit_file")
    schema: Any = tool.schema
    kinds = {name: (about["type"], about.get("default")) for name, about in schema["properties"].items()}
    assert kinds == {
        "path": ("string", None),
        "old_string": ("string", None),
        "new_string": ("string", None),
        "replace_all": ("boolean", False),
    }
    assert schema["required"] == ["path", "old_string", "new_string"]
    assert [field.name for field in fields(EditResult)] == ["path", "replacements_made", "lines_changed", "message"]


@pytest.mark.parametrize(
    ("old", "new", "after", "lines", "message"),
    [
        ("line 5\n", "", TEN.replace("line 5\n", ""), 1, "Removed 1 line at line 5"),
        ("5", "five", TEN.replace("5", "five"), 1, "Replaced 1 line at line 5"),
        ("line 4\nline 5\n", "x\n", TEN.replace("line 4\nline 5\n", "x\n"), 2, "Replaced 2 lines at line 4"),
        ("line 9\n", "line 9\nnew\n", TEN.replace("line 9\n", "line 9\nnew\n"), 1, "Added 1 line at line 9"),
        ("line 1\nline 2\n", "", TEN.removeprefix("line 1\nline 2\n"), 2, "Removed 2 lines at line 1"),
    ],
)
async def test_an_edit_says_what_it_did(
    sandbox: FileSandbox, root: Path, old: str, new: str, after: str, lines: int, message: str
) -> None:
    args = edit("workspace/ten.txt", old, new)
    assert await session(sandbox, Person()).call("edit_file", args) == {
        "path": "workspace/ten.txt",
        "replacements_made": 1,
        "lines_changed": lines,
        "message": f"{message} in workspace/ten.txt",
    }
    assert (root / "workspace/ten.txt").read_text() == after


async def test_replace_all_replaces_every_occurrence(sandbox: FileSandbox, root: Path) -> None:
    args = edit("workspace/ten.txt", "line", "row", replace_all=True)
    result: Any = await session(sandbox, Person()).call("edit_file", args)
    assert (result["replacements_made"], result["lines_changed"]) == (10, 10)
    assert (root / "workspace/ten.txt").read_text() == TEN.replace("line", "row")


async def test_the_path_of_the_result_is_normalised(sandbox: FileSandbox) -> None:
    args = edit("./workspace/src/..//ten.txt", "line 5", "five")
    result: Any = await session(sandbox, Person()).call("edit_file", args)
    assert result["path"] == "workspace/ten.txt"


# The errors of edit_file


@pytest.mark.parametrize(
    ("args", "kind", "code"),
    [
        (edit("workspace/ten.txt", "line", "row"), EditNotUniqueError, "find_not_unique"),
        (edit("workspace/ten.txt", "nowhere", "x"), EditNotFoundError, "find_not_found"),
        (edit("elsewhere/a.txt", "a", "b"), PathNotInSandboxError, "path_outside_workspace"),
        (edit("workspace/../../a.txt", "a", "b"), PathNotInSandboxError, "path_outside_workspace"),
        (edit("reference/a.txt", "one", "two"), PathNotWritableError, "path_not_writable"),
        (edit("workspace/ten.txt", "", "x"), InvalidArguments, "invalid_arguments"),
        (edit("workspace/ten.txt", "line 5", "line 5"), InvalidArguments, "invalid_arguments"),
    ],
)
async def test_every_error_has_its_class_and_its_code(
    sandbox: FileSandbox, root: Path, args: dict[str, object], kind: type[ToolError], code: str
) -> None:
    (tool,) = (tool for tool in file_tools(sandbox) if tool.name == "edit_file")
    with pytest.raises(kind):
        await tool.ungated(args)
    assert refused(await told(sandbox, "edit_file", args)) == code
    assert (root / "workspace/ten.txt").read_text() == TEN


async def test_several_matches_are_counted_and_their_lines_named(sandbox: FileSandbox) -> None:
    assert (await told(sandbox, "edit_file", edit("workspace/ten.txt", "line 1", "x")))["message"] == (
        "Found 2 matches for old_string. Use replace_all=True or provide more context. Matches at lines: 1, 10"
    )


async def test_two_matches_in_a_line_name_the_line_once(sandbox: FileSandbox, root: Path) -> None:
    (root / "workspace/twice.txt").write_text("\na a\n")
    assert (await told(sandbox, "edit_file", edit("workspace/twice.txt", "a", "b")))["message"] == (
        "Found 2 matches for old_string. Use replace_all=True or provide more context. Matches at lines: 2"
    )


async def test_very_many_matches_are_counted_and_the_rest_is_not_hidden(sandbox: FileSandbox) -> None:
    message = (await told(sandbox, "edit_file", edit("workspace/src/utils.py", "x = 1", "y")))["message"]
    assert message.startswith(
        "Found 44 matches for old_string. Use replace_all=True or provide more context. Matches at lines: 6, 7, 8, "
    )
    assert message.endswith(" and 24 more")


async def test_a_text_that_is_not_there_is_answered_with_what_may_have_been_meant(sandbox: FileSandbox) -> None:
    args = edit("workspace/src/utils.py", "def helpers():\n    pass", "x")
    message = (await told(sandbox, "edit_file", args))["message"]
    assert message == (
        "old_string not found in workspace/src/utils.py. File contains 50 lines. "
        'Did you mean: "def helper():\\n    pass" (line 4)?'
    )


async def test_at_most_three_suggestions_each_with_its_line(sandbox: FileSandbox, root: Path) -> None:
    wanted = "the quick brown fox jumps over the lazy dog"
    near = [wanted.replace("lazy", word) for word in ("lady", "laze", "hazy", "crazy", "lacy")]
    (root / "workspace/near.txt").write_text("\n".join(near) + "\n")
    message = (await told(sandbox, "edit_file", edit("workspace/near.txt", wanted, "x")))["message"]
    start = "old_string not found in workspace/near.txt. File contains 5 lines. Did you mean: "
    assert message.startswith(start)
    suggestions = re.findall(r'"([^"]*)" \(line (\d)\)', message.removeprefix(start))
    assert len(suggestions) == 3
    assert all(near[int(line) - 1] == text for text, line in suggestions)


@pytest.mark.parametrize("old", ["  line 5", "line 5 \n", "line\t5"])
async def test_a_text_that_differs_in_spaces_is_never_matched_but_suggested(
    sandbox: FileSandbox, root: Path, old: str
) -> None:
    message = (await told(sandbox, "edit_file", edit("workspace/ten.txt", old, "x")))["message"]
    assert message.startswith("old_string not found in workspace/ten.txt. File contains 10 lines. Did you mean: ")
    assert '"line 5" (line 5)' in message
    assert (root / "workspace/ten.txt").read_text() == TEN


async def test_without_anything_similar_nothing_is_suggested(sandbox: FileSandbox) -> None:
    message = (await told(sandbox, "edit_file", edit("workspace/ten.txt", "@@@@@@@@@@", "x")))["message"]
    assert message == "old_string not found in workspace/ten.txt. File contains 10 lines."


@pytest.mark.parametrize("replace_all", [False, True])
async def test_overlapping_matches_are_never_replaced(sandbox: FileSandbox, root: Path, replace_all: bool) -> None:  # noqa: FBT001 — a parameter of the test
    (root / "workspace/a.txt").write_text("aaa\n")
    result = await told(sandbox, "edit_file", edit("workspace/a.txt", "aa", "b", replace_all=replace_all))
    assert refused(result) == "find_not_unique"
    assert result["message"].startswith("Found 2 matches for old_string")
    assert result["message"].endswith("Matches at lines: 1")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("", "x", "old_string is empty"),
        ("line 5", "line 5", "old_string and new_string are the same"),
    ],
)
async def test_an_edit_of_nothing_says_so_in_the_callers_words(
    sandbox: FileSandbox, old: str, new: str, says: str
) -> None:
    result = await told(sandbox, "edit_file", edit("workspace/ten.txt", old, new))
    assert refused(result) == "invalid_arguments"
    assert says in result["message"]


# What is shown for a write


async def test_a_new_file_of_many_lines_is_shown_with_a_preview(sandbox: FileSandbox) -> None:
    content = "".join(f"{number}\n" for number in range(150))
    assert await shown(sandbox, "write_file", {"path": "workspace/src/main.py", "content": content}) == (
        WritePresentation(
            description="Write 150 lines to workspace/src/main.py",
            path="workspace/src/main.py",
            sandbox="workspace",
            content=content,
            content_lines=150,
            content_bytes=len(content),
            preview="\n".join(map(str, range(50))),
            preview_truncated=True,
            file_exists=False,
            existing_lines=None,
            existing_bytes=None,
            change=None,
        )
    )


async def test_overwriting_shows_what_was_there_and_the_difference(sandbox: FileSandbox) -> None:
    content = TEN.replace("line 5", "zeile fünf")
    write = asdict(await shown(sandbox, "write_file", {"path": "workspace/ten.txt", "content": content}))
    change = write.pop("change")
    assert write == {
        "type": "write",
        "description": "Write 10 lines to workspace/ten.txt",
        "path": "workspace/ten.txt",
        "sandbox": "workspace",
        "content": content,
        "content_lines": 10,
        "content_bytes": 76,
        "preview": content,
        "preview_truncated": False,
        "file_exists": True,
        "existing_lines": 10,
        "existing_bytes": 71,
    }
    assert change["unified_diff"] == snapshot("""\
--- a/ten.txt
+++ b/ten.txt
@@ -2,7 +2,7 @@
 line 2
 line 3
 line 4
-line 5
+zeile fünf
 line 6
 line 7
 line 8
""")
    assert (change["path"], change["diff_lines"], change["escaped"]) == ("workspace/ten.txt", 11, False)
    assert (change["before"]["bytes"], change["after"]["bytes"]) == (71, 76)


@pytest.mark.parametrize(
    ("content", "lines", "size"),
    [("", 0, 0), ("a", 1, 1), ("a\n", 1, 2), ("a\nb", 2, 3), ("ä\r\n\n", 2, 5), ("a\u2028b\x0c\n", 1, 7)],
)
async def test_lines_are_counted_by_line_feeds_and_sizes_in_bytes(
    sandbox: FileSandbox, content: str, lines: int, size: int
) -> None:
    write = await shown(sandbox, "write_file", {"path": "workspace/new.txt", "content": content})
    assert (write.content_lines, write.content_bytes) == (lines, size)


@given(st.text("a\r\n", max_size=20), st.integers(1, 5))
def test_a_preview_is_the_beginning_and_truncated_means_not_all(text: str, most: int) -> None:
    preview, truncated = first_lines(text, most)
    assert text.startswith(preview)
    assert truncated is (preview != text)
    assert len(preview.removesuffix("\n").split("\n")) <= most


def test_a_preview_has_fifty_lines() -> None:
    assert PREVIEW_LINES == 50


# What is shown for an edit


async def test_replacing_lines_is_described_by_their_number(sandbox: FileSandbox) -> None:
    five = "".join(f"line {number}\n" for number in range(3, 8))
    drawn = asdict(await shown(sandbox, "edit_file", edit("workspace/ten.txt", five, "three to seven\n")))
    change, diff = drawn.pop("change"), drawn.pop("unified_diff")
    assert drawn == {
        "type": "edit",
        "description": "Edit workspace/ten.txt: replace 5 lines",
        "path": "workspace/ten.txt",
        "sandbox": "workspace",
        "old_string": five,
        "new_string": "three to seven\n",
        "replace_all": False,
        "diff_lines": 14,
        "match_line": 3,
        "match_count": 1,
        "context_before": "line 1\nline 2",
        "context_after": "line 8\nline 9\nline 10",
        "file_lines": 10,
        "file_bytes": 71,
    }
    assert diff == snapshot("""\
--- a/ten.txt
+++ b/ten.txt
@@ -1,10 +1,6 @@
 line 1
 line 2
-line 3
-line 4
-line 5
-line 6
-line 7
+three to seven
 line 8
 line 9
 line 10
""")
    assert change == {
        "path": "workspace/ten.txt",
        "unified_diff": diff,
        "diff_lines": 14,
        "escaped": False,
        "before": {"sha256": sha256(TEN.encode()).hexdigest(), "bytes": 71, "lines": 10, "media_type": None},
        "after": {
            "sha256": sha256(TEN.replace(five, "three to seven\n").encode()).hexdigest(),
            "bytes": 51,
            "lines": 6,
            "media_type": None,
        },
    }


@pytest.mark.parametrize(
    ("old", "new", "line", "before", "after", "does"),
    [
        ("line 1\n", "", 1, "", "line 2\nline 3\nline 4", "remove 1 line at line 1"),
        ("10\n", "ten\n", 10, "line 7\nline 8\nline 9", "", "replace 1 line"),
        ("5", "five", 5, "line 2\nline 3\nline 4", "line 6\nline 7\nline 8", "replace 1 line"),
        ("5\nline 6", "5\n\nline 6", 5, "line 2\nline 3\nline 4", "line 7\nline 8\nline 9", "add 1 line at line 5"),
    ],
)
async def test_an_edit_is_shown_with_three_lines_around_the_match(
    sandbox: FileSandbox, old: str, new: str, line: int, before: str, after: str, does: str
) -> None:
    drawn = await shown(sandbox, "edit_file", edit("workspace/ten.txt", old, new))
    assert (drawn.match_line, drawn.context_before, drawn.context_after) == (line, before, after)
    assert drawn.description == f"Edit workspace/ten.txt: {does}"


async def test_all_matches_are_counted_and_the_first_is_named(sandbox: FileSandbox) -> None:
    drawn = await shown(sandbox, "edit_file", edit("workspace/src/utils.py", "x = 1", "x = 2", replace_all=True))
    assert (drawn.replace_all, drawn.match_line, drawn.match_count) == (True, 6, 44)
    assert drawn.description == "Edit workspace/src/utils.py: replace 44 lines"
    assert drawn.unified_diff.count("\n+x = 2") == 44


async def test_a_missing_final_newline_is_marked_in_the_diff(sandbox: FileSandbox, root: Path) -> None:
    (root / "workspace/open.txt").write_text("a\nb")
    drawn = await shown(sandbox, "edit_file", edit("workspace/open.txt", "b", "c"))
    assert drawn.unified_diff == snapshot("""\
--- a/open.txt
+++ b/open.txt
@@ -1,2 +1,2 @@
 a
-b
\\ No newline at end of file
+c
\\ No newline at end of file
""")
    assert drawn.diff_lines == 8


# What is shown for a read


async def test_a_read_that_asks_shows_the_size_and_not_the_content(root: Path) -> None:
    (root / "workspace/secrets").mkdir()
    (root / "workspace/secrets/config.yaml").write_text("key: hunter2\nuser: ana\n")
    asking = FileSandbox({"workspace": SandboxPath(root=root / "workspace", read_approval=True)})
    drawn = await shown(asking, "read_file", {"path": "workspace/secrets/config.yaml"})
    assert json.loads(dump(drawn)) == {
        "type": "read",
        "description": "Read workspace/secrets/config.yaml",
        "path": "workspace/secrets/config.yaml",
        "sandbox": "workspace",
        "file_lines": 2,
        "file_bytes": 23,
        "file_exists": True,
    }


async def test_a_read_of_a_file_that_is_missing_says_so_to_the_person(root: Path) -> None:
    asking = FileSandbox({"workspace": SandboxPath(root=root / "workspace", read_approval=True)})
    person = Person()
    result = await session(asking, person).call("read_file", {"path": "workspace/none.txt"})
    assert (person.shown.file_exists, person.shown.file_lines, person.shown.file_bytes) == (False, 0, 0)
    assert refused(result) == "file_not_found"


# What is shown for ours beside them


async def test_patches_are_shown_as_one_diff(sandbox: FileSandbox) -> None:
    patches = [{"find": "line 2\n", "replace": ""}, {"find": "line 4", "replace": "four"}]
    patch = asdict(await shown(sandbox, "patch_file", {"path": "workspace/ten.txt", "patches": patches}))
    (change,) = patch.pop("changes")
    assert patch == snapshot(
        {
            "description": "Apply 2 patches to workspace/ten.txt",
            "path": "workspace/ten.txt",
            "sandbox": "workspace",
            "unified_diff": """\
--- a/ten.txt
+++ b/ten.txt
@@ -1,7 +1,6 @@
 line 1
-line 2
 line 3
-line 4
+four
 line 5
 line 6
 line 7
""",
            "diff_lines": 11,
            "patches": 2,
            "type": "patch",
        }
    )
    assert (change["unified_diff"], change["diff_lines"]) == (patch["unified_diff"], patch["diff_lines"])
    assert (change["before"]["lines"], change["after"]["lines"]) == (10, 9)


async def test_a_deletion_shows_what_would_be_lost(sandbox: FileSandbox, root: Path) -> None:
    (root / "workspace/long.txt").write_text("x\n" * 60)
    delete = asdict(await shown(sandbox, "delete_file", {"path": "workspace/long.txt"}))
    assert delete.pop("content") == "x\n" * 60
    assert delete.pop("preview") == "\n".join("x" * 50)
    assert delete.pop("version")["bytes"] == 120
    assert delete == {
        "type": "delete",
        "description": "Delete workspace/long.txt",
        "path": "workspace/long.txt",
        "sandbox": "workspace",
        "file_lines": 60,
        "file_bytes": 120,
        "preview_truncated": True,
    }


async def test_a_move_shows_both_ends(sandbox: FileSandbox) -> None:
    move: dict[str, object] = {"path": "workspace/ten.txt", "destination": "workspace/new/eleven.txt"}
    assert await shown(sandbox, "move_file", move) == MovePresentation(
        description="Move workspace/ten.txt to workspace/new/eleven.txt",
        path="workspace/ten.txt",
        sandbox="workspace",
        destination="workspace/new/eleven.txt",
        destination_sandbox="workspace",
        file_lines=10,
        file_bytes=71,
    )


@pytest.mark.parametrize(
    ("kind", "discriminator"),
    [
        (WritePresentation, "write"),
        (EditPresentation, "edit"),
        (ReadPresentation, "read"),
        (PatchPresentation, "patch"),
        (DeletePresentation, "delete"),
        (MovePresentation, "move"),
    ],
)
def test_every_presentation_of_a_file_has_the_common_fields(kind: type[Any], discriminator: str) -> None:
    known = {field.name: field.default for field in fields(kind)}
    assert {"description", "path", "sandbox"} <= set(known)
    assert known["type"] == discriminator


# Approving similar calls


async def test_the_group_of_the_call_reaches_the_question(sandbox: FileSandbox) -> None:
    person = Person()
    await session(sandbox, person).call("edit_file", EXAMPLE, group_id="refactoring")
    assert person.asked[-1].call.group_id == "refactoring"


async def test_what_is_remembered_leaves_the_content_out_and_says_so(sandbox: FileSandbox, root: Path) -> None:
    person = Person()
    await session(sandbox, person).call("edit_file", EXAMPLE)
    request = person.asked[-1].request
    assert request.fingerprint == {
        "path_name": "workspace",
        "path": "src/utils.py",
        "root": str((root / "workspace").resolve()),
    }
    assert request.covers == "every edit of workspace/src/utils.py by this tool; content can vary"
    assert [each.description for each in request.wider] == [
        "all edits of *.py files in workspace/src; content can vary",
        "all edits in workspace/src; content can vary",
        "all edits of *.py files in workspace; content can vary",
        "all edits in workspace; content can vary",
        "all edits anywhere; content can vary",
    ]


async def test_without_a_gate_the_same_results_and_errors(sandbox: FileSandbox) -> None:
    bare = Ungated(file_tools(sandbox))
    assert await bare.call("edit_file", EXAMPLE) == {
        "path": "workspace/src/utils.py",
        "replacements_made": 1,
        "lines_changed": 1,
        "message": "Added 1 line at line 1 in workspace/src/utils.py",
    }
    assert refused(await bare.call("edit_file", EXAMPLE | {"path": "reference/a.txt"})) == "path_not_writable"
    assert refused(await bare.call("edit_file", EXAMPLE | {"old_string": "nowhere"})) == "find_not_found"
