from __future__ import annotations

import json
from pathlib import Path

import pytest

from assent.errors import Stopped
from assent.model import Pending
from tests.cli.program import assent
from tests.cli.recorded import Project
from tests.cli.within import within

_HEAD = ["run", "state", "started", "asked", "waiting", "running", "unknown", "agents"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def listed(project: Project) -> dict[str, dict[str, object]]:
    done = within(project.folder, "runs", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return {run["id"]: run for run in map(json.loads, done.stdout.splitlines())}


def test_without_any_run_the_list_says_so(project: Project) -> None:
    assert assent("runs", cwd=project.folder).stdout == "No run is on record: nobody was asked anything yet.\n"
    assert listed(project) == {}


def test_every_run_is_listed_with_its_state_and_its_counts(project: Project) -> None:
    project.asks("work/a.md", run="run-one", agents=("main", "helper"))
    project.asks("work/b.md", run="run-one")
    answered = project.asks("work/c.md", run="run-two")
    within(project.folder, "inbox", "reject", answered.id)
    runs = listed(project)
    assert (runs["run-one"]["state"], runs["run-one"]["asked"], runs["run-one"]["waiting"]) == ("waiting", 2, 2)
    assert (runs["run-two"]["state"], runs["run-two"]["asked"], runs["run-two"]["waiting"]) == ("open", 1, 0)
    done = within(project.folder, "runs")
    assert done.stdout.splitlines()[0].split() == _HEAD
    assert any(line.split()[:2] == ["run-one", "waiting"] for line in done.stdout.splitlines())


def test_a_run_that_ended_is_listed_as_ended(project: Project) -> None:
    answered = project.asks(run="run-one")
    within(project.folder, "inbox", "reject", answered.id)
    with project.store() as store:
        store.end_run("run-one", answered.created + 1)
    assert listed(project)["run-one"]["state"] == "ended"


def test_cancel_ends_what_waits_and_refuses_what_comes_later(project: Project) -> None:
    pending = project.asks(run="run-one")
    done = within(project.folder, "runs", "cancel", "run-o", "--by", "ana")
    assert done.returncode == 0
    assert "Stopped run run-one: 1 question ended unanswered" in done.stdout
    assert listed(project)["run-one"]["state"] == "stopped"
    assert "by ana" in within(project.folder, "runs").stdout
    with project.store() as store:
        ruling = store.ruling(pending.id)
        assert ruling is not None
        assert (ruling.outcome, ruling.by) == ("cancelled", "ana")
    with pytest.raises(Stopped):
        project.write("work/later.md", run="run-one")
    again = within(project.folder, "runs", "cancel", "run-one")
    assert again.returncode == 1
    assert "stopped already, by ana" in again.stderr


def test_resume_lets_a_stopped_run_ask_again(project: Project) -> None:
    project.asks(run="run-one")
    within(project.folder, "runs", "cancel", "run-one")
    done = within(project.folder, "runs", "resume", "run-one")
    assert done.returncode == 0
    assert "may go on" in done.stdout
    assert isinstance(project.write("work/later.md", run="run-one"), Pending)
    again = within(project.folder, "runs", "resume", "run-one")
    assert (again.returncode, "is not stopped" in again.stderr) == (1, True)


@pytest.mark.parametrize("command", ["cancel", "resume"])
def test_a_run_nobody_knows_and_one_that_is_not_the_only_one_are_errors(project: Project, command: str) -> None:
    project.asks("work/a.md", run="run-one")
    project.asks("work/b.md", run="run-two")
    unknown = within(project.folder, "runs", command, "nothing")
    assert (unknown.returncode, "`assent runs` lists them" in unknown.stderr) == (1, True)
    several = within(project.folder, "runs", command, "run-")
    assert several.returncode == 1
    assert "run-one" in several.stderr
    assert "run-two" in several.stderr
    assert listed(project)["run-one"]["state"] == "waiting"


def test_nothing_of_a_run_acts_on_the_terminal(project: Project) -> None:
    project.asks(run="run\x1b[2J\u202e", agents=("ma\x1b]52;c;eA==\x07in",))
    done = within(project.folder, "runs")
    assert "⟨U+001B⟩" in done.stdout
    assert not {"\x1b", "\x07", "\u202e"} & set(done.stdout)
    stopped = within(project.folder, "runs", "cancel", "run")
    assert stopped.returncode == 0
    assert not {"\x1b", "\u202e"} & set(stopped.stdout)
