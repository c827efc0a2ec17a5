"""The adapter contract: what every framework's users can rely on, run against real agents.

An adapter's test gives a harness and inherits the scenarios:

    class TestMyFramework(AdapterContract):
        harness = MyHarness()

A `Harness` says the framework's name, makes an agent from an `AgentSpec`, and declares in `cannot`
which scenarios the framework makes impossible, each with the reason. A declared scenario runs all
the same and must fail: one that works by now is a declaration out of date. An `AgentUnderTest` runs
with the framework itself and a model that says what `AgentSpec.turns` says; which one is next is
best told from the number of the model's messages in the conversation, so that a resumed run goes on
where it paused. What is asked of each method stands beside it in the two protocols:

- `run`, `run_sync` and `stream` are the framework's own three ways; each call is a new conversation.
- `pause` and `resume` are the deferred style: the bytes between them are all that two processes
  share beside the store, so they hold whatever the framework itself keeps (messages, a checkpoint).
  The agent that resumes is made anew, on a gate of its own.
- `resume_forged` does what a lying client can do: it hands the framework approvals nobody gave.
- `AgentSpec.gate` is None for an agent that runs inside a tool of another one: it must inherit.
- `RunResult.told` is what the model reads: tool results, errors and requests to retry, by call id.
- A scenario that needs a method the framework has nothing for: raise `NotImplementedError`, and
  declare it.

Scenarios are synchronous and start their own event loops, so no pytest plugin is needed. The four
parts are separate classes, for a framework that has only some of them.
"""

from __future__ import annotations

from collections.abc import Iterable

from assent.testing._contract_answers import Answering
from assent.testing._contract_deferred import Pausing
from assent.testing._contract_failures import Failing
from assent.testing._contract_harness import AgentSpec, AgentUnderTest, Harness, ModelCall, RunResult
from assent.testing._contract_runs import Running

__all__ = [
    "AdapterContract",
    "AgentSpec",
    "AgentUnderTest",
    "Harness",
    "ModelCall",
    "RunResult",
    "contract_table",
    "scenarios",
]


class AdapterContract(Answering, Failing, Running, Pausing):
    """All scenarios; a test class inherits it and gives a `harness`."""


def scenarios() -> list[str]:
    """The names of all scenarios, in the order they are written."""
    parts = (Answering, Failing, Running, Pausing)
    return [name.removeprefix("test_") for part in parts for name in vars(part) if name.startswith("test_")]


def contract_table(harnesses: Iterable[Harness]) -> str:
    """Which framework can do what, as a Markdown table; reasons are numbered below it.

    Raises:
        ValueError: a harness declares a scenario that does not exist.
    """
    columns = list(harnesses)
    names = scenarios()
    reasons: list[str] = []
    rows = [_row(["", *(harness.framework for harness in columns)]), _row(["---"] * (len(columns) + 1))]
    for harness in columns:
        if unknown := sorted(set(harness.cannot) - set(names)):
            raise ValueError(f"{harness.framework} declares {unknown}, which are no scenarios")
    for name in names:
        cells = [_cell(harness.cannot.get(name), reasons) for harness in columns]
        rows.append(_row([name.replace("_", " "), *cells]))
    notes = [f"{number}. {reason}" for number, reason in enumerate(reasons, 1)]
    return "\n".join([*rows, *([""] if notes else []), *notes]) + "\n"


def _cell(reason: str | None, reasons: list[str]) -> str:
    if reason is None:
        return "yes"
    if reason not in reasons:
        reasons.append(reason)
    return f"no ({reasons.index(reason) + 1})"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
