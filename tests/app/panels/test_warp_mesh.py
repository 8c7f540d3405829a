"""The editor of the grid of hues and lightness, by mouse and keys, and its picks on the image."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF

from app.panels.warper.grid_body import HUE_PER_PIXEL, STOPS_PER_PIXEL, GridBody
from app.panels.warper.panel import WarperPanel
from app.shell.main_window import MainWindow
from app.widgets.key_mark import KeyState
from app.widgets.warp_mesh import nearest_node
from engine.grade.grade import layer_of
from engine.ops import HueLumaGrid
from tests.app.hands import CTRL, LEFT, SHIFT, Key, move, wheel
from tests.app.panels.acting import pull, show
from tests.app.panels.test_warper import colour_at
from tests.typed import expect


def grid(window: MainWindow) -> HueLumaGrid:
    return expect(HueLumaGrid, window.document.entries[0])


@pytest.fixture
def body(opened: MainWindow) -> GridBody:
    """The editor of a new grid."""
    return expect(GridBody, show(opened, HueLumaGrid()).body)


def test_a_node_follows_the_mouse_in_one_step(opened: MainWindow, body: GridBody, qtbot: Any):
    mesh = body.mesh
    start = mesh.place_of_node((3, 4))
    pull(mesh, start, QPointF(8, -10), qtbot)
    hue, saturation, light = grid(opened).nodes[3, 4]
    end = mesh.place(120.0 + hue, 3.0 + light) - start.toPoint()
    assert (end.x(), end.y()) == pytest.approx((8.0, -10.0), abs=0.6)
    assert saturation == 0.0
    assert mesh.at == (3, 4)
    assert opened.document.steps == 1
    assert (grid(opened).nodes != 0.0).sum() == 2, "the other nodes stay"
    assert body.rows["hue"].number == pytest.approx(hue)
    pull(mesh, mesh.place_of_node((1, 6)), QPointF(10, 0), qtbot, CTRL)
    assert (grid(opened).nodes[:, 6, 0] > 5.0).all(), "with Ctrl all nodes of the hue"
    assert opened.document.steps == 2
    opened.document.undo()
    assert not grid(opened).nodes[:, 6].any()
    assert not mesh.nodes[:, 6].any()
    qtbot.mouseDClick(mesh, LEFT, pos=mesh.place_of_node((3, 4)).toPoint())
    assert grid(opened).is_identity()


def test_nodes_by_keys_wheel_and_numbers(opened: MainWindow, body: GridBody, qtbot: Any):
    mesh = body.mesh
    wheel(mesh, QPoint(100, 100), 1)
    assert grid(opened).is_identity(), "without the focus the panel scrolls"
    mesh.setFocus()
    assert mesh.at == (2, 0)
    qtbot.keyClick(mesh, Key.Key_PageUp)
    qtbot.keyClick(mesh, Key.Key_PageUp, SHIFT)
    assert mesh.at == (3, 1)
    assert body.caption.text() == "Node 30°, +3 EV"
    qtbot.keyClick(mesh, Key.Key_Right)
    qtbot.keyClick(mesh, Key.Key_Up)
    qtbot.keyClick(mesh, Key.Key_Plus)
    wheel(mesh, QPoint(100, 100), 1)
    assert grid(opened).nodes[3, 1] == pytest.approx([1.0, 4.0, 0.05])
    qtbot.keyClick(mesh, Key.Key_Right, SHIFT)
    assert grid(opened).nodes[3, 1, 0] == pytest.approx(1.1)
    body.rows["saturation"].box.setValue(-25.0)
    assert grid(opened).saturation_4[1] == -25.0
    qtbot.keyClick(mesh, Key.Key_Delete)
    assert grid(opened).is_identity()
    qtbot.keyClick(mesh, Key.Key_Left)
    qtbot.mouseClick(body.clear, LEFT)
    assert grid(opened) == HueLumaGrid()


def test_it_says_where_it_folds(opened: MainWindow, body: GridBody, qtbot: Any):
    assert body.note.whole == ""
    body.mesh.set_node((2, 3), (45.0, 0.0, 0.0))
    body.mesh.set_node((2, 4), (-30.0, 0.0, 0.0))
    assert body.mesh.folds
    assert body.note.whole == "Folds here"


def test_pick_and_drag_takes_the_nearest_node(opened: MainWindow, body: GridBody, qtbot: Any):
    qtbot.mouseClick(body.pick, LEFT)
    canvas, start = opened.canvas, opened.canvas.rect().center() + QPoint(30, 20)
    qtbot.mousePress(canvas, LEFT, pos=start)
    move(canvas, start + QPoint(24, -40), LEFT)
    qtbot.mouseRelease(canvas, LEFT, pos=start + QPoint(24, -40))
    qtbot.waitUntil(lambda: not grid(opened).is_identity())
    hue, _, stops = (float(x) for x in colour_at(opened, start))
    node = nearest_node(hue, stops - 0.5)  # the colour there is half a stop brighter
    assert body.mesh.at == node
    assert grid(opened).nodes[node] == pytest.approx([24 * HUE_PER_PIXEL, 0.0, 40 * STOPS_PER_PIXEL])
    assert opened.document.steps == 1


def test_samples_diamonds_and_the_panel(opened: MainWindow, body: GridBody, qtbot: Any):
    qtbot.waitUntil(lambda: body.mesh.has_samples)
    (mark,) = (mark for fields, mark in body.marks.marks if fields[0] == "hue_3.*")
    mark.toggled.emit()
    assert mark.state is KeyState.KEY
    keys = {f"{part}_3.{at}" for part in ("hue", "saturation", "light") for at in range(12)}
    assert set(layer_of(opened.document.entries[0]).keys) == keys
    opened.docks.show("warper")
    large = expect(GridBody, expect(WarperPanel, opened.docks.panel("warper")).body)
    large.mesh.set_node((2, 0), (5.0, 0.0, 0.0))
    assert body.mesh.nodes[2, 0, 0] == 5.0
