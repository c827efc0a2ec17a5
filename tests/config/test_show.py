from __future__ import annotations

from pathlib import Path

from inline_snapshot import snapshot

from assent.config import Settings, read_settings, show
from tests.config.conftest import Write


def test_the_defaults_are_shown_as_defaults(tmp_path: Path) -> None:
    assert show(Settings()).replace(str(tmp_path), "") == snapshot("""\
# no configuration file: everything is default
approvals:
  mode: interactive  # default
  timeout: 300.0  # default
  park_timeout: null  # default
store: /state/assent/assent.db  # default
sandbox:
  paths: {}  # default
""")


def test_every_value_shows_the_line_it_comes_from(write: Write, tmp_path: Path) -> None:
    text = """\
approvals:
  mode: strict

store: ~  # the default, said aloud
sandbox:
  paths:
    "my notes": {root: notes}
    '5': {root: "a\\nb #c", mode: rw}
"""
    assert show(read_settings(write(text))).replace(str(tmp_path.resolve()), "") == snapshot("""\
# /project/assent.yaml
approvals:
  mode: strict  # assent.yaml:2
  timeout: 300.0  # default
  park_timeout: null  # default
store: /state/assent/assent.db  # assent.yaml:4
sandbox:
  paths:
    my notes:
      root: /project/notes  # assent.yaml:7
      mode: ro  # default
    '5':
      root: "/project/a\\nb #c"  # assent.yaml:8
      mode: rw  # assent.yaml:8
""")


def test_a_strange_file_name_stays_in_its_comment(project: Path) -> None:
    file = project / "a\nstore: evil"
    file.write_text("approvals: {mode: strict}")
    assert show(read_settings(file)).splitlines()[2].endswith(r'# "a\nstore: evil":1')
