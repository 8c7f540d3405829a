"""The empty window: how to begin, recent files and the most important keys."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QAction, QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.actions.build import KEYS
from app.services.files import Files
from app.services.settings import Settings
from app.shell.recent_files import SETTING as RECENT
from app.shell.recent_files import recent_paths
from app.widgets.style import RESOURCES, icon

_HEADLINE = "Drop an image here"
SAMPLE = RESOURCES / "sample.exr"
WIDEST = 420
"""Maximum width of the name of a recent file, in pixels."""
EDGE = 24
"""Least distance of a name from the edges, in pixels."""


class EmptyState(QWidget):
    """Covers the canvas while no image is open: how to begin, recent files and the most important keys."""

    TAUGHT = ("palette", "keys", "export", "compare", "clean", "open_session")
    """The commands whose keys are shown."""

    def __init__(self, canvas: QWidget, files: Files, settings: Settings, actions: Mapping[str, QAction]) -> None:
        super().__init__(canvas)
        self._canvas, self._files, self._settings, self._actions = canvas, files, settings, actions
        self.setObjectName("emptyState")
        self._mark = QLabel()
        self._mark.setPixmap(icon("image").pixmap(QSize(48, 48)))
        self._headline = QLabel(_HEADLINE)
        self._headline.setObjectName("headline")
        self._note = QLabel(
            "Tessera reads EXR, TIFF, DPX, HDR and PNG. Drop a .cube, .clf or .cdl as well to apply it to the image,\n"
            "then grade the image with the panels on the right."
        )
        self._note.setObjectName("hint")
        self._note.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.recent = QVBoxLayout()
        self.recent.setSpacing(0)
        self._recent_names: list[str] = []
        self._shown_recent: list[QWidget] = []
        self._taught = QWidget()
        self._keys = self._lay_out_keys(QGridLayout(self._taught))
        self._column = column = QVBoxLayout(self)
        column.setSpacing(8)
        column.addStretch(1)
        for widget in (self._mark, self._headline, self._note):
            column.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(4)
        column.addLayout(self._buttons())
        column.addSpacing(8)
        column.addLayout(self.recent)
        column.addWidget(self._taught, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)
        self._canvas.installEventFilter(self)
        settings.changed.connect(self._note_setting)

    def say(self, headline: str) -> None:
        """Show another headline, for example while an image is being read; '' restores the default."""
        self._headline.setText(headline or _HEADLINE)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._canvas.rect())
            if self.isVisible():
                self._fit()
        return False

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def _note_setting(self, name: str) -> None:
        if name in (RECENT, KEYS) and self.isVisible():
            self._refresh()

    def _refresh(self) -> None:
        """Show the current recent files and keys."""
        names = recent_paths(self._settings)[:4]
        if names != self._recent_names:
            self._show_recent(names)
        native = QKeySequence.SequenceFormat.NativeText
        for name, label in self._keys.items():
            keys = self._actions[name].shortcuts()
            label.setText(keys[0].toString(native) if keys else "")
        self._fit()

    def _show_recent(self, names: list[str]) -> None:
        self._recent_names = names
        for widget in self._shown_recent:
            self.recent.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        heading = QLabel("Recent files")
        heading.setObjectName("keys")
        self._shown_recent = [heading, *(self._recent_button(Path(name)) for name in names)] if names else []
        for widget in self._shown_recent:
            self.recent.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)

    def _fit(self) -> None:
        """Hide what a small canvas has no room for, the least important first, and fit the names to its width."""
        shown = self._shown_recent
        buttons = [each for each in shown if isinstance(each, QPushButton)]
        optional: list[QWidget] = [self._mark, self._taught, self._note, *shown[::-1]]
        widest = min(WIDEST, self.width() - 2 * EDGE)
        for button, path in zip(buttons, recent_paths(self._settings), strict=False):
            name = self.fontMetrics().elidedText(Path(path).name, Qt.TextElideMode.ElideMiddle, widest)
            button.setText(name.replace("&", "&&"))
        for widget in optional:
            widget.setVisible(True)
        self._note.setVisible(self._note.sizeHint().width() <= self.width())
        for widget in optional:
            if self._height() <= self.height():
                return
            widget.hide()

    def _height(self) -> int:
        """Return the height that what is shown needs."""
        self.recent.invalidate()  # the outer layout does not do so
        self._column.invalidate()
        return self._column.sizeHint().height()

    def _lay_out_keys(self, grid: QGridLayout) -> dict[str, QLabel]:
        """Add a row for each taught command; return the labels of their keys."""
        grid.setContentsMargins(0, 8, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        labels = {}
        for place, name in enumerate(self.TAUGHT):
            labels[name] = keys = QLabel()
            keys.setObjectName("keys")
            keys.setAlignment(Qt.AlignmentFlag.AlignRight)
            row, column = place % 3, 2 * (place // 3)
            grid.addWidget(keys, row, column)
            grid.addWidget(QLabel(self._actions[name].text().replace("&", "").rstrip("…")), row, column + 1)
        return labels

    def _recent_button(self, path: Path) -> QPushButton:
        button = QPushButton()
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
        if not SAMPLE.exists():
            self.sample_button.hide()
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        row.addWidget(self.open_button)
        row.addWidget(self.sample_button)
        row.addStretch(1)
        return row
