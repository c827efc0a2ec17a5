"""`search_files`: the lines that match a regular expression."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass

from assent.tools.files._arguments import SearchFiles
from assent.tools.files._folder_tool import Folder, FolderTool
from assent.tools.files._results import FoundLine, SearchResult
from assent.tools.files.search import Room, Search, search
from assent.tools.files.search._glob import escaped


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTexts(SearchFiles):
    """A search that may look at whole texts instead of their lines."""

    multiline: bool
    """A match may go over several lines."""
    first_only: bool = False
    """Only the first match of each file counts."""


class SearchTool(FolderTool[SearchFiles, SearchResult]):
    """Searches all files but binary ones, hidden and ignored files too; links are not followed."""

    takes_files = True

    def line(self, wanted: SearchFiles, where: str) -> str:
        """For what it looks, and where."""
        return f"Search {where} for {wanted.pattern}"

    def details(self, wanted: SearchFiles) -> str:
        """The pattern, which files, and how much is shown of each match."""
        lines = [
            f"pattern: {json.dumps(wanted.pattern, ensure_ascii=False)}",
            f"files: {json.dumps(wanted.glob or '**', ensure_ascii=False)}",
            f"capital letters count: {'yes' if wanted.case_sensitive else 'no'}",
            *(["a match may go over several lines"] if _over_lines(wanted) else []),
            f"shows at most {wanted.max_results} matches, each with {wanted.context_lines} lines around it",
        ]
        return "\n".join(lines)

    def through(self, folders: Sequence[Folder], wanted: SearchFiles) -> SearchResult:
        """Search, within each root's limits."""
        found: list[FoundLine] = []
        truncated = False
        for folder in folders:
            lines, more = self._in(folder, wanted)
            found += lines
            truncated |= more
        found.sort(key=lambda line: (os.fsencode(line.path), line.line))
        room = Room(wanted.max_results)
        shown = tuple(line for line in found if room.takes(line.path, line.content))
        return SearchResult(matches=shown, truncated=truncated or len(shown) < len(found))

    def _in(self, folder: Folder, wanted: SearchFiles) -> tuple[list[FoundLine], bool]:
        result = search(
            Search(
                folder=folder.descriptor,
                pattern=wanted.pattern,
                glob=wanted.glob if folder.file is None else f"./{escaped(folder.file)}",
                case_sensitive=wanted.case_sensitive,
                multiline=_over_lines(wanted),
                context_lines=wanted.context_lines,
                max_results=wanted.max_results,
                first_only=isinstance(wanted, SearchTexts) and wanted.first_only,
                suffixes=folder.spot.home.rule.suffixes,
                nested={path: home.rule.suffixes for path, home in folder.nested},
                most_bytes=folder.spot.rules.most_bytes,
                nested_bytes={path: home.rule.max_file_bytes for path, home in folder.nested},
            ),
            engine=self.sandbox.engine,
            roots=[home.root.fd for home in self.sandbox.homes.values()],
        )
        lines = [
            FoundLine(path=folder.name(match.path), line=match.line, content=match.content) for match in result.matches
        ]
        return lines, result.truncated


def _over_lines(wanted: SearchFiles) -> bool:
    return isinstance(wanted, SearchTexts) and wanted.multiline
