"""The editor of burn-ins: texts, logo, masks and slate, with a preview, saved as a preset."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QLineEdit, QTabWidget, QVBoxLayout, QWidget

from app.dialogs.burn_in_fields import BurnInFields
from app.services.burn_in_preview import HEIGHT, WIDTH, drawn
from app.services.jobs import Jobs
from app.widgets.showing import captioned, push_button
from engine.errors import TesseraError
from engine.movies.burn_in import BurnIn
from engine.movies.burn_presets import BUILT_IN, STANDARD, load_burn_in, save_burn_in

PREVIEW, SLATE = "Frame", "Slate"


class BurnInDialog(QDialog):
    """Edits a preset. `saved` is emitted with its name."""

    saved = Signal(str)

    def __init__(self, preset: str, jobs: Jobs, parent: QWidget) -> None:
        """`preset` is the name or the file of the burn-in to begin with; '' for the standard one."""
        super().__init__(parent)
        self.setWindowTitle("Burn-in")
        self._jobs = jobs
        self.fields = BurnInFields()
        self.name = QLineEdit("" if preset in BUILT_IN or "/" in preset or "\\" in preset else preset)
        self.name.setPlaceholderText("my review")
        self.name.setAccessibleName("Name of the preset")
        self.name.setToolTip("The name of the preset; one that exists is replaced")
        self.views = {PREVIEW: _view("Preview of a frame"), SLATE: _view("Preview of the slate")}
        self.line = QLabel()
        self.line.setWordWrap(True)
        self.line.setAccessibleName("Status")
        self.save = push_button("Save and use", "Save the preset and use it for this export (Return)", self._save)
        self.save.setDefault(True)
        self.cancel = push_button("Cancel", "Close without saving (Esc)", self.reject)
        self._lay_out()
        self.fields.set_value(self._loaded(preset))
        self.fields.edited.connect(self._edited)
        self.name.textChanged.connect(self._edited)
        self._edited()

    def done(self, result: int) -> None:
        """Close the dialog and drop its previews."""
        self._jobs.drop(self)
        super().done(result)

    def _loaded(self, preset: str) -> BurnIn:
        try:
            return load_burn_in(preset) if preset else STANDARD
        except TesseraError as error:
            self.line.setText(str(error))
            return STANDARD

    def _lay_out(self) -> None:
        tabs = QTabWidget()
        tabs.setAccessibleName("Preview")
        for title, view in self.views.items():
            tabs.addTab(view, title)
        buttons = QHBoxLayout()
        buttons.addLayout(captioned("Preset", self.name), 1)
        for button in (self.cancel, self.save):
            buttons.addWidget(button)
        both = QHBoxLayout()
        both.setSpacing(16)
        both.addWidget(self.fields, 1)
        both.addWidget(tabs)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(10)
        column.addLayout(both, 1)
        column.addWidget(self.line)
        column.addLayout(buttons)

    def _edited(self, _: object = None) -> None:
        """Draw the preview again, or say what is wrong."""
        try:
            burn_in = self.fields.value
        except TesseraError as error:
            self._fail(str(error))
            return
        self.line.setText("")
        self.save.setEnabled(bool(self.name.text().strip()))
        for title, view in self.views.items():
            work = partial(drawn, burn_in, title == SLATE)
            self._jobs.latest(self, title, work, partial(_show, view), self._fail)

    def _fail(self, line: str) -> None:
        self.line.setText(line)
        self.save.setEnabled(False)

    def _save(self) -> None:
        name = self.name.text().strip()
        try:
            burn_in = self.fields.value
        except TesseraError as error:
            self._fail(str(error))
            return
        self._jobs.write(("burn-in", name), partial(save_burn_in, burn_in, name), self._finish, self._fail, self)

    def _finish(self, _: object) -> None:
        self.saved.emit(self.name.text().strip())
        self.accept()


def _view(name: str) -> QLabel:
    view = QLabel()
    view.setAccessibleName(name)
    view.setToolTip(f"{name}, of 1920 x 1080 pixels")
    view.setFixedSize(QSize(WIDTH // 2, HEIGHT // 2))
    view.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return view


def _show(view: QLabel, pixels: bytes) -> None:
    image = QImage(pixels, WIDTH, HEIGHT, 3 * WIDTH, QImage.Format.Format_RGB888)
    view.setPixmap(QPixmap.fromImage(image.copy()).scaled(view.size(), mode=Qt.TransformationMode.SmoothTransformation))
