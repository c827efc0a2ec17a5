"""`patch_file`: several texts in a file, replaced one after the other, all or nothing."""

from __future__ import annotations

from collections.abc import Mapping

from assent.model import PatchPresentation
from assent.tools.files._arguments import PatchFile
from assent.tools.files._changing import ChangingTool
from assent.tools.files._planning import Plan, plan_patches
from assent.tools.files._presenting import change_of
from assent.tools.files._results import PatchResult
from assent.tools.files._text import counted
from assent.tools.files.sandbox._spot import Spot


class PatchTool(ChangingTool[PatchFile, PatchResult]):
    """Replaces each text in what the patch before it left."""

    def line(self, shown: str, wanted: PatchFile) -> str:
        """How many patches for which file."""
        return f"Apply {counted(len(wanted.patches), 'patch', 'patches')} to {shown}"

    def plan(self, data: bytes, shown: str, wanted: PatchFile) -> Plan:
        """What becomes of the file."""
        return plan_patches(data, shown, wanted.patches, self.terms)

    def shows(self, spot: Spot, wanted: PatchFile, plan: Plan) -> PatchPresentation:
        """All patches as one diff."""
        change = change_of(spot, plan.diff, plan.before, plan.after)
        return PatchPresentation(
            description=self.line(spot.shown, wanted),
            path=spot.path,
            sandbox=spot.home.name,
            unified_diff=change.unified_diff,
            diff_lines=change.diff_lines,
            patches=len(wanted.patches),
            changes=(change,),
        )

    def replacing(self, args: Mapping[str, object], find: str, replace: str) -> Mapping[str, object]:
        """One patch instead of all: the only list among the arguments, whatever the dialect calls it."""
        patches = ({self.terms.find: find, self.terms.replace: replace},)
        return {name: patches if isinstance(value, list | tuple) else value for name, value in args.items()}

    def result(self, spot: Spot, wanted: PatchFile, plan: Plan) -> PatchResult:
        """How many patches were applied."""
        del spot, plan
        return PatchResult(patches_applied=len(wanted.patches))
