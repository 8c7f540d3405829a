"""The empty window: how to begin, recent files and the most important keys."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.actions.build import KEYS
from app.canvas.canvas import Canvas
from app.services.files import Files
from app.services.settings import Settings
from app.shell.recent_files import SETTING as RECENT
from app.shell.recent_files import recent_paths
from app.widgets.style import RESOURCES, icon

_HEADLINE = "Drop an image here"
SAMPLE = RESOURCES / "sample.exr"
WIDEST = 420
"""Maximum width of the name of a recent file, in pixels."""


class EmptyState(QWidget):
    """Covers the canvas while no image is open: how to begin, recent files and the most important keys."""

    TAUGHT = ("palette", "keys", "export", "compare", "clean", "open_session")
    """The commands whose keys are shown."""

    def __init__(self, canvas: Canvas, files: Files, settings: Settings, actions: Mapping[str, QAction]) -> None:
        super().__init__(canvas)
        self._canvas, self._files, self._settings, self._actions = canvas, files, settings, actions
        self.setObjectName("emptyState")
        mark = QLabel()
        mark.setPixmap(icon("image").pixmap(QSize(48, 48)))
        self._headline = QLabel(_HEADLINE)
        self._headline.setObjectName("headline")
        note = QLabel(
            "Tessera reads EXR, TIFF, DPX, HDR and PNG. Drop a .cube, .clf or .cdl as well to apply it to the image,\n"
            "then grade the image with the panels on the right."
        )
        note.setObjectName("hint")
        note.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.recent = QVBoxLayout()
        self.recent.setSpacing(0)
        self._keys = QGridLayout()
        self._keys.setHorizontalSpacing(16)
        self._keys.setVerticalSpacing(4)
        column = QVBoxLayout(self)
        column.setSpacing(8)
        column.addStretch(1)
        for widget in (mark, self._headline, note):
            column.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(4)
        column.addLayout(self._buttons())
        column.addSpacing(8)
        column.addLayout(self.recent)
        column.addSpacing(8)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addLayout(self._keys)
        row.addStretch(1)
        column.addLayout(row)
        column.addStretch(1)
        self._canvas.installEventFilter(self)
        self._refresh()
        settings.changed.connect(self._note_setting)

    def say(self, headline: str) -> None:
        """Show another headline, for example while an image is being read; '' restores the default."""
        self._headline.setText(headline or _HEADLINE)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._canvas.rect())
        return False

    def _note_setting(self, name: str) -> None:
        if name in (RECENT, KEYS):
            self._refresh()

    def _refresh(self) -> None:
        """Show the current recent files and keys."""
        for layout in (self.recent, self._keys):
            while (item := layout.takeAt(0)) is not None:
                widget = item.widget()
                if widget is not None:
                    widget.hide()
                    widget.deleteLater()
        names = recent_paths(self._settings)[:4]
        if names:
            heading = QLabel("Recent files")
            heading.setObjectName("keys")
            self.recent.addWidget(heading, 0, Qt.AlignmentFlag.AlignHCenter)
        for name in names:
            self.recent.addWidget(self._recent_button(Path(name)), 0, Qt.AlignmentFlag.AlignHCenter)
        native = QKeySequence.SequenceFormat.NativeText
        for place, name in enumerate(self.TAUGHT):
            action = self._actions[name]
            keys = QLabel(action.shortcuts()[0].toString(native) if action.shortcuts() else "")
            keys.setObjectName("keys")
            keys.setAlignment(Qt.AlignmentFlag.AlignRight)
            row, column = place % 3, 2 * (place // 3)
            self._keys.addWidget(keys, row, column)
            self._keys.addWidget(QLabel(action.text().replace("&", "").rstrip("…")), row, column + 1)

    def _recent_button(self, path: Path) -> QPushButton:
        short = self.fontMetrics().elidedText(path.name, Qt.TextElideMode.ElideMiddle, WIDEST)
        button = QPushButton(short.replace("&", "&&"))
        button.setObjectName("link")
        button.setToolTip(str(path))
        button.setAccessibleName(f"Open {path.name}")
        button.clicked.connect(lambda: self._files.open_any(path))
        return button

    def _buttons(self) -> QHBoxLayout:
        self.open_button = QPushButton("Open images…")
        self.open_button.setToolTip("Choose image files (Ctrl+O)")
        self.open_button.setAccessibleName("Open images")
        self.open_button.clicked.connect(self._actions["open"].trigger)
        self.sample_button = QPushButton("Open the sample")
        self.sample_button.setToolTip("Open the sample image that comes with Tessera")
        self.sample_button.setAccessibleName("Open the sample image")
        self.sample_button.clicked.connect(lambda: self._files.open_image(SAMPLE))
        self.sample_button.setVisible(SAMPLE.exists())
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        row.addWidget(self.open_button)
        row.addWidget(self.sample_button)
        row.addStretch(1)
        return row
