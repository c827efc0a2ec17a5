"""How the built page is served: by whom, how long it is kept, in which form, and what if it is not there."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from assent.gate import Gate
from assent.server import _page, create_app
from assent.server._page import Page
from assent.store import SQLiteStore

ORIGIN = "http://testserver"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder where the server finds its page."""
    folder = tmp_path / "bundle"
    monkeypatch.setattr(_page, "_FOLDER", folder)
    return folder


def built(folder: Path) -> None:
    folder.mkdir()
    (folder / "index.html").write_text('<script type="module" src="agent/page-0A1B2C3D.js"></script>')
    (folder / "page-0A1B2C3D.js").write_text("1;" * 500)
    (folder / "page-4E5F6G7H.css").write_text("p { color: red }")
    (folder / "icon-8I9J0K1L.svg").write_text("<svg/>")
    (folder / "sources.sha256").write_text("0")


def client(*, prefix: str = "") -> httpx.AsyncClient:
    app: FastAPI = create_app(Gate(store=SQLiteStore(":memory:")), origins=[ORIGIN])
    if prefix:
        outer = FastAPI()
        outer.mount(prefix, app)
        app = outer
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=ORIGIN)


async def test_the_page_is_never_kept_and_what_it_names_is_kept_for_good(bundle: Path) -> None:
    built(bundle)
    async with client() as web:
        assert (await web.get("/agent")).headers["cache-control"] == "no-store"
        script = await web.get("/agent/page-0A1B2C3D.js")
        assert script.headers["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/agent", "text/html; charset=utf-8"),
        ("/agent/page-0A1B2C3D.js", "text/javascript; charset=utf-8"),
        ("/agent/page-4E5F6G7H.css", "text/css; charset=utf-8"),
        ("/agent/icon-8I9J0K1L.svg", "image/svg+xml"),
    ],
)
async def test_everything_has_its_kind_and_the_strict_policy_also_for_head(bundle: Path, path: str, kind: str) -> None:
    built(bundle)
    async with client() as web:
        got, head = await web.get(path), await web.head(path)
    for answer in (got, head):
        assert answer.status_code == 200
        assert answer.headers["content-type"] == kind
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert got.content
    assert head.headers["content-length"] == got.headers["content-length"]


async def test_a_file_comes_packed_to_who_can_unpack_it(bundle: Path) -> None:
    built(bundle)
    async with client() as web:
        path = "/agent/page-0A1B2C3D.js"
        packed = await web.get(path, headers={"accept-encoding": "gzip"})
        plain = await web.get(path, headers={"accept-encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < 100
    assert "content-encoding" not in plain.headers
    assert packed.content == plain.content == b"1;" * 500
    assert plain.headers["vary"] == packed.headers["vary"] == "Accept-Encoding"


async def test_what_is_not_for_browsers_is_not_served(bundle: Path) -> None:
    built(bundle)
    async with client() as web:
        for name in ("sources.sha256", "index.html", "../_guard.py", "page-0A1B2C3D.mjs"):
            assert (await web.get(f"/agent/{name}")).status_code == 401


async def test_below_a_prefix_the_page_finds_its_files(bundle: Path) -> None:
    built(bundle)
    async with client(prefix="/approvals") as web:
        assert (await web.get("/approvals/")).headers["location"] == "agent"
        page = await web.get("/approvals/agent")
        (address,) = re.findall(r'src="([^"]+)"', page.text)
        assert (await web.get(str(page.url.join(address)))).status_code == 200


async def test_a_page_that_was_not_built_says_what_to_do(bundle: Path) -> None:
    async with client() as web:
        answer = await web.get("/agent")
        assert answer.status_code == 503
        assert "make web" in answer.text
        assert "assent inbox" in answer.text
        assert answer.headers["content-security-policy"] == POLICY
        assert (await web.get("/")).headers["location"] == "agent"


async def test_a_build_while_the_server_runs_does_not_mix_two_pages(bundle: Path) -> None:
    built(bundle)
    async with client() as web:
        (bundle / "page-0A1B2C3D.js").unlink()
        (bundle / "index.html").write_text("another one")
        assert "page-0A1B2C3D" in (await web.get("/agent")).text
        assert (await web.get("/agent/page-0A1B2C3D.js")).status_code == 200


def test_the_built_page_has_nothing_inline_and_names_only_its_own_files() -> None:
    page = Page.read()
    assert page.index is not None, "the page is not built: make web"
    text = page.index.decode()
    assert re.findall(r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|javascript:|//", text) == []
    named = re.findall(r'(?:src|href)="agent/([^"]+)"', text)
    assert {Path(name).suffix for name in named} == {".css", ".js", ".svg"}
    assert set(named) <= page.files.keys()


def test_the_first_load_is_small() -> None:
    page = Page.read()
    assert page.index is not None, "the page is not built: make web"
    fetched = re.findall(
        r'(?:<script|rel="(?:stylesheet|modulepreload)")[^>]* (?:src|href)="agent/([^"]+)"', page.index.decode()
    )
    assert {Path(name).suffix for name in fetched} == {".css", ".js"}
    assert sum(len(gzip.compress(page.files[name])) for name in fetched) <= 100 * 1024
