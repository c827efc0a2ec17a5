"""The `server` section."""

from __future__ import annotations

from pathlib import Path

import pytest

from assent.config import read_settings
from assent.errors import ConfigError


def read(folder: Path, text: str) -> object:
    file = folder / "assent.yaml"
    file.write_text(f"server: {text}\n")
    return read_settings(file).server


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("{host: example.org}", "an IP address or localhost"),
        ("{host: 5}", "an IP address or localhost"),
        ("{port: 70000}", "from 0 to 65535"),
        ("{port: '80'}", "from 0 to 65535"),
        ("{allow_bypass: 'yes'}", "true or false"),
        ("{approvers: {ana: secret}}", "64 hexadecimal digits"),
        ("{origins: ['https://a.example/path']}", "without a path"),
        ("{origins: ['*']}", "without a path"),
        ("{token: x}", "unknown key 'token'"),
    ],
)
def test_a_wrong_value_says_what_is_allowed(tmp_path: Path, text: str, allowed: str) -> None:
    with pytest.raises(ConfigError, match=r"assent\.yaml:1:") as wrong:
        read(tmp_path, text)
    assert allowed in str(wrong.value)


def test_what_a_team_writes_is_read(tmp_path: Path) -> None:
    text = f"{{host: '::1', port: 9000, origins: ['https://assent.example.org'], approvers: {{ana: {'0' * 64}}}}}"
    assert "assent.example.org" in str(read(tmp_path, text))
