from __future__ import annotations

import os
from pathlib import Path

import pytest

from assent.config import Approvals, Sandbox, SandboxPath, Settings, read_settings
from assent.errors import ConfigError
from tests.config.conftest import Write


def settings_for(*roots: Path, file: Path | None = None) -> Settings:
    paths = {f"r{index}": SandboxPath(root=root, mode="rw") for index, root in enumerate(roots)}
    return Settings(sandbox=Sandbox(paths=paths), file=file)


def test_the_file_in_use_is_masked_wherever_it_lies(write: Write, project: Path) -> None:
    file = write("")
    assert read_settings(file).is_masked(file)
    assert not read_settings(file).is_masked(project / "other.yaml")


@pytest.mark.parametrize(
    "place", ["assent.yaml", "a/b/assent.yaml", "ASSENT.yaml", "a/Assent.YAML", "a/../assent.yaml"]
)
def test_every_assent_yaml_in_a_writable_root_is_masked_though_it_does_not_exist(project: Path, place: str) -> None:
    assert settings_for(project).is_masked(project / place)


@pytest.mark.parametrize("place", ["a.yaml", "assent.yaml.bak", "assent.yml", "xassent.yaml", "../assent.yaml", "a"])
def test_other_files_are_not_masked(project: Path, place: str) -> None:
    assert not settings_for(project).is_masked(project / place)


def test_a_read_only_root_masks_nothing_of_its_own(project: Path) -> None:
    settings = Settings(sandbox=Sandbox(paths={"a": SandboxPath(root=project)}))
    assert settings.masked == ()
    assert not settings.is_masked(project / "assent.yaml")


def test_a_folder_named_like_the_file_is_masked_with_all_in_it(project: Path) -> None:
    assert settings_for(project).is_masked(project / "assent.yaml/inner.txt")


def test_a_root_spelled_in_another_case_masks_too(project: Path) -> None:
    assert settings_for(project).is_masked(project.parent / "PROJECT/assent.yaml")


def test_links_do_not_get_around_the_mask(project: Path) -> None:
    root = project / "root"
    root.mkdir()
    (project / "elsewhere").symlink_to("root")
    (root / "innocent.txt").symlink_to("assent.yaml")
    (root / "assent.yaml").symlink_to("other.txt")
    settings = settings_for(root)
    assert settings.is_masked(project / "elsewhere/assent.yaml")
    assert settings.is_masked(root / "assent.yaml")
    (root / "assent.yaml").unlink()
    assert settings.is_masked(root / "innocent.txt")


def test_a_relative_path_is_masked_like_the_absolute_one(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    assert settings_for(project).is_masked(Path("assent.yaml"))


def test_the_file_in_use_is_masked_under_each_name_that_leads_to_it(project: Path) -> None:
    (project / "real").mkdir()
    file = project / "real/rules.yaml"
    file.touch()
    (project / "middle").symlink_to("real")
    (project / "front").symlink_to("middle")
    os.link(file, project / "hard.txt")
    settings = settings_for(project, file=project / "front/rules.yaml")
    for name in ("real/rules.yaml", "middle/rules.yaml", "front/rules.yaml", "hard.txt"):
        assert settings.is_masked(project / name)
    # Whoever replaces one of these decides what the file is at the next start.
    for name in ("real", "middle", "front"):
        assert settings.is_masked(project / name)


def test_a_link_swapped_for_a_folder_stays_masked(project: Path) -> None:
    (project / "real").mkdir()
    (project / "real/rules.yaml").touch()
    (project / "link").symlink_to("real")
    settings = settings_for(project, file=project / "link/rules.yaml")
    (project / "link").unlink()
    (project / "link").mkdir()
    assert settings.is_masked(project / "link/rules.yaml")


def test_links_that_go_round_in_circles_end(project: Path) -> None:
    (project / "loop").symlink_to("loop/again")
    assert settings_for(project, file=project / "loop/rules.yaml").is_masked(project / "loop")


def test_what_the_os_must_bind_read_only_is_listed_whether_or_not_it_exists(project: Path) -> None:
    other = project.parent / "other"
    assert settings_for(project, other, file=project / "a/b/rules.yaml").masked == (
        other / "assent.yaml",
        project / "a/assent.yaml",
        project / "a/b/assent.yaml",
        project / "a/b/rules.yaml",
        project / "assent.yaml",
    )


def test_a_file_outside_every_root_needs_no_bind(project: Path) -> None:
    root = project / "root"
    assert settings_for(root, file=project / "assent.yaml").masked == (root / "assent.yaml",)


def test_settings_made_in_python_cannot_expose_the_store_either(project: Path) -> None:
    sandbox = Sandbox(paths={"all": SandboxPath(root=project, mode="rw")})
    with pytest.raises(ConfigError, match=r"the writable root of 'all'.* set `store` to a file outside every root"):
        Settings(approvals=Approvals(), store=project / "record.db", sandbox=sandbox)
