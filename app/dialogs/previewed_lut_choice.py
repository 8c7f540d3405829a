"""The choice whether to export with a LUT that is tried on the image but not in the grade."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QToolButton, QWidget

from app.canvas.stage import Stage
from engine import FileLook, Grade


class PreviewedLutChoice(QWidget):
    """Two buttons, with X and without X. Hidden, with its `label`, while no LUT is tried; asks again about another."""

    changed = Signal()

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self.setAccessibleName("LUT being tried")
        self.label = QLabel("Tried LUT")
        self.with_lut, self.without_lut = QToolButton(), QToolButton()
        self._group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        for button in (self.with_lut, self.without_lut):
            button.setObjectName("choice")
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            self._group.addButton(button)
            row.addWidget(button)
        row.addStretch(1)
        self._group.buttonClicked.connect(self.changed)
        self._tried: FileLook | None = None
        stage.previewed_lut_changed.connect(self._follow)
        self._ask(stage.previewed_lut)
        for widget in (self, self.label):
            widget.setHidden(stage.previewed_lut is None)

    @property
    def question(self) -> str:
        """The question that the user has yet to answer, or ''."""
        if self._tried is None or self._group.checkedButton() is not None:
            return ""
        name = Path(self._tried.path).name
        return f"{name} is shown on the image but is not in the grade: export with or without it?"

    @property
    def choice(self) -> bool | None:
        """Whether to export with the LUT; None if that is not chosen yet."""
        return None if self._group.checkedButton() is None else self.with_lut.isChecked()

    def choose(self, wanted: bool | None) -> None:
        """Choose for the user what was chosen before; None leaves the choice open."""
        if wanted is not None and self._tried is not None:
            (self.with_lut if wanted else self.without_lut).setChecked(True)
            self.changed.emit()

    def applied(self, grade: Grade) -> Grade:
        """Return the grade to export: with the tried LUT appended if the user chose so."""
        wanted = self._tried is not None and self.with_lut.isChecked()
        return grade.with_entries((*grade.entries, self._tried)) if wanted and self._tried else grade

    def _follow(self, previewed_lut: FileLook | None) -> None:
        if previewed_lut != self._tried:
            self._ask(previewed_lut)
            self.changed.emit()
        for widget in (self, self.label):
            widget.setVisible(previewed_lut is not None)

    def _ask(self, previewed_lut: FileLook | None) -> None:
        self._tried = previewed_lut
        name = Path(previewed_lut.path).name if previewed_lut is not None else ""
        self._group.setExclusive(False)
        for button, word, tip in (
            (self.with_lut, "With", "Export as the image is shown, with the LUT after the grade"),
            (self.without_lut, "Without", "Export only the grade, without the LUT that is tried"),
        ):
            button.setChecked(False)
            button.setText(f"{word} {name}")
            button.setAccessibleName(f"{word} {name}")
            button.setToolTip(f"{tip} (Space)")
        self._group.setExclusive(True)
