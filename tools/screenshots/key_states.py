"""States of keys over the frames: diamonds in the Grade panel and its mattes, the timeline, the curve editor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt

from app.panels.curve_editor import CurveEditor
from app.panels.mattes.card_matte import CardMatte
from app.panels.timeline_panel import TimelinePanel
from engine import Layer, ops
from engine.grade.curves import Curve, Key, Keys
from engine.mattes import SOURCES, Branch, Leaf, Matte
from engine.mattes.tree import Node
from tools.screenshots.files import sequence
from tools.screenshots.window import Shown

FRAMES = range(1001, 1025)
NOW = 1012


def keys_grade(shown: Shown) -> None:
    """Diamonds of sliders and wheels: with a key at the frame, between keys, and none."""
    _open(shown)


def keys_matte(shown: Shown) -> None:
    """Diamonds of a matte: its window at the frame, the opacity of a node, and the feather."""
    _open(shown)
    panel = shown.window.panel
    panel.cards[1].open(False)
    matte = panel.cards[0].findChild(CardMatte)
    assert matte is not None
    panel.select(0)
    matte.open(True)
    shown.workspace.matte_editor.select((0,))
    shown.wait()
    panel.stack.scroll_to(panel.cards[0])


def timeline_keys(shown: Shown) -> None:
    """Keys of the selected entry and of the other one in the timeline."""
    _open(shown)
    shown.window.panel.select(1)


def curve_editor(shown: Shown) -> None:
    """The curves of an entry, with some keys selected."""
    _open(shown)
    shown.window.panel.select(1)
    editor = _editor(shown)
    editor.plot.select(frozenset(((1, f"slope.{part}"), 1012) for part in range(3)))


def curve_editor_matte(shown: Shown) -> None:
    """The curves of a window of a matte, one key selected, and the end of what can be seen of the list."""
    _open(shown)
    editor = _editor(shown)
    for item in editor.list.findItems("Ellipse centre", Qt.MatchFlag.MatchRecursive | Qt.MatchFlag.MatchExactly):
        editor.list.setCurrentItem(item)
    editor.plot.select(frozenset({((0, "matte.tree.1.center.0"), 1021)}))


def _editor(shown: Shown) -> CurveEditor:
    shown.do("curve_editor")
    shown.wait()
    panel = shown.panel("timeline", TimelinePanel)
    assert panel.editor is not None
    return panel.editor


def keys_wheels(shown: Shown) -> None:
    """Diamonds of the large wheels."""
    _open(shown)
    shown.workspace.show_panel("wheels")
    shown.window.panel.select(1)


def keys_menu(shown: Shown) -> None:
    """The menu of a control."""
    _open(shown)
    row = shown.window.panel.cards[0].editors["stops"].row
    mark = row.findChild(shown.window.panel.cards[0].marks.marks[0][1].__class__)
    mark.menu_wanted.emit(row.mapToGlobal(row.rect().center()))


def _curve(*values: float, kind: str = "smooth", frames: tuple[int, ...] = (1003, 1012, 1021)) -> Curve:
    return Curve(Key(frame, value, kind) for frame, value in zip(frames, values, strict=True))


def _root() -> Node:
    path = SOURCES["Path"].for_frame(1280, 720)
    return Branch("union", (Leaf(SOURCES["Ellipse"].for_frame(1280, 720)), Leaf(path)))


def _keys() -> tuple[Any, ...]:
    """Two entries with keys, the first one with a matte."""
    matte = {
        "stops": _curve(0.0, 0.8, 0.35),
        "mix": _curve(1.0, 0.6, kind="linear", frames=(1001, 1015)),
        "matte.feather": _curve(4.0, 40.0, 20.0),
        "matte.tree.1.center.0": _curve(400.0, 640.0, 800.0),
        "matte.tree.1.center.1": _curve(300.0, 360.0, 420.0),
        "matte.tree.1.opacity": _curve(1.0, 0.5, frames=(1006, 1018)),
    }
    balance = {
        "slope.0": _curve(1.0, 1.2, 0.9),
        "slope.1": _curve(1.0, 1.1, 1.0),
        "slope.2": _curve(1.0, 0.9, 1.2, kind="linear"),
        "saturation": _curve(1.0, 0.4, 1.0, kind="hold", frames=(1005, 1010, 1020)),
    }
    return (
        Layer(ops.Exposure(0.0), matte=Matte(_root(), frame=(1280, 720)), keys=Keys(matte)),
        Layer(ops.Cdl(), keys=Keys(balance)),
    )


def _open(shown: Shown) -> None:
    """A sequence at a frame, with keys."""
    shown.open(sequence(shown.folder, FRAMES)[NOW - FRAMES[0]])
    document = shown.workspace.document
    shown.until(lambda: shown.workspace.player.clip is not None)
    document.edit(document.grade.with_entries(_keys()), "grade")
    shown.window.panel.select(0)
    shown.until(lambda: shown.window.panel.complete)
    shown.wait()


STATES: dict[str, Callable[[Shown], None]] = {
    each.__name__: each
    for each in (keys_grade, keys_matte, timeline_keys, keys_wheels, keys_menu, curve_editor, curve_editor_matte)
}
