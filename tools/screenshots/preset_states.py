"""States of the window with presets: the menu that adds them, and the dialog that keeps one."""

from __future__ import annotations

from app.shell.empty_state import SAMPLE
from engine import Grade, Layer, ops
from engine.grade.entries import Group
from tools.screenshots.window import Shown

LOOK = Group((ops.Exposure(0.5), ops.Cdl(slope=(1.2, 1.0, 0.8)), ops.Saturation(1.1)), "Warm evening")
KEPT = (
    ("Warm evening", LOOK, "show A"),
    ("Day for night", Layer(Group((ops.Exposure(-2.0), ops.WhiteBalance())), mix=0.8), "show A"),
    ("Print density", ops.Contrast(1.2), ""),
    ("A preset with a name as long as a name of a preset can be", ops.Exposure(1.0), "a long tag of a show"),
)


def _with_presets(shown: Shown) -> None:
    shown.open(SAMPLE)
    shown.workspace.document.edit(Grade([LOOK]), "grade")
    presets = shown.workspace.presets
    for name, entry, tag in KEPT:
        presets.save(name, entry, tag)
    shown.until(lambda: len(presets.items) == len(KEPT))


def add_menu(shown: Shown) -> None:
    """The menu that adds operations and presets, with favourites."""
    _with_presets(shown)
    for key in ("preset/Day for night", "Cdl", "GradingPrimary"):
        shown.workspace.presets.star(key, True)
    shown.do("add_operation")


def add_menu_search(shown: Shown) -> None:
    """What a search finds among operations and presets."""
    add_menu(shown)
    shown.workspace.panel("grade").footer.op_menu.search.setText("show")  # type: ignore[attr-defined]


def save_preset(shown: Shown) -> None:
    """The dialog that keeps a group as a preset, with a name that is taken."""
    _with_presets(shown)
    shown.workspace.document.select(0)
    shown.do("save_preset")


PRESET_STATES = {state.__name__: state for state in (add_menu, add_menu_search, save_preset)}
