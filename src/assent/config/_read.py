"""From a file to settings; nothing heavy is loaded before there is a file to read."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from assent.config._places import absolute, find_settings_file
from assent.config._settings import Settings
from assent.errors import ConfigError

_MOST_BYTES: Final = 1024 * 1024


def load_settings(path: Path | None = None) -> Settings:
    """The settings of `path`, else of the nearest `assent.yaml`, else the defaults.

    Raises:
        ConfigError: the file is wrong; the text names every place.
    """
    file = path or find_settings_file(Path.cwd())
    return read_settings(file) if file else Settings()


def read_settings(path: Path) -> Settings:
    """The settings a file spells.

    Raises:
        ConfigError: the file is wrong; the text names every place.
    """
    text = _text(path)
    from assent.config import _check, _yaml

    file = absolute(path)
    document = _yaml.parse(text)
    checked = _check.check(document, file.parent)
    if isinstance(checked, list):
        named = [f"{path}:{spot.line}:{spot.column}: {text}" for spot, text in checked[: _yaml.MOST_PROBLEMS]]
        more = [f"{path}: more is wrong than this; mend it, and the rest is named"] if len(checked) > len(named) else []
        raise ConfigError("\n".join(named + more))
    return Settings(
        approvals=checked.approvals,
        store=checked.store,
        sandbox=checked.sandbox,
        shell=checked.shell,
        search=checked.search,
        display=checked.display,
        agent=checked.agent,
        server=checked.server,
        file=file,
        lines={place: spot.line for place, spot in document.keys.items()},
    )


def settings_schema() -> dict[str, object]:
    """The JSON Schema of `assent.yaml`, for editors."""
    from assent.config import _check

    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_check.schema(),
        "title": "assent.yaml",
    }


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except IsADirectoryError:
        # A command that was killed may leave the stand-in for a file that was not there.
        raise ConfigError(f"{path}:1:1: it is a folder, not a file; if it is empty, remove it") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"{path}:1:1: the file cannot be read: {why}; name a readable YAML file") from None
    if len(content) > _MOST_BYTES:
        raise ConfigError(f"{path}:1:1: the file is larger than 1 MiB; at most that is allowed, so keep data elsewhere")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The offset does not count a byte order mark, and neither does `error.object`.
        before = error.object[: error.start].decode()
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise ConfigError(f"{path}:{line}:{column}: this is not UTF-8; save the file as UTF-8") from None
