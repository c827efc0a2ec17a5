"""From a command to the commands it starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from assent.tools.shell._behind import Behind
from assent.tools.shell._shells import SHELLS, behind_builtin, behind_shell
from assent.tools.shell._word import Word
from assent.tools.shell._wrapper_table import LAUNCHERS, WRAPPERS
from assent.tools.shell._wrappers import behind_env, behind_find, behind_launcher, behind_wrapper, behind_xargs

_READERS: Final[dict[str, Callable[[list[Word]], Behind]]] = {
    "env": behind_env,
    "find": behind_find,
    "xargs": behind_xargs,
}


def base_name(value: str) -> str:
    """The name of a program without the folders before it."""
    return value.rpartition("/")[2]


def unwrap(words: Sequence[Word]) -> Behind | None:
    """What these words start besides their own program; none if that is nothing we know of."""
    value = words[0].value
    return None if value is None else _named(base_name(value), list(words))


def _named(name: str, words: list[Word]) -> Behind | None:
    if name in _READERS:
        return _READERS[name](words)
    if name in SHELLS:
        return behind_shell(name, words)
    if name in WRAPPERS:
        looks_up = name == "command" and _only_looks_up(words)
        return Behind() if looks_up else behind_wrapper(name, words)
    if name.startswith(("ld-linux", "ld.so", "ld-musl")):
        return behind_launcher([words[0], *words])
    if name in LAUNCHERS and any(word.value in LAUNCHERS[name] for word in words[1:6]):
        return behind_launcher(words)
    return behind_builtin(name, words)


def _only_looks_up(words: Sequence[Word]) -> bool:
    first = words[1].value if len(words) > 1 else None
    return first in {"-v", "-V", "-pv", "-pV", "-vp", "-Vp"}
