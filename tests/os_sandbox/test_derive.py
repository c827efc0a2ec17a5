"""The profile follows from the configuration, and never permits more."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.os_sandbox import OSProfile, derive_os_sandbox_profile, home_folders, obeyed_links, what_explicit_cuts
from tests.os_sandbox.test_profile import PLACES, profiles
from tests.os_sandbox.values import Root, Sandbox, Shell

roots = st.builds(Root, root=st.sampled_from(PLACES[1:]), mode=st.sampled_from(["ro", "rw"]))
sandboxes = st.builds(Sandbox, paths=st.dictionaries(st.sampled_from("wxyz"), roots, max_size=4))
shells = st.builds(Shell, network=st.booleans(), toolchains=st.lists(st.sampled_from(PLACES), max_size=2).map(tuple))


@pytest.fixture(scope="module", autouse=True)
def _nobody(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """What the user's own git is told has no part in this."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        patched.delenv("XDG_CONFIG_HOME", raising=False)
        yield


def tools(sandbox: Sandbox, shell: Shell) -> OSProfile:
    """What the tools may do by their configuration, written down a second time."""
    reads = {each.root for each in sandbox.paths.values()} | set(shell.toolchains)
    writes = {each.root for each in sandbox.paths.values() if each.mode == "rw"}
    # The innermost path decides, save that nothing is writable in what is read-only in something writable.
    never = {
        each.root
        for each in sandbox.paths.values()
        if each.mode == "ro" and any(each.root.is_relative_to(root) for root in writes)
    }
    return OSProfile(
        readable=frozenset(reads), writable=frozenset(writes), network=shell.network, masked=frozenset(never)
    )


@given(sandboxes, shells, st.none() | profiles)
def test_it_never_permits_what_the_tools_or_the_explicit_profile_do_not(
    sandbox: Sandbox, shell: Shell, explicit: OSProfile | None
) -> None:
    derived = derive_os_sandbox_profile(sandbox, shell, explicit, homes=())
    assert tools(sandbox, shell).permits(derived)
    assert explicit is None or explicit.permits(derived)


def test_a_writable_root_is_writable_and_a_read_only_one_readable(tmp_path: Path) -> None:
    work, notes = tmp_path / "work", tmp_path / "notes"
    sandbox = Sandbox(paths={"work": Root(root=work, mode="rw"), "notes": Root(root=notes, mode="ro")})
    derived = derive_os_sandbox_profile(sandbox, Shell())
    assert derived.writable == {work}
    assert derived.readable == {notes}
    assert not derived.network


def test_the_network_is_what_the_shell_says(tmp_path: Path) -> None:
    sandbox = Sandbox(paths={"work": Root(root=tmp_path, mode="rw")})
    assert derive_os_sandbox_profile(sandbox, Shell(network=True)).network
    assert not derive_os_sandbox_profile(sandbox, Shell(network=True), OSProfile()).network


def test_a_read_only_root_in_a_writable_one_stays_read_only(tmp_path: Path) -> None:
    inner = tmp_path / "vendor"
    sandbox = Sandbox(paths={"work": Root(root=tmp_path, mode="rw"), "vendor": Root(root=inner, mode="ro")})
    derived = derive_os_sandbox_profile(sandbox, Shell())
    assert derived.may_write(tmp_path / "a")
    assert not derived.may_write(inner / "a")
    assert derived.may_read(inner / "a")


def test_a_writable_root_in_a_read_only_one_is_writable(tmp_path: Path) -> None:
    inner = tmp_path / "work"
    sandbox = Sandbox(paths={"docs": Root(root=tmp_path, mode="ro"), "work": Root(root=inner, mode="rw")})
    derived = derive_os_sandbox_profile(sandbox, Shell())
    assert derived.may_write(inner / "a")
    assert not derived.may_write(tmp_path / "a")
    assert derived.may_read(tmp_path / "a")


def masked_for(root: Path) -> set[str]:
    sandbox = Sandbox(paths={"work": Root(root=root, mode="rw")})
    derived = derive_os_sandbox_profile(sandbox, Shell(), homes=())
    return {str(place.relative_to(root)) for place in derived.masked}


def test_our_own_code_and_its_python_are_masked_in_a_root_and_the_work_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.prefix", str(tmp_path / ".venv"))
    # A project is on the path of its own Python, and is what the work is about.
    monkeypatch.setattr("sys.path", [str(tmp_path), "", str(tmp_path / "src")])
    monkeypatch.chdir(tmp_path)
    assert masked_for(tmp_path) == {".git", "assent.yaml", ".venv"}
    # Where the work is done is not held as a whole.
    (tmp_path / ".venv/deep").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / ".venv/deep")
    assert masked_for(tmp_path) == {".git", "assent.yaml"}


def make_git(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or ("objects", "refs"):
        (folder / name).mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    return folder


def test_what_looks_like_a_repository_hides_none_beneath_it(tmp_path: Path) -> None:
    make_git(tmp_path / "decoy")
    for place in ("decoy/lib/.git", "decoy/objects/ab/.git"):
        make_git(tmp_path / place)
    assert {"decoy/lib/.git/hooks", "decoy/objects/ab/.git/hooks", "decoy/config"} <= masked_for(tmp_path)


def test_hooks_and_configuration_that_a_repository_sends_git_to_are_masked(tmp_path: Path) -> None:
    git = make_git(tmp_path / ".git")
    (git / "config").write_text('[core]\n\thooksPath = ".husky"  # mine\n[include] path = ../more.conf\n')
    other = make_git(tmp_path / "tree", "common")
    (other / "commondir").write_text("common\n")
    assert {".husky", "more.conf", "tree/common/hooks", "tree/common/config"} <= masked_for(tmp_path)
    (git / "config").write_text("[core]\n\thooksPath = .\n")
    assert ".git/hooks" in masked_for(tmp_path)


def test_what_a_linked_work_tree_is_sent_to_is_masked_also_where_its_repository_lies_elsewhere(tmp_path: Path) -> None:
    main = make_git(tmp_path / "main/.git")
    (main / "config").write_text("[core]\n\thooksPath = .githooks\n[include]\n\tpath = ../../top/more.conf\n")
    mine = make_git(main / "worktrees/top")
    (mine / "commondir").write_text("../..\n")
    (mine / "config.worktree").write_text("[core]\n\thooksPath = other/hooks\n")
    top = tmp_path / "top"
    top.mkdir()
    (top / ".git").write_text(f"gitdir: {mine}\n")
    assert masked_for(top) == {".git", ".githooks", "other/hooks", "more.conf", "assent.yaml"}


def test_what_a_submodule_is_sent_to_is_masked(tmp_path: Path) -> None:
    sub = make_git(make_git(tmp_path / ".git") / "modules/sub")
    (sub / "config").write_text("[core]\n\tworktree = ../../../sub\n\thooksPath = .githooks\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/.git").write_text("gitdir: ../.git/modules/sub\n")
    assert {"sub/.git", "sub/.githooks", ".git/modules"} <= masked_for(tmp_path)


def test_hooks_in_a_root_are_masked_also_if_the_repository_lies_around_it(tmp_path: Path) -> None:
    git = make_git(tmp_path / ".git")
    (git / "config").write_text("[core]\n\thooksPath = app/.husky/_\n")
    (tmp_path / "app").mkdir()
    assert masked_for(tmp_path / "app") == {".git", ".husky", "assent.yaml"}


def test_hooks_that_the_user_keeps_in_every_repository_are_masked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / ".config/git").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    (home / ".gitconfig").write_text("[core]\n\thooksPath = .githooks\n")
    (home / ".config/git/config").write_text(f"[include]\n\tpath = {tmp_path}/top/shared.conf\n")
    make_git(tmp_path / "top/sub/.git")
    assert {"sub/.githooks", "shared.conf"} <= masked_for(tmp_path / "top")


def test_a_relative_hooks_path_begins_at_the_work_tree_also_behind_a_link(tmp_path: Path) -> None:
    git = make_git(tmp_path / "elsewhere.git")
    (git / "config").write_text("[core]\n\thooksPath = .githooks\n")
    root = tmp_path / "root"
    root.mkdir()
    (root / ".git").symlink_to(git)
    assert ".githooks" in masked_for(root)


def test_a_configuration_that_nobody_reads_to_its_end_may_name_anything(tmp_path: Path) -> None:
    git = make_git(tmp_path / "sub/.git")
    (git / "config").write_text("#" * 1_000_000 + "\n[core]\n\thooksPath = .githooks\n")
    assert "sub" in masked_for(tmp_path)


# Reading these took time that grows with the square of their length: minutes and hours.
@pytest.mark.parametrize(
    "filler", ["\n" * 400_000, "path = a" + " " * 400_000 + "b\n", "path = " + "a/" * 200_000 + "\n"]
)
def test_a_long_configuration_is_read_in_one_go(tmp_path: Path, filler: str) -> None:
    git = make_git(tmp_path / ".git")
    (git / "config").write_text(f"{filler}[core]\n\thooksPath = .githooks\n")
    assert ".githooks" in masked_for(tmp_path)


def test_a_work_tree_that_leads_nowhere_is_not_followed_far(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: " + "a/" * 400_000)
    assert masked_for(tmp_path) == {".git", "assent.yaml"}


def test_nobody_waits_for_a_pipe_in_place_of_a_configuration(tmp_path: Path) -> None:
    os.mkfifo(make_git(tmp_path / ".git") / "config")
    assert ".git/config" in masked_for(tmp_path)


def test_behind_a_link_what_it_leads_to_is_masked_and_the_link_is_watched(tmp_path: Path) -> None:
    root = tmp_path / "root"
    make_git(root / ".git")
    (root / "shared").mkdir()
    (root / ".git/hooks").symlink_to("../shared")
    (root / "other").mkdir()
    (root / "other/.git").symlink_to("../.git")
    (root / "away").mkdir()
    (root / "away/.git").symlink_to(tmp_path)
    found = masked_for(root)
    assert {"shared", ".git/config"} <= found
    assert not found & {".git/hooks", ".git", "other/.git", "away/.git"}
    sandbox = Sandbox(paths={"work": Root(root=root, mode="rw")})
    links = obeyed_links(sandbox, homes=())
    assert {str(place.relative_to(root)) for place in links} == {".git/hooks", "other/.git", "away/.git"}


def test_what_is_masked_in_the_settings_is_masked_here(tmp_path: Path) -> None:
    sandbox = Sandbox(paths={"work": Root(root=tmp_path, mode="rw")})
    derived = derive_os_sandbox_profile(sandbox, Shell(), masked=[tmp_path / "deep/assent.yaml"])
    assert not derived.may_write(tmp_path / "deep/assent.yaml")
    assert not derived.may_write(tmp_path / "assent.yaml")


def test_every_repository_under_a_root_keeps_its_hooks_and_configuration(tmp_path: Path) -> None:
    for folder in ("one", "deep/two"):
        (tmp_path / folder / ".git" / "objects").mkdir(parents=True)
    bare = tmp_path / "bare.git"
    for folder in ("objects", "refs"):
        (bare / folder).mkdir(parents=True)
    (bare / "HEAD").touch()
    (tmp_path / "one/.git/modules").mkdir()
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/.git").write_text("gitdir: elsewhere")
    sandbox = Sandbox(paths={"work": Root(root=tmp_path, mode="rw")})
    derived = derive_os_sandbox_profile(sandbox, Shell(), homes=())
    found = {str(place.relative_to(tmp_path)) for place in derived.masked}
    assert found == {
        *(
            f"{git}/{name}"
            for git in ("one/.git", "deep/two/.git", "bare.git")
            for name in ("config", "hooks", "commondir", "config.worktree", "modules", "worktrees")
        ),
        *("linked/.git", ".git", "assent.yaml"),
    }


def masked_in(root: Path, *homes: Path) -> set[str]:
    """The names that are masked at the top of a root, beside what is masked in every one."""
    sandbox = Sandbox(paths={"work": Root(root=root, mode="rw")})
    derived = derive_os_sandbox_profile(sandbox, Shell(), homes=homes)
    return {str(place.relative_to(root)) for place in derived.masked} - {".git", "assent.yaml"}


START_UP = {
    *(".profile", ".bash_profile", ".bash_login", ".bashrc", ".bash_aliases", ".bash_logout"),
    *(".zshenv", ".zprofile", ".zshrc", ".zlogin", ".zlogout"),
    *(".kshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".config/fish"),
    *(".gitconfig", ".config/git"),
}


def test_start_up_files_are_masked_in_a_root_that_is_a_home_folder(tmp_path: Path) -> None:
    assert masked_in(tmp_path, tmp_path) == START_UP


def test_start_up_files_are_masked_in_every_home_folder_under_a_root(tmp_path: Path) -> None:
    homes = [tmp_path / "ana", tmp_path / "deep" / "ben"]
    assert masked_in(tmp_path, *homes) == {f"{home}/{name}" for home in ("ana", "deep/ben") for name in START_UP}


def test_a_root_with_a_start_up_file_in_it_is_taken_for_a_home_folder(tmp_path: Path) -> None:
    (tmp_path / ".zshrc").touch()
    assert masked_in(tmp_path) == START_UP


def test_in_a_folder_that_is_nobodys_home_these_are_files_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "fixtures").mkdir()
    (tmp_path / "fixtures/.bashrc").touch()
    assert masked_in(tmp_path, tmp_path.parent / "elsewhere") == set()


def test_a_start_up_file_that_a_home_folder_only_links_to_is_masked_where_it_lies(tmp_path: Path) -> None:
    home, dotfiles = tmp_path / "home", tmp_path / "dotfiles"
    for folder in (home, dotfiles / "bash"):
        folder.mkdir(parents=True)
    (dotfiles / "bash/rc").touch()
    (home / ".bashrc").symlink_to("../dotfiles/bash/rc")
    (home / ".zshrc").symlink_to("/dev/null")
    assert masked_in(dotfiles, home) == {"bash/rc"}


def test_the_home_folder_of_whoever_runs_this_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ZDOTDIR", str(tmp_path / "zsh"))
    for name in ("home", "zsh"):
        (tmp_path / name).mkdir()
    sandbox = Sandbox(paths={"work": Root(root=tmp_path, mode="rw")})
    derived = derive_os_sandbox_profile(sandbox, Shell())
    assert not derived.may_write(tmp_path / "home/.profile")
    assert not derived.may_write(tmp_path / "zsh/.zshrc")
    assert derived.may_write(tmp_path / "other/.zshrc")


def test_a_home_folder_that_cannot_be_looked_at_is_nobodys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Too long for any folder: it fails for root, too, where one without permission would not.
    monkeypatch.setenv("HOME", f"{tmp_path}/{'x' * 300}")
    assert all(home.is_dir() for home in home_folders())


def test_a_warning_says_what_the_explicit_profile_cuts(tmp_path: Path) -> None:
    work, notes = tmp_path / "work", tmp_path / "notes"
    sandbox = Sandbox(paths={"work": Root(root=work, mode="rw"), "notes": Root(root=notes, mode="ro")})
    explicit = OSProfile(readable=frozenset({work}), writable=frozenset({work / "out"}))
    assert what_explicit_cuts(sandbox, Shell(network=True), explicit) == (
        f"sandbox.os_profile: commands cannot write '{work}' (sandbox.paths.work, rw), except {work / 'out'}",
        f"sandbox.os_profile: commands cannot read '{notes}' (sandbox.paths.notes, ro)",
        "sandbox.os_profile: commands have no network, although shell.network is true",
    )
    derived = derive_os_sandbox_profile(sandbox, Shell(network=True), explicit)
    assert derived.writable == {work / "out"}
    assert not derived.may_read(notes)


def test_an_explicit_profile_that_cuts_nothing_warns_of_nothing(tmp_path: Path) -> None:
    sandbox = Sandbox(paths={"work": Root(root=tmp_path, mode="rw")})
    wide = OSProfile(writable=frozenset({Path("/")}), network=True)
    assert what_explicit_cuts(sandbox, Shell(), wide) == ()
    assert derive_os_sandbox_profile(sandbox, Shell(), wide) == derive_os_sandbox_profile(sandbox, Shell())
