from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

import assent.config
from assent.config import (
    SETTINGS_FILE,
    Approvals,
    Sandbox,
    SandboxPath,
    Search,
    Settings,
    Shell,
    default_store_path,
    find_settings_file,
    load_settings,
    read_settings,
)
from assent.errors import ConfigError
from tests.config.conftest import Write

FULL = """\
approvals:
  mode: strict
  timeout: 5
  park_timeout: 86400.5
store: ../elsewhere/record.db
sandbox:
  paths:
    notes: {root: notes, mode: rw}
    docs: {root: /usr/share/doc}
    logs:
      root: logs
      suffixes: [.txt, .log]
      max_file_bytes: 500
      read_approval: true
      write_approval: false
      edit_approval: true
      delete_approval: false
search: {engine: python}
"""


def test_every_section_is_read(write: Write, project: Path) -> None:
    file = write(FULL)
    assert read_settings(file) == Settings(
        approvals=Approvals(mode="strict", timeout=5.0, park_timeout=86400.5),
        store=project.parent / "elsewhere/record.db",
        sandbox=Sandbox(
            paths={
                "notes": SandboxPath(root=project / "notes", mode="rw"),
                "docs": SandboxPath(root=Path("/usr/share/doc"), mode="ro"),
                "logs": SandboxPath(
                    root=project / "logs",
                    suffixes=(".txt", ".log"),
                    max_file_bytes=500,
                    read_approval=True,
                    write_approval=False,
                    edit_approval=True,
                    delete_approval=False,
                ),
            }
        ),
        search=Search(engine="python"),
        file=file,
    )


def test_lines_may_end_as_on_windows(write: Write) -> None:
    assert read_settings(write(FULL.replace("\n", "\r\n"))).approvals.mode == "strict"


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n", "{}", "~", "\ufeff", "store: null", "store:"])
def test_a_file_that_says_nothing_means_all_defaults(write: Write, text: str) -> None:
    file = write(text)
    assert read_settings(file) == Settings(file=file)


def test_the_defaults_ask_a_person_and_reach_no_file(state: Path) -> None:
    assert Settings() == Settings(
        approvals=Approvals(mode="interactive", timeout=300.0, park_timeout=None),
        store=state / "assent/assent.db",
        sandbox=Sandbox(paths={}),
        search=Search(engine="auto"),
        file=None,
    )


def test_null_is_how_a_question_waits_without_end(write: Write) -> None:
    assert read_settings(write("approvals: {timeout: null}")).approvals.timeout is None


@pytest.mark.parametrize("root", ["~/work", "~/x/../work"])
def test_a_tilde_is_the_home_folder(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: str) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = read_settings(write(f"sandbox: {{paths: {{a: {{root: {root}}}}}}}"))
    assert settings.sandbox.paths["a"].root == tmp_path.resolve() / "work"


def test_a_root_is_the_real_folder_behind_its_links(write: Write, project: Path) -> None:
    (project / "real").mkdir()
    (project / "link").symlink_to("real")
    settings = read_settings(write("sandbox: {paths: {a: {root: link}}}"))
    assert settings.sandbox.paths["a"].root == project / "real"


def test_roots_are_relative_to_the_file_not_to_the_working_folder(
    write: Write, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("sandbox: {paths: {a: {root: .}}}")
    monkeypatch.chdir(project.parent)
    settings = read_settings(Path("project") / SETTINGS_FILE)
    assert (settings.file, settings.sandbox.paths["a"].root) == (project / SETTINGS_FILE, project)


@pytest.mark.parametrize("name", ["2024-01-01", "007", "null", "on", "1.5", "'<<'", "ünï cødé"])
def test_a_name_is_text_whatever_it_looks_like(write: Write, name: str) -> None:
    settings = read_settings(write(f"sandbox: {{paths: {{{name}: {{root: .}}}}}}"))
    assert list(settings.sandbox.paths) == [name.strip("'")]


def test_settings_cannot_be_changed(write: Write) -> None:
    settings = read_settings(write(FULL))
    with pytest.raises(TypeError):
        settings.sandbox.paths["more"] = SandboxPath(root=Path("/"))  # type: ignore[index]
    with pytest.raises(AttributeError):
        settings.approvals.mode = "approve_all"  # type: ignore[misc]


def test_the_nearest_file_is_found_upwards(write: Write, project: Path) -> None:
    file = write("")
    deep = project / "a/b"
    deep.mkdir(parents=True)
    assert find_settings_file(deep) == file
    assert find_settings_file(project) == file
    (deep.parent / SETTINGS_FILE).touch()
    assert find_settings_file(deep) == deep.parent / SETTINGS_FILE


def test_no_file_anywhere_is_not_found(project: Path) -> None:
    assert find_settings_file(project) is None


def test_a_file_with_the_other_ending_is_not_passed_over(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody relies on the rules in it."""
    inner = project / "inner"
    inner.mkdir()
    (project / "assent.yml").write_text("approvals: {mode: strict}")
    monkeypatch.chdir(inner)
    for find in (lambda: find_settings_file(inner), load_settings):
        with pytest.raises(ConfigError, match=r"project/assent\.yml: the file is named assent\.yaml.*; rename it"):
            find()
    (inner / SETTINGS_FILE).touch()
    (inner / "assent.yml").touch()
    assert find_settings_file(inner) == inner / SETTINGS_FILE


def test_a_broken_link_is_found_rather_than_walked_past(write: Write, project: Path) -> None:
    write("")
    inner = project / "inner"
    inner.mkdir()
    (inner / SETTINGS_FILE).symlink_to("nowhere")
    assert find_settings_file(inner) == inner / SETTINGS_FILE
    with pytest.raises(ConfigError, match="cannot be read"):
        read_settings(inner / SETTINGS_FILE)


def test_a_named_file_comes_before_a_found_one_and_a_found_one_before_the_defaults(
    write: Write, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    assert load_settings() == Settings()
    found = write("approvals: {mode: strict}")
    assert load_settings() == Settings(approvals=Approvals(mode="strict"), file=found)
    named = project / "other.yaml"
    named.write_text("approvals: {mode: approve_all}")
    assert load_settings(named) == Settings(approvals=Approvals(mode="approve_all"), file=named)


def test_the_default_store_is_in_the_state_folder_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert default_store_path() == tmp_path / "state/assent/assent.db"
    monkeypatch.setenv("HOME", "/home/ada")
    usual = "Library/Application Support" if sys.platform == "darwin" else ".local/state"
    for unusable in ("", "relative/folder"):
        monkeypatch.setenv("XDG_STATE_HOME", unusable)
        assert default_store_path() == Path("/home/ada", usual, "assent/assent.db")


def test_without_a_home_there_is_no_default_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "nowhere")
    with pytest.raises(ConfigError, match="set HOME, XDG_STATE_HOME or `store`"):
        default_store_path()


def test_importing_the_package_loads_neither_yaml_nor_pydantic() -> None:
    program = (
        "import sys; from assent.config import *; load_settings; Settings(); "
        "print(*{name.partition('.')[0] for name in sys.modules} & {'yaml', 'pydantic', 'pydantic_core'})"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == ""


def test_the_page_about_paths_shows_paths_that_do_as_it_says(write: Write) -> None:
    page = (Path(__file__).parents[2] / "docs/configuration.md").read_text()
    paths = read_settings(write(re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)[1])).sandbox.paths
    notes, cache, letters = paths["notes"], paths["cache"], paths["letters"]
    assert (notes.suffixes, notes.max_file_bytes) == ((".md", ".txt"), 500_000)
    assert (notes.write_approval, notes.edits_ask, notes.delete_approval) == (True, False, True)
    assert (cache.write_approval, cache.edits_ask, cache.delete_approval) == (False, False, False)
    assert (letters.mode, letters.read_approval) == ("ro", True)


def test_the_page_names_every_key_and_its_default_and_no_other() -> None:
    page = (Path(__file__).parents[2] / "docs/configuration.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", page, re.MULTILINE))
    # Those that have rows of their own, key by key.
    mappings = {"paths", "default", "rules"}
    keys = [each for section in (SandboxPath, Sandbox, Shell) for each in fields(section) if each.name not in mappings]
    spelled = {each.name: f"`{spell(each.default)}`" for each in keys if each.name != "root"}
    assert rows == {"root": "(required)", **spelled}


def spell(default: object) -> str:
    """As the page writes it: text without quotes, whole seconds without a fraction."""
    return default if isinstance(default, str) else json.dumps(default).removesuffix(".0")


def test_what_is_public_is_what_all_names() -> None:
    public = {name for name in vars(assent.config) if not name.startswith("_")}
    assert public == set(assent.config.__all__)
