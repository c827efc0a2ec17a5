"""The demo's one tool that is no file tool: a plain function, which asks."""

from __future__ import annotations

from collections.abc import Mapping

from assent.functions import requires_approval


def _line(args: Mapping[str, object]) -> str:
    return f"Send an e-mail to {args['to']}: {args['subject']}"


# The simplest way to make a function ask. The body is shown, but does not count when an
# answer is remembered: "for session" means this recipient and this subject.
@requires_approval(description=_line, exclude_keys={"body"})
def send_email(to: str, subject: str, body: str) -> str:
    """Send nothing: this is a demo."""
    return f"{subject!r} sent to {to}, {len(body)} characters (not really)"
