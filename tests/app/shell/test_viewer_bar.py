"""The viewer group of the toolbar, and tabs and titles that say what is saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QMessageBox, QPushButton, QToolButton, QWidget

from app.model.comparison_target import SOURCE, DocumentTarget, VersionTarget
from app.shell.main_window import MainWindow
from app.shell.tabs import WIDEST
from engine import ops
from tests.app.conftest import image
from tests.app.hands import LEFT, SHIFT, Key
from tests.app.shell.test_closing import answer, question
from tests.typed import expect


def test_the_viewer_group_changes_the_view_alone_and_its_buttons_keep_their_letters(opened: MainWindow, qtbot: Any):
    buttons = {b.text(): b for b in opened.toolbar.viewer.findChildren(QToolButton) if b.text()}
    assert list(buttons) == ["R", "G", "B", "A", "L"]
    qtbot.mouseClick(buttons["G"], LEFT)
    assert opened.workspace.view.channel == "green" and buttons["G"].isChecked()
    opened.actions_by_name["green"].setToolTip("another key")
    opened.actions_by_name["green"].setEnabled(False)
    assert [b.text() for b in buttons.values()] == ["R", "G", "B", "A", "L"]
    check_the_fields(opened, qtbot)
    opened.resize(opened.minimumSize())
    activate(opened)
    viewer = opened.toolbar.viewer
    assert viewer.isVisible() and viewer.geometry().right() < opened.toolbar.width()


def activate(widget: QWidget) -> None:
    """Lay out a widget now."""
    layout = widget.layout()
    assert layout is not None
    layout.activate()


def check_the_fields(opened: MainWindow, qtbot: Any) -> None:
    """Exposure, gamma and backdrop change the view alone."""
    viewer = opened.toolbar.viewer
    for field, number in ((viewer.exposure, "1.5"), (viewer.gamma, "2.2")):
        box = field.row.box
        box.setFocus()
        box.selectAll()
        qtbot.keyClicks(box, number)
        qtbot.keyClick(box, Key.Key_Return)
    assert (opened.workspace.view.exposure, opened.workspace.view.gamma) == (1.5, 2.2)
    backdrop = next(b for b in viewer.findChildren(QToolButton) if b.objectName() == "backdrop")
    backdrop.menu().actions()[1].trigger()
    assert opened.workspace.view.backdrop == "grey" and opened.document.steps == 0
    opened.actions_by_name["view_reset"].trigger()
    assert (viewer.exposure.row.number, viewer.gamma.row.number) == (0.0, 1.0)


def test_a_long_name_is_elided_in_the_middle_of_its_tab(kept: MainWindow, tmp_path: Path, qtbot: Any):
    tabs = kept.tabs
    kept.resize(1800, 720)
    kept.files.open_image(image(tmp_path, f"sc010_{'very_' * 20}long.exr"))
    qtbot.waitUntil(lambda: tabs.count() == 3 and tabs.tabRect(2).width() > 0)
    assert tabs.tabRect(2).width() <= WIDEST and tabs.elideMode() == Qt.TextElideMode.ElideMiddle
    assert "long.exr" in tabs.tabToolTip(2)


def test_the_star_goes_when_a_session_holds_the_work(kept: MainWindow, tmp_path: Path, qtbot: Any):
    assert kept.tabs.tabText(1) == "two.exr *" and kept.isWindowModified()
    kept.files.save_session(tmp_path / "shot.tessera")
    qtbot.waitUntil(lambda: kept.tabs.tabText(1) == "two.exr")
    assert not kept.isWindowModified()
    kept.document.edit_entry(0, ops.Exposure(3.0), "exposure")
    assert kept.tabs.tabText(1) == "two.exr *" and kept.isWindowModified()
    kept.document.undo()
    assert kept.tabs.tabText(1) == "two.exr" and not kept.isWindowModified()
    kept.document.begin_drag()
    for stops in (2.5, 3.0, 2.0):
        kept.document.edit_entry(0, ops.Exposure(stops), "exposure", "0.stops")
        assert kept.tabs.tabText(1) == ("two.exr" if stops == 2.0 else "two.exr *")
    kept.document.end_drag()
    kept.workspace.documents[0].edit_entry(0, ops.Exposure(1.0), "exposure")
    assert kept.tabs.tabText(0) == "one.exr *" and kept.isWindowModified(), "the session is not as its file"


def test_the_question_lists_what_would_be_lost(kept: MainWindow, tmp_path: Path, qtbot: Any):
    kept.document.keep_version("warm")
    kept.actions_by_name["close_tab"].trigger()
    box = question(kept)
    assert box is not None
    assert box.informativeText() == "Otherwise this is lost:\n– the grade (Exposure, CDL)\n– 1 version (warm)"
    assert answer(kept, QMessageBox.StandardButton.Cancel, qtbot) == "Save the grade of two.exr first?"
    kept.files.save_session(tmp_path / "shot.tessera")
    qtbot.waitUntil(lambda: not kept.isWindowModified())
    kept.document.keep_version("cold")
    kept.close()
    box = question(kept)
    line = "– two.exr: the grade (Exposure, CDL); 2 versions (warm, cold)"
    assert box is not None and box.informativeText().splitlines()[1:] == [line]
    answer(kept, QMessageBox.StandardButton.Cancel, qtbot)
    kept.document.undo()


def test_the_menus_stand_in_the_order_of_the_field_and_recent_names_never_overlap(window: MainWindow):
    def names(menu: QMenu) -> list[str]:
        return [a.objectName() for a in menu.actions() if a.objectName() not in ("", "menu")]

    menus = {a.text().replace("&", ""): expect(QMenu, a.menu()) for a in window.menuBar().actions()}
    assert list(menus) == ["File", "Edit", "View", "Compare", "Stills", "Grade", "Playback", "Panels", "Help"]
    for name, menu in (
        ("export", "File"),
        ("export_sequence", "File"),
        ("export_look", "File"),
        ("copy_grade", "Edit"),
        ("add_look", "Grade"),
        ("import_cdl", "Grade"),
        ("compare", "Compare"),
        ("about", "Help"),
    ):
        assert name in names(menus[menu]), name
    panels = [a for a in menus["Panels"].actions() if a.objectName().startswith("panel_")]
    keys = [a.shortcuts()[0].toString() for a in panels if a.shortcuts()]
    assert keys == sorted(keys) and menus["Panels"].actions()[: len(panels)] == panels

    check_that_recent_names_never_overlap(window)


def check_that_recent_names_never_overlap(window: MainWindow) -> None:
    names = [f"/show/plates/{'a very long name of a shot ' * n}_{n}.exr" for n in range(1, 5)]
    window.workspace.settings.set("recent", names)
    for height in (600, 420, 330, 260, 240):
        window.canvas.resize(640, height)
        activate(window.empty)
        parts = window.empty.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        shown = [each for each in parts if each.isVisibleTo(window.empty)]
        places = sorted((each.geometry() for each in shown), key=lambda place: place.top())
        boxes = [(a, b) for n, a in enumerate(places) for b in places[n + 1 :] if a.intersects(b)]
        assert not boxes and all(window.empty.rect().contains(place) for place in places), height
        links = [each for each in shown if isinstance(each, QPushButton) and each.objectName() == "link"]
        assert all(each.fontMetrics().horizontalAdvance(each.text()) <= each.width() for each in links)
        assert len(links) == 4 or height < 420


def test_the_image_is_shown_as_exported_and_compared_with_the_next(kept: MainWindow, qtbot: Any):
    canvas, workspace = kept.canvas, kept.workspace
    canvas.setFocus()
    kept.document.keep_version("warm")
    seen = []
    for _ in range(4):
        qtbot.keyClick(canvas, Key.Key_X, SHIFT)
        seen.append(workspace.view.against)
    assert workspace.view.compare == "wipe"
    assert seen == [VersionTarget(1), DocumentTarget(workspace.documents[0].id), SOURCE, VersionTarget(1)]
    workspace.set_view(overlays=("false colour", "zebra"), exposure=1.0, gamma=2.0)
    qtbot.keyClick(canvas, Key.Key_N)
    view = workspace.view
    assert (view.channel, view.compare, view.overlays, view.exposure, view.gamma) == ("", "", (), 0.0, 1.0)


def test_the_view_picker_takes_the_room_that_its_name_needs_and_keeps_its_end(opened: MainWindow, qtbot: Any):
    picker, name = opened.toolbar.viewer.picker, "ACES 2.0 - HDR 1000 nits (Rec.2020)"
    opened.resize(1600, 720)
    picker.show_choice(name)
    qtbot.waitUntil(lambda: picker.text().strip() == name)
    opened.resize(opened.minimumSize())
    picker.show_choice(f"{name} with a look of the show")
    qtbot.waitUntil(lambda: "…" in picker.text())
    assert picker.text().startswith(" ACES") and picker.text().endswith("show")
