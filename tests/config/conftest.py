"""A place of its own for every test, and a way to write the file there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assent.config import SETTINGS_FILE, read_settings
from assent.errors import ConfigError

Write = Callable[[str | bytes], Path]
Complain = Callable[[str | bytes], str]


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's state folder, where the default store lies."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The folder of the configuration file."""
    folder = tmp_path.resolve() / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def write(project: Path) -> Write:
    """Write the configuration file."""

    def write_file(content: str | bytes) -> Path:
        file = project / SETTINGS_FILE
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    return write_file


@pytest.fixture
def complain(write: Write, tmp_path: Path) -> Complain:
    """What the reader says about a wrong file, without the folder of this test."""

    def read(content: str | bytes) -> str:
        with pytest.raises(ConfigError) as caught:
            read_settings(write(content))
        assert caught.value.code == "config"
        return str(caught.value).replace(str(tmp_path.resolve()), "")

    return read
