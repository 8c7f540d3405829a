"""What the preview answers about an image that is closed, or another by now, when the answer is delivered."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QTreeWidgetItem

from app.model.viewport import VALUES_SCALE
from app.panels.probe.panel import ProbePanel
from app.panels.scopes.panel import ScopesPanel
from app.render.preview import Preview
from app.shell.main_window import MainWindow
from engine import FileLook, ops
from tests.app.conftest import PATIENCE_MS, image
from tests.typed import expect

NAMES = ("frame", "marked", "values", "probed", "sampled", "scoped", "memory")


def answered(preview: Preview) -> None:
    """Wait until the worker has answered all; nothing is delivered meanwhile."""
    last = time.monotonic() + PATIENCE_MS / 1000
    while not preview.idle and time.monotonic() < last:
        time.sleep(0.001)
    assert preview.idle


@pytest.fixture
def probed(opened: MainWindow, qtbot: Any) -> MainWindow:
    """A window with every panel that tells of an image's values, the cursor and a pin on the image."""
    workspace = opened.workspace
    for name in ("looking", "scopes", "probe"):
        workspace.show_panel(name)
    opened.canvas.zoom_to(VALUES_SCALE * opened.devicePixelRatioF() + 6)
    workspace.set_view(overlays=("negative",), pins=((3, 4),))
    opened.canvas.hovered.emit((5, 6))
    qtbot.waitUntil(lambda: all(shown(opened).values()))
    return opened


def shown(window: MainWindow) -> dict[str, bool]:
    """What is shown of an image, by place."""
    panel = window.workspace.panel
    scopes, probe, looking = panel("scopes"), panel("probe"), panel("looking")
    assert isinstance(scopes, ScopesPanel) and isinstance(probe, ProbePanel)
    return {
        "frame": window.canvas.has_frame,
        "values": window.canvas.scene.values is not None,
        "scopes": any(pane.plot.reading is not None for pane in scopes.panes),
        "counted": "×" in scopes.counted.whole,
        "probes": bool(probe.samples),
        "share": bool(looking.counts["negative"].text()),  # type: ignore[attr-defined]
        "status": not window.status.source.isHidden(),
        "memory": bool(window.status.memory.text()),
    }


def ask_all(window: MainWindow) -> None:
    """Have everything answered once more, and wait until it is."""
    workspace, preview = window.workspace, window.preview
    workspace.stage.refresh()
    answered(preview)
    window.canvas.hovered.emit((5, 6))
    workspace.panel("probe").ask()  # type: ignore[attr-defined]
    preview.set_scopes(preview.scopes)
    answered(preview)


def test_of_a_closed_image_nothing_is_reported(probed: MainWindow):
    document = probed.document
    ask_all(probed)
    probed.workspace.open_documents.close(document)
    QApplication.processEvents()
    probed.workspace.show_panel("looking")  # it follows once it is shown
    assert shown(probed) == dict.fromkeys(shown(probed), False)


@pytest.mark.parametrize("change", ["tab", "file"])
def test_answers_about_another_image_are_dropped(probed: MainWindow, tmp_path: Path, qtbot: Any, change: str):
    first = probed.document
    probed.files.open_image(image(tmp_path, "other.exr"))
    other = probed.document
    qtbot.waitUntil(lambda: other.image is not None and probed.preview.idle)
    seen: list[str] = []
    for name in NAMES:
        getattr(probed.preview, name).connect(lambda *_, name=name: seen.append(name))
    ask_all(probed)
    probed.preview.stop()  # nothing new is answered
    if change == "tab":
        probed.workspace.open_documents.show(first)
    else:
        other.set_image(first.image, other.image_path)
    seen.clear()  # the memory that the other image takes is shown at once
    QApplication.processEvents()
    assert seen == []
    other.mark_saved(other.grade, None)


def test_the_status_bar_follows_the_image_under_a_cursor_at_rest(probed: MainWindow, qtbot: Any):
    text = probed.status.source.text()
    document = probed.document
    pixels = document.image.pixels.copy()
    pixels[6, 5] = 0.5
    document.set_image(replace(document.image, pixels=pixels), document.image_path)
    qtbot.waitUntil(lambda: probed.status.source.text() != text)
    assert "0.5000" in probed.status.source.text()


def test_the_status_bar_and_the_panel_tell_the_same_of_a_lut_that_is_tried(probed: MainWindow, qtbot: Any):
    stage, panel = probed.workspace.stage, probed.workspace.panel("probe")
    assert isinstance(panel, ProbePanel)

    def messages() -> tuple[str, str]:
        graded = expect(QTreeWidgetItem, expect(QTreeWidgetItem, panel.tree.topLevelItem(0)).child(1))
        return probed.status.graded.text().split()[3], graded.text(3)

    blue = float(probed.document.image.pixels[6, 5, 2])
    for previewed_lut, gain in ((FileLook("dark.cube", (ops.Exposure(-1.0),)), 0.5), (None, 1.0)):
        stage.preview_lut(previewed_lut)
        qtbot.waitUntil(lambda gain=gain: messages() == (f"{gain * blue:.4f}",) * 2)
    stage.preview_lut(FileLook("dark.cube", (ops.Exposure(-1.0),)))
    probed.actions_by_name["keep_version"].trigger()
    assert probed.status.left.whole == "Kept as Version 1, without dark.cube, which is only a preview"


def test_a_grade_that_is_edited_is_reported_last(probed: MainWindow, qtbot: Any):
    for stops in (1.0, 2.0, 3.0):
        probed.document.edit_entry(0, ops.Exposure(stops), "exposure")
    blue = 8 * float(probed.document.image.pixels[6, 5, 2])
    qtbot.waitUntil(lambda: f"{blue:.4f}" in probed.status.graded.text())
