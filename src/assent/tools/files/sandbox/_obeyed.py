"""What programs outside obey in the roots: whoever changes it decides what they run."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


class Obeyed:
    """The places that commands may not write at all, and that file tools change only if a person agrees.

    The same as `os_sandbox` masks, but looked for on the way to a path, not by a search of the roots.
    """

    def __init__(self, roots: Iterable[Path]) -> None:
        # Now: a confined thread cannot read the configuration of a repository around its roots.
        from assent.os_sandbox import places_obeyed

        self._known = frozenset(os.path.realpath(place) for root in roots for place in places_obeyed(root))

    def has(self, *paths: str) -> bool:
        """Whether any of these absolute paths is such a place, or lies in one."""
        from assent.os_sandbox import git_obeys

        return any(any(map(Path(path).is_relative_to, self._known)) or git_obeys(Path(path)) for path in {*paths})
