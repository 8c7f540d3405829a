"""Comparisons and overlays: what is seen, the panel, the commands and the wipe's line under the mouse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QMenu

from app.actions.command import Command
from app.actions.comparing import COMMANDS, TURN
from app.model.comparison_target import VersionTarget
from app.model.view_state import DIFFERENCES
from app.panels.compare_panel import MODES, ComparePanel
from app.panels.overlays import OVERLAYS
from app.shell.main_window import MainWindow
from engine import Grade, ops
from engine.viewing import peaking
from engine.viewing.composing import COLOURS, SEAM
from engine.viewing.differences import heat_map, signed
from engine.viewing.gamut_ops import BANDS
from engine.viewing.viewer_ops import LADDER
from tests.app.hands import LEFT, SHIFT, Key

HALVED = Grade([ops.Exposure(-1.0)])


def as_bytes(image: QImage) -> np.ndarray:
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return rows[:, : image.width(), :3].copy()


def seen(window: MainWindow, qtbot: Any, change: Callable[[], Any]) -> np.ndarray:
    """The exact frame of the view and the grade that are there after a change, as (height, width, 3) bytes."""
    frames: list[tuple[np.ndarray, Any]] = []

    def keep(image: QImage, request: Any) -> None:
        frames.append((as_bytes(image), request))

    window.preview.frame.connect(keep)
    change()
    wanted: list[Any] = []
    submit = window.preview.submit
    window.preview.submit = lambda *what: wanted.append(submit(*what)) or wanted[-1]  # type: ignore[method-assign,func-returns-value]
    window.workspace.stage.refresh()

    def arrived() -> bool:
        if not (frames and wanted):
            return False
        found, asked = frames[-1][1], wanted[-1]
        view = replace(found.view, region=asked.view.region)
        return found.exact and (found.serial, found.grade, view) == (asked.serial, asked.grade, asked.view)

    qtbot.waitUntil(arrived, timeout=20_000)
    window.preview.submit = submit  # type: ignore[method-assign]
    window.preview.frame.disconnect(keep)
    return frames[-1][0]


@pytest.fixture
def panel(halved: MainWindow, qtbot: Any) -> ComparePanel:
    halved.workspace.show_panel("looking")
    found = halved.workspace.panel("looking")
    assert isinstance(found, ComparePanel)
    qtbot.waitUntil(found.isVisible)
    return found


def show(window: MainWindow, pixels: np.ndarray) -> None:
    """Other pixels in the place of the image's."""
    window.document.set_image(replace(window.document.image, pixels=pixels), window.document.image_path)


def sides(window: MainWindow, qtbot: Any) -> tuple[np.ndarray, np.ndarray]:
    """The frame of the grade and that of the source."""
    graded = seen(window, qtbot, lambda: window.workspace.set_view(compare=""))
    return graded, seen(window, qtbot, lambda: window.workspace.set_view(compare="source"))


def test_each_way_to_compare(halved: MainWindow, panel: ComparePanel, qtbot: Any):
    graded, source = sides(halved, qtbot)
    assert not np.array_equal(graded, source)
    found = {}
    for number, (mode, _, _) in enumerate(MODES):
        button = panel.modes.button(number)
        assert button.toolTip() and button.accessibleName()
        found[mode] = seen(halved, qtbot, lambda b=button: qtbot.mouseClick(b, LEFT))  # type: ignore[misc]
        assert halved.workspace.view.compare == mode and button.isChecked()
        assert panel.against.isEnabled() == (mode in ("wipe", "split", "difference"))
        assert panel.angle.isEnabled() == (mode == "wipe") and panel.gain.isEnabled() == (mode == "difference")
    assert np.array_equal(found[""], graded) and np.array_equal(found["source"], source)
    half = graded.shape[1] // 2
    assert np.array_equal(found["wipe"][:, : half - 2], graded[:, : half - 2])
    assert np.array_equal(found["wipe"][:, half + 2 :], source[:, half + 2 :])
    assert (found["wipe"][:, half - 1 : half + 1] == SEAM).any()
    quarter = graded.shape[1] // 4
    assert np.array_equal(found["split"][:, :half], graded[:, quarter : quarter + half])
    assert np.array_equal(found["split"][:, half + 1 :], source[:, quarter + 1 : quarter + graded.shape[1] - half])


def test_a_difference_is_of_graded_values_times_the_gain(halved: MainWindow, panel: ComparePanel, qtbot: Any):
    halved.workspace.set_view(compare="difference")
    found = seen(halved, qtbot, lambda: panel.gain.edited.emit(2.0))
    assert halved.workspace.view.gain == 2.0
    _, source = sides(halved, qtbot)  # |0.5 x - x| * 2 is x
    assert np.abs(found.astype(int) - source).max() <= 1


def test_a_difference_has_modes(halved: MainWindow, panel: ComparePanel, qtbot: Any):
    workspace = halved.workspace
    assert not any(button.isEnabled() for button in panel.differences.buttons())
    workspace.set_view(compare="difference", gain=2.0)
    difference = -0.5 * halved.document.image.pixels[..., :3].astype(np.float32)  # half of it, less the source
    for button, mode, expected in (
        (panel.differences.button(1), "signed", signed(difference, 2.0)),
        (panel.differences.button(2), "heat", heat_map(difference, 2.0)),
    ):
        assert button.isEnabled() and button.toolTip() and button.accessibleName()
        found = seen(halved, qtbot, lambda b=button: qtbot.mouseClick(b, LEFT))  # type: ignore[misc]
        assert workspace.view.difference == mode and button.isChecked()
        places = [
            np.linspace(0, size, count, endpoint=False).astype(int)
            for size, count in zip((108, 192), found.shape, strict=False)
        ]
        sampled = expected[places[0]][:, places[1], :3]
        assert (np.abs(found.astype(int) - sampled).max(axis=2) <= 3).mean() > 0.9
    panel.differences.button(0).setFocus()
    qtbot.keyClick(panel.differences.button(0), Key.Key_Space)
    assert workspace.view.difference == "absolute"


def test_the_modes_of_a_difference_are_commands(halved: MainWindow, qtbot: Any):
    workspace, actions = halved.workspace, halved.actions_by_name
    assert not actions["difference_next"].isEnabled()
    for mode in DIFFERENCES:
        workspace.set_view(compare="")
        actions[f"difference_{mode}"].trigger()
        assert (workspace.view.compare, workspace.view.difference) == ("difference", mode)
    seen_modes = []
    for _ in DIFFERENCES:
        actions["difference_next"].trigger()
        seen_modes.append(workspace.view.difference)
    assert seen_modes == ["absolute", "signed", "heat"]


def test_against_a_version_and_another_image(halved: MainWindow, panel: ComparePanel, tmp_path: Path, qtbot: Any):
    workspace = halved.workspace
    version = halved.document.keep_version("Night")
    halved.document.edit(Grade([ops.Exposure(0.0)]), "exposure")
    menu = panel.against.menu()
    assert isinstance(menu, QMenu)

    def choose(text: str) -> None:
        menu.aboutToShow.emit()
        next(action for action in menu.actions() if action.text() == text).trigger()

    workspace.set_view(compare="wipe")
    graded, _ = sides(halved, qtbot)
    workspace.set_view(compare="wipe")
    found = seen(halved, qtbot, lambda: choose(version.name))
    assert workspace.view.against == VersionTarget(version.number)
    assert panel.against.whole == "Night" and "Night" in panel.against.text()
    half = graded.shape[1] // 2
    assert np.array_equal(found[:, : half - 2], graded[:, : half - 2])
    assert not np.array_equal(found[:, half + 2 :], graded[:, half + 2 :])

    first = halved.document
    other = tmp_path / "other.exr"
    other.write_bytes(b"made by the fake reader")
    halved.files.open_image(other)
    qtbot.waitUntil(lambda: halved.document is not first and halved.document.image is not None)
    halved.document.open_grade(HALVED, None)
    second = halved.document
    workspace.open_documents.show(first)
    workspace.set_view(compare="wipe")
    found = seen(halved, qtbot, lambda: choose("other.exr"))
    night = seen(halved, qtbot, lambda: workspace.set_view(against=VersionTarget(version.number)))
    assert np.array_equal(found, night)  # the same pixels under the same grade
    second.mark_saved(second.grade, None)
    first.mark_saved(first.grade, None)


def test_overlays_by_their_boxes(halved: MainWindow, panel: ComparePanel, qtbot: Any):
    pixels = halved.document.image.pixels.copy()
    pixels[40:60, 30:50, 0] = np.nan
    pixels[40:60, 60:80, 1] = -1.0
    pixels[40:60, 100:120] = 4.0
    pixels[70:80, 100:120] = (0.2, -0.02, 0.1, 1.0)
    show(halved, pixels)
    plain = seen(halved, qtbot, lambda: halved.workspace.set_view(exposure=0.001))
    for name, box in panel.boxes.items():
        assert box.toolTip() and box.accessibleName()
        found = seen(halved, qtbot, lambda b=box: b.click())  # type: ignore[misc]
        assert box.isChecked() and halved.workspace.view.overlays == (name,)
        changed = (found != plain).any(axis=2)
        if name in COLOURS:
            assert {tuple(pixel) for pixel in found[changed].tolist()} == {COLOURS[name]}
            qtbot.waitUntil(lambda n=name: panel.counts[n].text().endswith("%"))
            share = float(panel.counts[name].text().removesuffix(" %")) / 100.0
            assert share == pytest.approx((found == COLOURS[name]).all(axis=2).mean(), abs=0.001)
        assert changed.any()
        box.click()
        assert not halved.workspace.view.overlays and panel.counts[name].text() == ""


def test_false_colour_tells_mid_grey(halved: MainWindow, panel: ComparePanel, qtbot: Any):
    show(halved, np.full((108, 192, 4), 0.36, np.float16))  # halved, that is mid grey
    found = seen(halved, qtbot, lambda: panel.boxes["false colour"].click())
    green = next(rgb for _, rgb, text in LADDER if text.startswith("mid grey"))
    assert np.abs(found.astype(int) - np.round(255 * np.array(green))).max() <= 1


def test_the_zebra_has_a_level(halved: MainWindow, panel: ComparePanel, qtbot: Any):
    assert not panel.zebra.isEnabled()
    panel.boxes["zebra"].click()
    assert panel.zebra.isEnabled()
    plain = seen(halved, qtbot, lambda: halved.workspace.set_view(overlays=()))
    few = seen(halved, qtbot, lambda: halved.workspace.set_view(overlays=("zebra",)))
    many = seen(halved, qtbot, lambda: panel.zebra.edited.emit(0.3))
    assert halved.workspace.view.zebra == 0.3
    assert (few != plain).any(axis=2).sum() < (many != plain).any(axis=2).sum()


def test_the_gamut_of_the_overlay_is_chosen(halved: MainWindow, panel: ComparePanel, qtbot: Any):
    pixels = halved.document.image.pixels.copy()
    pixels[40:60, 30:50] = (1.0, -0.05, 0.2, 1.0)  # within Rec.2020
    show(halved, pixels)
    assert not panel.gamut.isEnabled()
    plain = seen(halved, qtbot, lambda: halved.workspace.set_view(exposure=0.001))
    found = seen(halved, qtbot, panel.boxes["gamut"].click)
    assert panel.gamut.isEnabled() and (found != plain).any()
    colours = {tuple(pixel) for pixel in found[(found != plain).any(axis=2)].tolist()}
    assert colours <= {colour for _, colour in BANDS}
    panel.gamut.setFocus()
    for _ in range(2):
        qtbot.keyClick(panel.gamut, Key.Key_Down)
    assert halved.workspace.view.gamut == "rec2020"
    qtbot.waitUntil(lambda: panel.counts["gamut"].text() == "0 %")


def test_focus_peaking_has_a_threshold_and_a_colour(halved: MainWindow, panel: ComparePanel, qtbot: Any):
    pixels = halved.document.image.pixels.copy()
    pixels[:, 90:] += np.float16(1.0)  # a steep edge on a ramp
    show(halved, pixels)
    assert not panel.peaking.isEnabled() and not panel.peaking_colour.isEnabled()
    plain = seen(halved, qtbot, lambda: halved.workspace.set_view(exposure=0.001))
    marked = seen(halved, qtbot, panel.boxes["focus peaking"].click)
    assert panel.peaking.isEnabled() and panel.peaking_colour.isEnabled()
    changed = (marked != plain).any(axis=2)
    assert {tuple(pixel) for pixel in marked[changed].tolist()} == {peaking.COLOURS["red"]}
    columns = np.flatnonzero(changed.any(axis=0))
    assert len(columns) and columns[-1] - columns[0] <= 6  # the edge alone
    qtbot.waitUntil(lambda: panel.counts["focus peaking"].text().endswith("%"))
    more = seen(halved, qtbot, lambda: panel.peaking.edited.emit(0.01))
    assert halved.workspace.view.peaking == 0.01
    assert (more != plain).any(axis=2).sum() >= changed.sum()

    def choose_green() -> None:
        panel.peaking_colour.setFocus()
        qtbot.keyClick(panel.peaking_colour, Key.Key_Down)

    green = seen(halved, qtbot, choose_green)
    assert halved.workspace.view.peaking_colour == "green" and panel.peaking_colour.currentText() == "Green"
    assert peaking.COLOURS["green"] in {tuple(pixel) for pixel in green.reshape(-1, 3).tolist()}


# -- commands and keys


def test_keys_reach_the_commands(halved: MainWindow, qtbot: Any):
    view = lambda: halved.workspace.view  # noqa: E731
    halved.activateWindow()
    halved.canvas.setFocus()
    for key, modifier, mode in (
        (Key.Key_W, Qt.KeyboardModifier.NoModifier, "wipe"),
        (Key.Key_W, SHIFT, "split"),
        (Key.Key_D, SHIFT, "difference"),
        (Key.Key_C, Qt.KeyboardModifier.NoModifier, "source"),
    ):
        qtbot.keyClick(halved.canvas, key, modifier)
        assert view().compare == mode
    qtbot.keyClick(halved.canvas, Key.Key_C)
    assert view().compare == ""
    keys = {"nan": (Key.Key_N, SHIFT), "negative": (Key.Key_M, SHIFT), "clipped": (Key.Key_C, SHIFT)}
    keys |= {"zebra": (Key.Key_Z, Qt.KeyboardModifier.NoModifier), "focus peaking": (Key.Key_Z, SHIFT)}
    keys |= {"false colour": (Key.Key_F, SHIFT), "gamut": (Key.Key_G, SHIFT)}
    assert keys.keys() == OVERLAYS.keys()
    for name, (key, modifier) in keys.items():
        for shown in ((name,), ()):
            qtbot.keyClick(halved.canvas, key, modifier)
            assert view().overlays == shown


def test_a_wipe_is_turned_and_put_back_by_commands(halved: MainWindow):
    actions, workspace = halved.actions_by_name, halved.workspace
    workspace.set_view(compare="wipe", wipe_x=0.2, wipe_y=0.7)
    actions["wipe_left"].trigger()
    assert workspace.view.wipe_angle == 90.0 + TURN
    for _ in range(8):
        actions["wipe_right"].trigger()
    assert workspace.view.wipe_angle == 90.0 - 7 * TURN + 360.0
    actions["wipe_middle"].trigger()
    assert (workspace.view.wipe_x, workspace.view.wipe_y, workspace.view.wipe_angle) == (0.5, 0.5, 90.0)


def test_every_command_of_looking_can_be_given(halved: MainWindow):
    halved.workspace.set_view(compare="wipe")
    for command in COMMANDS:
        if isinstance(command, Command):
            halved.actions_by_name[command.name].trigger()


# -- the line under the mouse
