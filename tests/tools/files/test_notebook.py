"""Notebooks: one cell changes, and not a byte beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from assent.model import Approve
from assent.tools.files import FileSandbox
from assent.tools.files._cells import Notebook
from tests.tools.files.kit import Person, refused, session

CELLS: list[dict[str, Any]] = [
    {"cell_type": "markdown", "id": "intro", "metadata": {}, "source": ["# Títle\n", "text"]},
    {
        "cell_type": "code",
        "execution_count": 3,
        "id": "sum",
        "metadata": {},
        "outputs": [{"x": 1}],
        "source": ["1 + 1"],
    },
]
META = {"metadata": {"cells": "not these", "kernelspec": {}}, "nbformat": 4, "nbformat_minor": 5}


def book(cells: list[dict[str, Any]] | None = None, indent: int | None = 1) -> bytes:
    whole = {"cells": CELLS if cells is None else cells, **META}
    return json.dumps(whole, indent=indent, ensure_ascii=False).encode() + b"\n"


def bytes_of(file: Path) -> bytes:
    return file.read_bytes()


def cells_of(file: Path) -> Any:  # noqa: ANN401 — whatever is there
    return json.loads(bytes_of(file))["cells"]


def fill(file: Path, content: bytes) -> None:
    file.write_bytes(content)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path.resolve() / "a.ipynb"
    path.write_bytes(book())
    return path


async def edited(file: Path, **args: object) -> Any:  # noqa: ANN401 — a text, or an error
    tools = session(FileSandbox.at(file.parent), Person(), dialect="claude")
    return await tools.call("NotebookEdit", {"notebook_path": str(file), "new_source": "", **args})


async def test_a_cell_is_replaced_and_what_it_printed_is_cleared(file: Path) -> None:
    assert await edited(file, cell_id="sum", new_source="2 + 2\nprint()") == f"Updated cell sum of {file}"
    cell = cells_of(file)[1]
    assert (cell["source"], cell["outputs"], cell["execution_count"]) == (["2 + 2\n", "print()"], [], None)
    start = book().index(b'  {\n   "cell_type": "code"')
    assert bytes_of(file)[:start] == book()[:start]
    assert bytes_of(file).endswith(book()[book().index(b'"nbformat"') :])


async def test_a_person_sees_the_difference_in_the_file(file: Path) -> None:
    person = Person()
    tools = session(FileSandbox.at(file.parent), person, dialect="claude")
    await tools.call("NotebookEdit", {"notebook_path": str(file), "new_source": "# New", "cell_id": "intro"})
    assert person.shown.description == f"Replace cell intro of {file}"
    assert person.shown.unified_diff.replace(str(file), "a.ipynb") == snapshot("""\
--- a/a.ipynb
+++ b/a.ipynb
@@ -5,8 +5,7 @@
    "id": "intro",
    "metadata": {},
    "source": [
-    "# Títle\\n",
-    "text"
+    "# New"
    ]
   },
   {
""")


async def test_a_cell_is_inserted_where_it_is_wanted(file: Path) -> None:
    await edited(file, cell_id="intro", edit_mode="insert", new_source="x", cell_type="code")
    await edited(file, edit_mode="insert", new_source="first", cell_type="markdown")
    cells = cells_of(file)
    assert [each["source"] for each in cells] == [["first"], ["# Títle\n", "text"], ["x"], ["1 + 1"]]
    assert len({each["id"] for each in cells}) == 4
    assert "outputs" in cells[2]
    assert "outputs" not in cells[0]


async def test_cells_are_deleted_down_to_none(file: Path) -> None:
    await edited(file, cell_id="intro", edit_mode="delete")
    assert [each["id"] for each in cells_of(file)] == ["sum"]
    await edited(file, cell_id="cell-0", edit_mode="delete")
    assert cells_of(file) == []
    await edited(file, edit_mode="insert", new_source="again")
    assert [each["source"] for each in cells_of(file)] == [["again"]]


async def test_a_cell_keeps_the_ends_of_lines_and_half_characters_of_its_notebook(file: Path) -> None:
    cells: list[dict[str, Any]] = [{**CELLS[1], "metadata": {"tag": "\ud800é"}}]
    whole = json.dumps({"cells": cells, **META}, indent=1).replace("\n", "\r\n")
    fill(file, whole.encode())
    await edited(file, cell_id="sum", new_source="2\n3")
    (cell,) = cells_of(file)
    assert (cell["source"], cell["metadata"]) == (["2\n", "3"], {"tag": "\ud800é"})
    assert bytes_of(file).count(b"\n") == bytes_of(file).count(b"\r\n")


async def test_a_cell_of_another_kind_keeps_its_name(file: Path) -> None:
    await edited(file, cell_id="sum", new_source="words", cell_type="markdown")
    assert cells_of(file)[1] == {
        "cell_type": "markdown",
        "id": "sum",
        "metadata": {},
        "source": ["words"],
    }


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ({"cell_id": "nope"}, "its cells are intro, sum"),
        ({"cell_id": "cell-7"}, "no such cell"),
        ({}, "cell_id is missing"),
    ],
)
async def test_what_cannot_be_done_is_said(args: dict[str, object], says: str, file: Path) -> None:
    result = await edited(file, **args)
    assert refused(result) == "invalid_arguments"
    assert says in result["message"]
    assert bytes_of(file) == book()


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"cells": 1}', b'{"cells": [1]}', b"\xff", b'{"cells": [{}'])
async def test_what_is_no_notebook_is_left_alone(content: bytes, file: Path) -> None:
    fill(file, content)
    result = await edited(file, cell_id="cell-0", new_source="x")
    assert refused(result) == "invalid_arguments"
    assert bytes_of(file) == content


async def test_a_notebook_that_changed_after_it_was_shown_is_not_touched(file: Path) -> None:
    other = book([{**CELLS[1], "id": "intro"}])
    person = Person(meanwhile=lambda _pending: fill(file, other))
    tools = session(FileSandbox.at(file.parent), person, dialect="claude")
    result = await tools.call("NotebookEdit", {"notebook_path": str(file), "new_source": "x", "cell_id": "intro"})
    assert refused(result) == "changed_since_approval"
    assert bytes_of(file) == other


async def test_a_cell_is_not_changed_by_halves(file: Path) -> None:
    tools = session(FileSandbox.at(file.parent), Person(Approve(hunks=(0,), by="ana")), dialect="claude")
    result = await tools.call("NotebookEdit", {"notebook_path": str(file), "new_source": "x", "cell_id": "sum"})
    assert refused(result) == "invalid_arguments"
    assert bytes_of(file) == book()


SPELLABLE = st.characters(exclude_categories=["Cs"])
values = st.recursive(
    st.none() | st.integers() | st.text(SPELLABLE),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text('ab{}[],:"\\ ', max_size=3), inner, max_size=2),
    max_leaves=6,
)
kinds = st.sampled_from(["code", "markdown"])
cells = st.lists(
    st.fixed_dictionaries({"cell_type": kinds, "metadata": values, "source": values}, optional={"outputs": values}),
    max_size=4,
)


@given(
    cells,
    st.sampled_from([None, 1, 2]),
    st.booleans(),
    st.text(SPELLABLE),
    kinds,
    st.data(),
)
def test_one_cell_changes_and_every_other_stays(
    there: list[dict[str, Any]],
    indent: int | None,
    ascii_only: bool,  # noqa: FBT001 — drawn
    source: str,
    kind: str,
    data: st.DataObject,
) -> None:
    before = json.dumps({"a": "cells", **META, "cells": there, "z": 1}, indent=indent, ensure_ascii=ascii_only).encode()
    notebook = Notebook.of(before, "a.ipynb")
    mode = data.draw(st.sampled_from(["insert", "replace", "delete"] if there else ["insert"]))
    at = data.draw(st.integers(0, max(0, len(there) - 1)))
    match mode:
        case "insert":
            edit = notebook.inserted(f"cell-{at}" if there else None, kind, source)
        case "replace":
            edit = notebook.replaced(f"cell-{at}", kind, source)
        case _:
            edit = notebook.deleted(f"cell-{at}")
    after = before[: edit.start] + edit.replacement + before[edit.end :]
    whole = json.loads(after)
    new = whole.pop("cells")
    assert whole == {"a": "cells", **META, "z": 1}
    expected = {"insert": (at + 1 if there else 0, 0), "replace": (at, 1), "delete": (at, 1)}[mode]
    start, gone = expected
    assert new[:start] == there[:start]
    assert new[start + (mode != "delete") :] == there[start + gone :]
    if mode != "delete":
        assert "".join(new[start]["source"]) == source
        assert new[start]["cell_type"] == kind
