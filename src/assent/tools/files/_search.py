"""`search_files`: the lines that match a regular expression."""

from __future__ import annotations

import os
import posixpath

from assent.errors import FileError
from assent.model import Permit, Preview
from assent.tools.files._arguments import SearchFiles
from assent.tools.files._folders import Folder, FolderTool
from assent.tools.files._glob import escaped
from assent.tools.files._place import Place
from assent.tools.files._results import FoundLine, SearchResult
from assent.tools.files._rules import Answer
from assent.tools.files.search import Search, search

_MORE = 10_000


class SearchTool(FolderTool[SearchFiles, SearchResult]):
    """Searches all files but binary ones, hidden and ignored files too; links are not followed."""

    def verdict(self, wanted: SearchFiles) -> Answer:
        """As `read_approval` of every root on the way says."""
        return self.question_about(wanted.path, None, self._line(wanted))

    def draw(self, wanted: SearchFiles) -> Preview:
        """What is searched for, and where."""
        only = f"\nonly in files that fit {wanted.glob}" if wanted.glob else ""
        return self.drawn(wanted.path, self._line(wanted), f"{wanted.pattern}{only}")

    def begins(self, path: str | None) -> list[Place]:
        """The folder named or the folder of the file named, or every root that lies in no other."""
        places = super().begins(path)
        return places if path is None else [_folder_of(places[0]) or places[0]]

    def do(self, wanted: SearchFiles, permit: Permit | None) -> SearchResult:
        """Search, within each root's limits."""
        self.question_about(wanted.path, permit, self._line(wanted))
        file = self._file(wanted.path)
        found: list[FoundLine] = []
        truncated = False
        for place in self.begins(wanted.path):
            with self.opened(place, permit) as folder:
                lines, more = self._in(folder, wanted, wanted.glob if file is None else f"./{escaped(file)}")
                found += lines
                truncated |= more
        found.sort(key=lambda line: (os.fsencode(line.path), line.line))
        most = wanted.max_results
        return SearchResult(matches=tuple(found[:most]), truncated=truncated or len(found) > most)

    def _in(self, folder: Folder, wanted: SearchFiles, glob: str | None) -> tuple[list[FoundLine], bool]:
        # Where the roots beneath hold different files, what they do not hold is taken out afterwards.
        most = wanted.max_results if folder.is_uniform else wanted.max_results + _MORE
        result = search(
            Search(
                folder=folder.descriptor,
                pattern=wanted.pattern,
                glob=glob,
                case_sensitive=wanted.case_sensitive,
                context_lines=wanted.context_lines,
                max_results=most,
                suffixes=folder.suffixes,
                most_bytes=folder.most_bytes,
            ),
            engine=self.sandbox.engine,
            roots=[home.root.fd for home in self.sandbox.homes.values()],
        )
        lines = [
            FoundLine(path=folder.name(match.path), line=match.line, content=match.content)
            for match in result.matches
            if folder.admits(match.path)
        ]
        return lines, result.truncated

    def _file(self, path: str | None) -> str | None:
        """The real name of the file, where the path names one."""
        if path is None:
            return None
        place = self.sandbox.place(path, self.addressing)
        if _folder_of(place) is None:
            return None
        spot = self.sandbox.find(place)
        self.sandbox.check_limits(spot, "read")
        return posixpath.basename(spot.real)

    def _line(self, wanted: SearchFiles) -> str:
        where = ", ".join(place.shown for place in super().begins(wanted.path))
        return f"Search {where} for {wanted.pattern}"


def _folder_of(place: Place) -> Place | None:
    """The folder of a file; none where the place is no file."""
    root = place.home.root
    try:
        descriptor = root.regular(place.relative)
    except FileError:
        return None
    try:
        folder = posixpath.dirname(root.where(descriptor))
    finally:
        os.close(descriptor)
    return Place(home=place.home, relative=folder or ".", shown=posixpath.dirname(place.shown) or ".")
