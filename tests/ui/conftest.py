"""A person at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ui.person import Person


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> Iterator[Person]:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    # The rule is the same, and a few hundred keys are pressed here; tests in tmux wait as long as people do.
    monkeypatch.setattr("assent.ui._keys.QUIET_SECONDS", 0.12)
    monkeypatch.setattr("assent.ui._keys.AGAIN_SECONDS", 0.12)
    monkeypatch.setattr("assent.ui._keys.ALONE_SECONDS", 0.04)
    monkeypatch.setattr("assent.ui._keys.STARTLED_SECONDS", 0.12)
    # Terminals of earlier tests had the same number.
    monkeypatch.setattr("assent.ui._keys._pasts", {})
    somebody = Person()
    yield somebody
    somebody.leaves()
