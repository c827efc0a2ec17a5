"""`python -m assent`: the same as the command `assent`."""

from __future__ import annotations

import sys

from assent.cli import main

if __name__ == "__main__":
    sys.exit(main())
