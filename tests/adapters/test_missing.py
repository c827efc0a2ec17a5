"""An adapter whose framework is not there says what to install."""

from __future__ import annotations

import subprocess
import sys

import pytest

FRAMEWORKS = {
    "anthropic": "anthropic",
    "claude_agent": "claude_agent_sdk",
    "langchain": "langchain_core",
    "openai_agents": "agents",
    "pydantic_ai": "pydantic_ai",
}


@pytest.mark.parametrize(("adapter", "framework"), FRAMEWORKS.items())
def test_an_adapter_without_its_framework_names_the_extra(adapter: str, framework: str) -> None:
    program = (
        f"import sys; sys.modules[{framework!r}] = None\n"
        f"try: import assent.adapters.{adapter}\n"
        "except ModuleNotFoundError as error: print(error.name, error)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith(framework)
    assert ran.stdout.endswith(f"; this adapter needs its extra: pip install 'assent[{adapter.replace('_', '-')}]'\n")
