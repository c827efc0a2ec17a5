"""The seam to the SDK."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from assent.agent import AnthropicModel
from assent.agent._model import ModelFailed, ModelRequest
from tests.agent.kit import an_agent

ASKED = ModelRequest(system="", messages=[{"role": "user", "content": "hi"}], tools=[], max_tokens=9)


def test_a_missing_package_names_the_extra(tmp_path: Path) -> None:
    # None in its place is what an import of a missing package looks like.
    program = (
        "import sys; sys.modules['anthropic'] = None\n"
        "from assent.agent import AgentConfig, AgentRunner\n"
        "from assent.config import Settings\n"
        "from pathlib import Path\n"
        "try: AgentRunner(AgentConfig(cwd=sys.argv[1] + '/work'), settings=Settings(store=Path(sys.argv[1], 'a.db')))\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    (tmp_path / "work").mkdir()
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.startswith("ConfigError")
    assert "pip install 'assent[anthropic]'" in done.stdout


def test_importing_the_agent_does_not_load_the_sdk() -> None:
    program = "import sys, assent.agent; print('anthropic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "False\n"


async def test_a_server_that_is_not_there_is_said() -> None:
    model = AnthropicModel("claude-sonnet-5-5", api_key="k", base_url="http://127.0.0.1:9")
    said = ""
    try:
        async for _ in model.stream(ASKED):
            pass
    except ModelFailed as failure:
        said = str(failure)
    await model.close()
    assert "cannot be reached" in said


async def test_the_key_of_the_configuration_is_used(tmp_path: Path) -> None:
    with an_agent(tmp_path) as desk:
        await desk.run()
    assert desk.server.requests[0].headers["authorization"] == "Bearer a key"
