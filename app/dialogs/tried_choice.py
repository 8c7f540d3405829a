"""Whether a LUT that is only tried on the image is exported: that is asked, and never decided unasked."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QLabel

from app.shell.stage import Stage
from app.widgets.fields import ChoiceBox
from engine import FileLook, Grade

ASK, WITH, WITHOUT = range(3)


class TriedChoice(ChoiceBox):
    """Hidden, with its `label`, while no LUT is tried. Another LUT is asked about anew."""

    def __init__(self, stage: Stage) -> None:
        super().__init__((), "LUT being tried", "The canvas shows a LUT that is not in the grade")
        self.label = QLabel("&LUT")
        self.label.setBuddy(self)
        self._tried: FileLook | None = None
        stage.tried_changed.connect(self._follow)
        self._ask(stage.tried)
        for widget in (self, self.label):
            widget.setHidden(stage.tried is None)

    @property
    def question(self) -> str:
        """What is yet to be chosen; '' where nothing is."""
        if self._tried is None or self.currentIndex() > ASK:
            return ""
        name = Path(self._tried.path).name
        return f"{name} is tried on the image and not in the grade: choose whether to export with it."

    def applied(self, grade: Grade) -> Grade:
        """The grade to export."""
        wanted = self._tried is not None and self.currentIndex() == WITH
        return grade.with_entries((*grade.entries, self._tried)) if wanted and self._tried else grade

    def _follow(self, tried: FileLook | None) -> None:
        if tried != self._tried:
            self._ask(tried)
        for widget in (self, self.label):
            widget.setVisible(tried is not None)

    def _ask(self, tried: FileLook | None) -> None:
        self._tried = tried
        name = Path(tried.path).name if tried is not None else ""
        self.clear()
        self.addItems([f"{name} is being tried: choose", f"With {name}", f"Without {name}"])
