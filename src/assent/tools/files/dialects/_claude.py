"""The `claude` dialect: its names and arguments, and answers as its clients print them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from assent.tools.files import _arguments as native
from assent.tools.files._edit import EditTool
from assent.tools.files._list import ListTool
from assent.tools.files._notebook import EditNotebook, NotebookTool
from assent.tools.files._patch import PatchTool
from assent.tools.files._planning import Terms
from assent.tools.files._read import ReadTool
from assent.tools.files._results import EditResult, ListResult, PatchResult, ReadResult, WriteResult
from assent.tools.files._search import SearchTool
from assent.tools.files._text import counted
from assent.tools.files._tool import Wording
from assent.tools.files._write import WriteTool
from assent.tools.files.dialects import _claude_arguments as takes
from assent.tools.files.dialects._about import ABOUT, Kind
from assent.tools.files.dialects._grep import GrepFiles, printed


def _read(filled: takes.Read) -> native.ReadFile:
    return native.ReadFile(path=filled.file_path, offset=filled.offset, limit=filled.limit)


def _lines(wanted: native.ReadFile, result: ReadResult) -> str:
    if result.content:
        return result.content
    if not result.total_lines:
        return "The file is empty."
    return f"The file has {counted(result.total_lines, 'line')}; line {wanted.offset} is after the end."


def _write(filled: takes.Write) -> native.WriteFile:
    return native.WriteFile(path=filled.file_path, content=filled.content)


def _written(wanted: native.WriteFile, _: WriteResult) -> str:
    return f"Wrote {len(wanted.content)} characters to {wanted.path}"


def _edit(filled: takes.Edit) -> native.EditFile:
    return native.EditFile(
        path=filled.file_path,
        old_string=filled.old_string,
        new_string=filled.new_string,
        replace_all=filled.replace_all,
    )


def _edited(_: native.EditFile, result: EditResult) -> str:
    return f"{result.message} ({counted(result.replacements_made, 'replacement')})"


def _multi_edit(filled: takes.MultiEdit) -> native.PatchFile:
    return native.PatchFile(path=filled.file_path, patches=tuple(map(_one_edit, filled.edits)))


def _one_edit(edit: takes.OneEdit) -> native.Replacement:
    kind = native.EveryReplacement if edit.replace_all else native.Replacement
    return kind(find=edit.old_string, replace=edit.new_string)


def _patched(wanted: native.PatchFile, result: PatchResult) -> str:
    return f"Applied {counted(result.patches_applied, 'edit')} to {wanted.path}"


def _notebook(filled: takes.NotebookEdit) -> EditNotebook:
    return EditNotebook(
        path=filled.notebook_path,
        new_source=filled.new_source,
        cell_id=filled.cell_id,
        cell_type=filled.cell_type,
        edit_mode=filled.edit_mode,
    )


def _changed_cell(wanted: EditNotebook, _: PatchResult) -> str:
    match wanted.edit_mode:
        case "replace":
            return f"Updated cell {wanted.cell_id} of {wanted.path}"
        case "delete":
            return f"Deleted cell {wanted.cell_id} of {wanted.path}"
        case "insert":
            return f"Inserted a cell into {wanted.path}"


def _glob(filled: takes.Glob) -> native.ListFiles:
    return native.ListFiles(path=filled.path, pattern=filled.pattern)


def _listed(_: native.ListFiles, result: ListResult) -> str:
    return "\n".join(file.path for file in result.files) or "No files found"


def _grep(filled: takes.Grep) -> GrepFiles:
    both = filled.around or 0
    before, after = (both if each is None else each for each in (filled.before, filled.after))
    wanted = filled.output_mode == "content"
    return GrepFiles(
        pattern=filled.pattern,
        path=filled.path,
        glob=filled.glob,
        case_sensitive=not filled.ignore_case,
        multiline=filled.multiline,
        context_lines=max(before, after) if wanted else 0,
        max_results=native.MOST_RESULTS,
        first_only=filled.output_mode == "files_with_matches",
        output_mode=filled.output_mode,
        before=before,
        after=after,
        line_numbers=filled.line_numbers,
        head_limit=filled.head_limit,
    )


_TERMS: Final = Terms(find="old_string", replace="new_string", item="edit", write_file="Write")

WORDINGS: Final[Mapping[Kind, Wording[Any, Any]]] = {
    ReadTool: Wording(
        name="Read",
        description=ABOUT[ReadTool],
        takes=takes.Read,
        native=_read,
        told=_lines,
        addressing="absolute",
    ),
    WriteTool: Wording(
        name="Write",
        description=ABOUT[WriteTool],
        takes=takes.Write,
        native=_write,
        told=_written,
        addressing="absolute",
    ),
    EditTool: Wording(
        name="Edit",
        description=ABOUT[EditTool],
        takes=takes.Edit,
        native=_edit,
        told=_edited,
        addressing="absolute",
        terms=_TERMS,
    ),
    PatchTool: Wording(
        name="MultiEdit",
        description=ABOUT[PatchTool],
        takes=takes.MultiEdit,
        native=_multi_edit,
        told=_patched,
        addressing="absolute",
        terms=_TERMS,
    ),
    NotebookTool: Wording(
        name="NotebookEdit",
        description=ABOUT[NotebookTool],
        takes=takes.NotebookEdit,
        native=_notebook,
        told=_changed_cell,
        addressing="absolute",
        terms=_TERMS,
    ),
    ListTool: Wording(
        name="Glob",
        description=ABOUT[ListTool],
        takes=takes.Glob,
        native=_glob,
        told=_listed,
        addressing="absolute",
    ),
    SearchTool: Wording(
        name="Grep",
        description=ABOUT[SearchTool],
        takes=takes.Grep,
        native=_grep,
        told=printed,
        addressing="absolute",
    ),
}
