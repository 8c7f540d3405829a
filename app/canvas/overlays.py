"""What lies on the canvas: the line that tells of an error, and what an empty window says."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.actions.build import KEYS
from app.shell.recent_files import SETTING as RECENT
from app.shell.recent_files import recent_paths
from app.shell.workspace import Workspace
from app.widgets.style import RESOURCES, icon

_HEADLINE = "Drop an image here"
SAMPLE = RESOURCES / "sample.exr"
EDGE = 12
WIDEST = 420
"""Pixels that the name of a recent file may take."""


TOGETHER, MOST_LINES = 1.5, 4
"""Lines that warn no further apart than so many seconds are shown together, the last few of them."""


class MessageBar(QFrame):
    """A quiet line at the bottom of its parent; it stays until it is dismissed or another takes its place.

    Lines that come together, as when several files were dropped, are shown together.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._canvas = parent
        self.setObjectName("messageBar")
        self.setAccessibleName("Message")
        self._mark = mark = QLabel()
        mark.setPixmap(icon("warning").pixmap(QSize(16, 16)))
        self.label = QLabel()
        self.label.setTextFormat(Qt.TextFormat.PlainText)  # names of files are in it
        self.label.setWordWrap(True)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.label.setAccessibleName("Message")
        self.button = QPushButton()
        self.button.setToolTip("Do what is offered here")
        self.button.setAccessibleName("Do what is offered")
        self.button.clicked.connect(self._accept)
        self._run: Callable[[], None] | None = None
        self._lines: list[str] = []
        self._told_at = 0.0
        self.close_button = QToolButton()
        self.close_button.setIcon(icon("remove"))
        self.close_button.setToolTip("Dismiss this message (Esc)")
        self.close_button.setAccessibleName("Dismiss message")
        self.close_button.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.setSpacing(10)
        row.addWidget(mark, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.label, 1)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignVCenter)
        self._escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)
        self._escape.activated.connect(self.hide)
        self.hide()
        parent.installEventFilter(self)

    def tell(self, line: str) -> None:
        """Show a line that warns, beside those that came a moment ago."""
        together = self.isVisible() and time.monotonic() - self._told_at < TOGETHER
        self._lines = [*(each for each in self._lines if together and each != line), line]
        self._told_at = time.monotonic()
        more = len(self._lines) - MOST_LINES
        self._show(
            "\n".join([*self._lines[-MOST_LINES:], *([f"and {more} more like these"] if more > 0 else [])]), None
        )

    def take_back(self, line: str) -> None:
        """Show a line no longer that does not hold any more."""
        if line in self._lines and self.isVisible():
            self._lines.remove(line)
            self._show("\n".join(self._lines[-MOST_LINES:]), None)
            self.setVisible(bool(self._lines))

    def offer(self, line: str, name: str, run: Callable[[], None]) -> None:
        """Show a line with a button called `name`, which does what it says."""
        self._lines = []
        self.button.setText(name)
        self._show(line, run)

    def _accept(self) -> None:
        run = self._run
        self.hide()
        if run is not None:
            run()

    def _show(self, line: str, run: Callable[[], None] | None) -> None:
        self._run = run
        self.button.setVisible(run is not None)
        self._mark.setVisible(run is None)
        self.label.setText(line)
        self.show()
        self.raise_()
        self._place()

    @property
    def text(self) -> str:
        """The line that is shown, or ''."""
        return self.label.text() if self.isVisible() else ""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return False

    def _place(self) -> None:
        parent = self._canvas
        width = min(parent.width() - 2 * EDGE, 760)
        height = self.heightForWidth(width) if self.hasHeightForWidth() else self.sizeHint().height()
        self.setGeometry((parent.width() - width) // 2, parent.height() - height - EDGE, width, height)


class EmptyState(QWidget):
    """What an empty window says: how to begin, what was open lately, and the keys to know first."""

    TAUGHT = ("palette", "keys", "export", "compare", "clean", "open_session")
    """Commands whose keys are told."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace.canvas)
        self._workspace, self._canvas = workspace, workspace.canvas
        self.setObjectName("emptyState")
        mark = QLabel()
        mark.setPixmap(icon("image").pixmap(QSize(48, 48)))
        self._headline = QLabel(_HEADLINE)
        self._headline.setObjectName("headline")
        note = QLabel(
            "EXR, TIFF, DPX, HDR and PNG can be read. Drop a .cube, .clf or .cdl as well to look through it,\n"
            "then shape the image with the panel on the right."
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
        self._teach()
        workspace.settings.changed.connect(self._note_setting)

    def say(self, headline: str) -> None:
        """Another headline, while an image is on its way."""
        self._headline.setText(headline or _HEADLINE)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._canvas.rect())
        return False

    def _note_setting(self, name: str) -> None:
        if name in (RECENT, KEYS):
            self._teach()

    def _teach(self) -> None:
        """The recent files and the keys, as they are now."""
        for layout in (self.recent, self._keys):
            while (item := layout.takeAt(0)) is not None:
                widget = item.widget()
                if widget is not None:
                    widget.hide()
                    widget.deleteLater()
        names = recent_paths(self._workspace.settings)[:4]
        if names:
            heading = QLabel("Opened lately")
            heading.setObjectName("keys")
            self.recent.addWidget(heading, 0, Qt.AlignmentFlag.AlignHCenter)
        for name in names:
            self.recent.addWidget(self._recent_button(Path(name)), 0, Qt.AlignmentFlag.AlignHCenter)
        native = QKeySequence.SequenceFormat.NativeText
        for place, name in enumerate(self.TAUGHT):
            action = self._workspace.actions[name]
            keys = QLabel(action.shortcuts()[0].toString(native) if action.shortcuts() else "")
            keys.setObjectName("keys")
            keys.setAlignment(Qt.AlignmentFlag.AlignRight)
            line, column = place % 3, 2 * (place // 3)
            self._keys.addWidget(keys, line, column)
            self._keys.addWidget(QLabel(action.text().replace("&", "").rstrip("…")), line, column + 1)

    def _recent_button(self, path: Path) -> QPushButton:
        short = self.fontMetrics().elidedText(path.name, Qt.TextElideMode.ElideMiddle, WIDEST)
        button = QPushButton(short.replace("&", "&&"))
        button.setObjectName("link")
        button.setToolTip(str(path))
        button.setAccessibleName(f"Open {path.name}")
        button.clicked.connect(lambda: self._workspace.files.open_any(path))
        return button

    def _buttons(self) -> QHBoxLayout:
        self.open_button = QPushButton("Open images…")
        self.open_button.setToolTip("Choose image files (Ctrl+O)")
        self.open_button.setAccessibleName("Open images")
        self.open_button.clicked.connect(self._workspace.actions["open"].trigger)
        self.sample_button = QPushButton("Open the sample")
        self.sample_button.setToolTip("Open the sample image that comes with Tessera")
        self.sample_button.setAccessibleName("Open the sample image")
        self.sample_button.clicked.connect(lambda: self._workspace.files.open_image(SAMPLE))
        self.sample_button.setVisible(SAMPLE.exists())
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        row.addWidget(self.open_button)
        row.addWidget(self.sample_button)
        row.addStretch(1)
        return row
