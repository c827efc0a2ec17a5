"""`list_files`: the files of a folder that fit a glob."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Final

from assent.tools.files._arguments import ListFiles
from assent.tools.files._folder_tool import Folder, FolderTool
from assent.tools.files._results import ListedFile, ListResult
from assent.tools.files.search._listing import Entry, list_files

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
        """List the first of them, sorted."""
        found = [(folder.name(each.path), each) for folder in folders for each in _listed(folder, wanted.pattern)]
        found.sort(key=lambda named: os.fsencode(named[0]))
        files = [ListedFile(path=name, size=each.size, modified=each.modified) for name, each in found[:MOST_FILES]]
        return ListResult(files=tuple(files), truncated=True if len(found) > MOST_FILES else None)


def _listed(folder: Folder, pattern: str | None) -> list[Entry]:
    nested = {path: home.rule.suffixes for path, home in folder.nested}
    return list_files(folder.descriptor, pattern, suffixes=folder.spot.home.rule.suffixes, nested=nested)
