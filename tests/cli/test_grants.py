from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from assent.cli.grants import covers, standing
from assent.errors import DeniedByPolicy
from assent.gate import Gate
from assent.model import ApprovalRequest, Approve, Fixed, Grant, GrantId, Pending, Permit, Scope
from assent.testing import Answers
from tests.cli.program import assent
from tests.cli.recorded import Project
from tests.cli.within import Done, within


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def grants(project: Project, *arguments: str) -> Done:
    return within(project.folder, "grants", *arguments)


def listed(project: Project) -> list[dict[str, object]]:
    return [json.loads(line) for line in grants(project, "--json").stdout.splitlines()]


def test_where_nothing_is_remembered_the_list_says_so(project: Project) -> None:
    done = assent("grants", cwd=project.folder)
    assert (done.returncode, done.stdout) == (0, "Nothing is remembered: whatever asks, asks every time.\n")


def test_the_list_says_what_how_long_for_whom_and_by_whom(project: Project) -> None:
    pending = project.asks(agents=("main", "helper"))
    within(project.folder, "inbox", "approve", pending.id, "--scope", "session", "--by", "ana")
    grants(project, "add", "edit_file", "work/notes/**/*.md", "--for", "15m", "--by", "bob")
    grants(project, "add", "run_command", "npm test", "--calls", "3", "--by", "bob")
    grants(project, "add", "delete_file", "work/**", "--never", "--by", "bob")
    said = grants(project).stdout.replace(str(project.folder), "HERE")
    head, *rows = [line.split("  ") for line in said.splitlines()]
    assert [each.strip() for each in head if each] == ["id", "covers", "tool", "stands", "agents", "by", "given"]
    # The clock runs on: what has 15 minutes left may have 14 when it is listed.
    told = [[cell.strip().replace("14 min", "15 min") for cell in row[1:] if cell.strip()] for row in rows]
    assert [row[:-1] for row in told] == snapshot(
        [
            [
                "allow",
                "every write of work/a.md by this tool; content can vary",
                "write_file",
                "run run-one",
                "main › helper",
                "ana",
            ],
            [
                "allow",
                "edit work/notes/**/*.md",
                "(all edits of *.md files in work/notes; content can vary)",
                "edit_file",
                "15 min left",
                "every agent",
                "bob",
            ],
            [
                "allow",
                "npm test",
                "(exactly this command, in HERE)",
                "run_command",
                "3 calls left",
                "every agent",
                "bob",
            ],
            [
                "never",
                "delete work/**",
                "(all deletions in work)",
                "delete_file",
                "always",
                "every agent",
                "bob",
            ],
        ]
    )


def test_the_list_says_what_is_covered_and_not_the_call_that_was_asked_about(project: Project) -> None:
    def pay(to: str, amount: int) -> None: ...

    fingerprints: list[Mapping[str, object] | None] = [{}, {"to": "ana"}, None]
    lasting = Answers(*[Approve(scope=Scope.ALWAYS)] * len(fingerprints))
    with project.store() as store:
        for number, same in enumerate(fingerprints):
            request = ApprovalRequest(description="Pay ana", fingerprint=same)
            Gate(approver=lasting, store=store).wrap(pay, name=f"pay{number}", policy=Fixed(request))("ana", 1)
        # As it was written down before.
        old = next(each for each in store.grants() if each.tool_name == "pay0")
        store.remember(replace(old, id=GrantId("old"), description="Pay ana"))
    covered = [covers(grant) for grant in standing_in(project)]
    assert sorted(covered) == [
        "every pay0, whatever its arguments",
        "every pay0, whatever its arguments  (Pay ana)",
        'every pay1 with to="ana", whatever else it is given',
        "exactly this call: Pay ana",
    ]


def standing_in(project: Project) -> list[Grant]:
    with project.store() as store:
        return standing(store, 0.0)


def test_what_was_added_lets_calls_through_and_nothing_else(project: Project) -> None:
    assert grants(project, "add", "write_file", "work/notes/**/*.md").returncode == 0
    assert isinstance(project.write("work/notes/deep/a.md"), Permit)
    assert isinstance(project.write("work/a.md"), Pending)
    assert isinstance(project.write("work/notes/a.txt"), Pending)


def test_words_of_a_command_are_remembered_for_its_folder(project: Project) -> None:
    done = grants(project, "add", "run_command", "git push *")
    assert done.returncode == 0
    assert f"in {project.folder}" in done.stdout
    assert isinstance(project.command("git push origin main"), Permit)
    assert isinstance(project.command("git pull"), Pending)
    assert isinstance(project.command("git push && touch x"), Pending)
    assert isinstance(project.command("git push --receive-pack=touch origin"), Pending)


def test_one_exact_command_and_one_file_are_remembered_for_themselves(project: Project) -> None:
    assert grants(project, "add", "run_command", "python build.py").returncode == 0
    assert isinstance(project.command("python build.py"), Permit)
    assert isinstance(project.command("python build.py --all"), Pending)
    assert grants(project, "add", "write_file", "letters/a.txt").returncode == 0
    assert isinstance(project.write("letters/a.txt"), Permit)
    assert isinstance(project.write("letters/b.txt"), Pending)


def test_a_root_that_holds_some_kinds_of_files_only_is_no_hindrance(project: Project) -> None:
    assert grants(project, "add", "write_file", "letters/**").returncode == 0
    assert isinstance(project.write("letters/a.txt"), Permit)
    assert grants(project, "add", "write_file", "everywhere").returncode == 0
    assert isinstance(project.write("work/a.md"), Permit)


def test_never_refuses_also_what_is_allowed_elsewhere(project: Project) -> None:
    grants(project, "add", "write_file", "work/**")
    grants(project, "add", "write_file", "work/notes/**", "--never", "--note", "ana keeps these")
    assert isinstance(project.write("work/a.md"), Permit)
    with pytest.raises(DeniedByPolicy, match="ana keeps these"):
        project.write("work/notes/a.md")


def test_a_grant_for_a_run_is_for_it_alone(project: Project) -> None:
    project.asks("work/first.md", run="run-one")
    assert grants(project, "add", "write_file", "work/**", "--session", "run-o").returncode == 0
    assert isinstance(project.write("work/a.md", run="run-one"), Permit)
    assert isinstance(project.write("work/a.md", run="run-two"), Pending)


def test_a_grant_for_two_calls_lets_two_through(project: Project) -> None:
    grants(project, "add", "write_file", "work/**", "--calls", "2")
    outcomes = [type(project.write("work/a.md", call=str(number))) for number in range(3)]
    assert outcomes == [Permit, Permit, Pending]
    assert listed(project) == []


@pytest.mark.parametrize(
    "pattern", ["python *", "sh *", "sudo *", "npx *", "env *", "make *", "/usr/bin/git *", "a | b *"]
)
def test_what_runs_anything_is_not_remembered_by_its_first_words(project: Project, pattern: str) -> None:
    done = grants(project, "add", "run_command", pattern)
    assert (done.returncode, done.stdout) == (3, "")
    assert "may not be remembered by its first words" in done.stderr
    assert listed(project) == []


@pytest.mark.parametrize(
    ("tool", "pattern", "offered"),
    [
        ("run_command", "git push origin feature *", "'git push *'"),
        ("write_file", "work/n*.md", "'write work/**/*.md', 'write work/**', 'write everywhere'"),
        ("edit_file", "work/*/plan.md", "'edit work/**/*.md'"),
    ],
)
def test_a_pattern_nobody_offers_is_an_error_that_says_which_are(
    project: Project, tool: str, pattern: str, offered: str
) -> None:
    done = grants(project, "add", tool, pattern)
    assert (done.returncode, done.stdout) == (2, "")
    assert offered in done.stderr
    assert listed(project) == []


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["read_file", "work/**"], 2, "policy allows this without a question"),
        (["run_command", "git status *"], 2, "policy allows this without a question"),
        (["write_file", "nowhere/**"], 3, "allowed: work (rw), letters (rw)"),
        (["write_file", "../**"], 3, "lies outside"),
        (["write_file", "letters/**/*.md"], 2, "letters/**/*.txt"),
        (["move_file", "work/**"], 3, "for exactly one call only"),
        (["frobnicate", "work/**"], 2, "the tools are: read_file"),
        (["write_file", "work/**", "--never", "--calls", "2"], 2, "does not count calls"),
        (["write_file", "work/**", "--calls", "0"], 2, "1 call or more"),
        (["write_file", "work/**", "--for", "soon"], 2, "such as 15m"),
        (["write_file", "work/**", "--session", "nothing"], 1, "`assent runs` lists them"),
        (["run_command", "git push *", "--cwd", "nowhere"], 2, "is no folder"),
        (["run_command", "push *", "--calls", "0"], 2, "1 call or more"),
        (["write_file", "work/**", "--alw"], 2, "unrecognized arguments"),
    ],
)
def test_what_cannot_be_added_is_an_error_and_nothing_is_remembered(
    project: Project, arguments: list[str], code: int, said: str
) -> None:
    done = grants(project, "add", *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert listed(project) == []


def test_revoke_forgets_by_the_beginning_of_an_id(project: Project) -> None:
    grants(project, "add", "write_file", "work/**")
    (grant,) = listed(project)
    done = grants(project, "revoke", str(grant["id"])[:6], "--by", "ana")
    assert (done.returncode, "write work/**" in done.stdout) == (0, True)
    assert isinstance(project.write("work/a.md"), Pending)
    with project.store() as store:
        assert [each.body["by"] for each in store.journal() if each.kind == "revoked"] == ["ana"]


def test_revoke_forgets_all_or_those_of_a_run(project: Project) -> None:
    project.asks(run="run-one")
    grants(project, "add", "write_file", "work/**", "--session", "run-one")
    grants(project, "add", "delete_file", "work/**")
    grants(project, "add", "edit_file", "work/**")
    assert grants(project, "revoke", "--session", "run-one").returncode == 0
    assert [each["tool_name"] for each in listed(project)] == ["delete_file", "edit_file"]
    assert grants(project, "revoke", "--all").returncode == 0
    assert listed(project) == []


@pytest.mark.parametrize(("arguments", "code"), [([], 2), (["--all", "abc"], 2), (["nothing"], 1), ([""], 1)])
def test_a_revocation_of_nothing_in_particular_is_an_error(project: Project, arguments: list[str], code: int) -> None:
    grants(project, "add", "write_file", "work/**")
    assert grants(project, "revoke", *arguments).returncode == code
    assert len(listed(project)) == 1


def test_a_grant_whose_time_is_over_is_not_listed(project: Project) -> None:
    grants(project, "add", "write_file", "work/**", "--for", "1s")
    (expires,) = (each["expires"] for each in listed(project))
    assert isinstance(expires, float)
    from assent.cli.grants import standing

    with project.store() as store:
        assert len(standing(store, expires - 0.5)) == 1
        assert standing(store, expires) == []


def test_nothing_of_a_grant_acts_on_the_terminal(project: Project) -> None:
    done = grants(project, "add", "write_file", "work/a\x1b[31m\u202e.md", "--by", "a\x1b]0;x\x07")
    assert done.returncode == 0
    shown = done.stdout + grants(project).stdout
    assert "⟨U+001B⟩" in shown
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)
