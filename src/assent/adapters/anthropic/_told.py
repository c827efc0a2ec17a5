"""What the model reads: results, refusals and failures as the content of a tool result."""

from __future__ import annotations

import json
from typing import cast

from anthropic.lib.tools import BetaFunctionToolResultType, ToolError

from assent import runtime
from assent.errors import AssentError
from assent.model import Permit
from assent.runtime import announced

Content = BetaFunctionToolResultType


def told(error: AssentError) -> ToolError:
    """The SDK's own error: a person's words as they are, all else with its code."""
    return ToolError(runtime.told(error))


def given(result: object) -> Content:
    """What a person answered in the tool's place."""
    return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)


def read(permit: Permit, result: Content | None) -> Content:
    """The tool's result, and before it what the model must know: that a person changed its call."""
    if result is not None and not isinstance(result, str):
        # A tool may give its blocks one by one; all of them are made while its permit is spent.
        blocks = list(result)
        return [{"type": "text", "text": permit.announcement}, *blocks] if permit.announcement else blocks
    if permit.announcement and result is None:
        return permit.announcement
    return cast("Content", announced(permit, result))
