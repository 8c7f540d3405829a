"""About Tessera: what a bug report needs."""

from __future__ import annotations

import platform
import re
import tomllib
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from app.shell.about import LIBRARIES, AboutDialog, about_text
from app.shell.main_window import MainWindow
from tests.app.hands import LEFT

ROOT = Path(__file__).parents[3]


def test_every_library_that_tessera_needs_has_its_licence():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    of_tests = ("dev", "oracles")
    extras = [
        each for name, listed in project["optional-dependencies"].items() if name not in of_tests for each in listed
    ]
    needed = {re.match(r"[\w.-]+", each)[0] for each in (*project["dependencies"], *extras)}  # type: ignore[index]
    assert needed <= set(LIBRARIES)
    assert f"Python    {platform.python_version()}" in about_text("cpu").splitlines()


def test_about_is_opened_by_its_command_and_copied(window: MainWindow, qtbot: Any):
    qtbot.waitUntil(lambda: window.about._device == "fake")
    window.actions_by_name["about"].trigger()
    dialog = next(each for each in window.findChildren(AboutDialog) if each.isVisible())
    qtbot.waitUntil(lambda: "Device    fake" in dialog.text.toPlainText())
    qtbot.mouseClick(dialog.copy, LEFT)
    assert QApplication.clipboard().text() == dialog.text.toPlainText()
    assert "numpy" in dialog.text.toPlainText() and "BSD-3-Clause" in dialog.text.toPlainText()
    dialog.close()
