"""`NotebookEdit`: one cell of a Jupyter notebook, replaced, added or removed; every other byte stays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from assent.diff import Edit, splice
from assent.errors import InvalidArguments
from assent.model import PatchPresentation
from assent.tools.files._cells import Notebook
from assent.tools.files._changing import ChangingTool
from assent.tools.files._narrowing import Part
from assent.tools.files._planning import Plan
from assent.tools.files._presenting import change_of
from assent.tools.files._results import PatchResult
from assent.tools.files.sandbox._spot import Spot

EditMode = Literal["replace", "insert", "delete"]
CellType = Literal["code", "markdown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditNotebook:
    """Which cell of which notebook, and what becomes of it."""

    path: str
    new_source: str
    cell_id: str | None
    cell_type: CellType | None
    edit_mode: EditMode


class NotebookTool(ChangingTool[EditNotebook, PatchResult]):
    """Changes one cell; what a code cell printed before is cleared with its source."""

    def line(self, shown: str, wanted: EditNotebook) -> str:
        """What happens to which cell."""
        match wanted.edit_mode:
            case "replace":
                return f"Replace cell {wanted.cell_id} of {shown}"
            case "delete":
                return f"Delete cell {wanted.cell_id} of {shown}"
            case "insert":
                where = "at the beginning of" if wanted.cell_id is None else f"after cell {wanted.cell_id} of"
                return f"Insert a {wanted.cell_type or 'code'} cell {where} {shown}"

    def plan(self, data: bytes, shown: str, wanted: EditNotebook) -> Plan:
        """What becomes of the file."""
        edit = _edit(Notebook.of(data, shown), wanted)
        after = data[: edit.start] + edit.replacement + data[edit.end :]
        if after == data:
            raise InvalidArguments(f"cell {wanted.cell_id} of {shown} is like this already, so it would not change")
        difference = splice(data, [edit])
        return Plan(before=data, after=after, diff=difference, matches=1, first=edit.start, last=edit.end)

    def shows(self, spot: Spot, wanted: EditNotebook, plan: Plan) -> PatchPresentation:
        """The change as a diff of the file."""
        change = change_of(spot, plan.diff, plan.before, plan.after)
        return PatchPresentation(
            description=self.line(spot.shown, wanted),
            path=spot.path,
            sandbox=spot.home.name,
            unified_diff=change.unified_diff,
            diff_lines=change.diff_lines,
            patches=1,
            changes=(change,),
        )

    def spellings(self, args: Mapping[str, object], part: Part) -> Iterator[Mapping[str, object]]:
        """A cell is changed as a whole."""
        del args, part
        return iter(())

    def replacing(self, args: Mapping[str, object], find: str, replace: str) -> Mapping[str, object]:
        """No text stands for a part of a cell."""
        del find, replace
        return args

    def result(self, spot: Spot, wanted: EditNotebook, plan: Plan) -> PatchResult:
        """One cell was changed."""
        del spot, wanted, plan
        return PatchResult(patches_applied=1)


def _edit(notebook: Notebook, wanted: EditNotebook) -> Edit:
    match wanted.edit_mode:
        case "insert":
            return notebook.inserted(wanted.cell_id, wanted.cell_type or "code", wanted.new_source)
        case "replace":
            return notebook.replaced(_named(wanted), wanted.cell_type, wanted.new_source)
        case "delete":
            return notebook.deleted(_named(wanted))


def _named(wanted: EditNotebook) -> str:
    if wanted.cell_id is None:
        raise InvalidArguments(f"cell_id is missing; to {wanted.edit_mode} a cell, say which")
    return wanted.cell_id
