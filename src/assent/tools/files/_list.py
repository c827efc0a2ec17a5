"""`list_files`: the files of a folder that fit a glob."""

from __future__ import annotations

import os

from assent.model import Permit, Preview
from assent.tools.files._arguments import ListFiles
from assent.tools.files._folders import FolderTool
from assent.tools.files._listing import list_files
from assent.tools.files._results import ListedFile, ListResult
from assent.tools.files._rules import Answer


class ListTool(FolderTool[ListFiles, ListResult]):
    """Lists files with size and time, in the order of their paths."""

    def verdict(self, wanted: ListFiles) -> Answer:
        """As `read_approval` of every root on the way says."""
        return self.question_about(wanted.path, None, self._line(wanted))

    def draw(self, wanted: ListFiles) -> Preview:
        """Which files of which folder."""
        return self.drawn(wanted.path, self._line(wanted), wanted.pattern or "*")

    def do(self, wanted: ListFiles, permit: Permit | None) -> ListResult:
        """List them."""
        self.question_about(wanted.path, permit, self._line(wanted))
        files: list[ListedFile] = []
        for place in self.begins(wanted.path):
            with self.opened(place, permit) as folder:
                files += [
                    ListedFile(path=folder.name(each.path), size=each.size, modified=each.modified)
                    for each in list_files(folder.descriptor, wanted.pattern, suffixes=folder.suffixes)
                    if folder.admits(each.path)
                ]
        return ListResult(files=tuple(sorted(files, key=lambda file: os.fsencode(file.path))))

    def _line(self, wanted: ListFiles) -> str:
        where = ", ".join(place.shown for place in self.begins(wanted.path))
        return f"List {wanted.pattern or '*'} in {where}"
