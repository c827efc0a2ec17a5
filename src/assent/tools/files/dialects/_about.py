"""What each tool is for, in the words that a model reads in every dialect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from assent.tools.files._delete import DeleteTool
from assent.tools.files._edit import EditTool
from assent.tools.files._list import ListTool
from assent.tools.files._move import MoveTool
from assent.tools.files._notebook import NotebookTool
from assent.tools.files._patch import PatchTool
from assent.tools.files._read import ReadTool
from assent.tools.files._search import SearchTool
from assent.tools.files._tool import FileTool
from assent.tools.files._write import WriteTool

Kind = type[FileTool[Any, Any]]

ABOUT: Final[Mapping[Kind, str]] = {
    ReadTool: "Read a file; its lines come with their numbers.",
    WriteTool: "Create a file or replace all of its content.",
    EditTool: "Replace an exact text in a file.",
    PatchTool: "Replace several exact texts in a file, all of them or none.",
    NotebookTool: "Replace, insert or delete one cell of a Jupyter notebook.",
    DeleteTool: "Delete a file.",
    MoveTool: "Move a file to a path where nothing is.",
    ListTool: "List the files of a folder that fit a glob.",
    SearchTool: "Search files for a regular expression.",
}
