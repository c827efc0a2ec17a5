"""The approval gate for LLM agents: what you approve, and only that, runs."""

__version__ = "0.1.0"

# Nothing is loaded before it is used: the hook client and `--help` import this on every call.
_HOME = {
    "Allow": "assent.model",
    "ApprovalDecision": "assent.model",
    "ApprovalRequest": "assent.model",
    "Approve": "assent.model",
    "Approver": "assent.model",
    "AssentError": "assent.errors",
    "CommandPolicy": "assent.tools.shell",
    "Deny": "assent.model",
    "Evidence": "assent.model",
    "Expired": "assent.errors",
    "FileSandbox": "assent.tools.files",
    "Fixed": "assent.model",
    "FunctionTool": "assent.functions",
    "Gate": "assent.gate",
    "Pending": "assent.model",
    "Permit": "assent.model",
    "Policy": "assent.model",
    "Presentation": "assent.model",
    "Preview": "assent.model",
    "Refused": "assent.errors",
    "Reject": "assent.model",
    "Rejected": "assent.errors",
    "Respond": "assent.model",
    "SQLiteStore": "assent.store",
    "SandboxPath": "assent.config",
    "Scope": "assent.model",
    "Session": "assent.runtime",
    "Stopped": "assent.errors",
    "Store": "assent.model",
    "TerminalApprover": "assent.ui",
    "Tool": "assent.model",
    "ToolCall": "assent.model",
    "ToolError": "assent.errors",
    "Ungated": "assent.runtime",
    "Verdict": "assent.model",
    "command_tools": "assent.tools.command",
    "execute": "assent.runtime",
    "file_tools": "assent.tools.files",
    "requires_approval": "assent.functions",
    "simple_approval_request": "assent.functions",
    "strictest": "assent.model",
}

TYPE_CHECKING = False
if TYPE_CHECKING:
    from assent.config import SandboxPath
    from assent.errors import AssentError, Expired, Refused, Rejected, Stopped, ToolError
    from assent.functions import FunctionTool, requires_approval, simple_approval_request
    from assent.gate import Gate
    from assent.model import (
        Allow,
        ApprovalDecision,
        ApprovalRequest,
        Approve,
        Approver,
        Deny,
        Evidence,
        Fixed,
        Pending,
        Permit,
        Policy,
        Presentation,
        Preview,
        Reject,
        Respond,
        Scope,
        Store,
        Tool,
        ToolCall,
        Verdict,
        strictest,
    )
    from assent.runtime import Session, Ungated, execute
    from assent.store import SQLiteStore
    from assent.tools.command import command_tools
    from assent.tools.files import FileSandbox, file_tools
    from assent.tools.shell import CommandPolicy
    from assent.ui import TerminalApprover

__all__ = [
    "Allow",
    "ApprovalDecision",
    "ApprovalRequest",
    "Approve",
    "Approver",
    "AssentError",
    "CommandPolicy",
    "Deny",
    "Evidence",
    "Expired",
    "FileSandbox",
    "Fixed",
    "FunctionTool",
    "Gate",
    "Pending",
    "Permit",
    "Policy",
    "Presentation",
    "Preview",
    "Refused",
    "Reject",
    "Rejected",
    "Respond",
    "SQLiteStore",
    "SandboxPath",
    "Scope",
    "Session",
    "Stopped",
    "Store",
    "TerminalApprover",
    "Tool",
    "ToolCall",
    "ToolError",
    "Ungated",
    "Verdict",
    "command_tools",
    "execute",
    "file_tools",
    "requires_approval",
    "simple_approval_request",
    "strictest",
]


def __getattr__(name: str) -> object:
    try:
        home = _HOME[name]
    except KeyError:
        message = f"module 'assent' has no attribute {name!r}"
        raise AttributeError(message) from None
    from importlib import import_module

    value = globals()[name] = getattr(import_module(home), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
