"""Calls that name themselves: no other call has the name, in any process."""

import subprocess
import sys

from assent.gate import new_call_id

FORKS = """
import os
from assent.gate import new_call_id

new_call_id()
if (child := os.fork()) == 0:
    print(new_call_id(), flush=True)
    os._exit(0)
os.waitpid(child, 0)
print(new_call_id())
"""


def test_call_ids_do_not_repeat() -> None:
    assert len({new_call_id() for _ in range(1000)}) == 1000


def test_a_fork_has_call_ids_of_its_own() -> None:
    said = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, check=True).stdout
    child, parent = said.split()
    assert child != parent
