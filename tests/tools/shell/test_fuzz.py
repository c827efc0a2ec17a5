"""Real bash has the last word: what the rules allow never runs what they deny."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from assent.tools.shell import judge
from tests.tools.shell.bash_room import BashRoom, build_room, room_works
from tests.tools.shell.cases import HERE, build_machine, read_cases
from tests.tools.shell.fuzzing import Mode, fuzz, ran_in

COUNT = 2000
SEED = 20261115

# Denied in the corpus, and yet rm does not run in a room: the wrapper is not there, the branch is
# not taken, a person would have to type, or what is denied is not rm.
NOT_RUN = re.compile(
    r"words-|order-|default-|rule-|option-|sandbox-|wrapper-absent-|wrapper-rule-|unparsable-deny-|dynamic-|"
    r"container-(or|parameter-error)-|find-exec-(06|14|15)$|character-nul|spec-|benign-"
)


@pytest.fixture(scope="module")
def rooms(tmp_path_factory: pytest.TempPathFactory) -> list[BashRoom]:
    folder = tmp_path_factory.mktemp("rooms")
    if not room_works(folder / "trial"):
        if os.environ.get("CI"):
            pytest.fail("bubblewrap cannot build a room here: scripts/system-packages bubblewrap")
        pytest.skip("bubblewrap is not here, or may not build a room")
    return [build_room(folder / "left"), build_room(folder / "right")]


def test_what_is_allowed_never_runs_what_is_denied(rooms: list[BashRoom], tmp_path: Path) -> None:
    machine = build_machine(tmp_path / "machine")

    def answer(command: str, mode: Mode) -> str:
        return judge(command, mode.policy, machine).verdict

    campaign = fuzz(count=COUNT, seed=SEED, judge=answer, rooms=rooms, corpus=HERE / "corpus.jsonl")
    assert campaign.escapes == ()
    assert campaign.ran >= COUNT // 10
    assert campaign.denied_and_harmful >= 50


def test_what_the_corpus_denies_would_really_have_run(rooms: list[BashRoom]) -> None:
    denied = [case for case in read_cases("corpus.jsonl") if case.expect == "deny" and not NOT_RUN.match(case.id)]
    ran = ran_in(rooms, [case.command for case in denied])
    assert len(denied) > 300
    assert [case.id for case, names in zip(denied, ran, strict=True) if "rm" not in names] == []


def test_what_the_corpus_allows_runs_nothing_denied(rooms: list[BashRoom]) -> None:
    allowed = [case for case in read_cases("corpus.jsonl") if "allow" in case.answers and case.default == "ask"]
    ran = ran_in(rooms, [case.command for case in allowed])
    assert [case.id for case, names in zip(allowed, ran, strict=True) if "rm" in names] == []


def test_a_reading_that_only_splits_is_found_out(rooms: list[BashRoom]) -> None:
    def answer(command: str, mode: Mode) -> str:
        try:
            words = [shlex.split(part) for part in re.split(r"&&|\|\||[;|&\n]", command)]
        except ValueError:
            return "ask"
        if any(part[:1] == ["rm"] for part in words):
            return "deny"
        return mode.default

    campaign = fuzz(count=400, seed=SEED, judge=answer, rooms=rooms, corpus=HERE / "corpus.jsonl")
    assert len(campaign.escapes) >= 5
