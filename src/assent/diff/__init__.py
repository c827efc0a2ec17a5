"""Differences between versions of a file: found, written down, and made ready to draw."""

from assent.diff._blocks import Block, block_edits, blocks, chosen, left_out
from assent.diff._diff import Diff, diff, splice
from assent.diff._edits import Edit
from assent.diff._file import Line, Lines, file_lines
from assent.diff._hunk import Hunk, Run
from assent.diff._rows import Page, Row, rows
from assent.diff._suggest import Suggestion, suggest
from assent.diff._syntax import Token

__all__ = [
    "Block",
    "Diff",
    "Edit",
    "Hunk",
    "Line",
    "Lines",
    "Page",
    "Row",
    "Run",
    "Suggestion",
    "Token",
    "block_edits",
    "blocks",
    "chosen",
    "diff",
    "file_lines",
    "left_out",
    "rows",
    "splice",
    "suggest",
]
