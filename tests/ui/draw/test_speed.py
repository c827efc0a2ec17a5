"""How soon something is on the screen; the processor's time, so that a busy machine does not fail it."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from itertools import islice

import pytest

from assent.model import Pending
from assent.ui.draw import Look, question, whole
from tests.ui.draw.screens import asked, command, edit, write

LINES = [f"def price_{number}(x, y={number}):  # of item {number * 7919 % 1000}" for number in range(20_000)]
BEFORE = "".join(f"{line}\n" for line in LINES)
SOME = "".join(f"{line.replace('x, y', 'x, z') if at % 3 else line}\n" for at, line in enumerate(LINES))
LOOK = Look(width=120, height=50, colours="true")
# Far above what it takes: only what grows with the whole of it, line by line, would be caught. bench/ measures.
FIRST_SCREEN = 3.0


@pytest.mark.parametrize(
    "pending",
    [
        pytest.param(asked(edit(BEFORE, SOME)), id="edit"),
        pytest.param(asked(write(SOME, BEFORE)), id="overwrite"),
        pytest.param(asked(write(SOME)), id="new"),
    ],
)
def test_the_first_screen_of_20_000_lines_does_not_wait_for_all_of_them(pending: Pending) -> None:
    start = time.process_time()
    drawing = question(pending, LOOK)
    assert time.process_time() - start < FIRST_SCREEN
    assert drawing.total >= 20_000
    assert drawing.opens_pager


def test_the_pager_starts_with_the_first_lines_not_after_the_last() -> None:
    start = time.process_time()
    assert len(list(islice(whole(asked(edit(BEFORE, SOME)), LOOK), 100))) == 100
    assert time.process_time() - start < 2 * FIRST_SCREEN


WORD, WORDS = "x" * 5_000_000, "word " * 1_000_000


@pytest.mark.parametrize("text", [WORD, WORDS], ids=["one word", "words"])
def test_a_line_of_5_000_000_characters_is_begun_and_not_drawn_to_its_end(text: str) -> None:
    start = time.process_time()
    told = question(asked(edit(), description=text, reason=text), LOOK)
    run = question(asked(command(text, ())), LOOK)
    read = list(islice(whole(asked(command(text, ())), LOOK), 100))
    assert time.process_time() - start < FIRST_SCREEN
    assert not told.whole
    assert not run.whole
    assert len(read) == 100
    (count,) = re.findall(r"… ([\d,]+) more lines · \[v\] shows all", told.text)[:1]
    assert int(count.replace(",", "")) > len(text) // LOOK.width - 2 * LOOK.height


def test_drawing_loads_no_library_that_is_slow_to_load() -> None:
    code = "import sys, assent.ui.draw; print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True, timeout=60)
    loaded = set(done.stdout.split())
    assert "assent.ui.draw" in loaded
    assert loaded & {"rich", "pygments", "yaml", "sqlite3"} == set()
