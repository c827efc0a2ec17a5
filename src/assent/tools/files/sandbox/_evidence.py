"""Evidence: what a preview was drawn from, and whether it still stands when the call runs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256

from assent.diff import Hunk
from assent.errors import ChangedSinceApproval
from assent.model import Evidence, Permit
from assent.tools.files.disk._descriptors import FOLDER, opened
from assent.tools.files.disk._descriptors import identity as identity_of
from assent.tools.files.disk._held import Identity
from assent.tools.files.disk._root import Root


def evidence_of(shown: str, identity: Identity, hunks: Sequence[Hunk] = ()) -> Evidence:
    """What the drawing of this file was made from."""
    facts: dict[str, object] = {
        "directory": identity.directory,
        "name": identity.name,
        "kind": identity.kind,
        "sha256": identity.sha256,
    }
    return Evidence(subject=shown, facts=facts | {"hunks": [_name(hunk) for hunk in hunks]} if hunks else facts)


def folder_evidence(shown: str, directory: tuple[int, int]) -> Evidence:
    """The same for a folder, of which only the place counts."""
    return Evidence(subject=shown, facts={"directory": directory, "kind": "folder"})


def changed(shown: str) -> ChangedSinceApproval:
    """What the model is told when the ground moved."""
    return ChangedSinceApproval(
        f"{shown} is no longer what was shown when this was approved, so nothing was done. "
        "Look at it again, then make a new call."
    )


def shown_of(permit: Permit | None, shown: str) -> Evidence | None:
    """What a person saw of this file; none where nobody looked.

    Raises:
        ChangedSinceApproval: a person looked, but not at this.
    """
    if permit is None or permit.answered is None:
        return None
    seen = next((each for each in permit.evidence if each.subject == shown), None)
    if seen is None:
        raise changed(shown)
    return seen


def is_same_place(seen: Evidence, identity: Identity) -> bool:
    """Whether it is the same entry of the same directory."""
    return seen.facts["directory"] == identity.directory and seen.facts["name"] == identity.name


def is_same(seen: Evidence, identity: Identity) -> bool:
    """Whether the file is exactly what was shown."""
    now = evidence_of(seen.subject, identity).facts
    return all(seen.facts[fact] == value for fact, value in now.items())


def is_still_absent(seen: Evidence, root: Root, real: str, now: Identity) -> bool:
    """Whether there is still no file in the same place; folders on the way may have been made since."""
    name = str(seen.facts["name"])
    if not seen.facts["kind"] == now.kind == "absent" or not f"/{real}".endswith(f"/{name}"):
        return False
    with opened(root.open(real.removesuffix(name).rstrip("/") or ".", FOLDER, links=False)) as folder:
        return seen.facts["directory"] == identity_of(os.fstat(folder))


def shows(seen: Evidence, hunks: Sequence[Hunk]) -> bool:
    """Whether these are the very hunks that were shown, byte for byte."""
    return seen.facts.get("hunks") == tuple(_name(hunk) for hunk in hunks)


def _name(hunk: Hunk) -> str:
    before, after = hunk.before, hunk.after
    return sha256(b"%d:%b%b" % (len(before), before, after)).hexdigest()
