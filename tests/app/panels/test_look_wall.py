"""The wall of looks, driven by mouse and keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPixmap

from app.panels.look_wall import LutWall
from app.panels.wall.examination import examine
from app.panels.wall.model import WallItem
from app.panels.wall.plots import CubePlot, CurvePlot, Lattice
from app.shell.main_window import MainWindow
from engine import FileLook, Grade, Layer, ops
from engine.mattes import ImageMatte, Leaf, Matte
from engine.viewing import levels_of
from tests.app.conftest import write_cube
from tests.app.hands import LEFT, Key
from tests.typed import expect


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    looks = tmp_path / "looks"
    looks.mkdir()
    for name, gain in (("bright", 1.5), ("dark", 0.25), ("Middle", 0.75)):
        write_cube(looks / f"{name}.cube", gain)
    (looks / "broken.cube").write_text("LUT_3D_SIZE 2\n1 2\n")
    (looks / "notes.txt").write_text("no look")
    return looks


@pytest.fixture
def wall(opened: MainWindow, folder: Path, qtbot: Any) -> LutWall:
    """The wall with three looks and a file that is none."""
    opened.actions_by_name["panel_looks"].trigger()
    panel = opened.workspace.panel("looks")
    assert isinstance(panel, LutWall)
    panel.open_folder(folder)
    qtbot.waitUntil(lambda: sum(item.image is not None for item in panel.model.items) == 3)
    qtbot.waitUntil(lambda: any(item.problem for item in panel.model.items))
    return panel


def choose(wall: LutWall, name: str) -> None:
    rows = {wall.filter.index(row, 0).data(): row for row in range(wall.filter.rowCount())}
    wall.list.setCurrentIndex(wall.filter.index(rows[name], 0))


def brightness(wall: LutWall, name: str) -> float:
    image = next(item.image for item in wall.model.items if item.name == name)
    assert image is not None
    return image.pixelColor(image.width() - 5, image.height() // 2).lightnessF()


def test_thumbnails_are_the_frame_under_each_look(wall: LutWall):
    assert [item.name for item in wall.model.items] == ["bright.cube", "broken.cube", "dark.cube", "Middle.cube"]
    assert brightness(wall, "dark.cube") < brightness(wall, "Middle.cube") <= brightness(wall, "bright.cube")
    assert all(item.image.width() <= 192 and item.image.height() <= 108 for item in wall.model.items if item.image)
    broken = wall.model.items[1]
    assert broken.image is None
    assert "broken.cube" in broken.problem


def test_thumbnails_follow_the_grade(opened: MainWindow, wall: LutWall, qtbot: Any):
    before = brightness(wall, "dark.cube")
    document = opened.workspace.document
    document.edit(document.grade.with_entry(0, ops.Exposure(1.5)), "exposure")
    qtbot.waitUntil(lambda: brightness(wall, "dark.cube") > before)


def test_typing_finds_looks(wall: LutWall, qtbot: Any):
    qtbot.keyClicks(wall.search, "dark cube")
    assert wall.filter.rowCount() == 1
    assert wall.count.text() == "1 of 4"
    wall.search.clear()
    assert wall.filter.rowCount() == 4


def test_a_look_is_tried_and_let_go(opened: MainWindow, wall: LutWall, qtbot: Any):
    stage, before = opened.workspace.stage, opened.workspace.document.grade
    choose(wall, "dark.cube")
    assert isinstance(stage.previewed_lut, FileLook)
    assert stage.previewed_lut.path.endswith("dark.cube")
    assert opened.workspace.document.grade == before
    qtbot.keyClick(wall.list, Key.Key_Escape)
    assert stage.previewed_lut is None


def test_arrow_keys_flip_and_return_takes(opened: MainWindow, wall: LutWall, qtbot: Any):
    choose(wall, "bright.cube")
    first = opened.workspace.stage.previewed_lut
    qtbot.keyClick(wall.list, Key.Key_Right)
    qtbot.keyClick(wall.list, Key.Key_Right)
    assert opened.workspace.stage.previewed_lut not in (None, first)
    taken = expect(WallItem, wall.current).look
    qtbot.keyClick(wall.list, Key.Key_Return)
    assert opened.workspace.document.grade.entries[-1] == taken
    assert opened.workspace.stage.previewed_lut is None


def test_the_button_takes_a_look(opened: MainWindow, wall: LutWall, qtbot: Any):
    count = len(opened.workspace.document.grade.entries)
    assert not wall.add.isEnabled()
    choose(wall, "Middle.cube")
    qtbot.mouseClick(wall.add, LEFT)
    assert len(opened.workspace.document.grade.entries) == count + 1


def test_favourites_are_kept(opened: MainWindow, wall: LutWall, qtbot: Any):
    choose(wall, "dark.cube")
    qtbot.keyClick(wall.list, Key.Key_Asterisk)
    qtbot.mouseClick(wall.only, LEFT)
    assert [wall.filter.index(row, 0).data() for row in range(wall.filter.rowCount())] == ["dark.cube"]
    kept: list[str] = opened.workspace.settings.get("wall.favourites", [])
    assert [Path(path).name for path in kept] == ["dark.cube"]
    choose(wall, "dark.cube")
    qtbot.mouseClick(wall.favourite, LEFT)
    assert opened.workspace.settings.get("wall.favourites", ["?"]) == []
    assert wall.filter.rowCount() == 0 and wall.count.text().startswith("0 of ")
    qtbot.mouseClick(wall.only, LEFT)


def test_health_curves_and_cube_are_reported(wall: LutWall, qtbot: Any):
    choose(wall, "dark.cube")
    qtbot.waitUntil(lambda: "3d lut of 2" in wall.findings.text().lower())
    assert wall.curves._curves is not None
    assert wall.cube._lattice is not None
    choose(wall, "broken.cube")
    assert "broken.cube" in wall.findings.text()
    assert not wall.add.isEnabled()


def test_interpolation_is_each_looks_own(opened: MainWindow, wall: LutWall, qtbot: Any):
    choose(wall, "dark.cube")
    wall.box.textActivated.emit("tetrahedral")
    qtbot.waitUntil(lambda: expect(FileLook, expect(WallItem, wall.current).look).interpolation == "tetrahedral")
    assert expect(FileLook, opened.workspace.stage.previewed_lut).interpolation == "tetrahedral"


@pytest.mark.parametrize("hide", ["panel_looks", "panel_scopes", "clean"])
def test_a_look_is_still_tried_while_the_wall_is_hidden(opened: MainWindow, wall: LutWall, hide: str, qtbot: Any):
    choose(wall, "dark.cube")
    opened.actions_by_name[hide].trigger()
    qtbot.waitUntil(lambda: not wall.isVisible())
    assert opened.workspace.stage.tried == "dark.cube"
    opened.workspace.stage.end_lut_preview()
    assert wall.current is None
    assert opened.workspace.stage.grade == opened.document.grade


def test_a_look_whose_file_is_gone_is_let_go_and_said(opened: MainWindow, wall: LutWall, qtbot: Any):
    notes: list[str] = []
    opened.workspace.messages.noted.connect(notes.append)
    choose(wall, "dark.cube")
    wall._list("wall", [Path(item.path) for item in wall.model.items if item.name != "dark.cube"])
    assert opened.workspace.stage.previewed_lut is None
    assert notes == ["dark.cube is not in the folder; it is no longer tried"]


def test_escape_clears_a_file_that_can_not_be_tried(wall: LutWall, qtbot: Any):
    choose(wall, "broken.cube")
    qtbot.keyClick(wall.list, Key.Key_Escape)
    assert wall.current is None


def test_an_internal_error_of_one_look_leaves_the_others(
    opened: MainWindow, wall: LutWall, monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    before = {item.name: item.image for item in wall.model.items}

    def broken(*_: Any) -> Any:
        raise RuntimeError("nobody thought of this")

    with monkeypatch.context() as patch:
        patch.setattr("app.panels.wall.maker.view_ops", broken)
        opened.workspace.set_view(exposure=1.0)
        qtbot.waitUntil(lambda: sum("nobody thought of this" in item.missing for item in wall.model.items) == 3)
    opened.workspace.set_view(exposure=2.0)
    good = [item for item in wall.model.items if item.look is not None]
    qtbot.waitUntil(lambda: all(item.image is not before[item.name] and not item.missing for item in good))


def test_without_an_image_there_are_no_thumbnails(opened: MainWindow, wall: LutWall):
    assert any(item.image is not None for item in wall.model.items)
    opened.workspace.open_documents.close(opened.document)
    assert not any(item.image is not None for item in wall.model.items)


def painted(plot: CubePlot, qtbot: Any) -> QImage:
    """A plot as it looks once its lattice is drawn, in a later turn of the event loop."""
    plot.grab()
    qtbot.waitUntil(lambda: plot._drawn == plot._wanted)
    return plot.grab().toImage()


def test_the_cube_turns_by_keys_and_mouse(qtbot: Any):
    plot = CubePlot()
    qtbot.addWidget(plot)
    plot.resize(160, 160)
    plot.show_lattice(Lattice.of(np.random.default_rng(1).random((27, 3))))
    plot.show()
    before = painted(plot, qtbot)
    qtbot.keyClick(plot, Key.Key_Left)
    turned = painted(plot, qtbot)
    assert turned != before
    qtbot.mousePress(plot, LEFT, Qt.KeyboardModifier.NoModifier)
    plot._turn(0.3, 0.2)
    qtbot.mouseRelease(plot, LEFT)
    assert painted(plot, qtbot) != turned


def test_the_lattice_is_drawn_again_only_if_it_looks_different(qtbot: Any, monkeypatch: pytest.MonkeyPatch):
    plot, drawn = CubePlot(), list[QPixmap]()
    qtbot.addWidget(plot)
    plot.resize(160, 160)
    draw = plot._draw

    def noted() -> QPixmap:
        drawn.append(draw())
        return drawn[-1]

    monkeypatch.setattr(plot, "_draw", noted)
    for change, count in (
        (lambda: None, 1),
        (lambda: None, 1),
        (lambda: plot._turn(0.1, 0.0), 2),
        (lambda: plot.show_lattice(Lattice.of(np.random.default_rng(1).random((27, 3)))), 3),
        (lambda: plot.resize(170, 170), 4),
        (lambda: None, 4),
    ):
        change()
        painted(plot, qtbot)
        assert len(drawn) == count


def test_curves_are_drawn(qtbot: Any):
    plot = CurvePlot()
    qtbot.addWidget(plot)
    plot.resize(160, 160)
    empty = plot.grab().toImage()
    plot.show_response(np.column_stack([np.linspace(0, 1, 9)] * 4) ** 2)
    assert plot.grab().toImage() != empty


def test_looks_of_another_folder_are_let_go(wall: LutWall, tmp_path: Path, qtbot: Any):
    (tmp_path / "other").mkdir()
    write_cube(tmp_path / "other" / "warm.cube", 1.1)
    maker = wall.maker
    assert len(maker._looks) == 3
    wall.open_folder(tmp_path / "other")
    qtbot.waitUntil(lambda: {Path(path).name for path, _ in maker._looks} == {"warm.cube"})


def test_a_matte_that_reads_a_file_does_not_hinder_the_examination(opened: MainWindow, wall: LutWall):
    look = next(item.look for item in wall.model.items if item.look is not None)
    grade = Grade([Layer(ops.Exposure(1.0), matte=Matte(Leaf(ImageMatte())))])
    found = examine(look, levels_of(opened.document.image), opened.document.managed, grade)
    assert "of the image is outside the domain" in found.text
