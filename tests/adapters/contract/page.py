"""The table of docs/frameworks.md, from the harnesses of the tests: `python -m tests.adapters.contract.page` writes it."""

from pathlib import Path

from assent.testing import Harness, contract_table
from tests.adapters.contract.test_anthropic import AnthropicSDK
from tests.adapters.contract.test_claude_agent import ClaudeAgentSDK
from tests.adapters.contract.test_langchain import LangChain
from tests.adapters.contract.test_openai_agents import OpenAIAgents
from tests.adapters.contract.test_pydantic_ai import PydanticAI

HARNESSES: list[Harness] = [PydanticAI(), LangChain(), OpenAIAgents(), AnthropicSDK(), ClaudeAgentSDK()]
PAGE = Path(__file__).parents[3] / "docs" / "frameworks.md"
START, END = "<!-- contract -->\n", "<!-- /contract -->\n"


def written() -> str:
    """The page with the table as the tests have it now."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}{contract_table(HARNESSES)}{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
