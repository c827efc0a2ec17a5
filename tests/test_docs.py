"""Every example in the documentation runs, as it stands there."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent.parent
PAGES = sorted(page.relative_to(HERE) for page in [HERE / "README.md", *(HERE / "docs").glob("*.md")])


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (HERE / page).read_text(), re.DOTALL)


# Words only; and commands, which tests of their own run.
WITHOUT_PYTHON = {"concepts.md", "cli.md", "frameworks.md", "web.md"}
# The terminal is the program's own, as a shell would give it: keys come from there.
AT_A_TERMINAL = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
MAY_ANSWER = re.compile(r"left > $|^> $", re.MULTILINE)


def run(program: str, folder: Path, answers: str = "") -> str:
    """Run the program at a terminal of its own, and answer each prompt once it is there."""
    terminal, inside = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "XDG_STATE_HOME": str(folder)}
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", AT_A_TERMINAL + program],
        stdin=inside,
        stdout=inside,
        stderr=inside,
        cwd=folder,
        env=environment,
        start_new_session=True,
    ) as process:
        os.close(inside)
        seen, waiting = "", list(answers)
        while True:
            try:
                chunk = os.read(terminal, 65536).decode()
            except OSError:  # the program ended, and its terminal with it
                break
            seen += chunk
            if MAY_ANSWER.search(seen[-20:]) and waiting:
                os.write(terminal, waiting.pop(0).encode())
    os.close(terminal)
    assert process.returncode == 0, seen
    return seen.replace("\r\n", "\n")


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "README.md"], ids=str)
def test_the_examples_of_a_page_run_in_a_row(page: Path, tmp_path: Path) -> None:
    programs = blocks(page, "python")
    if page.name not in WITHOUT_PYTHON:
        assert programs
        run("\n".join(programs), tmp_path)


def test_the_ten_lines_of_the_readme_ask_and_then_send(tmp_path: Path) -> None:
    example = blocks(Path("README.md"), "python")[0]
    assert len([line for line in example.splitlines() if line]) <= 10
    seen = run(example, tmp_path, "y")
    assert "E-mail ana@example.org" in seen
    assert "[y] Approve  [n] Reject  [s] Remember…" in seen
    assert "sent to ana@example.org" in seen
    assert (tmp_path / "assent" / "assent.db").is_file()


def test_the_pydantic_ai_example_of_the_readme_asks_for_what_nobody_speaks_for(tmp_path: Path) -> None:
    seen = run(blocks(Path("README.md"), "python")[1], tmp_path, "y")
    assert seen.count("Approval needed") == 1
    assert "booked a flight to" in seen


def test_the_files_example_of_the_readme_reads_is_denied_and_asks_with_a_diff(tmp_path: Path) -> None:
    example = blocks(Path("README.md"), "python")[2]
    assert len([line for line in example.splitlines() if line]) <= 12
    seen = run(example, tmp_path, "y")
    assert "path_outside_workspace" in seen
    assert "+ Release on Friday" in seen
    assert (tmp_path / "notes/plan.md").read_text() == "Release on Friday\n"


def test_the_configuration_page_shows_a_configuration_that_is_one(tmp_path: Path) -> None:
    from assent.config import read_settings

    (tmp_path / "assent.yaml").write_text(blocks(Path("docs/configuration.md"), "yaml")[0])
    settings = read_settings(tmp_path / "assent.yaml")
    assert settings.sandbox.paths["notes"].mode == "rw"


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_in_the_documentation_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", (HERE / page).read_text()):
        if not target.startswith("http"):
            assert (HERE / page.parent / target).exists(), target
