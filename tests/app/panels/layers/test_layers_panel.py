"""The Layers panel by mouse and by keys, on a stereo image with data, read from a real file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import pytest
from PySide6.QtCore import QModelIndex, QPoint
from PySide6.QtWidgets import QApplication, QMenu

from app.model.comparison_target import OTHER_EYE, SOURCE
from app.model.view_state import ViewState
from app.panels.compare_panel import ComparePanel
from app.panels.layers.panel import LayersPanel
from app.panels.layers.thumbnails import Thumbnail
from app.services.engine_calls import Services
from app.shell.main_window import MainWindow
from engine.io import describe
from engine.viewing.data_kinds import IMAGE
from tests.app.conftest import end
from tests.app.fakes import FakeExecutor
from tests.app.hands import LEFT, Key

SIZE = (24, 32)


@pytest.fixture(scope="module")
def stereo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A single part with two views, depth of both, normals and a diffuse layer."""
    path = tmp_path_factory.mktemp("layers") / "stereo.exr"
    y, x = np.mgrid[0 : SIZE[0], 0 : SIZE[1]].astype(np.float32)
    half = {name: np.full(SIZE, value, np.float16) for name, value in zip("RGB", (0.1, 0.2, 0.3), strict=True)}
    left = {f"left.{name}": plane + np.float16(0.5) for name, plane in half.items()}
    data = {"Z": 10.0 + x, "left.Z": 20.0 + x, "N.X": x / 16 - 1, "N.Y": y / 12 - 1, "N.Z": np.ones(SIZE, np.float32)}
    planes = half | left | data | {f"diffuse.{name}": np.zeros(SIZE, np.float16) for name in "RGB"}
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "multiView": ["right", "left"]}
    OpenEXR.File(header, planes).write(str(path))
    return path


@pytest.fixture(scope="module")
def shared(qapp: Any) -> Iterator[MainWindow]:
    """One window for all tests; each opens the image anew."""
    executor = FakeExecutor()
    window = MainWindow(services=Services(create_executor=lambda _name, _threads: executor, backends=list))
    window.show()
    yield window
    end(window)


@pytest.fixture
def window(shared: MainWindow, stereo: Path, qtbot: Any) -> MainWindow:
    shared.workspace.open_documents.close(shared.document)
    shared.files.open_image(stereo)
    qtbot.waitUntil(lambda: shared.document.image is not None)
    shared.activateWindow()
    panel = shared.workspace.show_panel("layers")
    assert isinstance(panel, LayersPanel)
    panel.filter.clear()
    return shared


@pytest.fixture
def panel(window: MainWindow) -> LayersPanel:
    found = window.workspace.panel("layers")
    assert isinstance(found, LayersPanel)
    return found


def rows(panel: LayersPanel, parent: QModelIndex | None = None) -> dict[str, QModelIndex]:
    """The rows below another one, or at the top, by their names."""
    parent = parent or QModelIndex()
    indices = (panel.matches.index(row, 0, parent) for row in range(panel.matches.rowCount(parent)))
    return {index.data(): index for index in indices}


def click(panel: LayersPanel, index: QModelIndex, qtbot: Any, double: bool = False) -> None:
    place = panel.tree.visualRect(index).center()
    qtbot.mouseClick(panel.tree.viewport(), LEFT, pos=place)
    if double:
        qtbot.mouseDClick(panel.tree.viewport(), LEFT, pos=place)


def shows(window: MainWindow, name: str, qtbot: Any) -> None:
    qtbot.waitUntil(lambda: window.document.image is not None and window.document.image.layer.name == name)


def test_clicks_and_arrows_step_layers(window: MainWindow, panel: LayersPanel, qtbot: Any):
    assert list(rows(panel)) == ["Main layer", "diffuse", "left", "N", "Z", "left.Z"]
    assert panel.tree.currentIndex().data() == "Main layer"
    click(panel, rows(panel)["diffuse"], qtbot)
    shows(window, "diffuse", qtbot)
    assert "every sampled value of diffuse is 0" in window.status.left.text()
    for key, name in ((Key.Key_Down, "left"), (Key.Key_Down, "N"), (Key.Key_Up, "left")):
        qtbot.keyClick(panel.tree, key)
        shows(window, name, qtbot)
    window.actions_by_name["next_layer"].trigger()
    shows(window, "N", qtbot)
    assert panel.tree.currentIndex().data() == "N"


def test_a_channel_is_shown_alone(window: MainWindow, panel: LayersPanel, qtbot: Any):
    layer = rows(panel)["left"]
    panel.tree.expand(layer)
    green = rows(panel, layer)["G"]
    click(panel, green, qtbot)
    shows(window, "left", qtbot)
    click(panel, green, qtbot, double=True)
    shows(window, "left.G", qtbot)
    assert panel.tree.currentIndex().data() == "G"
    click(panel, layer, qtbot)
    shows(window, "left", qtbot)
    qtbot.keyClick(panel.tree, Key.Key_Down)
    assert panel.tree.currentIndex().data() == "R"
    qtbot.keyClick(panel.tree, Key.Key_Return)
    shows(window, "left.R", qtbot)
    assert window.toolbar.layer_box.currentText() == "left"
    panel.tree.collapse(layer)


def test_the_filter_takes_words(window: MainWindow, panel: LayersPanel, qtbot: Any):
    qtbot.keyClicks(panel.filter, "depth left")
    assert list(rows(panel)) == ["left.Z"]
    assert window.document.image.layer.name == ""  # nothing is shown by typing
    qtbot.keyClick(panel.filter, Key.Key_Return)
    shows(window, "left.Z", qtbot)
    assert panel.tree.hasFocus()
    qtbot.keyClick(panel.tree, Key.Key_Escape)
    assert panel.filter.text() == "" and len(rows(panel)) == 6
    qtbot.keyClicks(panel.filter, "nonsense")
    assert not rows(panel)
    qtbot.keyClick(panel.filter, Key.Key_Escape)
    assert len(rows(panel)) == 6 and panel.filter.text() == ""


def test_thumbnails_are_made_for_rows_in_sight(window: MainWindow, panel: LayersPanel, qtbot: Any):
    keys = [(0, name) for name in ("", "diffuse", "left", "N", "Z", "left.Z")]
    qtbot.waitUntil(lambda: all(panel.thumbnails.get(key) is not None for key in keys))
    found = {name: panel.thumbnails.get((0, name)) for _, name in keys}
    values = {name: each.values for name, each in found.items() if each is not None}
    assert values == {
        "": "0.1..0.3",
        "diffuse": "0..0",
        "left": "0.6..0.8",
        "N": "-1..1",
        "Z": "10..41",
        "left.Z": "20..51",
    }
    depth = found["Z"]
    assert isinstance(depth, Thumbnail) and depth.image is not None
    assert depth.image.pixelColor(0, 5).red() < 5 and depth.image.pixelColor(31, 5).red() > 250
    assert "Sampled values: 10..41" in panel.model.itemFromIndex(panel.matches.mapToSource(rows(panel)["Z"])).toolTip()
    panel.thumbnails.stop()
    other = describe(window.document.image_path or "")
    panel.thumbnails.show(other)
    assert panel.thumbnails.get(keys[0]) is not None  # the same file: they stay
    panel.thumbnails.show(None)
    assert panel.thumbnails.get(keys[0]) is None


def test_a_layer_of_data_says_its_range(window: MainWindow, panel: LayersPanel, qtbot: Any):
    click(panel, rows(panel)["Z"], qtbot)
    shows(window, "Z", qtbot)
    controls = panel.data
    assert controls.kind.whole == "Depth, by its name"
    assert (controls.low.value(), controls.high.value()) == pytest.approx((10.0, 41.0), abs=0.5)
    assert "Data view: Z 10..41" in window.status.left.text()
    assert controls.auto.isEnabled()
    for box, text in ((controls.low, "15"), (controls.high, "30")):
        box.selectAll()
        qtbot.keyClicks(box, text)
        qtbot.keyClick(box, Key.Key_Return)
    assert window.workspace.data_views.text == "Data view: Z 15..30"
    kept = ViewState.from_json(window.workspace.view.to_json())
    assert [each.range for each in kept.data_views] == [(15.0, 30.0)]
    controls.high.setValue(3.0)  # below black
    assert controls.high.value() == 30.0
    click(panel, rows(panel)["left.Z"], qtbot)
    shows(window, "left.Z", qtbot)
    assert window.workspace.data_views.text == "Data view: left.Z 15..30"  # both eyes alike
    qtbot.mouseClick(controls.auto, LEFT)
    assert window.workspace.data_views.text == "Data view: left.Z 20..51"
    controls.low.setValue(0.0)
    window.actions_by_name["data_fit"].trigger()
    assert window.workspace.data_views.text == "Data view: left.Z 20..51"


def test_false_colours_and_kinds(window: MainWindow, panel: LayersPanel, qtbot: Any):
    controls, data = panel.data, window.workspace.data_views
    assert not controls.coloured.isEnabled() and not controls.low.isEnabled()
    click(panel, rows(panel)["Z"], qtbot)
    shows(window, "Z", qtbot)
    qtbot.mouseClick(controls.coloured, LEFT, pos=QPoint(6, controls.coloured.height() // 2))
    assert data.text.endswith(", false colours")
    window.actions_by_name["data_colours"].trigger()
    assert not controls.coloured.isChecked()
    menu = QMenu()
    controls._fill(menu)
    choices = {action.text(): action for action in menu.actions()}
    assert choices["Depth, by its name"].isChecked()
    choices["Image"].trigger()
    assert data.kind == IMAGE and data.text == "" and not controls.low.isEnabled()
    assert not window.actions_by_name["data_fit"].isEnabled()
    choices["IDs"].trigger()
    assert data.text == "Data view: Z, IDs as colours, not graded"
    choices["Depth, by its name"].trigger()
    assert window.workspace.view.data_views == ()


def test_a_chip_and_a_legend_say_so(window: MainWindow, panel: LayersPanel, qtbot: Any):
    click(panel, rows(panel)["Z"], qtbot)
    shows(window, "Z", qtbot)
    window.actions_by_name["data_colours"].trigger()
    (chip,) = window.chips.frames
    assert chip.chip.text == "Data view: Z 10..41, false colours"
    legend = window.workspace.stage.legend
    qtbot.waitUntil(lambda: [scale.title for scale in legend.scales] == ["Depth"])
    assert [text for _, text in legend.scales[0].limits] == ["10", "41"]
    qtbot.mouseClick(chip.end, LEFT)
    assert window.workspace.data_views.kind == IMAGE
    qtbot.waitUntil(lambda: not legend.scales)


def test_a_wipe_can_show_the_other_eye(window: MainWindow, panel: LayersPanel, qtbot: Any):
    compare = window.workspace.show_panel("looking")
    assert isinstance(compare, ComparePanel)
    menu = QMenu()
    compare._fill_against(menu)
    next(action for action in menu.actions() if action.text() == "The other eye").trigger()
    window.workspace.set_view(compare="wipe")
    qtbot.waitUntil(lambda: compared(window) == "wipe")
    assert window.workspace.stage.sides == ("Right eye", "Left eye")
    window.actions_by_name["eyes_anaglyph"].trigger()
    assert not any(button.isChecked() for button in compare.modes.buttons())
    assert window.workspace.stage.sides == ("Left eye", "Right eye")
    window.workspace.show_panel("grade")


@pytest.mark.parametrize("by_key", [False, True])
def test_both_eyes(window: MainWindow, panel: LayersPanel, qtbot: Any, by_key: bool):
    def choose(name: str) -> None:
        if by_key:
            keys = window.actions_by_name[name].shortcuts()
            qtbot.keySequence(window, keys[0])
        else:
            qtbot.mouseClick(panel.eyes.buttons[name], LEFT)

    assert panel.eyes.isVisible() and panel.eyes.chosen == "eye_right"
    for name, mode in (
        ("eyes_side_by_side", "side by side"),
        ("eyes_anaglyph", "anaglyph"),
        ("eyes_difference", "difference"),
    ):
        choose(name)
        view = window.workspace.view
        assert (view.compare, view.against) == (mode, OTHER_EYE)
        assert panel.eyes.buttons[name].isChecked()
        qtbot.waitUntil(lambda m=mode: compared(window) == m)
    request = window.workspace.stage.shown_request
    assert request is not None and request.view.comparison is not None and request.view.comparison.swapped
    choose("eye_left")
    shows(window, "left", qtbot)
    assert (window.workspace.view.compare, window.workspace.view.against) == ("", SOURCE)
    choose("eye_right")
    shows(window, "", qtbot)
    qtbot.waitUntil(lambda: compared(window) == "")


def compared(window: MainWindow) -> str:
    request = window.workspace.stage.shown_request
    comparison = request.view.comparison if request is not None else None
    return comparison.mode if comparison is not None and comparison.levels is not None else ""


def test_a_layer_without_another_eye_says_so(window: MainWindow, panel: LayersPanel, qtbot: Any):
    window.actions_by_name["eyes_anaglyph"].trigger()
    qtbot.waitUntil(lambda: compared(window) == "anaglyph")
    click(panel, rows(panel)["N"], qtbot)
    shows(window, "N", qtbot)
    qtbot.waitUntil(lambda: "no counterpart in another view" in window.bar.text)
    assert panel.eyes.isHidden()
    window.workspace.set_view(compare="")
    qtbot.waitUntil(lambda: "no counterpart" not in window.bar.text)


def test_without_an_image(window: MainWindow, panel: LayersPanel, qtbot: Any):
    window.workspace.open_documents.close(window.document)
    QApplication.processEvents()
    assert not rows(panel) and panel.eyes.isHidden() and not panel.data.low.isEnabled()
