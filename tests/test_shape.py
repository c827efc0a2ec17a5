"""Keeps the shape of the house honest: what AGENTS.md says in words, measured."""

from __future__ import annotations

import ast
import graphlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

import assent

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
MODULES = sorted(SRC.rglob("*.py"))

MODULE_LINES = 400
ADAPTER_LINES = 150
FUNCTION_LINES = 50
SUMMARY_CHARACTERS = 100

# `import assent` is paid on every hook call and every `--help`.
HEAVY = {
    "argparse",
    "asyncio",
    "dataclasses",
    "enum",
    "inspect",
    "json",
    "pydantic",
    "sqlite3",
    "typing",
    "yaml",
}

# Joined here, so that this file does not contain what it forbids.
REGISTRIES = [
    ".".join(parts)
    for parts in [
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("deb", "debian", "org"),
        ("crates", "io"),
    ]
]


def where(path: Path, node: ast.AST | None = None) -> str:
    line = getattr(node, "lineno", None)
    return f"{path.relative_to(ROOT)}{f':{line}' if line else ''}"


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def test_no_module_of_assent_is_part_of_an_import_cycle() -> None:
    graph = grimp.build_graph("assent", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    try:
        graphlib.TopologicalSorter(imports).prepare()
    except graphlib.CycleError as cycle:
        pytest.fail(" imports ".join(reversed(cycle.args[1])))


def test_all_is_exactly_what_is_public() -> None:
    # Not only dir(): a lazy module writes its own, and would always agree with itself.
    names = {name for name in {*dir(assent), *vars(assent)} if not name.startswith("_")}
    unnoticed = {module.name for module in pkgutil.iter_modules(assent.__path__)} | {"TYPE_CHECKING", "annotations"}
    assert names - unnoticed == set(assent.__all__) - unnoticed
    assert len(set(assent.__all__)) == len(assent.__all__)


def test_every_public_name_can_be_imported() -> None:
    assert assent.__all__
    assert [name for name in assent.__all__ if not hasattr(assent, name)] == []


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    name = "no_such_name"
    with pytest.raises(AttributeError, match=name):
        getattr(assent, name)


def makes_or_renames_a_permit(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="Permit") | ast.Attribute(attr="Permit")):
            return True
        case ast.Attribute(attr="of", value=ast.Name(id="Permit") | ast.Attribute(attr="Permit")):
            return True
        case ast.ImportFrom(names=names):
            return any(alias.name == "Permit" and alias.asname not in {None, "Permit"} for alias in names)
        case _:
            return False


def test_only_the_gate_makes_a_permit() -> None:
    gate = SRC / "assent" / "gate"
    elsewhere = [
        where(path, node)
        for path in MODULES
        if not path.is_relative_to(gate)
        for node in ast.walk(tree(path))
        if makes_or_renames_a_permit(node)
    ]
    assert elsewhere == []


@pytest.mark.parametrize(
    ("source", "caught"),
    [
        ("Permit(call=call)", True),
        ("model.Permit(call=call)", True),
        ("Permit.of(call, why)", True),
        ("make = model.Permit.of", True),
        ("from assent.model import Permit as Pass", True),
        ("from assent.model import Permit", False),
        ("isinstance(permit, Permit)", False),
    ],
)
def test_the_search_for_permits_finds_every_spelling(source: str, caught: bool) -> None:  # noqa: FBT001 (a column)
    assert any(makes_or_renames_a_permit(node) for node in ast.walk(ast.parse(source))) is caught


def test_importing_assent_loads_nothing_heavy() -> None:
    # Isolated and without site: what other packages load at start-up would hide what we load.
    code = "import sys; sys.path.insert(0, sys.argv[1]); import assent; print(*sys.modules, sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(SRC)], capture_output=True, check=True, text=True, timeout=60
    )
    loaded = set(done.stdout.split())
    assert "assent" in loaded
    assert loaded & HEAVY == set()


def test_no_module_is_longer_than_a_person_reads_in_one_go() -> None:
    lengths = {where(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {name: length for name, length in lengths.items() if length > MODULE_LINES} == {}


def test_an_adapter_is_made_of_small_modules() -> None:
    adapters = [path for path in MODULES if path.is_relative_to(SRC / "assent" / "adapters")]
    lengths = {where(path): len(path.read_text(encoding="utf-8").splitlines()) for path in adapters}
    assert lengths
    assert {name: length for name, length in lengths.items() if length > ADAPTER_LINES} == {}


def test_no_function_is_longer_than_a_screen() -> None:
    lengths = {
        f"{where(path, node)} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path in MODULES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {name: length for name, length in lengths.items() if length > FUNCTION_LINES} == {}


@pytest.mark.parametrize("path", [pytest.param(path, id=str(path.relative_to(SRC))) for path in MODULES])
def test_a_module_says_in_its_first_line_what_it_is_for(path: Path) -> None:
    first, *_ = (ast.get_docstring(tree(path), clean=False) or "").split("\n")
    assert first.strip()
    assert len(first) <= SUMMARY_CHARACTERS


def committed_text() -> dict[str, str]:
    """Every text file that is, or would be, committed, by its path in the repository."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True, timeout=60)
    texts: dict[str, str] = {}
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        content = path.read_bytes() if path.is_file() else b""
        if b"\0" not in content:
            texts[name] = content.decode("utf-8", errors="replace")
    return texts


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout, so nothing is tracked")
def test_no_committed_text_names_a_registry_or_a_place_on_this_machine() -> None:
    places = [re.escape(str(ROOT)) + r"(?![\w.-])", re.escape(f"{Path.home()}/") + r"\S"]
    forbidden = re.compile("|".join([*map(re.escape, REGISTRIES), *places]))
    texts = committed_text()
    assert "pyproject.toml" in texts
    found = {name: match.group() for name, text in texts.items() if (match := forbidden.search(text))}
    assert found == {}
