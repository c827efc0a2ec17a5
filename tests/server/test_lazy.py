"""What the server costs who does not use it, and what it says where it cannot be used."""

from __future__ import annotations

import subprocess
import sys

HIDDEN = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"fastapi", "uvicorn", "starlette"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
"""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


def test_a_missing_package_names_the_extra() -> None:
    code = "from assent.errors import ConfigError\ntry:\n    from assent.server import create_app\nexcept ConfigError as e:\n    print(e)"
    said = run(HIDDEN + code)
    assert "'fastapi', which is not installed" in said
    assert "pip install 'assent[web]'" in said


def test_nothing_heavy_is_loaded_before_it_is_used() -> None:
    code = "import sys, assent.server; print({'fastapi', 'uvicorn', 'starlette', 'anthropic'} & set(sys.modules))"
    assert run(code).strip() == "set()"
