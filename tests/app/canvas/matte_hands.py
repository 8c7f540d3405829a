"""What hands do to mattes on the canvas, in pixels of the display window."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPoint, Qt

from engine import Grade, ops
from engine.grade.entries import Layer
from engine.mattes.source import MatteSource
from engine.mattes.tree import Leaf, Matte
from engine.mattes.windows import Path
from tests.app.canvas.conftest import Bench
from tests.app.conftest import begin_with
from tests.app.hands import LEFT, move

NONE = Qt.KeyboardModifier.NoModifier
SCALE = 4.0
"""Device pixels per pixel of the image: positions are multiples of a quarter."""
PATH = Path(
    points=(
        (60.0, 30.0, 0.0, 0.0, 0.0, 0.0),
        (140.0, 30.0, -10.0, 0.0, 10.0, 0.0),
        (140.0, 80.0, 0.0, 0.0, 0.0, 0.0),
        (60.0, 80.0, 0.0, 0.0, 0.0, 0.0),
    )
)


def edit(bench: Bench, source: MatteSource | None) -> None:
    """Give the document a grade with one entry, whose matte is this source, and select that; zoom to SCALE."""
    matte = None if source is None else Matte(Leaf(source), frame=bench.workspace.matte_selection.frame)
    begin_with(bench.document, Grade([Layer(ops.Exposure(1.0), matte=matte)]))
    bench.document.select(0)
    selection = bench.workspace.matte_selection
    selection.select(None if source is None else ())
    bench.canvas.zoom_to(SCALE)
    bench.canvas.setFocus()
    assert selection.source == source


def source_of(bench: Bench) -> Any:
    """The source that is selected, as the grade has it."""
    return bench.workspace.matte_selection.source


def spot(bench: Bench, x: float, y: float) -> QPoint:
    """Where a position of the display window is on the canvas."""
    mapping = bench.workspace.matte_tools.place.mapping
    assert mapping is not None
    left, top = mapping.on_canvas((x, y))
    return QPoint(round(left), round(top))


def press(qtbot: Any, bench: Bench, x: float, y: float, keys: Any = NONE) -> None:
    qtbot.mousePress(bench.canvas, LEFT, keys, spot(bench, x, y))


def go(bench: Bench, x: float, y: float, keys: Any = NONE, buttons: Any = LEFT) -> None:
    move(bench.canvas, spot(bench, x, y), buttons, keys)


def release(qtbot: Any, bench: Bench, x: float, y: float, keys: Any = NONE) -> None:
    qtbot.mouseRelease(bench.canvas, LEFT, keys, spot(bench, x, y))


def drag(qtbot: Any, bench: Bench, start: Any, end: Any, keys: Any = NONE, steps: int = 5) -> None:
    """Press, drag in steps, and release."""
    (x0, y0), (x1, y1) = start, end
    press(qtbot, bench, x0, y0, keys)
    for step in range(1, steps + 1):
        go(bench, x0 + (x1 - x0) * step / steps, y0 + (y1 - y0) * step / steps, keys)
    release(qtbot, bench, x1, y1, keys)


def click(qtbot: Any, bench: Bench, x: float, y: float, keys: Any = NONE) -> None:
    press(qtbot, bench, x, y, keys)
    release(qtbot, bench, x, y, keys)


def double_click(qtbot: Any, bench: Bench, x: float, y: float) -> None:
    click(qtbot, bench, x, y)
    qtbot.mouseDClick(bench.canvas, LEFT, NONE, spot(bench, x, y))


def handle_at(bench: Bench, name: str, index: int = 0) -> tuple[float, float]:
    """Where a handle is, in the display window."""
    handles = bench.workspace.matte_tools.windows.handles
    return next(each.at for each in handles if each.key == (name, index))


def drag_handle(qtbot: Any, bench: Bench, name: str, dx: float, dy: float, keys: Any = NONE, index: int = 0) -> None:
    x, y = handle_at(bench, name, index)
    drag(qtbot, bench, (x, y), (x + dx, y + dy), keys)


def undone(bench: Bench) -> Any:
    """The source after undoing the only step."""
    assert bench.document.steps == 1, bench.document.history
    bench.document.undo()
    return source_of(bench)
