"""What the file tools ask: which operation it is, and for what else the answer may hold."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from typing import Final

from assent.model import ApprovalRequest, Wider
from assent.tools.files.disk._descriptors import path_of
from assent.tools.files.sandbox._obeyed import Obeyed
from assent.tools.files.sandbox._rules import DOING, Home, Operation
from assent.tools.files.sandbox._spot import Spot

_NOUNS: Final[dict[Operation, str]] = {"read": "reads", "write": "writes", "edit": "edits", "delete": "deletions"}


def request_for(
    operation: Operation, spot: Spot, asks: Home | Obeyed, description: str, *, is_folder: bool = False
) -> ApprovalRequest:
    """The question about one file or folder."""
    return ApprovalRequest(
        description=description,
        fingerprint=fingerprint(spot),
        reason=reason(operation, asks),
        covers=f"every {_NOUNS[operation][:-1]} of {_real(spot)} by this tool{_varies(operation)}",
        # "All writes in work" is said of files, and not meant for hooks.
        wider=() if isinstance(asks, Obeyed) else tuple(_wider(operation, spot, is_folder=is_folder)),
    )


def fingerprint(spot: Spot) -> dict[str, object]:
    """The same file in the same root, whatever its content.

    The root is part of it: another project may give the same name to another folder.
    """
    home = spot.home
    return {"path_name": home.name, "path": _beneath(spot), "root": str(home.root.path)}


def reason(operation: Operation, asks: Home | Obeyed) -> str:
    """Which rule makes it ask."""
    if isinstance(asks, Obeyed):
        return f"{DOING[operation]} what git, a shell or Python may run always asks first"
    rule = "read" if operation == "edit" and not asks.rule.edits_ask else operation
    return f"{DOING[operation]} in {asks.name or 'the workspace'} asks first ({rule}_approval)"


def _varies(operation: Operation) -> str:
    return "; content can vary" if operation in ("write", "edit") else ""


def _real(spot: Spot) -> str:
    """The path by which the answer is remembered: where it really leads."""
    return posixpath.normpath(posixpath.join(spot.home.name, _beneath(spot)))


def _beneath(spot: Spot) -> str:
    root = spot.root if spot.home is spot.place.home else os.fsdecode(path_of(spot.home.root.fd))
    return posixpath.relpath(spot.absolute, root)


def _wider(operation: Operation, spot: Spot, *, is_folder: bool) -> Iterator[Wider]:
    """Every larger set the call belongs to, within the root whose rules it follows."""
    what, varies = _NOUNS[operation], _varies(operation)
    home, inner = spot.home, _beneath(spot)
    suffix = "" if is_folder else posixpath.splitext(inner)[1]
    for folder in _folders(inner, is_folder=is_folder):
        shown = posixpath.join(home.name, folder).rstrip("/")
        real = posixpath.normpath(posixpath.join(home.root.path, folder))
        here = {"operation": operation, "root": str(home.root.path), "folder": real}
        if suffix:
            line = f"all {what} of *{suffix} files in {shown or 'the workspace'}{varies}"
            yield Wider(
                name=f"suffix:{shown}/*{suffix}",
                description=line,
                fingerprint=here | {"suffix": suffix},
                pattern=f"{operation} {posixpath.join(shown, '**', '*')}{suffix}",
            )
        if folder:
            line = f"all {what} in {shown}{varies}"
            pattern = f"{operation} {shown}/**"
            yield Wider(name=f"folder:{shown}", description=line, fingerprint=here, pattern=pattern)
    line = f"all {what} in {home.name or 'the workspace'}{varies}"
    in_root = {"operation": operation, "root": str(home.root.path)}
    pattern = f"{operation} {posixpath.join(home.name, '**')}"
    yield Wider(name=f"path:{home.name}", description=line, fingerprint=in_root, pattern=pattern)
    # All roots by their paths: another project's sandbox is another everywhere.
    everywhere = {"operation": operation, "roots": list(spot.everywhere)}
    anywhere = f"all {what} anywhere{varies}"
    yield Wider(name="all", description=anywhere, fingerprint=everywhere, pattern=f"{operation} everywhere")


def _folders(inner: str, *, is_folder: bool) -> Iterator[str]:
    """The folder of a path and every one around it, up to the root itself as ""."""
    folder = ("" if inner == "." else inner) if is_folder else posixpath.dirname(inner)
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""
