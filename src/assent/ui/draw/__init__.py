"""Questions as text: what would happen, all of it, and nothing that could pass for our own words."""

from assent.ui.draw._batch import batch_list
from assent.ui.draw._body import views
from assent.ui.draw._difference import difference
from assent.ui.draw._grants import Offer, grant_lines
from assent.ui.draw._head import covered
from assent.ui.draw._hunk import hunk, hunks
from assent.ui.draw._look import SIDE_BY_SIDE_COLUMNS, Colours, Drawing, Look, View
from assent.ui.draw._question import question
from assent.ui.draw._whole import whole
from assent.ui.draw._why import why

__all__ = [
    "SIDE_BY_SIDE_COLUMNS",
    "Colours",
    "Drawing",
    "Look",
    "Offer",
    "View",
    "batch_list",
    "covered",
    "difference",
    "grant_lines",
    "hunk",
    "hunks",
    "question",
    "views",
    "whole",
    "why",
]
