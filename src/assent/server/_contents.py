"""All of what a question shows over HTTP, and what an answer to it may be."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response

from assent.diff import Page, file_lines, rows
from assent.model import DeletePresentation, Pending, Version, changes_of
from assent.server._answers import PROBLEMS, NotFound, as_json
from assent.server._blocks import blocks_of
from assent.server._guard import WHO
from assent.server._questions import Id, asked, open_question
from assent.server._shown import Blocks, Edit, FileLines, Redraw, ToolSchema, WiderAnswers, read_edit
from assent.server._wider import wider_answers
from assent.server.messages import diff_text

if TYPE_CHECKING:
    from assent.server._desk import ServedDesk

_FAR: Final = 2**53 - 1
_CHUNK: Final = 1024 * 1024
_MOST_ROWS: Final = 2000
_Offset = Annotated[int, Query(ge=0, le=_FAR)]
_Rows = Annotated[int, Query(ge=1, le=_MOST_ROWS)]
_Sha256 = Annotated[str, Path(pattern="^[0-9a-f]{64}$")]
_BYTES: Final = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
EDIT_SCHEMA: Final = "Edit"


def content_routes(desk: ServedDesk) -> APIRouter:
    """The routes to all of what a question shows."""
    router = APIRouter(prefix="/api/inbox", tags=["inbox"], responses=PROBLEMS)
    store = desk.gate.store

    @router.get("/{pending}/diff", response_model=Page)
    def diff(pending: Id, offset: _Offset = 0, limit: _Rows = 500) -> Response:
        """The rows of the change, page by page; none where nothing is compared."""
        return as_json(rows(diff_text(asked(store, pending).pending), offset=offset, limit=limit))

    @router.get("/{pending}/blocks", response_model=Blocks)
    def change_blocks(pending: Id) -> Response:
        """Which rows belong together, and whether some of them can be approved alone."""
        return as_json(blocks_of(asked(store, pending).pending, desk.gate.clerk))

    @router.get("/{pending}/content/{sha256}", response_class=Response, responses={200: {"content": _BYTES}})
    def content(
        pending: Id, sha256: _Sha256, offset: _Offset = 0, limit: Annotated[int, Query(ge=1, le=_CHUNK)] = _CHUNK
    ) -> Response:
        """The bytes of a version that the question speaks of, in chunks; while it waits."""
        data = _whole(desk, asked(store, pending).pending, sha256)
        chunk = data[offset : offset + limit]
        span = f"{offset}-{offset + len(chunk) - 1}" if chunk else "*"
        headers = {"content-range": f"bytes {span}/{len(data)}"}
        return Response(chunk, media_type="application/octet-stream", headers=headers)

    @router.get("/{pending}/file/{sha256}", response_model=FileLines)
    def file(pending: Id, sha256: _Sha256, offset: _Offset = 0, limit: _Rows = 500) -> Response:
        """The lines of a whole version, page by page; of text, while the question waits."""
        found = asked(store, pending).pending
        path = _path_of(found, sha256)
        text = _whole(desk, found, sha256).decode("utf-8", "backslashreplace")
        page = file_lines(text, path, offset=offset, limit=limit)
        lines = FileLines(
            path=path,
            rows=page.rows,
            offset=page.offset,
            total=page.total,
            ends_with_newline=page.ends_with_newline,
        )
        return as_json(lines)

    return router


def edit_routes(desk: ServedDesk) -> APIRouter:
    """The routes for whoever answers with more than yes or no."""
    router = APIRouter(prefix="/api/inbox", tags=["inbox"], responses=PROBLEMS)
    store, edits = desk.gate.store, desk.edits
    body = {"$ref": f"#/components/schemas/{EDIT_SCHEMA}"}
    taken = {"requestBody": {"required": True, "content": {"application/json": {"schema": body}}}}

    @router.get("/{pending}/schema", response_model=ToolSchema)
    def schema(pending: Id) -> Response:
        """The JSON Schema of the tool's arguments, if the tool is in this process."""
        return as_json(ToolSchema(schema=edits.schema(asked(store, pending).pending.id)))

    @router.get("/{pending}/wider", response_model=WiderAnswers)
    def wider(pending: Id, request: Request) -> Response:
        """What an answer may be remembered for, and what it would have covered so far."""
        found = asked(store, pending).pending
        return as_json(wider_answers(found, desk.gate.clerk, by=request.scope[WHO], at=time.time()))

    @router.post("/{pending}/redraw", response_model=Redraw, openapi_extra=taken)
    async def redraw(pending: Id, request: Request) -> Response:
        """The call with other arguments, judged and drawn; nothing is decided."""
        edit: Edit = read_edit(await request.body())
        found = await open_question(desk, pending, seen=edit.digest)
        return as_json(await edits.redraw(found, edit.args, by=request.scope[WHO]))

    return router


def _whole(desk: ServedDesk, pending: Pending, sha256: str) -> bytes:
    data = desk.gate.clerk.content(pending, sha256)
    if data is None:
        raise NotFound("this version is not at hand: the question has ended, or does not speak of it")
    return data


def _path_of(pending: Pending, sha256: str) -> str:
    """The path of the file that has this version.

    Raises:
        NotFound: the question shows no such text.
    """
    shown = pending.preview.presentation
    versions = [(change.path, each) for change in changes_of(shown) for each in (change.before, change.after)]
    if isinstance(shown, DeletePresentation):
        versions.append((shown.path, shown.version))
    for path, version in versions:
        if isinstance(version, Version) and version.sha256 == sha256:
            if version.media_type is None:
                return path
            raise NotFound(f"this version is no text but {version.media_type}; its bytes are at /content")
    raise NotFound("the question speaks of no such version; `change.before` and `change.after` name them")
