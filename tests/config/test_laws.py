from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from assent.config import (
    Approvals,
    ExplicitProfile,
    Mode,
    PathMode,
    Sandbox,
    SandboxPath,
    Search,
    SearchEngine,
    Settings,
    Shell,
    ShellDefault,
    ShellRule,
    read_settings,
    show,
)
from assent.errors import ConfigError

seconds = st.none() | st.floats(min_value=0, exclude_min=True, allow_infinity=False) | st.integers(1, 10**9)
modes: st.SearchStrategy[Mode] = st.sampled_from(["interactive", "approve_all", "strict"])
path_modes: st.SearchStrategy[PathMode] = st.sampled_from(["ro", "rw"])
names = st.text(max_size=30).filter(
    lambda name: name != "" and name[0] != "." and "/" not in name and name.isprintable()
)
inner = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
places = inner.filter(lambda place: ".." not in place)
engines: st.SearchStrategy[SearchEngine] = st.sampled_from(["auto", "ripgrep", "python"])
ends = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/"), min_size=1, max_size=8)
suffixes = st.lists(st.sampled_from([".md", ".5", ".inf", ".a,b", ". #"]) | ends.map(".".__add__), min_size=1)
path_rules = {
    "mode": path_modes,
    "suffixes": st.none() | suffixes,
    "max_file_bytes": st.integers(1, 10**20),
    "read_approval": st.booleans(),
    "write_approval": st.booleans(),
    "edit_approval": st.none() | st.booleans(),
    "delete_approval": st.booleans(),
}

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
word_lists = st.lists(
    st.sampled_from(["git", "*", "a b", "- x", "~", "a\nb"]) | texts.filter(str.isprintable), min_size=1, max_size=4
)
defaults = st.fixed_dictionaries({}, optional={"allowed": st.booleans(), "approval": st.booleans()})
shell_rules = st.fixed_dictionaries(
    {"pattern": word_lists},
    optional={
        "allowed": st.booleans(),
        "approval": st.booleans(),
        "description": st.none() | texts,
        "sandbox_paths": st.none() | st.builds(list[str]),
        "match": st.lists(texts, max_size=2),
        "not_match": st.lists(texts, max_size=2),
    },
)
shells = st.fixed_dictionaries(
    {},
    optional={
        "default": defaults,
        "rules": st.lists(shell_rules, max_size=3),
        "preset": st.sampled_from(["none", "read-only"]),
        "network": st.booleans(),
        "toolchains": st.lists(places.map("tools/".__add__), max_size=3),
        "timeout": seconds.filter(lambda value: value is not None),
        "env": st.lists(st.sampled_from(["CI", "_", "no_color", "A1"]), max_size=3),
        "max_output_bytes": st.integers(1, 10**20),
    },
)
listed = st.lists(places.map("listed/".__add__), max_size=3)
profiles = st.fixed_dictionaries(
    {}, optional={"readable": listed, "writable": listed, "masked": listed, "network": st.booleans()}
)
walls = {
    "require_os_sandbox": st.booleans(),
    "os_sandbox_fallback": st.sampled_from(["fail_fast", "refuse_tools"]),
    "os_profile": st.none() | profiles,
    "confine_file_tools": st.none() | st.booleans(),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("laws").resolve()


@st.composite
def files(draw: st.DrawFn) -> dict[str, object]:
    """What a valid file says, any part of it left out."""
    path = st.fixed_dictionaries({"root": places.map("roots/".__add__)}, optional=path_rules)
    approvals = st.fixed_dictionaries({}, optional={"mode": modes, "timeout": seconds, "park_timeout": seconds})
    sandbox = st.fixed_dictionaries({}, optional={"paths": st.dictionaries(names, path, max_size=4), **walls})
    search = st.fixed_dictionaries({}, optional={"engine": engines})
    store = places.map("store/".__add__)
    sections = {"approvals": approvals, "sandbox": sandbox, "search": search, "shell": shells}
    return draw(st.fixed_dictionaries({"store": store}, optional=sections))


def meant(data: dict[str, object], folder: Path) -> Settings:
    """The settings the data means, made by hand."""
    content: dict[str, Any] = data
    return Settings(
        approvals=Approvals(**content.get("approvals", {})),
        store=Path(os.path.normpath(folder / content["store"])),
        sandbox=meant_sandbox(content.get("sandbox", {}), folder),
        search=Search(**content.get("search", {})),
        shell=meant_shell(content.get("shell", {}), folder),
        file=folder / "assent.yaml",
    )


def meant_sandbox(data: dict[str, Any], folder: Path) -> Sandbox:
    paths = {name: meant_path(path, folder) for name, path in data.get("paths", {}).items()}
    given = data.get("os_profile")
    profile = None if given is None else ExplicitProfile(**meant_places(given, folder))
    rest = {key: value for key, value in data.items() if key not in {"paths", "os_profile"}}
    return Sandbox(paths=paths, os_profile=profile, **rest)


def meant_places(data: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The same, with every list of texts as the places they mean."""
    return {
        key: tuple(Path(os.path.normpath(folder / each)) for each in value) if isinstance(value, list) else value
        for key, value in data.items()
    }


def meant_shell(data: dict[str, Any], folder: Path) -> Shell:
    rules: list[ShellRule] = []
    for rule in data.get("rules", ()):
        keys: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in rule.items()}
        rules.append(ShellRule(**keys))
    rest: dict[str, Any] = {key: value for key, value in data.items() if key not in {"default", "rules", "env"}}
    return Shell(
        default=ShellDefault(**data.get("default", {})),
        rules=tuple(rules),
        env=tuple(data.get("env", ())),
        **meant_places(rest, folder),
    )


def meant_path(data: dict[str, Any], folder: Path) -> SandboxPath:
    ends = data.get("suffixes")
    rules = {key: value for key, value in data.items() if key not in {"root", "suffixes"}}
    return SandboxPath(root=folder / data["root"], suffixes=None if ends is None else tuple(ends), **rules)


@given(data=files(), flow=st.booleans())
def test_what_is_written_is_what_is_read(folder: Path, data: dict[str, object], *, flow: bool) -> None:
    file = folder / "assent.yaml"
    file.write_text(yaml.safe_dump(data, default_flow_style=flow), encoding="utf-8")
    assert read_settings(file) == meant(data, folder)


@given(data=files())
def test_what_is_shown_reads_back_as_the_same_settings(folder: Path, data: dict[str, object]) -> None:
    settings = meant(data, folder)
    file = folder / "assent.yaml"
    file.write_text(show(settings), encoding="utf-8")
    assert read_settings(file) == settings


words = "approvals store sandbox paths root mode rw suffixes .md max_file_bytes search engine timeout ~ ~root 0 -1 .5 1e9 null / .. <<".split()  # noqa: SIM905
marks = [
    *"{}[],:#|>'\"\\\n\ufeff\x85\u2028\r",
    ": ",
    "\n  ",
    "\n    ",
    "- ",
    "? ",
    "&a ",
    "*a",
    "!!int ",
    "!x ",
    "\\ud800",
    "\\x00",
]
lines = ["---\n", "...\n", "%YAML 1.1\n", "%TAG ! x\n"]
pieces = st.lists(st.sampled_from([*words, *marks, *lines]), max_size=25).map(lambda parts: "".join(parts).encode())


@given(content=st.text().map(str.encode) | st.binary() | pieces)
def test_no_content_makes_the_reader_raise_anything_else(folder: Path, content: bytes) -> None:
    file = folder / "any.yaml"
    file.write_bytes(content)
    try:
        read_settings(file)
    except ConfigError as error:
        said = str(error).split("\n")
    else:
        return
    assert [line for line in said if not line.startswith(f"{file}:")] == []


steps = st.sampled_from(["a", "b", "..", "."])


@given(detour=st.lists(steps, max_size=6), upper=st.integers(0, 2**11 - 1))
def test_no_spelling_of_the_name_escapes_the_mask(folder: Path, detour: list[str], upper: int) -> None:
    name = "".join(c.upper() if upper >> index & 1 else c for index, c in enumerate("assent.yaml"))
    root = folder / "masked"
    settings = Settings(sandbox=Sandbox(paths={"r": SandboxPath(root=root, mode="rw")}))
    path = root.joinpath(*detour, name)
    assert settings.is_masked(path) == Path(os.path.normpath(path)).is_relative_to(root)
