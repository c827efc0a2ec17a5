"""A small project with real files, and a run of another program that waits for answers about it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from assent.config import Settings, load_settings
from assent.gate import Gate
from assent.model import Tool
from assent.runtime import Session
from assent.tools.command import command_tools
from assent.tools.files import FileSandbox, file_tools

CONFIGURATION: Final = """\
store: record/assent.db
approvals: {timeout: 3600}
sandbox:
  paths:
    shop: {root: shop, mode: rw}
shell:
  preset: read-only
  rules:
    - {pattern: rm, allowed: false, description: nothing is deleted here}
"""
PRICES: Final = '''\
"""Prices of the shop, in cents."""

RATES = {"standard": 0.19, "reduced": 0.07}


def gross(net: int, rate: str = "standard") -> int:
    """The price with tax."""
    return round(net * (1 + RATES[rate]))


def discount(net: int, percent: int) -> int:
    """The price after a discount."""
    return net - net * percent // 100


def total(nets: list[int]) -> int:
    """What the basket costs, tax included."""
    result = 0
    for net in nets:
        result = result + gross(net)
    return result


def label(net: int) -> str:
    """The price as it is printed."""
    return f"{gross(net) / 100:.2f} EUR"
'''
BETTER: Final = (
    PRICES.replace('"reduced": 0.07}', '"reduced": 0.07, "books": 0.05}')
    .replace(
        "    result = 0\n    for net in nets:\n        result = result + gross(net)\n    return result\n",
        "    return sum(map(gross, nets))\n",
    )
    .replace('f"{gross(net) / 100:.2f} EUR"', 'f"{gross(net) / 100:,.2f} €"')
)
"""The same file, changed in three places."""
FILES: Final = {
    "README.md": "# The shop\n\nSells tea and books.\n",
    "plan.md": "- Freeze on Tuesday\n- Release on Thursday\n- Ben checks the upgrade guide\n",
    "prices.py": PRICES,
    "test_prices.py": "from prices import gross\n\n\ndef test_gross() -> None:\n    assert gross(100) == 119\n",
}
Wish = tuple[str, Mapping[str, object]]


def fill(folder: Path) -> Settings:
    """Make the project, and read its settings; the record and the configuration lie where the agent cannot write."""
    shop = folder / "shop"
    shop.mkdir(parents=True)
    for name, text in FILES.items():
        (shop / name).write_text(text, encoding="utf-8")
    (folder / "assent.yaml").write_text(CONFIGURATION, encoding="utf-8")
    return load_settings(folder / "assent.yaml")


def wishes(shop: Path) -> list[Wish]:
    """What the other run would like to do: a change in three places, a new file, a command."""
    return [
        ("Write", {"file_path": str(shop / "prices.py"), "content": BETTER}),
        ("Write", {"file_path": str(shop / "CHANGELOG.md"), "content": "# Changes\n\n- Books have their own rate\n"}),
        ("Bash", {"command": "ls -l && cp prices.py prices.old.py", "description": "Keep the prices as they were"}),
    ]


class OtherRun:
    """A run of another program: only the record is shared."""

    def __init__(self, settings: Settings, *, agents: Sequence[str] = ("night shift", "pricing")) -> None:
        self._sandbox = FileSandbox.from_settings(settings)
        self._root = next(iter(settings.sandbox.paths.values())).root
        self._tools: list[Tool] = [
            *file_tools(self._sandbox, "claude"),
            *command_tools(settings, "claude", cwd=self._root),
        ]
        self.gate = Gate.from_settings(settings)
        self.session = Session(self.gate, self._tools, agents=tuple(agents))

    def wants(self, tool: str, **args: object) -> asyncio.Task[object]:
        """Call a tool; what it hears comes once it was decided."""
        return asyncio.create_task(self.session.call(tool, args))

    def writes(self, name: str, content: str) -> asyncio.Task[object]:
        """Write a file in its folder."""
        return self.wants("Write", file_path=str(self._root / name), content=content)

    async def ask(self, wishes: Sequence[Wish], *, group_id: str | None = None) -> list[object]:
        """Ask for all of it at once; what came of each, once everything was answered."""
        calls = [self.session.call(name, args, group_id=group_id) for name, args in wishes]
        return list(await asyncio.gather(*calls, return_exceptions=True))

    def close(self) -> None:
        """Let go of the record and the files."""
        self.gate.close()
        self._sandbox.close()
