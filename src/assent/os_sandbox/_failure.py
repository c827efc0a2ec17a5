"""How confining fails: nothing runs then."""

from __future__ import annotations

from assent.errors import ToolError


class CannotConfine(ToolError):
    """The walls cannot be built around this command as the profile demands; it was not started."""

    code = "os_sandbox_failed"
