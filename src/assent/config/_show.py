"""The settings in force as YAML, with the origin of every value."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import cast

from assent.config._settings import Sections, Settings


def show(settings: Settings) -> str:
    """The settings in force, each with the line it comes from; can be read as a file again."""
    title = _spell(str(settings.file)) if settings.file else "no configuration file: everything is default"
    sections = {each.name: getattr(settings, each.name) for each in fields(Sections)}
    return "\n".join([f"# {title}", *_lines(sections, (), settings), ""])


def _lines(items: Mapping[str, object], place: tuple[str, ...], settings: Settings) -> Iterator[str]:
    for key, value in items.items():
        here = (*place, key)
        start = f"{'  ' * len(place)}{_spell(key)}:"
        inner = _items(value)
        if inner:
            yield start
            yield from _lines(inner, here, settings)
        elif listed := _sections(value):
            yield start
            yield from _listed(listed, here, settings)
        else:
            yield f"{start} {_spell(value) if inner is None else '{}'}  # {_origin(here, settings)}"


def _sections(value: object) -> tuple[object, ...]:
    """The items of a list, if they have keys themselves."""
    items = cast("tuple[object, ...]", value) if isinstance(value, tuple) else ()
    return items if any(map(is_dataclass, items)) else ()


def _listed(values: tuple[object, ...], place: tuple[str, ...], settings: Settings) -> Iterator[str]:
    """A list of settings that have keys themselves, each after a dash."""
    for index, value in enumerate(values):
        inner = _items(value) or {}
        dash = len(place) * 2
        for number, line in enumerate(_lines(inner, (*place, str(index)), settings)):
            yield line if number else f"{line[:dash]}- {line[dash + 2 :]}"


def _items(value: object) -> Mapping[str, object] | None:
    if isinstance(value, Mapping):
        return cast("Mapping[str, object]", value)
    if is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    return None


def _origin(place: tuple[str, ...], settings: Settings) -> str:
    line = settings.lines.get(place)
    return f"{_spell(settings.file.name)}:{line}" if line and settings.file else "default"


def _spell(value: object) -> str:
    """A scalar, or a list of texts, on one line."""
    if isinstance(value, tuple):
        texts = [str(each) for each in cast("tuple[object, ...]", value)]
        return _dump(texts, printable=all(each.isprintable() for each in texts))
    plain = str(value) if isinstance(value, Path) else value
    return _dump(plain, printable=not isinstance(plain, str) or plain.isprintable())


def _dump(plain: object, *, printable: bool) -> str:
    import yaml

    # Double quotes are the only style that keeps a line break on one line, and that can write a character
    # as its escape: one that nobody sees, or that turns a line around, would make the rest read otherwise.
    style = None if printable else '"'
    text: str = yaml.safe_dump(
        plain, default_style=style, default_flow_style=True, width=math.inf, allow_unicode=printable
    )
    return text.removesuffix("\n").removesuffix("\n...")
