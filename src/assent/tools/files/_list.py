"""`list_files`: the files of a folder that fit a glob."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Final

from assent.tools.files._arguments import ListFiles
from assent.tools.files._folder_tool import Folder, FolderTool
from assent.tools.files._results import ListedFile, ListResult
from assent.tools.files.search._listing import list_files

MOST_FILES: Final = 10_000


class ListTool(FolderTool[ListFiles, ListResult]):
    """Lists files with size and time, in the order of their paths."""

    def line(self, wanted: ListFiles, where: str) -> str:
        """Which files of which folder."""
        return f"List {wanted.pattern or '*'} in {where}"

    def details(self, wanted: ListFiles) -> str:
        """The glob."""
        return f"files that fit {json.dumps(wanted.pattern or '*', ensure_ascii=False)}"

    def through(self, folders: Sequence[Folder], wanted: ListFiles) -> ListResult:
        """List them all, sorted."""
        files = [
            ListedFile(path=folder.name(each.path), size=each.size, modified=each.modified)
            for folder in folders
            for each in list_files(folder.descriptor, wanted.pattern, suffixes=folder.suffixes)
            if folder.admits(each.path)
        ]
        files.sort(key=lambda file: os.fsencode(file.path))
        return ListResult(files=tuple(files[:MOST_FILES]), truncated=True if len(files) > MOST_FILES else None)
