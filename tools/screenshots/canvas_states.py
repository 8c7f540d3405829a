"""States of the canvas while mattes are drawn, dragged and picked on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.shell.empty_state import SAMPLE
from engine import Grade, Layer, ops
from engine.mattes.cryptomatte import Cryptomatte
from engine.mattes.qualifiers import Key3d
from engine.mattes.source import MatteSource
from engine.mattes.tree import Branch, Leaf, Matte
from engine.mattes.windows import Ellipse, LinearGradient, Path, RadialGradient, Rectangle
from tools.screenshots.window import Shown

PRESS, MOVE, RELEASE = QEvent.Type.MouseButtonPress, QEvent.Type.MouseMove, QEvent.Type.MouseButtonRelease
NONE, LEFT = Qt.MouseButton.NoButton, Qt.MouseButton.LeftButton
Point = tuple[float, float]
LEAF = (
    (300.0, 200.0, -60.0, 60.0, 60.0, -60.0),
    (620.0, 180.0, -80.0, -30.0, 80.0, 30.0),
    (660.0, 420.0, 30.0, -60.0, -30.0, 60.0),
    (480.0, 330.0, 0.0, 0.0, 0.0, 0.0),
    (330.0, 450.0, 40.0, 20.0, -40.0, -20.0),
)


def canvas_ellipse(shown: Shown) -> None:
    """A side of a soft, turned ellipse is dragged."""
    source = Ellipse(center=(420.0, 260.0), size=(190.0, 110.0), rotation=20.0, softness_in=30.0, softness_out=60.0)
    _edit(shown, source)
    _drag(shown, _handle(shown, "right"), (30.0, 12.0))


def canvas_rectangle(shown: Shown) -> None:
    """A rectangle snaps to the centre and to another window."""
    other = Leaf(Ellipse(center=(250.0, 150.0), size=(90.0, 60.0)))
    source = Rectangle(center=(560.0, 330.0), size=(150.0, 80.0), roundness=0.4, softness_out=25.0)
    _edit(shown, source, other)
    _drag(shown, (580.0, 340.0), (-77.0, -58.0))


def canvas_path(shown: Shown) -> None:
    """A Bezier handle of a path is dragged."""
    _edit(shown, Path(points=LEAF, softness_in=12.0, softness_out=24.0))
    _event(shown, PRESS, LEAF[1][:2])
    _event(shown, RELEASE, LEAF[1][:2])
    _drag(shown, _handle(shown, "out", 1), (20.0, 25.0))


def canvas_linear(shown: Shown) -> None:
    _edit(shown, LinearGradient(start=(480.0, 90.0), end=(420.0, 400.0)))
    _drag(shown, (420.0, 400.0), (40.0, 20.0))


def canvas_radial(shown: Shown) -> None:
    """A gradient is nudged by keys."""
    _edit(shown, RadialGradient(center=(500.0, 260.0), inner=60.0, outer=220.0, aspect=0.6, rotation=-15.0))
    _key(shown, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    _key(shown, Qt.Key.Key_Right)


def canvas_new_path(shown: Shown) -> None:
    """Vertices are set one after the other."""
    shown.open(SAMPLE)
    shown.workspace.document.edit(Grade([ops.Exposure(0.5)]), "grade")
    shown.workspace.matte_selection.draw("Path")
    for x, y, *_ in LEAF[:3]:
        _drag(shown, (x, y), (50.0, 30.0))
        _event(shown, RELEASE, (x + 50.0, y + 30.0))
    _event(shown, MOVE, LEAF[3][:2], NONE)
    shown.spin(0.2)


def canvas_stroke(shown: Shown) -> None:
    """Colours for a 3D key are picked by a stroke."""
    _edit(shown, Key3d())
    shown.workspace.matte_selection.pick(True)
    _event(shown, PRESS, (300.0, 200.0))
    for step in range(12):
        _event(shown, MOVE, (300.0 + 22.0 * step, 200.0 + 6.0 * (step % 5) + 9.0 * step))
    shown.spin(0.2)


def canvas_objects(shown: Shown) -> None:
    """An object is highlighted under the pointer while another one is in the matte."""
    _edit(shown, Cryptomatte(names=("lantern*",)))
    shown.workspace.matte_selection.pick(True)
    tool = shown.workspace.matte_tools.objects
    _event(shown, MOVE, (900.0, 480.0), NONE)
    shown.until(lambda: bool(tool.lines) and tool.highlights)
    shown.wait()


def _edit(shown: Shown, source: MatteSource, *others: Leaf) -> None:
    """Open the sample with a matte on the entry of its grade, and select its first source."""
    shown.open(SAMPLE)
    workspace, root = shown.workspace, Leaf(source)
    matte = Matte(Branch("union", (root, *others)) if others else root)
    workspace.document.edit(Grade([Layer(ops.Exposure(0.7), matte=matte)]), "grade")
    workspace.document.select(0)
    workspace.matte_selection.select((0,) if others else ())
    workspace.canvas.setFocus()
    shown.wait()


def _handle(shown: Shown, name: str, index: int = 0) -> Point:
    handles = shown.workspace.matte_tools.windows.handles
    return next(each.at for each in handles if each.key == (name, index))


def _drag(shown: Shown, start: Point, by: Point) -> None:
    """Drag from a place of the display window, without releasing the button."""
    _event(shown, PRESS, start)
    for step in (0.3, 0.6, 1.0):
        _event(shown, MOVE, (start[0] + by[0] * step, start[1] + by[1] * step))
        shown.spin(0.05)
    shown.spin(0.2)


def _event(shown: Shown, kind: QEvent.Type, at: Any, buttons: Qt.MouseButton = LEFT) -> None:
    canvas, mapping = shown.workspace.canvas, shown.workspace.matte_tools.place.mapping
    assert mapping is not None
    place, button = QPointF(*mapping.on_canvas(at)), NONE if kind == MOVE else LEFT
    held = NONE if kind == RELEASE else buttons
    event = QMouseEvent(kind, place, canvas.mapToGlobal(place), button, held, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(canvas, event)


def _key(shown: Shown, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(shown.workspace.canvas, key, modifier)


CANVAS_STATES: tuple[Callable[[Shown], None], ...] = (
    canvas_ellipse,
    canvas_rectangle,
    canvas_path,
    canvas_linear,
    canvas_radial,
    canvas_new_path,
    canvas_stroke,
    canvas_objects,
)
