"""The gate in PydanticAI: inline and deferred approval with one capability."""

try:
    from assent.adapters.pydantic_ai._capability import Gated
    from assent.adapters.pydantic_ai._collect import (
        build_approval_requests,
        collect_approvals,
        collect_approvals_sync,
    )
    from assent.adapters.pydantic_ai._files import file_toolset
    from assent.adapters.pydantic_ai._with_approval import run_with_approval, run_with_approval_sync
except ModuleNotFoundError as error:
    error.msg += "; this adapter needs its extra: pip install 'assent[pydantic-ai]'"
    raise

__all__ = [
    "Gated",
    "build_approval_requests",
    "collect_approvals",
    "collect_approvals_sync",
    "file_toolset",
    "run_with_approval",
    "run_with_approval_sync",
]
