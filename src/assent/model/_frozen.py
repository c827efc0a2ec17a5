"""Plain JSON data that nobody can change, and the one way to spell it."""

from __future__ import annotations

import hashlib
import json
import json.encoder
from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, NoReturn, cast

from assent.errors import Unspellable

# Far above what people can read, far below what the readers of JSON can take back.
_DEEPEST = 64
_SHORT = 1000
_CONSTANT = frozenset({int, bool, type(None)})
# Frozen data cannot contain itself, so nothing looks for that.
_encoder = json.JSONEncoder(sort_keys=True, allow_nan=False, check_circular=False, separators=(",", ":"))


def _build_spelling() -> Callable[[object, int], Iterable[str]] | None:
    """What `_encoder` builds anew for every value, built once; None where Python has no such part."""
    circles, indent, sort_keys, skip_keys, allow_nan = None, None, True, False, False
    try:
        build: Any = vars(json.encoder)["c_make_encoder"]
        spelling: Callable[[object, int], Iterable[str]] = build(
            circles,
            _encoder.default,
            json.encoder.encode_basestring_ascii,
            indent,
            ":",
            ",",
            sort_keys,
            skip_keys,
            allow_nan,
        )
    except (KeyError, TypeError):
        return None
    return spelling


_spell = _build_spelling()


class FrozenDict(dict[str, object]):
    """A dict nobody can change, that `json` and pydantic still read as a dict; `freeze` makes it."""

    __slots__ = ("flat", "text")
    flat: bool
    """Whether no value contains others, so that an ordinary copy is enough."""
    text: str
    """How it is spelled; there once it was, unless it is long."""

    def _refuse(self, *_args: object, **_kwargs: object) -> NoReturn:
        message = "this data is frozen; change a copy made with thaw()"
        raise TypeError(message)

    if not TYPE_CHECKING:  # a type checker would want a dict's own signatures
        __setitem__ = __delitem__ = __ior__ = _refuse
        clear = pop = popitem = setdefault = update = _refuse

    def __eq__(self, other: object) -> bool:
        # Python takes 1, 1.0 and True for the same; an approval must not.
        same = super().__eq__(other)
        if same is not True or type(other) is not FrozenDict or self is other:
            return same
        if self.flat and other.flat:
            return all(type(value) is type(other[key]) for key, value in self.items())
        return canonical(self) == canonical(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(canonical(self))

    def __reduce__(self) -> tuple[Callable[[dict[str, object]], FrozenDict], tuple[dict[str, object]]]:
        return freeze, (thaw_items(self),)

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, _memo: object) -> FrozenDict:
        return self


_put = cast("Callable[[FrozenDict, str, object], None]", dict[str, object].__setitem__)


def freeze(value: Mapping[str, object], where: str = "arguments") -> FrozenDict:
    """A deep, read-only copy of JSON data.

    Raises:
        Unspellable: for anything JSON cannot spell; two different values must never look alike.
    """
    kind: type[object] = type(value)
    if kind is dict or (kind is not FrozenDict and isinstance(value, Mapping)):
        return freeze_mapping(value, where, 0)
    if kind is FrozenDict:
        return cast("FrozenDict", value)
    raise Unspellable(where, f"{_describe(value)}, not an object with names")


def is_spellable(value: object) -> bool:
    """Whether JSON can spell it, so that it can be shown and bound."""
    try:
        freeze({"value": value})
    except Unspellable:
        return False
    return True


def freeze_named(value: dict[str, object]) -> FrozenDict:
    """The same for values under the names of a function's parameters, which need no look themselves."""
    frozen = FrozenDict(value)
    for item in frozen.values():
        if type(item) is str:
            if not item.isascii():
                return freeze(value)
        elif type(item) not in _CONSTANT:
            return freeze(value)
    frozen.flat = True
    return frozen


def freeze_mapping(value: Mapping[str, object], where: str = "arguments", depth: int = 0) -> FrozenDict:
    """`freeze` of what is an object with names for sure."""
    frozen = FrozenDict(value)
    frozen.flat = True
    for key, item in frozen.items():
        if type(key) is not str or not (key.isascii() or _is_text(key)):
            raise Unspellable(where, f"an object with the key {key!r}")
        if type(item) is str:
            if item.isascii() or _is_text(item):
                continue
        elif type(item) in _CONSTANT:
            continue
        frozen.flat = False
        # Replacing the value of a present key does not disturb the iteration.
        _put(frozen, key, _freeze_value(item, f"{where}.{key}", depth + 1))
    return frozen


def _freeze_value(value: object, where: str, depth: int) -> object:
    if depth > _DEEPEST:
        raise Unspellable(where, "nested too deeply")
    match value:
        case str() if type(value) is str and _is_text(value):
            return value
        case float() if type(value) is float and isfinite(value):
            return value
        case list() | tuple():
            items = cast("list[object]", value)
            return tuple(_freeze_item(item, f"{where}[{index}]", depth + 1) for index, item in enumerate(items))
        case Mapping():
            return freeze_mapping(cast("Mapping[str, object]", value), where, depth)
        case _:
            raise Unspellable(where, _describe(value))


def _freeze_item(item: object, where: str, depth: int) -> object:
    return item if type(item) in _CONSTANT else _freeze_value(item, where, depth)


def _is_text(value: str) -> bool:
    """Whether every character can be written; a lone surrogate cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _describe(value: object) -> str:
    match value:
        case str() if type(value) is str:
            return "text with a broken character"
        case float() if type(value) is float:
            return str(value)
        case _:
            return f"a {type(value).__name__}"


def thaw(value: object) -> object:
    """An ordinary, changeable copy of frozen data: dicts and lists."""
    match value:
        case dict():
            return thaw_items(cast("dict[str, object]", value))
        case tuple():
            return [thaw(item) for item in cast("tuple[object, ...]", value)]
        case _:
            return value


def thaw_items(value: Mapping[str, object]) -> dict[str, object]:
    """An ordinary, changeable copy of a frozen object."""
    if type(value) is FrozenDict and value.flat:
        return dict(value)
    return {key: thaw(item) for key, item in value.items()}


def canonical(value: object) -> str:
    """The one spelling of frozen data: equal text exactly when the data is equal."""
    # No `default=`: a value JSON cannot spell has no stable identity, and guessing one
    # would let two different calls share an answer.
    return "".join(_spell(value, 0)) if _spell is not None else _encoder.encode(value)


def canonical_call(name: str, args: Mapping[str, object]) -> str:
    """`canonical((name, args))`, with arguments that are spelled once, however often they are asked about."""
    text: str | None = getattr(args, "text", None)
    if text is None:
        text = canonical(args)
        if len(text) < _SHORT and type(args) is FrozenDict:
            args.text = text
    return f"[{json.encoder.encode_basestring_ascii(name)},{text}]"


def digest(value: object) -> str:
    """A short name for frozen data that nothing else has."""
    return digest_of(canonical(value))


def digest_of(text: str) -> str:
    """The same for data that is spelled already."""
    return hashlib.sha256(text.encode()).hexdigest()


EMPTY = freeze({})
