"""Which parts of a change can be approved without the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assent.diff import blocks
from assent.model import Narrows, Pending, Presentation, changes_of
from assent.server._shown import Blocks
from assent.server.messages import diff_text

if TYPE_CHECKING:
    from assent.gate import GateClerk


def blocks_of(pending: Pending, clerk: GateClerk) -> Blocks:
    """The blocks of the change that is shown, and whether some can be approved alone."""
    every = blocks(diff_text(pending))
    policy = clerk.policy_of(pending.id)
    # A file that is new or goes is one piece. Of a tool in another process, what it draws must say enough.
    shown = pending.preview.presentation
    changes = changes_of(shown)
    whole = not changes and not isinstance(shown, Presentation)
    can = bool(changes) if policy is None else isinstance(policy, Narrows) and not whole
    return Blocks(blocks=every, narrows=can and bool(every))
