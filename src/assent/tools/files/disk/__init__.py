"""Files on disk: reached beneath a root, held while they are looked at, and replaced whole."""

from assent.tools.files.disk._held import Held, Identity, hold
from assent.tools.files.disk._root import Root

__all__ = ["Held", "Identity", "Root", "hold"]
