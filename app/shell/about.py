"""About Tessera: its version, Python, Qt, the device that computes, and the libraries with their licences."""

from __future__ import annotations

import platform
from collections.abc import Callable
from functools import partial

import PySide6
from PySide6.QtCore import QObject, Qt, qVersion
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QApplication, QDialog, QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from app.render.preview import Preview
from app.services.jobs import Jobs
from app.services.messages import Messages
from app.widgets.showing import ask, push_button
from engine.compute.devices import BackendInfo

LIBRARIES = {
    "PySide6-Essentials": "LGPL-3.0-only",
    "numpy": "BSD-3-Clause",
    "numba": "BSD-2-Clause",
    "llvmlite": "BSD-2-Clause",
    "OpenEXR": "BSD-3-Clause",
    "OpenImageIO": "Apache-2.0",
    "opencolorio": "BSD-3-Clause",
    "wgpu": "BSD-2-Clause",
    "cupy-cuda12x": "MIT",
    "pyopencl": "MIT",
    "psutil": "BSD-3-Clause",
    "fileseq": "MIT",
    "platformdirs": "MIT",
    "dask": "BSD-3-Clause",
    "distributed": "BSD-3-Clause",
    "cryptography": "Apache-2.0 OR BSD-3-Clause",
    "python-rtmidi": "MIT",
    "av": "BSD-3-Clause; FFmpeg LGPL-3.0-or-later; x264 and x265 GPL-2.0-or-later",
}
"""The licence of each library that Tessera can use, by the name of its package."""


def about_text(device: str) -> str:
    """Return all facts as text, as for a bug report. Reads the versions of packages from the disk."""
    facts = {
        "Tessera": _version("tessera") or "unknown version",
        "Python": platform.python_version(),
        "Qt": f"{qVersion()}, PySide6 {PySide6.__version__}",
        "System": platform.platform(),
        "Device": device,
    }
    lines = [f"{name:<9} {fact}" for name, fact in facts.items()]
    found = [(name, _version(name), licence) for name, licence in LIBRARIES.items()]
    lines += ["", "Libraries and their licences"]
    return "\n".join([*lines, *(f"{name:<19} {version:<10} {licence}" for name, version, licence in found if version)])


class About(QObject):
    """Opens the dialog. Follows which device computes."""

    def __init__(
        self,
        preview: Preview,
        backends: Callable[[], list[BackendInfo]],
        jobs: Jobs,
        messages: Messages,
        window: QWidget,
    ) -> None:
        """`backends` lists the compute devices; it is called on a thread."""
        super().__init__(window)
        self._backends, self._jobs, self._messages, self._window = backends, jobs, messages, window
        self._device = ""
        preview.ready.connect(self._note_device)

    def open(self) -> None:
        """Show the dialog. The facts are read on a thread."""
        dialog = AboutDialog(self._window)
        self._jobs.run(partial(self._text, self._device), dialog.show_text, self._messages.warn, dialog)
        ask(dialog)

    def _note_device(self, name: str) -> None:
        self._device = name

    def _text(self, name: str) -> str:
        """Return the text with the name of the device in full; called on a thread."""
        return about_text(_device_line(name, self._backends()))


class AboutDialog(QDialog):
    """Shows a text that can be selected and copied."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("About Tessera")
        headline = QLabel("Tessera")
        headline.setObjectName("headline")
        note = QLabel("A viewer and grader for scene-linear images")
        note.setProperty("quiet", True)
        self.text = QPlainTextEdit("Reading…")
        self.text.setReadOnly(True)
        self.text.setObjectName("numbers")
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.setAccessibleName("Version, system and libraries")
        self.text.setToolTip("Version, system and libraries, for example for a bug report")
        self.copy = push_button("Copy", "Copy all of this to the clipboard", self._copy)
        close = push_button("Close", "Close this window (Esc)", self.accept)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.copy)
        row.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(8)
        for widget in (headline, note, self.text):
            column.addWidget(widget)
        column.addLayout(row)
        self.resize(560, 440)

    def show_text(self, text: str) -> None:
        """Show the facts."""
        self.text.setPlainText(text)

    def _copy(self) -> None:
        QApplication.clipboard().setText(self.text.toPlainText())


def _device_line(name: str, found: list[BackendInfo]) -> str:
    device = next((info for info in found if info.name == name), None)
    if device is None:
        return name or "not started yet"
    return ", ".join(part for part in (f"{name}: {device.device}", device.details) if part)


def _version(package: str) -> str:
    """Return the version of an installed package; '' if it is not installed."""
    from importlib import metadata  # only this dialog needs it

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
