"""The status bar: current activity, facts about the image, and the values under the cursor."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QLabel, QStatusBar, QWidget

from app.panels.probe.formats import number_text
from app.render.probe_samples import ProbeResult
from app.widgets.elided import ElidedLabel
from engine import Grade
from engine.compute.plan import plan
from engine.grade.masking import keeps_size
from engine.io.id_pixels import id_of

GIB = 1 << 30
ABOUT_ACCURACY = "How exact the grade is on this device; measured while nothing moves"


def line_of(values: tuple[float, ...]) -> str:
    return " ".join(f"{number_text(value):>8}" for value in values)


class StatusBar(QStatusBar):
    """Shows the current activity or the image's facts on the left, and probe, memory and zoom on the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self.setAccessibleName("Status")
        self.left = ElidedLabel()
        self._name(self.left, "Activity", "Current activity, or size, sample type and compression of the image")
        self.position = self._label("Position", "Column and row under the cursor, in the coordinates of the file")
        self.source = self._label("Source values", "R G B A under the cursor as they are in the file, scene-linear")
        self.graded = self._label("Graded values", "R G B A under the cursor after the grade, before the view")
        self.accuracy = self._label("Accuracy", ABOUT_ACCURACY)
        self.memory = self._label("Memory", "Memory that the image uses, and its budget; see Preferences")
        self.zoom = self._label("Zoom", "Screen pixels per image pixel")
        for label in (self.position, self.source, self.graded, self.memory):
            label.setObjectName("numbers")
        self.accuracy.setObjectName("note")
        self.accuracy.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.zoom.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.addWidget(self.left, 1)
        for label in (self.position, self.source, self.graded, self.accuracy, self.memory, self.zoom):
            self.addPermanentWidget(label)
        self._busy = self._working = self._facts = self._space = self._data = ""
        self._size: tuple[int, int] | None = None
        self._resized: tuple[int, int] | None = None  # None while it is not known for the size and the grade
        self._grade = Grade()
        self._lay_out()
        self.show_probe(None)

    @property
    def busy(self) -> str:
        """The text set by `set_busy`."""
        return self._busy

    def set_busy(self, text: str) -> None:
        """Show what is being read or written, or what was just done; '' clears it."""
        self._busy = text
        self._show_left()

    def set_working(self, text: str) -> None:
        """Show the activity of the preview; '' clears it."""
        self._working = text
        self._show_left()

    def show_image(self, image: Any) -> None:
        """Show the size, sample type and compression of an image, or nothing for None."""
        self._facts, self._size, self._resized = "", None, None
        if image is not None:
            channel = image.part.channel(image.layer.channels[0])
            part = image.part
            self._size = part.width, part.height
            notes = ["deep, flattened for display"] if part.is_deep else []
            self._facts = f"{part.width} × {part.height}   {channel.type}   {part.compression or image.info.format}"
            self._facts = "   ".join([self._facts, *notes])
        self._show_left()

    def show_grade(self, grade: Grade) -> None:
        """Show the export size if the grade resizes the image; the window shows the image at its original size."""
        if grade is not self._grade:
            self._grade, self._resized = grade, None
        self._show_left()

    def show_data(self, text: str) -> None:
        """Show how a layer of data is displayed, or why a layer is black; '' for others."""
        self._data = f"   {text}" if text else ""
        self._show_left()

    def show_space(self, text: str) -> None:
        """Show how the colour space of the image is known, if its file does not state it."""
        self._space = f"   {text}" if text else ""
        self._show_left()

    def show_memory(self, used: int, budget: int) -> None:
        """Show the memory that the image uses, and its budget, in bytes."""
        self.memory.setText(f"{used / GIB:.2f} / {budget / GIB:.2f} GiB" if used else "")

    def show_accuracy(self, text: str, tip: str) -> None:
        """Show how exact the displayed frame is, explained by a tooltip; '' while that is unknown."""
        if text != self.accuracy.text():
            self.accuracy.setText(text)
        self.accuracy.setToolTip(tip)

    def show_zoom(self, scale: float | None) -> None:
        percent = 0.0 if scale is None else scale * 100
        self.zoom.setText(f"{percent:.0f} %" if percent >= 1000 else f"{percent:.4g} %" if percent else "")

    def show_probe(self, result: ProbeResult | None, origin: tuple[int, int] = (0, 0), ids: bool = False) -> None:
        """Show the values of the pixel under the cursor; None hides them.

        `origin` is the file's coordinate of the first column and row. With `ids`, the value is shown as an integer ID.
        """
        for label in (self.position, self.source, self.graded):
            label.setVisible(result is not None)
        if result is None:
            return
        self.position.setText(f"{result.x + origin[0]}, {result.y + origin[1]}")
        if ids:
            self.source.setText(f"ID {id_of(result.source)}")
            self.graded.setText("")
            return
        self.source.setText(f"source {line_of(result.source)}")
        self.graded.setText(f"graded {line_of(result.graded)}")

    def _label(self, name: str, tip: str) -> QLabel:
        label = QLabel()
        self._name(label, name, tip)
        return label

    @staticmethod
    def _name(label: QLabel, name: str, tip: str) -> None:
        label.setAccessibleName(name)
        label.setToolTip(tip)

    def _lay_out(self) -> None:
        """Set minimum widths so that labels do not move when their numbers change."""
        fixed = QFont("DejaVu Sans Mono")
        fixed.setStyleHint(QFont.StyleHint.Monospace)
        fixed.setPixelSize(11)
        metrics = QFontMetrics(fixed)
        self.position.setMinimumWidth(metrics.horizontalAdvance("00000, 00000") + 12)
        for label in (self.source, self.graded):
            label.setMinimumWidth(metrics.horizontalAdvance("source " + "0" * 35) + 12)
        self.accuracy.setMinimumWidth(self.fontMetrics().horizontalAdvance("±0.3 / 255 while dragging") + 12)
        self.zoom.setMinimumWidth(self.fontMetrics().horizontalAdvance("1234.5 %") + 16)

    def _export_size(self) -> str:
        """Return what is said about the export size; '' if it is that of the image."""
        if self._size is None:
            return ""
        if self._resized is None:
            resizing = [op for op in self._grade if not keeps_size(op)]  # mostly none: this runs for each edit
            self._resized = plan(resizing).sizes(*self._size)[-1] if resizing else self._size
        width, height = self._resized
        return f"   exported as {width} × {height}" if (width, height) != self._size else ""

    def _show_left(self) -> None:
        facts = self._facts and self._facts + self._data + self._space + self._export_size()
        self.left.show_text(self._busy or self._working or facts)
