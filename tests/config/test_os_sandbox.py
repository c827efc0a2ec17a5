"""The keys of the OS sandbox and of the tool that runs commands in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from assent.config import ExplicitProfile, Settings, Shell, read_settings, show
from assent.errors import ConfigError
from tests.config.conftest import Complain, Write

ALL = """\
sandbox:
  require_os_sandbox: true
  os_sandbox_fallback: refuse_tools
  os_profile:
    readable: [src, /opt/data]
    writable: [build]
    masked: [build/keep]
    network: true
shell:
  network: true
  toolchains: [tools]
  timeout: 30
  env: [CI, NO_COLOR]
  max_output_bytes: 5000
"""


def test_every_key_is_read(write: Write, project: Path) -> None:
    settings = read_settings(write(ALL))
    sandbox, shell = settings.sandbox, settings.shell
    assert (sandbox.require_os_sandbox, sandbox.os_sandbox_fallback) == (True, "refuse_tools")
    assert sandbox.os_profile == ExplicitProfile(
        readable=(project / "src", Path("/opt/data")),
        writable=(project / "build",),
        masked=(project / "build" / "keep",),
        network=True,
    )
    assert (shell.network, shell.toolchains, shell.timeout) == (True, (project / "tools",), 30)
    assert (shell.env, shell.max_output_bytes) == (("CI", "NO_COLOR"), 5000)


def test_by_default_nothing_is_required_and_nothing_is_opened() -> None:
    settings = Settings()
    assert (settings.sandbox.require_os_sandbox, settings.sandbox.os_sandbox_fallback) == (False, "fail_fast")
    assert settings.sandbox.os_profile is None
    shell = settings.shell
    assert (shell.network, shell.toolchains, shell.timeout) == (False, (), 120)
    assert (shell.env, shell.max_output_bytes) == ((), 100_000)


def test_a_link_in_the_profile_stands_for_where_it_leads(write: Write, project: Path) -> None:
    (project / "real").mkdir()
    (project / "link").symlink_to(project / "real")
    profile = read_settings(write("sandbox: {os_profile: {writable: [link]}}")).sandbox.os_profile
    assert profile is not None
    assert profile.writable == (project / "real",)


def test_they_are_shown_with_their_lines(write: Write, tmp_path: Path) -> None:
    shown = show(read_settings(write(ALL))).replace(str(tmp_path.resolve()), "")
    assert shown[shown.index("sandbox:") : shown.index("search:")] == snapshot("""\
sandbox:
  paths: {}  # default
  require_os_sandbox: true  # assent.yaml:2
  os_sandbox_fallback: refuse_tools  # assent.yaml:3
  os_profile:
    readable: [/project/src, /opt/data]  # assent.yaml:5
    writable: [/project/build]  # assent.yaml:6
    masked: [/project/build/keep]  # assent.yaml:7
    network: true  # assent.yaml:8
  confine_file_tools: null  # default
shell:
  default:
    allowed: true  # default
    approval: true  # default
  rules: []  # default
  preset: none  # default
  network: true  # assent.yaml:10
  toolchains: [/project/tools]  # assent.yaml:11
  timeout: 30.0  # assent.yaml:12
  env: [CI, NO_COLOR]  # assent.yaml:13
  max_output_bytes: 5000  # assent.yaml:14
""")


def test_what_is_wrong_with_them_is_named_with_its_line(complain: Complain) -> None:
    text = """\
sandbox:
  require_os_sandbox: 1
  os_sandbox_fallback: give_up
  os_profile:
    readable: src
    writabel: [a]
    masked: [~nobody-here, 5]
    network: maybe
shell:
  network: on
  toolchains: {a: b}
  timeout: null
  env: [LD_PRELOAD, MY_TOKEN, a b, CI]
  max_output_bytes: 0
"""
    assert complain(text) == snapshot("""\
/project/assent.yaml:2:23: sandbox.require_os_sandbox is 1; allowed: true or false
/project/assent.yaml:3:24: sandbox.os_sandbox_fallback is 'give_up'; allowed: 'fail_fast' or 'refuse_tools'
/project/assent.yaml:5:15: sandbox.os_profile.readable is 'src', which is no list; allowed: a list of paths, each as text, such as [./tools, ~/bin]
/project/assent.yaml:6:5: unknown key 'writabel'; did you mean 'writable'? allowed here: masked, network, readable, writable
/project/assent.yaml:7:14: sandbox.os_profile.masked.0 is '~nobody-here', which names a home folder that does not exist; write './~nobody-here' for a folder of that name
/project/assent.yaml:7:28: sandbox.os_profile.masked.1 is 5; allowed: a path, as text; put it in quotes if it looks like something else
/project/assent.yaml:8:14: sandbox.os_profile.network is 'maybe'; allowed: true or false
/project/assent.yaml:10:12: shell.network is 'on'; allowed: true or false
/project/assent.yaml:11:15: shell.toolchains is {'a': 'b'}, which is no list; allowed: a list of paths, each as text, such as [./tools, ~/bin]
/project/assent.yaml:12:12: shell.timeout is null; allowed: a number of seconds above 0
/project/assent.yaml:13:9: shell.env.0 is 'LD_PRELOAD', which decides what programs load or run, and nobody would have judged that; leave it out
/project/assent.yaml:13:21: shell.env.1 is 'MY_TOKEN', which names a secret, and every command could read it; leave it out
/project/assent.yaml:13:31: shell.env.2 is 'a b'; allowed: the name of a variable, such as CI
/project/assent.yaml:14:21: shell.max_output_bytes is 0; allowed: a whole number of bytes above 0, in digits alone, such as 10000000\
""")


def test_a_profile_is_a_mapping_or_null(complain: Complain, write: Write) -> None:
    assert read_settings(write("sandbox: {os_profile: null}")).sandbox.os_profile is None
    assert complain("sandbox: {os_profile: all}") == snapshot(
        "/project/assent.yaml:1:23: sandbox.os_profile is 'all'; allowed: a mapping with the keys masked, network, readable, writable"
    )


@pytest.mark.parametrize(
    "name",
    ["LD_PRELOAD", "PYTHONPATH", "GIT_DIR", "BASH_ENV", "PATH", "EDITOR", "path", "GH_TOKEN", "AWS_SECRET_ACCESS_KEY"],
)
def test_no_variable_that_steers_programs_or_holds_a_secret_is_passed_on(complain: Complain, name: str) -> None:
    said = complain(f"shell: {{env: [{name}]}}")
    assert f"shell.env.0 is {name!r}, which " in said
    assert said.endswith("leave it out")


@pytest.mark.parametrize("value", ["0", "-1", "'5'", "true", "soon", ".inf", "null"])
def test_the_time_of_a_command_has_an_end(complain: Complain, value: str) -> None:
    assert complain(f"shell: {{timeout: {value}}}").endswith("; allowed: a number of seconds above 0")


def test_settings_made_by_hand_cannot_pass_such_a_variable_either() -> None:
    with pytest.raises(ConfigError, match="names 'LD_PRELOAD', which decides what programs load"):
        Shell(env=("LD_PRELOAD",))
