"""A version keeps a thumbnail of the frame that it was made on."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtGui import QImage

from app.model.versions import THUMBNAIL_SIZE, Version, Versions
from app.panels.versions import VersionsPanel
from app.shell.main_window import MainWindow
from engine import Grade, ops
from engine.errors import GradeError
from tests.app.hands import LEFT
from tests.typed import expect


def test_a_version_keeps_a_thumbnail_of_its_frame(opened: MainWindow, qtbot: Any) -> None:
    document = opened.workspace.document
    opened.actions_by_name["keep_version"].trigger()
    panel = expect(VersionsPanel, opened.workspace.panel("versions"))
    version = document.versions.items[-1]
    image = QImage.fromData(version.thumbnail)
    assert image.width() == THUMBNAIL_SIZE[0] or image.height() == THUMBNAIL_SIZE[1]
    assert not panel.rows[-1].thumbnail.pixmap().isNull()
    assert Versions.from_json(document.versions.to_json()) == document.versions
    document.edit(document.grade.with_entry(0, ops.Exposure(-3.0)), "darker")
    qtbot.waitUntil(lambda: opened.canvas.thumbnail(*THUMBNAIL_SIZE) != version.thumbnail)
    qtbot.mouseClick(panel.rows[-1].update_button, LEFT)
    updated = document.versions.items[-1]
    assert updated.thumbnail not in (b"", version.thumbnail)
    document.undo()
    assert document.versions.items[-1] == version


def test_without_an_image_there_is_no_thumbnail(window: MainWindow) -> None:
    window.actions_by_name["keep_version"].trigger()
    assert window.workspace.document.versions.items[-1].thumbnail == b""
    assert expect(VersionsPanel, window.workspace.panel("versions")).rows[-1].thumbnail.isHidden()


def test_a_damaged_thumbnail_is_refused() -> None:
    with pytest.raises(GradeError, match="damaged"):
        Versions.from_json(
            {"marks": ["", ""], "items": [{"name": "a", "number": 1, "grade": Grade().to_json(), "thumbnail": "?"}]}
        )


def test_files_of_earlier_versions_name_the_thumbnail_still() -> None:
    saved = Version("a", Grade(), 1, b"a PNG").to_json()
    saved["still"] = saved.pop("thumbnail")
    assert Version.from_json(saved).thumbnail == b"a PNG"
