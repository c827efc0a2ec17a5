"""Hypothesis profiles: the same examples every time in CI, new ones everywhere else."""

from __future__ import annotations

import os

from hypothesis import settings

# No deadline: a slow machine is not a broken law; pytest-timeout ends what hangs.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")
