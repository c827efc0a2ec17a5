"""The `agent` section: the model, its limits, and what it costs."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot

from assent.config import Agent, Display, Prices, read_settings
from tests.config.conftest import Complain, Write


def test_everything_in_the_section_is_read(write: Write) -> None:
    text = """\
agent:
  model: claude-opus-5
  max_tokens: 100
  system_prompt: Speak Spanish.
  auto_approve_read: false
  max_turns: 7
  attempts: 1
  prices: {input: 3, output: 15.5, cache_read: 0}
"""
    assert read_settings(write(text)).agent == Agent(
        model="claude-opus-5",
        max_tokens=100,
        system_prompt="Speak Spanish.",
        auto_approve_read=False,
        max_turns=7,
        attempts=1,
        prices=Prices(input=3, output=15.5, cache_read=0),
    )


def test_the_display_of_the_file_is_in_force_too(write: Write) -> None:
    assert read_settings(write("display: {inline_lines: 5}\n")).display == Display(inline_lines=5)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("max_tokens: 0", "agent.max_tokens is 0; allowed: a whole number above 0, in digits alone, such as 8192"),
        ("attempts: many", "agent.attempts is 'many'; allowed: a whole number above 0, in digits alone, such as 8192"),
        ("model: ''", "agent.model is ''; allowed: text that is not empty"),
        ("auto_approve_read: 1", "agent.auto_approve_read is 1; allowed: true or false"),
        ("prices: {input: -1, output: 1}", "agent.prices.input is -1; allowed: a number, 0 or more, such as 2.5"),
        ("prices: {input: 1}", "agent.prices.output is missing; allowed here: cache_read, cache_write, input, output"),
        ("modle: x", "unknown key 'modle'; did you mean 'model'?"),
    ],
)
def test_what_is_wrong_is_said_with_what_is_allowed(text: str, complaint: str, complain: Complain) -> None:
    assert complaint in complain(f"agent:\n  {text}\n")


def test_an_unknown_key_is_told_the_known_ones(complain: Complain) -> None:
    assert complain("agent: {x: 1}\n") == snapshot(
        "/project/assent.yaml:1:9: unknown key 'x'; allowed here: attempts, auto_approve_read, max_tokens, max_turns, model, prices, system_prompt"
    )
