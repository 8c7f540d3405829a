"""Own ops in the window: asked for in the Preferences, like ours in a grade, and kept where they are missing."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from app.dialogs.export_dialog import ExportDialog
from app.model.preset import Preset
from app.model.versions import Version
from app.panels.cards import OpCard
from app.panels.entry_moves import EntryMoves
from app.panels.missing_card import MissingCard
from app.panels.op_menu import category_of, offers
from app.services import clipboard
from app.shell.main_window import MainWindow
from app.shell.own_ops_page import AllowDialog, OwnOpsPage
from engine import Grade, ops
from engine.grade.curves import Curve, Key, Keys
from engine.grade.entries import Layer, layer_of
from engine.grade.missing import MissingOp
from engine.grade.own_ops import OwnFile, is_allowed
from engine.grade.own_permissions import FILE, FOLDER, OwnPermissions, own_files, save_permissions
from engine.kernel.op import REGISTRY
from tests.app.conftest import end, window_in
from tests.own_op import allowed, cleaned, gain, write

UNKNOWN = {"op": "LaterBlur", "amount": 1, "deep": [1.5, {"é": None}]}
CTRL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


@pytest.fixture(autouse=True)
def clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TESSERA_DATA", str(tmp_path / "data"))
    with cleaned():
        yield


@pytest.fixture
def file(tmp_path: Path) -> OwnFile:
    return write(tmp_path / "data" / FOLDER, gain())


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    folder = tmp_path / "settings"
    folder.mkdir()
    return folder


@pytest.fixture
def shown(settings: Path, qtbot: Any) -> Iterator[MainWindow]:
    window = window_in(settings)
    qtbot.addWidget(window)
    yield window
    end(window)


def graded(*entries: Any) -> Grade:
    return Grade.from_json({"tessera": "grade", "version": 4, "entries": list(entries)})


def saved(window: MainWindow) -> list[Any]:
    return list(window.document.grade.to_json()["entries"])


def page_of(window: MainWindow, qtbot: Any) -> OwnOpsPage:
    page = OwnOpsPage(window.workspace.own_ops)
    qtbot.addWidget(page)
    qtbot.waitUntil(lambda: window.workspace.jobs.active == 0)
    return page


def state(page: OwnOpsPage) -> str:
    item = page.list.topLevelItem(0)
    assert item is not None
    return item.text(1)


def test_a_file_is_asked_about_before_it_is_executed(
    shown: MainWindow, file: OwnFile, settings: Path, qtbot: Any, tmp_path: Path
) -> None:
    own_ops, page = shown.workspace.own_ops, page_of(shown, qtbot)
    assert not page.switch.isChecked()
    assert "runs with your rights" in page.switch.text()
    assert state(page) == "Not allowed yet"
    assert not page.allow.isEnabled()
    assert "own:Gain" not in REGISTRY
    page.switch.click()
    qtbot.waitUntil(lambda: own_ops.permissions.on)
    assert page.allow.isEnabled()
    page.allow.click()
    (dialog,) = page.findChildren(AllowDialog)
    assert {dialog.path.text(), dialog.sha256.text()} == {f"Path: {file.path}", f"SHA-256: {file.sha256}"}
    assert dialog.text.toPlainText() == file.text
    write(tmp_path / "data" / FOLDER, gain(default=4.0))  # what was read is allowed, not what it is by then
    dialog.yes.click()
    qtbot.waitUntil(lambda: bool(own_ops.permissions.allowed))
    assert "own:Gain" not in REGISTRY
    assert state(page) == "Changed since it was allowed"
    assert (settings / FILE).stat().st_mode & 0o077 == 0
    write(tmp_path / "data" / FOLDER, gain())
    page.again.click()
    qtbot.waitUntil(lambda: state(page) == "In use")
    assert category_of(REGISTRY["own:Gain"]) == "Own"
    assert [offer.title for offer in offers() if offer.category == "Own"] == ["Gain"]
    page.forbid.click()
    qtbot.waitUntil(lambda: "own:Gain" not in REGISTRY)
    assert state(page) == "Not allowed yet"


def test_a_look_does_not_bring_back_what_is_forbidden_meanwhile(
    shown: MainWindow, file: OwnFile, settings: Path, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_permissions(OwnPermissions(True).with_file(file), settings)
    own_ops, jobs = shown.workspace.own_ops, shown.workspace.jobs
    has_read, go_on = threading.Event(), threading.Event()

    def listed() -> Any:
        if not has_read.is_set():  # the look, which has read the permissions
            has_read.set()
            assert go_on.wait(10.0)
        return own_files()

    monkeypatch.setattr("app.services.own_ops.own_files", listed)
    own_ops.look()
    assert has_read.wait(10.0)
    own_ops.forbid(file)
    qtbot.waitUntil(lambda: own_ops.permissions == OwnPermissions(True))
    go_on.set()
    assert jobs.ended(10.0)
    qtbot.waitUntil(lambda: jobs.active == 0)
    assert own_ops.permissions == OwnPermissions(True)
    assert "own:Gain" not in REGISTRY
    assert not is_allowed(file.sha256)


def test_damaged_permissions_allow_nothing_and_can_be_given_again(
    shown: MainWindow, file: OwnFile, settings: Path, qtbot: Any
) -> None:
    (settings / FILE).write_text("damaged")
    page = page_of(shown, qtbot)
    page.switch.click()
    qtbot.waitUntil(lambda: shown.workspace.own_ops.permissions.on)
    shown.workspace.own_ops.allow(file)
    qtbot.waitUntil(lambda: state(page) == "In use")
    page.switch.click()
    qtbot.waitUntil(lambda: state(page) == "Allowed, but your own ops are off")
    assert "own:Gain" not in REGISTRY


def test_the_switch_stays_as_it_was_where_it_cannot_be_kept(shown: MainWindow, settings: Path, qtbot: Any) -> None:
    (settings / FILE).mkdir()
    page = page_of(shown, qtbot)
    page.switch.click()
    qtbot.waitUntil(lambda: shown.workspace.jobs.active == 0)
    assert not page.switch.isChecked()


def test_a_grade_read_before_its_op_was_loaded_has_it(window: MainWindow, tmp_path: Path) -> None:
    file = write(tmp_path, gain())
    read = graded({"op": "own:Gain", "own": {"file": "gain.py", "sha256": file.sha256}, "gain": 3.0})
    preset = Preset(tmp_path / "kept.json", read)
    assert isinstance(read.entries[0], MissingOp)
    made = allowed(file)
    window.document.open_grade(read, tmp_path / "grade.json", [Version("first", read, 1)])
    assert window.document.grade.entries == (made(gain=3.0),)
    assert window.document.versions.items[0].grade.entries == (made(gain=3.0),)
    (moves,) = window.findChildren(EntryMoves)
    moves.add(preset)
    assert list(window.document.grade.entries) == [made(gain=3.0)] * 2


def test_an_own_op_is_edited_like_ours_and_follows_its_file(
    settings: Path, file: OwnFile, qtbot: Any, tmp_path: Path
) -> None:
    save_permissions(OwnPermissions(True).with_file(file), settings)
    window = window_in(settings)
    qtbot.addWidget(window)
    own_ops, document = window.workspace.own_ops, window.document
    qtbot.waitUntil(lambda: "own:Gain" in REGISTRY)  # loaded at the start
    first = REGISTRY["own:Gain"]
    window.panel.add(first)
    at = document.current_entry
    card = window.panel.cards[at]
    assert isinstance(card, OpCard)
    card.edited.emit({"gain": 3.0}, "gain")
    assert layer_of(document.entries[at]).entry == first(gain=3.0)
    document.keep_version("with gain")
    document.undo()
    assert layer_of(document.entries[at]).entry == first()
    document.redo()
    changed = write(tmp_path / "data" / FOLDER, gain(maths=" + 0.5"))
    own_ops.look()
    qtbot.waitUntil(lambda: own_ops.listed[0].state == "Changed since it was allowed")
    assert type(layer_of(document.entries[at]).entry) is first  # as it was allowed
    own_ops.allow(changed)
    qtbot.waitUntil(lambda: REGISTRY["own:Gain"] is not first)
    assert layer_of(document.entries[at]).entry == REGISTRY["own:Gain"](gain=3.0)
    document.undo()
    assert layer_of(document.entries[at]).entry == REGISTRY["own:Gain"]()
    document.redo()
    own_ops.switch(False)
    qtbot.waitUntil(lambda: "own:Gain" not in REGISTRY)
    assert isinstance(window.panel.cards[at], MissingCard)
    assert isinstance(layer_of(document.versions["with gain"].grade.entries[at]).entry, MissingOp)
    own_ops.switch(True)
    qtbot.waitUntil(lambda: "own:Gain" in REGISTRY)
    assert isinstance(window.panel.cards[at], OpCard)
    assert saved(window)[at]["gain"] == 3.0
    end(window)


def test_a_bad_allowed_file_is_one_line_and_the_rest_works(
    settings: Path, file: OwnFile, qtbot: Any, tmp_path: Path
) -> None:
    bad = write(tmp_path / "data" / FOLDER, gain("Saturation"), "bad.py")
    save_permissions(OwnPermissions(True).with_file(file).with_file(bad), settings)
    window = window_in(settings)
    qtbot.addWidget(window)
    qtbot.waitUntil(lambda: "own:Gain" in REGISTRY)
    assert window.bar.text == f"{bad.path}: defines Saturation, as Tessera does; give the op another name"
    assert REGISTRY["Saturation"] is ops.Saturation
    page = page_of(window, qtbot)
    assert state(page) == "defines Saturation, as Tessera does; give the op another name"
    end(window)


def test_a_missing_op_is_shown_and_kept(window: MainWindow, qtbot: Any, image_file: Path) -> None:
    window.files.open_image(image_file)
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    document, panel = window.document, window.panel
    document.open_grade(graded({"op": "Exposure", "stops": 0.5}, UNKNOWN), None)
    card = panel.cards[1]
    assert isinstance(card, MissingCard)
    assert card.title.text() == "LaterBlur (missing)"
    card.open()
    texts = " ".join(label.text() for label in card.findChildren(QLabel))
    assert "There is no op named 'LaterBlur'; update Tessera" in texts
    assert card.adopt.isHidden()
    assert [frame.chip.text for frame in window.chips.frames] == ["Missing: LaterBlur"]
    assert "shown without" in window.chips.frames[0].toolTip()
    assert window.chips.frames[0].end.isHidden()
    panel.select(1, focus=True)
    qtbot.keyClick(panel, Qt.Key.Key_C, CTRL | ALT)
    qtbot.keyClick(panel, Qt.Key.Key_V, CTRL)
    assert saved(window)[1:] == [UNKNOWN, UNKNOWN]
    panel.select(1, focus=True)
    panel.move_current(-1)
    assert saved(window)[0] == UNKNOWN
    document.switch(0, "enabled", False)
    assert saved(window)[0] == {"entry": UNKNOWN, "enabled": False, "mix": 1.0, "solo": False}
    panel.select(0)
    panel.reset_current()
    assert json.dumps(saved(window)[0]) == json.dumps(UNKNOWN)
    panel.remove_current()
    panel.select(1)
    panel.remove_current()
    assert saved(window) == [{"op": "Exposure", "stops": 0.5}]
    assert not window.chips.frames
    document.undo()
    assert len(window.chips.frames) == 1


def test_keys_of_a_missing_op_stay_through_edits(window: MainWindow) -> None:
    curves = {"amount": Curve([Key(1, 0.0), Key(9, 1.0)]), "mix": Curve([Key(1, 0.5)])}
    (entry,) = graded(UNKNOWN).entries
    inner = layer_of(entry).entry
    window.document.open_grade(Grade([Layer(inner, keys=Keys(curves))]), None)
    window.document.switch(0, "solo", True)
    window.document.switch(0, "mix", 0.25)
    layer = layer_of(window.document.entries[0])
    assert layer.keys["amount"] == curves["amount"]
    assert layer.solo
    window.panel.select(0)
    window.panel.reset_current()
    assert set(layer_of(window.document.entries[0]).keys) == {"amount"}


def test_a_missing_own_op_is_used_as_it_is_now(window: MainWindow, tmp_path: Path, qtbot: Any) -> None:
    cls = allowed(write(tmp_path, gain()))
    own = {"file": "gain.py", "sha256": "0" * 64}
    data = {"op": "own:Gain", "own": own, "gain": 3.0, "lift": 1.0}
    window.document.open_grade(graded({"entry": data, "enabled": True, "mix": 0.5, "solo": False}), None)
    (card,) = window.panel.cards
    assert isinstance(card, MissingCard)
    assert not card.adopt.isHidden()
    card.adopt.click()
    assert window.document.entries == (Layer(cls(gain=3.0), mix=0.5),)
    window.document.undo()
    assert saved(window)[0]["entry"] == data


def test_sessions_versions_and_the_clipboard_keep_what_is_missing() -> None:
    grade = graded(UNKNOWN)
    version = Version("one", grade, 1)
    assert Version.from_json(json.loads(json.dumps(version.to_json()))).grade.to_json() == grade.to_json()
    clipboard.copy_grade(grade)
    found = clipboard.pasted()
    assert isinstance(found, tuple)
    assert found[0].to_json()["entries"] == [UNKNOWN]


def test_the_export_dialog_asks_about_missing_ops(opened: MainWindow, qtbot: Any) -> None:
    opened.document.open_grade(graded(UNKNOWN), None)
    ws = opened.workspace
    dialog = ExportDialog(opened.document, ws.colour, ws.stage, ws.preview, ws.settings, ws.jobs, opened)
    orders: list[Any] = []
    dialog.ordered.connect(orders.append)
    dialog._export()
    assert dialog.status.failed
    assert "LaterBlur: there is no op named 'LaterBlur'" in dialog.status.line.text()
    assert "or turn on Skip missing ops and mattes" in dialog.status.line.text()
    assert not orders
    dialog.form.set_values(dialog.form.values | {"skip-missing": "yes"})
    assert "LaterBlur" not in dialog.status.summary.text()
    dialog.close()
