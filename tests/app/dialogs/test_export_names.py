"""Names typed into the export dialog."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.shell.main_window import MainWindow
from tests.app.hands import LEFT


def asked(window: MainWindow, name: str, qtbot: Any) -> Any:
    """The order of an export to a name that is typed."""
    window.actions_by_name["export"].trigger()
    dialog = window.export_dialog
    assert dialog is not None
    dialog.target.setText(name)
    before = len(window.workspace.exports.exports)
    qtbot.mouseClick(dialog.buttons.export, LEFT)
    exports = window.workspace.exports.exports
    qtbot.waitUntil(lambda: len(exports) == before + 1)
    return max(exports, key=lambda export: export.order.target == Path(name)).order


def test_a_bare_name_is_one_in_the_folder_of_the_image(opened: MainWindow, image_file: Path, qtbot: Any):
    assert asked(opened, "graded.exr", qtbot).target == image_file.parent / "graded.exr"


def test_a_name_that_is_too_long_is_the_export_s_to_tell(opened: MainWindow, tmp_path: Path, qtbot: Any):
    name = str(tmp_path / ("n" * 300 + ".exr"))
    assert asked(opened, name, qtbot).target == Path(name)
