"""Running what the gate let through."""

from assent.runtime._attachment import Attachment
from assent.runtime._execute import execute
from assent.runtime._session import Session, announced, error_result, told
from assent.runtime._ungated import Ungated

__all__ = ["Attachment", "Session", "Ungated", "announced", "error_result", "execute", "told"]
