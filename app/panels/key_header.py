"""The row above the curves: buttons for keys, and the frame, value and interpolation of those that are selected."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from app.model.curve_lines import keys_of
from app.panels.key_menu import TIPS
from app.widgets.elided import ElidedLabel
from app.widgets.frame_field import FrameField
from app.widgets.key_plot import KeyPlot
from app.widgets.slider import NumberBox
from app.widgets.small_buttons import icon_button
from engine.grade.curves import INTERPOLATIONS
from engine.kernel.op import Slider

_KEYS = {"linear": "L", "smooth": "S", "hold": "H"}


class KeyHeader(QWidget):
    """Shows the selected keys of a plot, and edits them."""

    def __init__(self, plot: KeyPlot) -> None:
        super().__init__()
        self._plot = plot
        self.previous = icon_button("previous-key", "Go to the previous key of these curves", "Previous key")
        self.key = icon_button("key", "Set a key at this frame on these curves (Insert)", "Set keys at this frame")
        self.next = icon_button("next-key", "Go to the next key of these curves", "Next key")
        self.interpolations = {each: self._interpolation(each) for each in INTERPOLATIONS}
        self.frame = FrameField("Frame of the keys", "The frame of the first selected key.")
        self.frame.edited.connect(self._move_to)
        self.frame.done.connect(plot.setFocus)
        self.value = NumberBox(Slider(0.0, 0.0, 1.0, "", None, "Value of the keys"))
        self.value.setFixedWidth(86)
        self.value.setAccessibleName("Value of the keys")
        self.value.setToolTip("Value of the selected keys. Drag across it, or click and type a value; Shift is fine")
        self.value.valueChanged.connect(plot.set_value)
        self.value.drag_started.connect(plot.drag_started)
        self.value.drag_ended.connect(plot.drag_ended)
        self.remove = icon_button("remove", "Delete the selected keys (Delete)", "Delete keys")
        self.remove.clicked.connect(plot.remove)
        self.fit = icon_button("fit", "Show all keys, or those that are selected (F)", "Fit the curves")
        self.fit.clicked.connect(plot.fit)
        self.name = ElidedLabel("")
        self.name.setObjectName("note")
        self._lay_out()
        plot.selected.connect(self.show_keys)
        self.show_keys()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 8, 0)
        row.setSpacing(1)
        groups = ((self.previous, self.key, self.next), tuple(self.interpolations.values()))
        for group in (*groups, (self._caption("Frame", self.frame), self.frame)):
            for widget in group:
                row.addWidget(widget)
            row.addSpacing(8)
        row.addWidget(self._caption("Value", self.value))
        row.addWidget(self.value)
        row.addSpacing(8)
        row.addWidget(self.remove)
        row.addWidget(self.fit)
        row.addSpacing(8)
        row.addWidget(self.name, 1)

    @staticmethod
    def _caption(text: str, buddy: QWidget) -> QLabel:
        label = QLabel(f"{text} ")
        label.setObjectName("note")
        label.setBuddy(buddy)
        return label

    def _interpolation(self, name: str) -> QToolButton:
        button = QToolButton()
        button.setText(name.capitalize())
        button.setCheckable(True)
        button.setObjectName("segment")
        button.setFixedWidth(48)
        button.setToolTip(f"{TIPS[name]} ({_KEYS[name]})")
        button.setAccessibleName(f"{name.capitalize()} keys")
        button.clicked.connect(lambda: self._interpolate(name))
        return button

    def show_keys(self) -> None:
        """Show what the selected keys have in common."""
        chosen = keys_of(self._plot.lines, self._plot.selection)
        for widget in (*self.interpolations.values(), self.value, self.remove):
            widget.setEnabled(bool(chosen))
        for widget in (self.previous, self.key, self.next, self.fit):
            widget.setEnabled(bool(self._plot.lines))
        kinds = {key.interpolation for _, key in chosen}
        for name, button in self.interpolations.items():
            button.setChecked(kinds == {name})
        self.frame.show_frame(min((key.frame for _, key in chosen), default=0), bool(chosen))
        self._show_value([key.value for _, key in chosen], chosen[0][0].unit if chosen else "")
        names = sorted({line.name for line, _ in chosen})
        count = f"{len(chosen)} keys" if len(chosen) > 1 else ""
        self.name.show_text(", ".join([*names, count][: len(names) + bool(count)]) if len(names) == 1 else count)

    def _show_value(self, values: list[float], unit: str) -> None:
        blocked = self.value.blockSignals(True)
        if chosen := self._plot.lines:
            steps = [line.step for line in chosen]
            self.value.set_kind(Slider(0.0, 0.0, 200.0 * min(steps), unit, None, "Value of the keys"))
        self.value.setValue(values[0] if values else 0.0)
        self.value.blockSignals(blocked)

    def _move_to(self, frame: int) -> None:
        """Move the selected keys so that the first of them is at a frame."""
        self._plot.nudge(frame - self.frame.frame, 0.0)

    def _interpolate(self, name: str) -> None:
        self._plot.interpolate(name)
        self.show_keys()
