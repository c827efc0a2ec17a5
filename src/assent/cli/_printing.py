"""JSON as every command prints it: in ASCII, so that nothing in it acts on a terminal or hides."""
# ruff: noqa: T201 (a command speaks by printing)

from __future__ import annotations

import json


def print_json(value: object, *, indent: int | None = None, flush: bool = False) -> None:
    """Print data as JSON; for a program, an escape is the same character."""
    # Never `ensure_ascii=False`: a terminal obeys some characters, and a reader of lines ends one at others.
    print(json.dumps(value, indent=indent), flush=flush)


def print_wire(value: object) -> None:
    """Print a value of the record as its JSON, in one line."""
    from assent.model import wire

    print_json(json.loads(wire.dump(value)))
