"""New windows of mattes, drawn on the canvas by mouse and keys."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

from app.canvas.mattes.draw_tool import DrawTool
from app.canvas.mattes.path_draw_tool import PathDrawTool
from app.model.matte_drawing import WINDOWS, shape_of
from engine.mattes.tree import Branch
from engine.mattes.windows import Ellipse, LinearGradient, Path, RadialGradient, Rectangle
from tests.app.canvas.conftest import Bench
from tests.app.canvas.matte_hands import (
    NONE,
    click,
    double_click,
    drag,
    edit,
    go,
    press,
    release,
    source_of,
)
from tests.app.hands import ALT, CTRL, SHIFT, Key


@pytest.fixture
def calm(bench: Bench) -> Bench:
    """One that does not snap, with an entry without a matte."""
    bench.workspace.matte_tools.snapping.set(False)
    edit(bench, None)
    return bench


def draw(bench: Bench, cls: type) -> None:
    bench.workspace.matte_selection.draw(cls.__name__)


def tool_of(bench: Bench) -> Any:
    return next(iter(bench.canvas.tools))


def test_an_ellipse_is_drawn_from_corner_to_corner_as_one_step(calm: Bench, qtbot: Any):
    draw(calm, Ellipse)
    assert isinstance(tool_of(calm), DrawTool)
    drag(qtbot, calm, (80.0, 30.0), (120.0, 60.0))
    assert source_of(calm).center == pytest.approx((100.0, 45.0)) and source_of(calm).size == pytest.approx(
        (20.0, 15.0)
    )
    assert calm.document.steps == 1 and calm.document.undo_text.endswith("new ellipse")
    assert calm.workspace.matte_selection.drawing == "" and not isinstance(tool_of(calm), DrawTool)
    calm.document.undo()
    assert calm.workspace.matte_selection.matte is None


def test_shift_and_alt_while_drawing(calm: Bench, qtbot: Any):
    draw(calm, Rectangle)
    drag(qtbot, calm, (100.0, 50.0), (120.0, 60.0), SHIFT)
    assert source_of(calm).size == pytest.approx((10.0, 10.0)) and source_of(calm).center == pytest.approx(
        (110.0, 60.0)
    )
    draw(calm, Rectangle)
    drag(qtbot, calm, (100.0, 50.0), (120.0, 60.0), ALT)
    assert source_of(calm).size == pytest.approx((20.0, 10.0)) and source_of(calm).center == pytest.approx(
        (100.0, 50.0)
    )
    matte = calm.workspace.matte_selection.matte
    assert matte is not None and isinstance(matte.root, Branch) and len(matte.root.nodes) == 2


def test_gradients_begin_where_the_button_goes_down(calm: Bench, qtbot: Any):
    draw(calm, LinearGradient)
    drag(qtbot, calm, (60.0, 20.0), (90.0, 80.0))
    assert source_of(calm).start == pytest.approx((60.0, 20.0)) and source_of(calm).end == pytest.approx((90.0, 80.0))
    draw(calm, RadialGradient)
    drag(qtbot, calm, (90.0, 50.0), (90.0, 80.0))
    assert source_of(calm).center == pytest.approx((90.0, 50.0)) and source_of(calm).outer == pytest.approx(30.0)


@pytest.mark.parametrize("cls", [each for each in WINDOWS if each is not Path], ids=lambda c: c.__name__)
def test_a_click_makes_one_of_a_usual_size(calm: Bench, qtbot: Any, cls: Any):
    draw(calm, cls)
    click(qtbot, calm, 90.0, 60.0)
    shape = shape_of(source_of(calm))
    assert shape is not None
    left, top, right, bottom = shape.bounds()
    assert ((left + right) / 2, (top + bottom) / 2) == pytest.approx((90.0, 60.0)) and bottom - top > 10.0


@pytest.mark.parametrize("cls", WINDOWS, ids=lambda c: c.__name__)
def test_return_makes_one_in_the_middle_of_what_is_visible(calm: Bench, qtbot: Any, cls: Any):
    calm.canvas.fit()
    draw(calm, cls)
    qtbot.keyClick(calm.canvas, Key.Key_Return)
    shape = shape_of(source_of(calm))
    assert shape is not None and type(shape.source) is cls
    left, top, right, bottom = shape.bounds()
    assert ((left + right) / 2, (top + bottom) / 2) == pytest.approx((96.0, 54.0))
    assert calm.document.steps == 1 and calm.workspace.matte_selection.drawing == ""


@pytest.mark.parametrize("cls", [Ellipse, Path], ids=lambda c: c.__name__)
def test_escape_ends_drawing_without_a_change(calm: Bench, qtbot: Any, cls: Any):
    draw(calm, cls)
    press(qtbot, calm, 80.0, 30.0)
    go(calm, 120.0, 60.0)
    qtbot.keyClick(calm.canvas, Key.Key_Escape)
    release(qtbot, calm, 120.0, 60.0)
    assert calm.workspace.matte_selection.drawing == "" and calm.document.steps == 0
    assert tool_of(calm) is calm.workspace.matte_tools.windows


def test_another_window_can_be_chosen_while_one_is_drawn(calm: Bench):
    draw(calm, Ellipse)
    draw(calm, Path)
    assert isinstance(tool_of(calm), PathDrawTool) and calm.workspace.matte_selection.drawing == "Path"
    draw(calm, Rectangle)
    assert isinstance(tool_of(calm), DrawTool) and calm.workspace.matte_selection.drawing == "Rectangle"


def test_the_middle_button_still_moves_the_image(calm: Bench, qtbot: Any):
    draw(calm, Ellipse)
    before = calm.canvas.viewport
    middle = Qt.MouseButton.MiddleButton
    qtbot.mousePress(calm.canvas, middle, NONE, calm.canvas.rect().center())
    go(calm, 70.0, 30.0, buttons=middle)
    qtbot.mouseRelease(calm.canvas, middle, NONE, calm.canvas.rect().center())
    assert calm.canvas.viewport != before and calm.workspace.matte_selection.drawing == "Ellipse"


def test_numbers_are_beside_the_pointer_while_drawing(calm: Bench, qtbot: Any):
    tools = calm.workspace.matte_tools
    for cls, text in (
        (Ellipse, "size 20.0 × 15.0 px"),
        (LinearGradient, "x 120.0  y 60.0 px"),
        (RadialGradient, "outer"),
    ):
        draw(calm, cls)
        press(qtbot, calm, 80.0, 30.0)
        go(calm, 120.0, 60.0)
        calm.canvas.grab()
        assert tools.drawing.label.startswith(text)
        release(qtbot, calm, 120.0, 60.0)
    draw(calm, Path)
    click(qtbot, calm, 60.0, 30.0)
    go(calm, 80.0, 30.0, buttons=Qt.MouseButton.NoButton)
    calm.canvas.grab()
    assert tools.path.label == "x 80.0  y 30.0 px"


def test_a_new_window_snaps(bench: Bench, qtbot: Any):
    edit(bench, None)
    draw(bench, Rectangle)
    drag(qtbot, bench, (65.0, 37.0), (95.0, 53.0))
    source = source_of(bench)
    assert source.center == pytest.approx((80.0, 45.0)) and source.size == pytest.approx((16.0, 9.0)), (
        "from thirds to the middle"
    )


# -- paths

CORNERS = ((70.0, 30.0), (130.0, 35.0), (120.0, 80.0), (75.0, 75.0))


def set_corners(bench: Bench, qtbot: Any) -> None:
    draw(bench, Path)
    for x, y in CORNERS:
        click(qtbot, bench, x, y)


def check_corners(bench: Bench) -> None:
    points = source_of(bench).points
    assert [value for x, y, *_ in points for value in (x, y)] == pytest.approx(
        [value for at in CORNERS for value in at]
    )
    assert not any(value for point in points for value in point[2:])
    assert bench.document.steps == 1 and bench.workspace.matte_selection.drawing == ""


def test_a_click_on_the_first_vertex_closes_the_path(calm: Bench, qtbot: Any):
    set_corners(calm, qtbot)
    click(qtbot, calm, 70.25, 30.5)
    check_corners(calm)


def test_a_double_click_closes_the_path(calm: Bench, qtbot: Any):
    draw(calm, Path)
    for x, y in CORNERS[:3]:
        click(qtbot, calm, x, y)
    double_click(qtbot, calm, *CORNERS[3])
    check_corners(calm)


def test_return_closes_the_path(calm: Bench, qtbot: Any):
    set_corners(calm, qtbot)
    qtbot.keyClick(calm.canvas, Key.Key_Return)
    check_corners(calm)


def test_backspace_takes_the_last_vertex_back(calm: Bench, qtbot: Any):
    set_corners(calm, qtbot)
    click(qtbot, calm, 20.0 + 60.0, 60.0)
    qtbot.keyClick(calm.canvas, Key.Key_Backspace)
    qtbot.keyClick(calm.canvas, Key.Key_Return)
    check_corners(calm)


def overridden(bench: Bench, key: Key, keys: Any) -> bool:
    """Whether the canvas keeps a key from the commands of the window."""
    event = QKeyEvent(QEvent.Type.ShortcutOverride, key, keys)
    event.ignore()
    bench.canvas.event(event)
    return event.isAccepted()


def test_undo_takes_the_last_vertex_back_while_a_path_is_drawn(calm: Bench, qtbot: Any):
    draw(calm, Path)
    assert not overridden(calm, Key.Key_Z, CTRL), "there is none yet: it is the usual undo"
    for x, y in CORNERS[:2]:
        click(qtbot, calm, x, y)
    assert overridden(calm, Key.Key_Z, CTRL) and overridden(calm, Key.Key_Backspace, NONE)
    assert not overridden(calm, Key.Key_Z, CTRL | SHIFT) and not overridden(calm, Key.Key_M, NONE)
    for left in (1, 0):
        qtbot.keyClick(calm.canvas, Key.Key_Z, CTRL)
        assert len(calm.workspace.matte_tools.path.points) == left
    assert not overridden(calm, Key.Key_Z, CTRL)
    assert calm.workspace.matte_selection.drawing == "Path" and calm.document.steps == 0


def test_two_vertices_are_no_path(calm: Bench, qtbot: Any):
    draw(calm, Path)
    for x, y in CORNERS[:2]:
        click(qtbot, calm, x, y)
    qtbot.keyClick(calm.canvas, Key.Key_Return)
    assert calm.document.steps == 0 and len(calm.workspace.matte_tools.path.points) == 2, "it waits for more"


def test_dragging_a_new_vertex_pulls_its_handles_out(calm: Bench, qtbot: Any):
    draw(calm, Path)
    drag(qtbot, calm, (70.0, 30.0), (80.0, 25.0))
    press(qtbot, calm, 130.0, 35.0)
    go(calm, 130.0, 45.0)
    go(calm, 128.0, 45.0, ALT)
    release(qtbot, calm, 128.0, 45.0, ALT)
    click(qtbot, calm, 100.0, 80.0)
    qtbot.keyClick(calm.canvas, Key.Key_Return)
    points = source_of(calm).points
    assert points[0] == pytest.approx((70.0, 30.0, -10.0, 5.0, 10.0, -5.0))
    assert points[1] == pytest.approx((130.0, 35.0, 0.0, -10.0, -2.0, 10.0)), "Alt breaks them"
    assert points[2][2:] == (0.0, 0.0, 0.0, 0.0)


def test_shift_constrains_the_direction_of_a_segment(calm: Bench, qtbot: Any):
    draw(calm, Path)
    click(qtbot, calm, 70.0, 30.0)
    click(qtbot, calm, 130.0, 32.0, SHIFT)
    assert calm.workspace.matte_tools.path.points[1][1] == pytest.approx(30.0)
