"""Two programs at one terminal: whoever reads the keys reads all of them."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Mapping
from pathlib import Path

import pytest

from assent.model import ApprovalDecision, Approve, Pending, PendingId
from assent.ui import TerminalApprover
from assent.ui._keys import INTERRUPT, Keyboard
from assent.ui._lock import TerminalLock
from assent.ui._tty import Tty
from tests.ui.person import NOW, PATIENCE, Person, question

ROOT = Path(__file__).parents[2]
OTHER = """
import asyncio, sys
from assent.ui import TerminalApprover
from tests.ui.person import question
(answer,) = asyncio.run(TerminalApprover(sys.stdin, sys.stdout, by="kim").decide([question("of another program")])).values()
print(answer.kind, file=sys.stderr)
"""
ENDED = """
import signal, sys
from assent.ui._tty import Tty
if sys.argv[1] == "hears it":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
before = signal.getsignal(signal.SIGTERM)
tty = Tty(sys.stdin, sys.stdout, plain=False)
tty.take()
tty.give_back()
assert signal.getsignal(signal.SIGTERM) == before
tty.take()
print("taken", file=sys.stderr, flush=True)
signal.pause()
"""


def asking(person: Person, *batch: Pending) -> asyncio.Task[Mapping[PendingId, ApprovalDecision]]:
    approver = TerminalApprover(person.keyboard, person.screen, by="kim", clock=lambda: NOW)
    return asyncio.ensure_future(approver.decide(batch))


def program(person: Person, code: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdin=person.keyboard,
        stdout=person.screen,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


async def is_shown(person: Person, text: str) -> bool:
    """Whether it appears within as long as it would take."""
    try:
        async with asyncio.timeout(0.5):
            await person.sees(text)
    except TimeoutError:
        return False
    return True


async def test_a_question_waits_for_the_one_that_another_program_asks(person: Person) -> None:
    with program(person, OTHER) as other:
        await person.is_asked("Question of another program")
        gone = asking(person, question("1"))
        assert not await is_shown(person, "Question 1")
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        decided = asking(person, question("2"))
        assert not await is_shown(person, "Question 2")
        person.types("y")
        await person.is_asked("Question 2")
        assert other.communicate(timeout=60)[1] == "approve\n"
        person.types("y")
        assert list((await decided).values()) == [Approve(by="kim")]
    assert "Question 1" not in person.seen


def test_the_lock_is_nowhere_where_somebody_else_could_have_put_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o777)
    mine = tmp_path / "mine"
    mine.mkdir(mode=0o700)
    monkeypatch.setattr("assent.ui._lock._RUNTIME", str(tmp_path))
    monkeypatch.setattr("assent.ui._lock._TEMPORARY", str(tmp_path))
    place = tmp_path / f"assent-{os.getuid()}"
    place.symlink_to(mine)
    lock = TerminalLock("7")
    assert lock.take(), "where there is no place for it, the question is asked all the same"
    lock.leave()
    assert [file.name for file in mine.iterdir()] == []
    place.unlink()
    assert lock.take()
    (file,) = place.iterdir()
    assert (place.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)
    lock.leave()


@pytest.mark.parametrize(("how", "code"), [("does not hear it", -signal.SIGTERM), ("hears it", 7)])
async def test_a_program_that_is_ended_from_outside_leaves_the_terminal_as_it_was(
    person: Person, how: str, code: int
) -> None:
    before = termios.tcgetattr(person.keyboard)
    with program(person, ENDED, how) as asked:
        assert asked.stderr is not None
        assert await asyncio.to_thread(asked.stderr.readline) == "taken\n"
        assert termios.tcgetattr(person.keyboard) != before
        asked.terminate()
        assert await asyncio.to_thread(asked.wait, 60) == code
    assert termios.tcgetattr(person.keyboard) == before


@pytest.mark.parametrize(("typed", "meant"), [("y\x1b[Ay\x03y", True), ("\x1b[200~\x03\x1b[201~y", False)])
async def test_ctrl_c_is_heard_also_where_it_was_pressed_while_something_was_drawn(
    person: Person,
    typed: str,
    meant: bool,  # noqa: FBT001 (a column)
) -> None:
    tty = Tty(person.keyboard, person.screen, plain=False)
    with tty.taken():
        keys = Keyboard(tty)
        person.types(typed)
        assert select.select([person.keyboard], [], [], PATIENCE)[0]
        keys.fresh()
        assert keys.is_interrupted is meant
        assert not meant or await keys.key() == INTERRUPT
