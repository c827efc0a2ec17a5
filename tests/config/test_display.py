from __future__ import annotations

from pathlib import Path

import pytest

from assent.config import Display, read_settings
from assent.errors import ConfigError


def test_how_much_is_shown_has_defaults_and_can_be_set(tmp_path: Path) -> None:
    file = tmp_path / "assent.yaml"
    file.write_text("display: {pager_lines: 40}\n")
    assert Display() == Display(inline_lines=30, pager_lines=100, preview_lines=24)
    assert read_settings(file).display == Display(pager_lines=40)


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "true", "'30'", "null", "[]"])
def test_what_is_no_number_of_lines_is_told_what_is(tmp_path: Path, value: str) -> None:
    file = tmp_path / "assent.yaml"
    file.write_text(f"display:\n  inline_lines: {value}\n")
    with pytest.raises(ConfigError, match=r"assent\.yaml:2:.*allowed: a whole number of lines above 0"):
        read_settings(file)
