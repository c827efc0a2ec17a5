"""Finding things beneath a root while others move them about."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable
from functools import partial
from typing import Final

from assent.errors import NoSuchFile, PathNotInSandboxError
from assent.tools.files.disk._descriptors import O_PATH
from assent.tools.files.disk._root import Root
from assent.tools.files.sandbox._evidence import changed

_ATTEMPTS: Final = 16


def real_path(root: Root, relative: str, shown: str) -> str:
    """The path with every link followed; what does not exist yet is taken as it reads."""
    rest: list[str] = []
    while True:
        try:
            descriptor, real = located(root, partial(root.open, relative, O_PATH), shown)
        except NoSuchFile:
            head, name = posixpath.split(relative)
            if name in (".", ".."):
                raise
            rest.insert(0, name)
            relative = head or "."
            continue
        os.close(descriptor)
        return posixpath.normpath(posixpath.join(real or ".", *rest))


def located(root: Root, reach: Callable[[], int], shown: str) -> tuple[int, str]:
    """What a path leads to, open, and where that is; looked for again if it is replaced meanwhile."""
    for _ in range(_ATTEMPTS):
        descriptor = reach()
        try:
            return descriptor, root.where(descriptor)
        except PathNotInSandboxError:
            # It was beneath the root when it was opened: somebody has just replaced or moved it.
            os.close(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
    raise changed(shown)
