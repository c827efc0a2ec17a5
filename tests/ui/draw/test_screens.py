"""Every screen as it looks, at three widths, coloured and plain: read `snapshots/` before you accept a change."""

from __future__ import annotations

import re
from typing import Final

import pytest
from inline_snapshot import external_file

from assent.ui.draw import Look, question, whole
from assent.ui.draw._look import Colours
from tests.ui.draw.screens import NOW, screens

WIDTHS: Final = (40, 80, 140)
SCREENS: Final = screens()


def readable(drawn: str) -> str:
    """The colours as tags a person can read: `<1;33>warning<>`."""
    return re.sub(r"\x1b\[([\d;]*)m", lambda code: f"<{code[1].removeprefix('0')}>", drawn)


def drawn(name: str, *, colours: Colours, plain: bool = False) -> str:
    """The screen at every width."""
    looks = [Look(width=width, height=40, colours=colours, plain=plain) for width in WIDTHS]
    views = [question(SCREENS[name], look, position=(2, 3), now=NOW).text for look in looks]
    return "".join(f"=== {width} columns{readable(view)}\n" for width, view in zip(WIDTHS, views, strict=True))


@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_looks_like_its_snapshot_without_colours(name: str) -> None:
    assert drawn(name, colours="none") == external_file(f"snapshots/{name}.txt")


@pytest.mark.parametrize("name", SCREENS)
def test_a_plain_screen_looks_like_its_snapshot(name: str) -> None:
    assert drawn(name, colours="none", plain=True) == external_file(f"snapshots/{name}.plain.txt")


@pytest.mark.parametrize("name", SCREENS)
def test_a_coloured_screen_looks_like_its_snapshot(name: str) -> None:
    assert drawn(name, colours="16") == external_file(f"snapshots/{name}.16.txt")


@pytest.mark.parametrize("colours", ["256", "true"])
def test_a_tinted_edit_looks_like_its_snapshot(colours: Colours) -> None:
    assert drawn("edit", colours=colours) == external_file(f"snapshots/edit.{colours}.txt")


def test_two_versions_beside_each_other_look_like_their_snapshot() -> None:
    look = Look(width=120, height=40)
    text = question(SCREENS["patch"], look, view="side_by_side").text
    assert f"{text}\n" == external_file("snapshots/patch.beside.txt")


@pytest.mark.parametrize("name", SCREENS)
def test_colours_change_nothing_but_the_colours(name: str) -> None:
    # Without colours, marks stand below what is risky in a command: there, the underline says it.
    marks = re.compile(r"^  ┆ [ ^]*\^ *\n", re.MULTILINE)
    without = [marks.sub("", "\n".join(whole(SCREENS[name], Look())) + "\n")]
    for colours in ("16", "256", "true"):
        text = "\n".join(whole(SCREENS[name], Look(colours=colours))) + "\n"
        assert "\x1b[" in text
        without.append(re.sub(r" +$", "", re.sub(r"\x1b\[[\d;]*m", "", text), flags=re.MULTILINE))
    assert len(set(without)) == 1


@pytest.mark.parametrize("name", SCREENS)
def test_a_plain_screen_has_neither_colours_nor_boxes(name: str) -> None:
    text = question(SCREENS[name], Look(plain=True, colours="true", height=60), now=NOW).text
    ours = re.sub(r"^ .*$", "", text, flags=re.MULTILINE)
    assert "\x1b" not in text
    assert not set(ours) & set("─│┆⚠…›✓✗↳")
