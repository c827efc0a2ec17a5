"""Running what the gate let through."""

from assent.runtime._execute import execute
from assent.runtime._session import Session, announced, error_result

__all__ = ["Session", "announced", "error_result", "execute"]
