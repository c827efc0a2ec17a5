"""Deciding: judge, ask, settle and spend."""

from assent.config import Mode
from assent.gate._bridge import run_sync
from assent.gate._clerk import GateClerk, Redrawn, StoreClerk, covered_by
from assent.gate._gate import Gate
from assent.gate._inherit import Inherited, inherit, inherited
from assent.gate._options import Timeout, check_gate
from assent.gate._rulings import grant_from, posting_order
from assent.gate._wrap import new_call_id

__all__ = [
    "Gate",
    "GateClerk",
    "Inherited",
    "Mode",
    "Redrawn",
    "StoreClerk",
    "Timeout",
    "check_gate",
    "covered_by",
    "grant_from",
    "inherit",
    "inherited",
    "new_call_id",
    "posting_order",
    "run_sync",
]
