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
  require_os_sandbox: false  # default
  os_sandbox_fallback: fail_fast  # default
  os_profile: null  # default
  confine_file_tools: null  # default
shell:
  default:
    allowed: true  # default
    approval: true  # default
  rules: []  # default
  preset: none  # default
  network: false  # default
  toolchains: []  # default
  timeout: 120.0  # default
  env: []  # default
  max_output_bytes: 100000  # default
search:
  engine: auto  # default
display:
  inline_lines: 30  # default
  pager_lines: 100  # default
  preview_lines: 24  # default
agent:
  model: claude-sonnet-5-5  # default
  max_tokens: 8192  # default
  system_prompt: null  # default
  auto_approve_read: true  # default
  max_turns: 100  # default
  attempts: 4  # default
  prices: null  # default
server:
  host: 127.0.0.1  # default
  port: 8643  # default
  origins: []  # default
  allow_bypass: false  # default
  approvers: {}  # default
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
      suffixes: null  # default
      max_file_bytes: 10000000  # default
      read_approval: false  # default
      write_approval: true  # default
      edit_approval: null  # default
      delete_approval: true  # default
    '5':
      root: "/project/a\\nb #c"  # assent.yaml:8
      mode: rw  # assent.yaml:8
      suffixes: null  # default
      max_file_bytes: 10000000  # default
      read_approval: false  # default
      write_approval: true  # default
      edit_approval: null  # default
      delete_approval: true  # default
  require_os_sandbox: false  # default
  os_sandbox_fallback: fail_fast  # default
  os_profile: null  # default
  confine_file_tools: null  # default
shell:
  default:
    allowed: true  # default
    approval: true  # default
  rules: []  # default
  preset: none  # default
  network: false  # default
  toolchains: []  # default
  timeout: 120.0  # default
  env: []  # default
  max_output_bytes: 100000  # default
search:
  engine: auto  # default
display:
  inline_lines: 30  # default
  pager_lines: 100  # default
  preview_lines: 24  # default
agent:
  model: claude-sonnet-5-5  # default
  max_tokens: 8192  # default
  system_prompt: null  # default
  auto_approve_read: true  # default
  max_turns: 100  # default
  attempts: 4  # default
  prices: null  # default
server:
  host: 127.0.0.1  # default
  port: 8643  # default
  origins: []  # default
  allow_bypass: false  # default
  approvers: {}  # default
""")


def test_a_list_is_shown_on_one_line(write: Write) -> None:
    text = """\
sandbox:
  paths:
    plain:
      root: .
      suffixes:
        - .md
        - .tar.gz
    strange: {root: ., suffixes: [".a,b", ".[c]", '.5', ". #d", .é]}
    broken: {root: ., suffixes: [.md, ".a\\nb"]}
"""
    shown = show(read_settings(write(text))).splitlines()
    assert [line.strip() for line in shown if "suffixes" in line] == snapshot(
        [
            "suffixes: [.md, .tar.gz]  # assent.yaml:5",
            "suffixes: ['.a,b', '.[c]', '.5', '. #d', .é]  # assent.yaml:8",
            'suffixes: [".md", ".a\\nb"]  # assent.yaml:9',
        ]
    )


def test_what_nobody_would_see_is_shown_as_its_escape(write: Write) -> None:
    settings = read_settings(write('store: "x\\u202Ebd\\u200B"\nagent: {system_prompt: "\\u2066né"}\n'))
    shown = show(settings)
    assert [line for line in shown.splitlines() if not line.isprintable()] == []
    assert r'/x\u202Ebd\u200B"  # assent.yaml:1' in shown
    assert read_settings(write(shown)) == settings


def test_a_strange_file_name_stays_in_its_comment(project: Path) -> None:
    file = project / "a\nstore: evil"
    file.write_text("approvals: {mode: strict}")
    assert show(read_settings(file)).splitlines()[2].endswith(r'# "a\nstore: evil":1')
