"""The gate in PydanticAI: inline and deferred approval with one capability."""

from assent.adapters.pydantic_ai._capability import Gated
from assent.adapters.pydantic_ai._collect import (
    build_approval_requests,
    collect_approvals,
    collect_approvals_sync,
)
from assent.adapters.pydantic_ai._files import file_toolset
from assent.adapters.pydantic_ai._with_approval import run_with_approval, run_with_approval_sync

__all__ = [
    "Gated",
    "build_approval_requests",
    "collect_approvals",
    "collect_approvals_sync",
    "file_toolset",
    "run_with_approval",
    "run_with_approval_sync",
]
