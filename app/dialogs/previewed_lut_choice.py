"""The choice whether to export with a LUT that is previewed on the image but not in the grade."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QLabel

from app.canvas.stage import Stage
from app.widgets.fields import ChoiceBox
from engine import FileLook, Grade

ASK, WITH, WITHOUT = range(3)


class PreviewedLutChoice(ChoiceBox):
    """Hidden, with its `label`, while no LUT is previewed. Asks again when another LUT is previewed."""

    def __init__(self, stage: Stage) -> None:
        super().__init__((), "Previewed LUT", "The canvas previews a LUT that is not in the grade")
        self.label = QLabel("&LUT")
        self.label.setBuddy(self)
        self._tried: FileLook | None = None
        stage.previewed_lut_changed.connect(self._follow)
        self._ask(stage.previewed_lut)
        for widget in (self, self.label):
            widget.setHidden(stage.previewed_lut is None)

    @property
    def question(self) -> str:
        """The question that the user has yet to answer, or ''."""
        if self._tried is None or self.currentIndex() > ASK:
            return ""
        name = Path(self._tried.path).name
        return f"{name} is previewed on the image but not in the grade: choose whether to export with it."

    def applied(self, grade: Grade) -> Grade:
        """Return the grade to export: with the previewed LUT appended if the user chose so."""
        wanted = self._tried is not None and self.currentIndex() == WITH
        return grade.with_entries((*grade.entries, self._tried)) if wanted and self._tried else grade

    def _follow(self, previewed_lut: FileLook | None) -> None:
        if previewed_lut != self._tried:
            self._ask(previewed_lut)
        for widget in (self, self.label):
            widget.setVisible(previewed_lut is not None)

    def _ask(self, previewed_lut: FileLook | None) -> None:
        self._tried = previewed_lut
        name = Path(previewed_lut.path).name if previewed_lut is not None else ""
        self.clear()
        self.addItems([f"{name} is only previewed: choose", f"With {name}", f"Without {name}"])
