"""The Match panel: references, areas, the match on the image, and the ColorChecker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu

from app.model.viewer_chips import TRIAL
from app.panels.match.panel import CHART, MatchPanel
from app.services.match_references import image_of
from app.services.matching import IMAGE, REFERENCE, Matching
from app.services.stills import FOLDER
from app.shell.empty_state import SAMPLE
from app.shell.main_window import MainWindow
from engine import Grade, Group, ops
from engine.export.image import export_image
from engine.export.options import ExportOptions
from engine.grade.colour_settings import Viewing
from engine.grade.entries import bare, layer_of
from tests.app.conftest import begin_with, end, image
from tests.app.hands import LEFT, Key, move
from tests.app.stills import write_still
from tests.engine.sample_chart import sample_chart
from tests.typed import expect

SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def two(opened: MainWindow, tmp_path: Path, qtbot: Any) -> MainWindow:
    """A window with two images, of which the first is a stop brighter, one still, and the Match panel."""
    (tmp_path / "stills").mkdir()
    write_still(tmp_path / "stills" / "hero.exr", "1")
    opened.workspace.settings.set(FOLDER, str(tmp_path / "stills"))
    begin_with(opened.document, Grade([ops.Exposure(1.0)]))
    opened.files.open_image(image(tmp_path, "other.exr"))
    qtbot.waitUntil(lambda: opened.document.name == "other.exr" and opened.document.image is not None)
    opened.actions_by_name["match"].trigger()
    qtbot.waitUntil(lambda: opened.workspace.matching.small[IMAGE] is not None)
    return opened


def panel_of(window: MainWindow) -> MatchPanel:
    return expect(MatchPanel, window.workspace.panel("match"))


def trial(window: MainWindow) -> Group | None:
    """The match as it is shown on the image."""
    entries = window.workspace.stage.grade.entries
    last = bare(entries[-1]) if len(entries) > len(window.document.grade.entries) else None
    return last if isinstance(last, Group) else None


def matched(window: MainWindow, qtbot: Any, method: str = "balance") -> Matching:
    matching = window.workspace.matching
    matching.set_method(method)
    matching.choose(image_of(window.workspace.documents[0]))
    qtbot.waitUntil(lambda: bool(matching.ops) and not matching.busy)
    return matching


def test_a_match_is_tried_on_the_image_and_applied_as_one_step(two: MainWindow, qtbot: Any):
    matching, panel, before = matched(two, qtbot), panel_of(two), two.document.grade
    assert two.document.grade == before
    shown = trial(two)
    assert shown is not None
    mixer = expect(ops.ChannelMixer, shown.entries[0])
    assert (mixer.red[0], mixer.green[1], mixer.blue[2]) == pytest.approx((2.0, 2.0, 2.0), rel=1e-3)
    matching.set_strength(0.25)
    assert layer_of(two.workspace.stage.grade.entries[-1]).mix == 0.25
    qtbot.waitUntil(panel.reference.apply.isEnabled)
    steps = two.document.steps
    panel.reference.apply.click()
    assert two.document.steps == steps + 1
    added = layer_of(two.document.grade.entries[-1])
    assert expect(Group, added.entry).name == "Match to ramp.exr" and added.mix == 0.25
    assert two.document.entries[two.document.current_entry] is two.document.grade.entries[-1]
    assert trial(two) is None and matching.reference is None
    two.actions_by_name["undo"].trigger()
    assert two.document.grade == before


def test_cancel_and_hiding_the_panel_end_the_trial(two: MainWindow, qtbot: Any):
    matching, panel = matched(two, qtbot), panel_of(two)
    assert trial(two) is not None
    two.actions_by_name["panel_match"].trigger()
    qtbot.waitUntil(lambda: not matching.active)
    assert trial(two) is None and not matching.ops
    two.actions_by_name["panel_match"].trigger()
    qtbot.waitUntil(lambda: trial(two) is not None)
    panel.reference.cancel.click()
    assert trial(two) is None and matching.reference is None


def test_a_chip_names_the_match_and_ends_it(two: MainWindow, qtbot: Any):
    matching, chips = matched(two, qtbot), two.chips
    shown = {frame.chip.name: frame for frame in chips.frames}
    assert shown[TRIAL].chip.text == "Trying: Match to ramp.exr"
    shown[TRIAL].end.click()
    assert trial(two) is None and matching.reference is None
    assert TRIAL not in [frame.chip.name for frame in chips.frames]
    matched(two, qtbot)
    two.canvas.setFocus()
    qtbot.keyClick(two.canvas, Key.Key_Escape)
    assert trial(two) is None and matching.reference is None
    matched(two, qtbot)
    qtbot.keyClick(two.canvas, Key.Key_N)
    assert trial(two) is None


def test_a_match_follows_the_grade_and_leaves_with_its_image(two: MainWindow, qtbot: Any):
    matching = matched(two, qtbot)
    two.document.edit(Grade([ops.Exposure(1.0)]), "exposure")
    qtbot.waitUntil(lambda: not matching.busy and bool(matching.ops))
    mixer = expect(ops.ChannelMixer, matching.ops[0])
    qtbot.waitUntil(lambda: expect(ops.ChannelMixer, matching.ops[0]).red[0] < 1.01)
    assert mixer is not None
    two.workspace.open_documents.show(two.workspace.documents[0])
    assert trial(two) is None  # at once, not when the other image is matched
    assert matching._work._reads.kept
    for document in [*two.workspace.documents]:
        document.mark_saved(document.grade, None)
        two.workspace.open_documents.close(document)
    qtbot.waitUntil(lambda: not matching._work._reads.kept)


def test_an_image_that_is_released_while_it_is_read_does_not_stay(two: MainWindow, qtbot: Any):
    work, shown, reads = two.workspace.matching._work, image_of(two.document), list[Any]()
    read = work._read

    def close(*how: Any) -> Any:
        reads.append(how)
        work.release()
        return read(*how)

    work.release()
    work._read = close
    work.small_image(shown, (32, 18), Viewing())
    assert (len(reads), work._reads.kept, work._in_use.kept) == (1, {}, {})


def test_a_match_follows_a_reference_that_is_written_again(sample_window: MainWindow, tmp_path: Path, qtbot: Any):
    window, path = sample_window, tmp_path / "reference.exr"
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    window.actions_by_name["match"].trigger()
    matching = window.workspace.matching
    matching.set_method("balance")
    _write(path, 0.0)
    panel_of(window).reference.choose_file(str(path))
    qtbot.waitUntil(lambda: bool(matching.ops) and not matching.busy and matching.small[REFERENCE] is not None)
    first, small = expect(ops.ChannelMixer, matching.ops[0]).red[0], matching.small[REFERENCE]
    _write(path, 1.0)
    qtbot.waitUntil(lambda: expect(ops.ChannelMixer, matching.ops[0]).red[0] > 1.5 * first)
    assert expect(ops.ChannelMixer, matching.ops[0]).red[0] == pytest.approx(2.0 * first, rel=1e-3)
    qtbot.waitUntil(lambda: matching.small[REFERENCE] is not small)
    matching.clear()


def _write(path: Path, stops: float) -> None:
    """Write a small copy of the sample, brighter by some stops."""
    export_image(SAMPLE, path, Grade([ops.Exposure(stops)]), ExportOptions(resize=(96, 54), force=True))


def test_what_can_not_be_matched_is_said(two: MainWindow, tmp_path: Path, qtbot: Any):
    panel, matching = panel_of(two), two.workspace.matching
    panel.reference.choose_file(str(tmp_path / "gone.exr"))
    qtbot.waitUntil(lambda: "does not exist" in panel.reference.line.text() and not matching.busy)
    assert not panel.reference.apply.isEnabled() and trial(two) is None


def test_the_menu_lists_this_image_the_others_and_stills(two: MainWindow, qtbot: Any):
    menu = expect(QMenu, panel_of(two).reference.reference.menu())
    qtbot.waitUntil(lambda: two.workspace.stills.known)
    menu.aboutToShow.emit()
    texts = [action.text() for action in menu.actions() if action.text()]
    assert texts == ["This image", "ramp.exr", "Stills", "Choose a file…"]
    expect(QMenu, menu.actions()[2].menu()).actions()[0].trigger()
    still = two.workspace.matching.reference
    assert still is not None and (still.name, still.grade) == ("hero", Grade())
    qtbot.waitUntil(lambda: bool(two.workspace.matching.ops) and not two.workspace.matching.busy)
    menu.actions()[1].trigger()
    assert two.workspace.matching.reference == image_of(two.workspace.documents[0])


def test_areas_are_drawn_by_mouse_and_keys(two: MainWindow, qtbot: Any):
    matching, view = matched(two, qtbot), panel_of(two).reference.other
    qtbot.waitUntil(lambda: matching.small[REFERENCE] is not None)
    place = view.place
    start, stop = (
        QPoint(*(round(v) for v in (place.left() + share * place.width(), place.center().y() * share + 5)))
        for share in (0.25, 0.75)
    )
    qtbot.mousePress(view, LEFT, pos=start)
    move(view, stop, LEFT)
    qtbot.mouseRelease(view, LEFT, pos=stop)
    area = matching.areas[REFERENCE]
    assert area is not None and area == view.area
    assert area[0] == pytest.approx(0.25, abs=0.02) and area[2] == pytest.approx(0.5, abs=0.02)
    qtbot.keyClick(view, Key.Key_Right, SHIFT)
    qtbot.keyClick(view, Key.Key_Left, CONTROL)
    assert matching.areas[REFERENCE] == pytest.approx((area[0] + 0.1, area[1], area[2] - 0.01, area[3]))
    qtbot.keyClick(view, Key.Key_Delete)
    assert matching.areas[REFERENCE] is None
    qtbot.keyClick(view, Key.Key_Return)
    assert matching.areas[REFERENCE] == (0.25, 0.25, 0.5, 0.5)
    qtbot.waitUntil(lambda: bool(matching.ops) and not matching.busy)


@pytest.fixture(scope="module")
def sample_window(qapp: Any) -> Any:
    """A window that shows the sample with its colour spaces."""
    window = MainWindow("cpu")
    window.show()
    window.files.open_image(SAMPLE)
    yield window
    end(window)


def test_a_chart_is_placed_measured_and_applied(sample_window: MainWindow, qtbot: Any):
    window, canvas = sample_window, sample_window.canvas
    qtbot.waitUntil(lambda: canvas.has_frame)
    window.actions_by_name["match_chart"].trigger()
    panel, chart = panel_of(window), window.workspace.chart_matching
    qtbot.waitUntil(lambda: chart.corners is not None and chart.fit is not None)
    assert panel.page == CHART and panel.tool.is_there
    assert chart.fit is not None and chart.fit.is_doubtful and trial(window) is None
    assert not panel.chart.apply.isEnabled()
    wanted = sample_chart().corners
    mapping = window.workspace.matte_tools.place.mapping
    assert mapping is not None
    for number in (1, 2, 0, 3):
        there = chart.corners
        assert there is not None
        start, stop = (QPoint(*map(round, mapping.on_canvas(at))) for at in (there[number], wanted[number]))
        qtbot.mousePress(canvas, LEFT, pos=start)
        move(canvas, (start + stop) / 2, LEFT)
        move(canvas, stop, LEFT)
        qtbot.mouseRelease(canvas, LEFT, pos=stop)
    assert np.abs(np.array(chart.corners) - wanted).max() < 4.0
    before = chart.corners
    assert before is not None
    canvas.setFocus()
    qtbot.keyClick(canvas, Key.Key_Right, SHIFT)
    qtbot.keyClick(canvas, Key.Key_Right)
    assert chart.corners is not None and chart.corners[3][0] == pytest.approx(before[3][0] + 11.0)
    qtbot.keyClick(canvas, Key.Key_Z, CONTROL)
    assert chart.corners == before  # both nudges are one
    chart.set_corners(wanted)
    qtbot.waitUntil(lambda: chart.can_apply and not chart.busy)
    assert trial(window) is not None
    qtbot.waitUntil(lambda: panel.chart.items[23].isDisabled())
    assert panel.chart.items[0].text(2) == f"{chart.fit.after[0]:.2f}"
    assert "1.0" in panel.chart.line.text()
    panel.chart.keep.setCurrentIndex(2)
    panel.chart.keep.activated.emit(2)
    qtbot.waitUntil(lambda: not chart.busy and chart.fit is not None and chart.fit.means[0] < 2.0)
    grade = window.document.grade
    panel.chart.apply.click()
    group = expect(Group, bare(window.document.grade.entries[-1]))
    assert group.name == "Match to ColorChecker" and isinstance(group.entries[0], ops.ChannelMixer)
    assert not panel.tool.is_there and chart.corners is None and trial(window) is None
    window.actions_by_name["undo"].trigger()
    assert window.document.grade == grade


def test_escape_takes_the_chart_off_the_image(sample_window: MainWindow, qtbot: Any):
    window = sample_window
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    window.actions_by_name["match_chart"].trigger()
    panel, chart = panel_of(window), window.workspace.chart_matching
    qtbot.waitUntil(lambda: panel.tool.drawn())
    qtbot.keyClick(window.canvas, Key.Key_Escape)
    assert not panel.tool.is_there and not panel.tool.drawn() and chart.corners is not None
    panel.show_page(0)
    assert not chart.active and window.workspace.matching.active
