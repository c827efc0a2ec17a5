"""The OpenAPI is true enough to be attacked with: nothing it describes can break the server."""

from __future__ import annotations

import asyncio
import json
import warnings
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings

from assent.model import Pending, ToolCall
from assent.tools.files import FileSandbox, file_tools
from tests.server.served import TOKENS, Server

with warnings.catch_warnings():
    # What other people's packages use of others is not ours to mend.
    warnings.simplefilter("ignore")
    import schemathesis
    from schemathesis.core.result import Ok

UNHURRIED = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
HEADERS = {"Authorization": f"Bearer {TOKENS['ana']}"}


@pytest.fixture(scope="module")
def described(shared: Server) -> dict[str, Any]:
    found: dict[str, Any] = httpx.get(f"{shared.address}/api/openapi.json", headers=HEADERS).json()
    return found


def test_every_route_of_the_api_is_described(described: dict[str, Any]) -> None:
    routes = {f"{method.upper()} {path}" for path, methods in described["paths"].items() for method in methods}
    assert routes == {
        "DELETE /api/grants/{grant}",
        "DELETE /api/session",
        "GET /api/grants",
        "GET /api/inbox",
        "GET /api/inbox/{pending}",
        "GET /api/inbox/{pending}/content/{sha256}",
        "GET /api/inbox/{pending}/diff",
        "GET /api/inbox/{pending}/blocks",
        "GET /api/inbox/{pending}/file/{sha256}",
        "GET /api/inbox/{pending}/schema",
        "GET /api/inbox/{pending}/wider",
        "GET /api/history",
        "POST /api/inbox/decisions",
        "POST /api/inbox/{pending}/redraw",
        "GET /api/journal",
        "GET /api/journal/chain",
        "GET /api/runs",
        "GET /api/session",
        "POST /api/inbox/{pending}/decision",
        "POST /api/runs/{run}/resume",
        "POST /api/runs/{run}/stop",
        "POST /api/session",
        "POST /api/session/link",
    }
    assert {"Approve", "Reject", "Respond", "Decision", "Decisions", "Edit"} <= set(described["components"]["schemas"])


@pytest.fixture(scope="module")
def known(described: dict[str, Any], shared: Server) -> dict[str, Any]:
    """The same, with the ids of real questions: otherwise all that is tried is unknown."""
    ids = [each.id for each in asyncio.run(some_questions(shared))]
    text = json.dumps(described)
    found: dict[str, Any] = json.loads(text)
    for path, methods in found["paths"].items():
        for each in methods.values():
            for parameter in each.get("parameters", ()):
                if parameter["name"] == "pending":
                    assert "{pending}" in path
                    parameter["schema"] = {"type": "string", "enum": ids}
    return found


async def some_questions(server: Server) -> list[Pending]:
    with FileSandbox.from_settings(server.settings) as sandbox:
        tool = next(each for each in file_tools(sandbox, "claude") if each.name == "Write")
        found = [
            await server.gate.judge(
                ToolCall(
                    run="run",
                    id=str(number),
                    tool_name="Write",
                    args={"file_path": str(server.work / f"{number}.txt"), "content": "x"},
                ),
                tool,
            )
            for number in range(20)
        ]
    return [each for each in found if isinstance(each, Pending)]


@pytest.mark.parametrize("mode", ["positive", "negative"])
def test_nothing_that_fits_or_breaks_the_schema_breaks_the_server(
    shared: Server, described: dict[str, Any], known: dict[str, Any], mode: str
) -> None:
    answered: dict[str, set[int]] = {}
    for found in schemathesis.openapi.from_dict(known if mode == "positive" else described).get_all_operations():
        assert isinstance(found, Ok)
        operation = found.ok()
        if mode == "negative" and not (operation.path_parameters or operation.query or operation.body):
            continue

        @settings(max_examples=8, deadline=None, database=None, derandomize=True, suppress_health_check=UNHURRIED)
        @given(case=operation.as_strategy(schemathesis.GenerationMode(mode)))
        def attack(case: Any) -> None:  # noqa: ANN401 — generic over what we never look at
            answer = case.call(base_url=shared.address, headers=HEADERS)
            answered.setdefault(f"{case.method} {case.operation.path}", set()).add(answer.status_code)
            assert answer.status_code < 500, (case.method, case.formatted_path, answer.text)

        attack()
    assert len(answered) >= (16 if mode == "positive" else 9)
    if mode == "positive":
        assert 409 in answered["POST /api/inbox/{pending}/decision"]
    assert 429 not in set().union(*answered.values())
