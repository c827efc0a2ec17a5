"""Files: what an agent may read and change, behind roots that no path leaves."""

from assent.tools.files._results import (
    Done,
    EditResult,
    FoundLine,
    ListedFile,
    ListResult,
    PatchResult,
    ReadResult,
    SearchResult,
    WriteResult,
)
from assent.tools.files._tool import FileTool
from assent.tools.files.dialects._file_tools import Dialect, file_tools
from assent.tools.files.sandbox._sandbox import FileSandbox

__all__ = [
    "Dialect",
    "Done",
    "EditResult",
    "FileSandbox",
    "FileTool",
    "FoundLine",
    "ListResult",
    "ListedFile",
    "PatchResult",
    "ReadResult",
    "SearchResult",
    "WriteResult",
    "file_tools",
]
