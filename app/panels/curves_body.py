"""The RGB curves op: a plot, which of the curves is edited, and the numbers of the chosen point."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QToolButton

from app.panels.bodies import Body, segment
from app.panels.curve_plot import CurvePlot
from app.panels.curve_points import AXES, Points, points_of, scaled
from app.panels.slider import NumberBox
from engine.op import Op, Slider, Table
from engine.ops import GradingRgbCurve

CHANNELS = ("master", "red", "green", "blue")


class CurvesBody(Body):
    """A plot of the four curves, on the axes of the op's style."""

    def __init__(self, op: Op) -> None:
        super().__init__(op)
        assert isinstance(op, GradingRgbCurve)
        self.active = "master"
        self.plot = CurvePlot("RGB curves")
        self.plot.edited.connect(self._take_points)
        self.plot.selected.connect(lambda _at: self._show_point())
        self.plot.drag_started.connect(self.drag_started)
        self.plot.drag_ended.connect(self.drag_ended)
        self._group = QButtonGroup(self)
        self.tabs: dict[str, QToolButton] = {}
        self.finish()

    def _build(self) -> Iterator[None]:
        yield from self._add_fields(("style",))
        self.editors["style"].edited.disconnect()
        self.editors["style"].edited.connect(self._set_style)
        row = QHBoxLayout()
        row.setSpacing(2)
        for name in CHANNELS:
            button = segment(name.capitalize(), f"Edit the {name} curve", f"RGB curves {name}")
            button.clicked.connect(lambda _=False, name=name: self.show_channel(name))
            self._group.addButton(button)
            self.tabs[name] = button
            row.addWidget(button)
        self._column.addLayout(row)
        self._column.addWidget(self.plot)
        self._column.addLayout(self._numbers())
        yield from self._add_fields(("direction",))
        self.show_channel("master")

    def set_op(self, op: Op) -> None:
        super().set_op(op)
        self._show()

    def refresh(self) -> None:
        super().refresh()
        self._show()

    def show_channel(self, name: str) -> None:
        """Edit another curve."""
        self.active = name
        self.tabs[name].setChecked(True)
        self._show()

    @property
    def _curves(self) -> GradingRgbCurve:
        assert isinstance(self.op, GradingRgbCurve)
        return self.op

    def _show(self) -> None:
        curves = {name: points_of(getattr(self.op, name)) for name in CHANNELS}
        self.plot.show_curves(curves, self.active, self._curves.style)

    def _numbers(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(4)
        self.boxes: dict[str, NumberBox] = {}
        for letter, what in (("x", "In"), ("y", "Out")):
            box = NumberBox(Slider(0.0, 0.0, 1.0, "", None, ""))
            box.setMinimumWidth(64)
            box.setAccessibleName(f"RGB curves point {what.lower()}")
            box.setToolTip(f"{what} of the chosen point, in the unit of the axes. Type a value, or use the arrow keys.")
            box.valueChanged.connect(lambda _number: self._type())
            caption = QLabel(what)
            caption.setProperty("quiet", True)
            caption.setBuddy(box)
            row.addWidget(caption)
            row.addWidget(box)
            self.boxes[letter] = box
        row.addStretch(1)
        self.straighten = QToolButton()
        self.straighten.setText("Straighten")
        self.straighten.setToolTip("Make the curve that is edited a straight line, which changes nothing")
        self.straighten.setAccessibleName("Straighten the curve")
        self.straighten.clicked.connect(self._straighten)
        row.addWidget(self.straighten)
        return row

    def _show_point(self) -> None:
        x, y, _ = self.plot.points[self.plot.at]
        for letter, number in (("x", x), ("y", y)):
            blocked = self.boxes[letter].blockSignals(True)
            self.boxes[letter].setSingleStep(self.plot.axes.step)
            self.boxes[letter].setValue(number)
            self.boxes[letter].blockSignals(blocked)

    def _type(self) -> None:
        self.plot.set_point(self.boxes["x"].value(), self.boxes["y"].value())
        self._show_point()

    def _straighten(self) -> None:
        straight = GradingRgbCurve.straight(self._curves.style)
        self._announce({self.active: getattr(straight, self.active)}, self._curves.style, f"straight {self.active}")

    def _take_points(self, points: Points) -> None:
        self._announce({self.active: Table(points)}, self._curves.style, self.active)

    def _set_style(self, style: str) -> None:
        """The curves keep their shape on the axes of another style."""
        before, after = AXES[self._curves.style], AXES[style]
        tables = {n: Table(scaled(points_of(getattr(self.op, n)), before, after)) for n in CHANNELS}
        self._announce(tables, style, "style")

    def _announce(self, tables: dict[str, Table], style: str, what: str) -> None:
        whole = {name: getattr(self.op, name) for name in CHANNELS} | tables
        new = GradingRgbCurve.of(whole["red"], whole["green"], whole["blue"], whole["master"], style)
        changes: dict[str, Any] = {name: getattr(new, name) for name in (*tables, "style", "curves")}
        self.edited.emit(changes, what)
