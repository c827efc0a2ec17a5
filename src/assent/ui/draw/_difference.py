"""What an edit of the arguments changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from assent.diff import diff
from assent.model import Pending, thaw
from assent.ui.draw._ink import said
from assent.ui.draw._look import Look
from assent.ui.draw._rows import Diffed, safe_name

_MISSING: Final = object()


def difference(before: Pending, after: Pending, look: Look) -> Iterator[str]:
    """Each argument that is not what it was, as a diff."""
    old, new = _thawed(before.call.args), _thawed(after.call.args)
    changed = [name for name in {**old, **new} if old.get(name, _MISSING) != new.get(name, _MISSING)]
    if not changed:
        yield from said("", "Your edit changes nothing.", look, fore="strong")
    for name in changed:
        yield from said("Your edit of ", f"{name}:", look, fore="strong")
        source = Diffed(text=_compared(old, new, name), skip=1)
        yield from (line for item in source.items(look) for line in item.lines)


def _compared(old: Mapping[str, object], new: Mapping[str, object], name: str) -> str:
    sides = [_text(args, name) for args in (old, new)]
    if not any(side is not None and side.endswith("\n") for side in sides):
        # Neither ends with a line break: that is no news.
        sides = [None if side is None else f"{side}\n" for side in sides]
    before, after = (None if side is None else side.encode("utf-8", "surrogatepass") for side in sides)
    file = "run.sh" if name == "command" else safe_name(str(new.get("path", ""))) or "args.json"
    return diff(before, after).text(file, file).decode("utf-8", "surrogatepass")


def _thawed(args: Mapping[str, object]) -> dict[str, object]:
    return {name: thaw(value) for name, value in args.items()}


def _text(args: Mapping[str, object], name: str) -> str | None:
    """The value as text: a text is compared line by line as it is, and anything else as JSON."""
    if name not in args:
        return None
    value = args[name]
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False, default=str)
