"""`edit_file`: one text in a file, replaced exactly where it stands."""

from __future__ import annotations

from collections.abc import Mapping

from assent.model import EditPresentation
from assent.tools.files._arguments import EditFile, EveryReplacement, Replacement
from assent.tools.files._changing import ChangingTool
from assent.tools.files._planning import Plan, plan_edit
from assent.tools.files._presenting import around, change_of, what_happens
from assent.tools.files._results import EditResult
from assent.tools.files._text import line_count
from assent.tools.files.sandbox._spot import Spot


class EditTool(ChangingTool[EditFile, EditResult]):
    """Replaces a text that is in the file once, or all of its occurrences."""

    def line(self, shown: str, wanted: EditFile) -> str:
        """What it is called before the file was looked at."""
        del wanted
        return f"Edit {shown}"

    def plan(self, data: bytes, shown: str, wanted: EditFile) -> Plan:
        """What becomes of the file."""
        kind = EveryReplacement if wanted.replace_all else Replacement
        return plan_edit(data, shown, kind(find=wanted.old_string, replace=wanted.new_string), self.terms)

    def shows(self, spot: Spot, wanted: EditFile, plan: Plan) -> EditPresentation:
        """The edit as a diff, and what is around it."""
        change = change_of(spot, plan.diff, plan.before, plan.after)
        above, below = around(plan)
        return EditPresentation(
            description=f"Edit {spot.shown}: {what_happens(plan)[0]}",
            path=spot.path,
            sandbox=spot.home.name,
            old_string=wanted.old_string,
            new_string=wanted.new_string,
            replace_all=wanted.replace_all,
            unified_diff=change.unified_diff,
            diff_lines=change.diff_lines,
            match_line=plan.line,
            match_count=plan.matches,
            context_before=above,
            context_after=below,
            file_lines=line_count(plan.before),
            file_bytes=len(plan.before),
            change=change,
        )

    def replacing(self, args: Mapping[str, object], find: str, replace: str) -> Mapping[str, object]:
        """One text, where it is."""
        return {**args, self.terms.find: find, self.terms.replace: replace, "replace_all": False}

    def result(self, spot: Spot, wanted: EditFile, plan: Plan) -> EditResult:
        """What was done."""
        del wanted
        return EditResult(
            path=spot.path,
            replacements_made=plan.matches,
            lines_changed=plan.lines_changed,
            message=f"{what_happens(plan)[1]} in {spot.path}",
        )
