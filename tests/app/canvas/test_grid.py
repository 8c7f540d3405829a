"""The compare grid by mouse and keys: what its cells show, and what they open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage

from app.canvas.grid.cells import NOW
from app.canvas.grid.stage import GridStage
from app.model.comparison_target import StillTarget
from app.model.grid import GridZoom
from app.render.grid_requests import CellRequest
from app.services.stills import FOLDER
from app.shell.main_window import MainWindow
from engine import ops
from engine.grade.keys import with_key
from engine.viewing import FrameMaker
from tests.app.conftest import image, write_cube
from tests.app.hands import LEFT, Key, drag, wheel
from tests.app.stills import write_still


def shown(grid: GridStage, kind: str, count: int, qtbot: Any) -> GridStage:
    grid.show(kind, count)
    settle(grid, qtbot)
    return grid


def settle(grid: GridStage, qtbot: Any) -> None:
    qtbot.waitUntil(
        lambda: not grid._is_due and bool(grid.cells) and all(cell.exact or cell.problem for cell in grid.cells)
    )


def labels(grid: GridStage) -> list[str]:
    return [cell.source.label for cell in grid.cells]


def pixels(image: QImage | None) -> Any:
    assert image is not None
    data = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return data[:, : 4 * image.width()].reshape(image.height(), image.width(), 4)[..., :3].astype(int)


def spot(window: MainWindow, place: int) -> QPoint:
    """The middle of a cell, on the widget of the grid."""
    x, y, width, height = window.workspace.grid_view._places()[place]
    return QPoint(x + width // 2, y + height // 2) / window.devicePixelRatioF()


@pytest.fixture
def grid(opened: MainWindow) -> GridStage:
    return opened.workspace.grid


@pytest.fixture
def three(opened: MainWindow, tmp_path: Path, qtbot: Any) -> MainWindow:
    """Three open images, the last one shown and brighter."""
    for name in ("b.exr", "c.exr"):
        opened.files.open_image(image(tmp_path, name))
        qtbot.waitUntil(lambda: opened.document.image is not None)
    opened.document.edit_entry(0, ops.Exposure(1.0), "exposure")
    return opened


def test_versions_are_shown_as_frames_of_the_view_are(
    opened: MainWindow, grid: GridStage, executor: Any, qtbot: Any
) -> None:
    document = opened.document
    for stops in (1.0, -1.0):
        document.edit_entry(0, ops.Exposure(stops), "exposure")
        document.keep_version(f"{stops:+.0f}")
    shown(grid, "versions", 4, qtbot)
    assert labels(grid) == [NOW, "+1", "-1"] and grid.cells[0].shape is not None
    requests: list[CellRequest] = opened.preview._grid.cells  # type: ignore[assignment, union-attr]
    views = [cell.view for cell in requests]
    images = [pixels(cell.image) for cell in grid.cells]
    maker = FrameMaker(executor, opened.preview.levels)
    for stops, view, found in zip((-1.0, 1.0, -1.0), views, images, strict=True):
        graded = view.grade_ops(document.grade.with_entry(0, ops.Exposure(stops)))
        where = view.region, view.width, view.height
        frame = maker.exact(*where, graded, view.ops, lambda: False)  # type: ignore[arg-type]
        assert frame is not None
        np.testing.assert_array_equal(frame.pixels[..., :3], found)


def test_cells_have_the_values_of_keys_at_the_frame(opened: MainWindow, grid: GridStage, qtbot: Any) -> None:
    entry = with_key(with_key(ops.Exposure(5.0), "stops", -1, 0.0, "linear"), "stops", 1, 1.0)
    opened.document.edit(opened.document.grade.with_entries([entry]), "keys")
    opened.document.keep_version("keyed")
    shown(grid, "versions", 4, qtbot)
    assert [cell.content.grade.settled.entries for cell in grid.cells] == [(ops.Exposure(0.5),)] * 2
    assert not any(cell.problem for cell in grid.cells)


def test_a_late_quick_frame_does_not_replace_the_exact_one(opened: MainWindow, grid: GridStage, qtbot: Any) -> None:
    shown(grid, "layers", 2, qtbot)
    cell = grid.cells[0]
    before = cell.image
    opened.preview.cell.emit(0, QImage(8, 8, QImage.Format.Format_RGBA8888), cell.request, False, "")
    assert cell.exact and cell.image is before


def test_keys_open_the_grid_choose_a_cell_and_leave(three: MainWindow, qtbot: Any) -> None:
    grid, view = three.workspace.grid, three.workspace.grid_view
    three.workspace.settings.set("grid.kind", "images")
    qtbot.keyClick(three.canvas, Key.Key_Q)
    settle(grid, qtbot)
    assert view.isVisible() and view.hasFocus() and labels(grid) == ["ramp.exr", "b.exr", "c.exr"]
    qtbot.keyClick(view, Key.Key_Right)
    settle(grid, qtbot)
    assert grid.current == 1 and three.document.name == "c.exr"
    qtbot.keyClick(view, Key.Key_Return)
    assert three.document.name == "b.exr" and not grid.shown and three.canvas.hasFocus()
    qtbot.keyClick(three.canvas, Key.Key_Q)
    settle(grid, qtbot)
    qtbot.keyClick(view, Key.Key_Escape)
    assert not grid.shown and three.document.name == "b.exr"


def test_a_click_makes_an_image_current_and_its_grade_follows(three: MainWindow, qtbot: Any) -> None:
    grid, view = shown(three.workspace.grid, "images", 4, qtbot), three.workspace.grid_view
    qtbot.mouseClick(view, LEFT, pos=spot(three, 0))
    assert three.document.name == "ramp.exr" and grid.shown and grid.current == 0
    settle(grid, qtbot)
    before = [pixels(cell.image).mean() for cell in grid.cells]
    three.document.edit_entry(0, ops.Exposure(2.0), "exposure")
    qtbot.waitUntil(lambda: pixels(grid.cells[0].image).mean() > before[0] + 10)
    assert [pixels(cell.image).mean() for cell in grid.cells[1:]] == before[1:]


def test_all_cells_have_one_zoom_and_pan(three: MainWindow, qtbot: Any) -> None:
    grid, view = shown(three.workspace.grid, "images", 4, qtbot), three.workspace.grid_view
    wheel(view, spot(three, 1), 3)
    settle(grid, qtbot)
    assert grid.zoom.zoom == pytest.approx(1.25**3)
    viewports = {grid.viewport(cell) for cell in grid.cells}
    assert len(viewports) == 1
    drag(qtbot, view, 40)
    assert grid.zoom.x < 0.5 and grid.current == 0
    three.actions_by_name["fit"].trigger()
    assert grid.zoom == GridZoom()
    three.actions_by_name["actual"].trigger()
    viewport = grid.viewport(grid.cells[0])
    assert viewport is not None and viewport.scale == pytest.approx(1.0)
    three.workspace.open_documents.close(three.workspace.documents[0])
    qtbot.waitUntil(lambda: labels(grid) == ["b.exr", "c.exr"])
    settle(grid, qtbot)


def test_pages(opened: MainWindow, grid: GridStage, qtbot: Any) -> None:
    grid.show("versions", 4)
    qtbot.waitUntil(lambda: not grid._is_due)
    assert grid.cells == [] and "Keep versions" in grid.kind.empty
    opened.workspace.grid_view.grab()
    grid.take()
    assert not grid.shown
    for number in range(4):
        opened.document.edit_entry(0, ops.Exposure(float(number)), "exposure")
        opened.document.keep_version()
    shown(grid, "versions", 2, qtbot)
    bar = opened.workspace.grid_view.bar
    assert bar.page.text() == "1–2 of 5" and not bar.back.isEnabled()
    qtbot.keyClick(opened.workspace.grid_view, Key.Key_PageDown)
    settle(grid, qtbot)
    assert labels(grid) == ["Version 2", "Version 3"] and bar.page.text() == "3–4 of 5"
    qtbot.mouseClick(bar.counts.button(9), LEFT)
    settle(grid, qtbot)
    assert len(grid.cells) == 5 and not bar.next.isEnabled()
    grid.select(2)
    qtbot.mouseDClick(opened.workspace.grid_view, LEFT, pos=spot(opened, 2))
    assert opened.document.undo_text == "showing Version 2" and not grid.shown


def test_stills_are_compared_and_opened(opened: MainWindow, grid: GridStage, tmp_path: Path, qtbot: Any) -> None:
    folder = tmp_path / "stills"
    folder.mkdir()
    for number in range(3):
        write_still(folder / f"s{number}.exr", str(number), minute=number)
    opened.workspace.settings.set(FOLDER, str(folder))
    grid.show("stills", 4)
    qtbot.waitUntil(lambda: labels(grid) == [NOW, "s2", "s1", "s0"])
    settle(grid, qtbot)
    opened.workspace.stills.select(["0", "2"])
    qtbot.waitUntil(lambda: labels(grid) == [NOW, "s0", "s2"])
    grid.select(1)
    grid.take()
    assert opened.workspace.view.compare == "wipe" and opened.workspace.view.against == StillTarget("0")


def test_layers_of_an_image_that_is_left(opened: MainWindow, grid: GridStage, qtbot: Any) -> None:
    shown(grid, "layers", 2, qtbot)
    opened.workspace.open_documents.new()
    qtbot.waitUntil(lambda: not grid.cells)


def test_luts_and_layers(opened: MainWindow, grid: GridStage, tmp_path: Path, qtbot: Any) -> None:
    folder = tmp_path / "luts"
    folder.mkdir()
    write_cube(folder / "half.cube", 0.5)
    (folder / "broken.cube").write_text("LUT_3D_SIZE 2\n0 0 0\n")
    opened.workspace.settings.set("wall.folder", str(folder))
    grid.show("looks", 4)
    qtbot.waitUntil(lambda: len(grid.cells) == 3 and grid.cells[2].image is not None)
    assert labels(grid) == [NOW, "broken.cube", "half.cube"] and "broken.cube" in grid.cells[1].note
    assert pixels(grid.cells[2].image).mean() < pixels(grid.cells[0].image).mean()
    grid.select(2)
    grid.take()
    assert opened.workspace.stage.tried == "half.cube"
    shown(grid, "layers", 2, qtbot)
    assert labels(grid)[0] == "p0" and grid.cells[1].source.key == (0, "diffuse")
    grid.select(1)
    grid.take()
    qtbot.waitUntil(lambda: opened.document.image.layer.name == "diffuse")
