"""What a tool answered, in a few words: the model reads the whole of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast


def told(result: object) -> str:
    """The gist of a result or an error."""
    if isinstance(result, str):
        return result
    fields = cast("Mapping[str, Any]", result)
    if "note" in fields and "result" in fields:
        # A person changed the call: the result comes with what the model is told about it.
        return f"{told(fields['result'])} (and is told what you changed)"
    if "exit_code" in fields:
        return f"exit code {fields['exit_code']}: {' / '.join(map(str.strip, fields['output'].splitlines()))}"
    name = next((name for name in _GIST if name in fields), None)
    return json.dumps(result) if name is None else _GIST[name](fields[name])


def error_in(result: object) -> str:
    """The code of an error; empty where there is none."""
    match result:
        case {"error": str(code), "message": str()}:
            return code
        case _:
            return ""


def exit_code_in(result: object) -> int | None:
    """How a command ended; none if it is no command's result."""
    match result:
        case {"exit_code": int(code)}:
            return code
        case _:
            return None


def _places(found: Sequence[Mapping[str, object]]) -> str:
    return ", ".join(f"{each['path']}:{each['line']}" if "line" in each else str(each["path"]) for each in found)


def _unnumbered(content: str) -> str:
    return " / ".join(line.partition("\t")[2] for line in content.splitlines())


_GIST: Final[Mapping[str, Callable[[Any], str]]] = {
    "files": _places,
    "matches": _places,
    "content": _unnumbered,
    "message": lambda message: " ".join(message.split()),
}
