"""Bodies of curve ops: tabs for the curves, a plot, the coordinates of the selected point, and a picker."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, ClassVar

from PySide6.QtWidgets import QButtonGroup, QGridLayout, QHBoxLayout, QLabel, QToolButton, QWidget

from app.panels.bodies import Colour, PickingBody
from app.widgets.curve_planes import hue_plane, rgb_plane
from app.widgets.curve_plot import CurvePlot, named
from app.widgets.curve_points import Axis, Plane, Points, has_slopes, points_of, without_slopes
from app.widgets.segments import segment
from app.widgets.slider import NumberBox
from engine import ops
from engine.kernel.op import Op, Slider, Table

ACROSS = 4
"""Tabs per row."""


class CurvesBody(PickingBody):
    """Edits one curve at a time, selected by the tabs above the plot, on the axes of the op's style."""

    curves: ClassVar[dict[str, tuple[str, str]]]
    """Short name and description of each curve."""
    wanted = "Click a colour in the image"
    picks: ClassVar[str]
    """Describes the effect of a picked colour."""

    def __init__(self, op: Op) -> None:
        super().__init__(op)
        self.active = next(iter(self.curves))
        self.plot = CurvePlot(op.title(), self._plane(self.active))
        self.plot.show_curves({self.active: self._points(self.active)}, self.active, self.plot.plane)
        self.plot.edited.connect(self._take_points)
        self.plot.selected.connect(self._show_point)
        self.plot.drag_started.connect(self.drag_started)
        self.plot.drag_ended.connect(self.drag_ended)
        self._group = QButtonGroup(self)
        self.tabs: dict[str, QToolButton] = {}
        self.boxes: dict[str, NumberBox] = {}
        self._captions: dict[str, QLabel] = {}
        self._described: Plane | None = None  # the plane that the boxes describe, once built

    # -- what subclasses define

    @abstractmethod
    def _plane(self, name: str) -> Plane:
        """Return the plane of a curve in the op's style."""

    @abstractmethod
    def _fresh(self) -> Op:
        """Return the op with neutral curves."""

    def _with(self, tables: dict[str, Table]) -> dict[str, Any]:
        """Return the fields that change with these curves."""
        return dict(tables)

    def _drawn(self) -> tuple[str, ...]:
        """Return the names of the curves that the plot shows."""
        return (self.active,)

    # -- building

    def _build(self) -> Iterator[None]:
        grid = QGridLayout()
        grid.setSpacing(2)
        for number, (name, (short, does)) in enumerate(self.curves.items()):
            button = segment(short, f"Edit {short}: {does}", f"{self.op.title()} {short}")
            button.setMinimumWidth(1)  # so that four fit in a narrow panel
            self._group.addButton(button)
            self.tabs[name] = button
            grid.addWidget(button, number // ACROSS, number % ACROSS)
        for column in range(ACROSS):
            grid.setColumnStretch(column, 1)
        self._column.addLayout(grid)
        self._column.addWidget(self.plot)
        yield
        self._column.addLayout(self._numbers())
        yield
        self._column.addLayout(self._buttons())
        yield
        self.show_curve(self.active)
        for name, button in self.tabs.items():
            button.clicked.connect(lambda _=False, name=name: self.show_curve(name))

    def _numbers(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(4)
        for letter in "xy":
            caption, box = QLabel(), NumberBox(Slider(0.0, 0.0, 1.0, "", None, ""))
            box.setMinimumWidth(64)
            box.valueChanged.connect(partial(self._type, letter))
            box.drag_started.connect(self.drag_started)
            box.drag_ended.connect(self.drag_ended)
            caption.setProperty("quiet", True)
            caption.setBuddy(box)
            row.addWidget(caption)
            row.addWidget(box, 1)
            self._captions[letter], self.boxes[letter] = caption, box
        return row

    def _buttons(self) -> QGridLayout:
        self.reset = self._button("Reset curve", "Reset the edited curve to neutral")
        self.reset_all = self._button("Reset all", "Reset all curves to neutral")
        self.estimate = self._button(
            "Estimate slopes",
            "The curve defines its own slopes, which do not change when its points move;\n"
            "press to estimate them from the points, as for curves made here",
        )
        self.pick.setText("Pick a colour in the image")
        self.pick.setToolTip(f"{self.wanted}: {self.picks}. Return picks the centre, Esc cancels")
        self.pick.setAccessibleName(f"{self.op.title()}: pick a colour")
        self.reset.clicked.connect(self._reset)
        self.reset_all.clicked.connect(self._reset_all)
        self.estimate.clicked.connect(self._estimate)
        grid = QGridLayout()
        grid.setSpacing(2)
        grid.addWidget(self.pick, 0, 0, 1, 2)
        grid.addWidget(self.reset, 1, 0)
        grid.addWidget(self.reset_all, 1, 1)
        grid.addWidget(self.estimate, 2, 0, 1, 2)
        return grid

    def _button(self, text: str, tip: str) -> QToolButton:
        button = segment(text, tip, f"{self.op.title()}: {text.lower()}")
        button.setCheckable(False)
        button.setObjectName("wide")
        return button

    # -- showing

    def first_control(self) -> QWidget | None:
        return self.plot if self.isAncestorOf(self.plot) else None  # it is added after the choice of curves

    def set_op(self, op: Op) -> None:
        super().set_op(op)
        if self._described is not None:
            self._show()

    def refresh(self) -> None:
        super().refresh()
        self._show()

    def show_curve(self, name: str) -> None:
        """Edit another curve."""
        self.active = name
        self.tabs[name].setChecked(True)
        self._show()

    def _points(self, name: str) -> Points:
        return points_of(getattr(self.op, name), self._plane(name))

    def _show(self) -> None:
        plane, fresh = self._plane(self.active), self._fresh()
        if plane is not self._described:
            self._described = plane
            for letter, axis in (("x", plane.x), ("y", plane.y)):
                self._describe(letter, axis)
        self.plot.show_curves({name: self._points(name) for name in self._drawn()}, self.active, plane)
        for name, button in self.tabs.items():
            changed = getattr(self.op, name) != getattr(fresh, name)
            if button.property("changed") != changed:
                button.setProperty("changed", changed)
                button.setAccessibleDescription("changed" if changed else "neutral")
                button.style().polish(button)
        self.reset.setEnabled(getattr(self.op, self.active) != getattr(fresh, self.active))
        self.reset_all.setEnabled(any(getattr(self.op, name) != getattr(fresh, name) for name in self.curves))
        self.estimate.setVisible(has_slopes(self.plot.points))

    def _describe(self, letter: str, axis: Axis) -> None:
        box = self.boxes[letter]
        box.set_kind(Slider(0.0, 0.0, 200.0 * axis.step * axis.scale, axis.sign, None, ""))
        self._captions[letter].setText(axis.name)
        box.setAccessibleName(f"{self.op.title()} point {axis.name.lower()}")
        tip = f"{named(axis)} of the selected point" if axis.unit else f"{axis.name} of the selected point, no unit"
        box.setToolTip(f"{tip[0].upper()}{tip[1:]}. Drag across it, or type a value.")
        self._captions[letter].setToolTip(box.toolTip())

    def _show_point(self, _at: int = 0) -> None:
        x, y, _ = self.plot.points[self.plot.at]
        plane = self.plot.plane
        angle = plane.x.shown(x) % 360.0 if plane.turning else plane.x.shown(x)
        for letter, number in (("x", angle), ("y", plane.y.shown(y - plane.lean * x))):
            blocked = self.boxes[letter].blockSignals(True)
            self.boxes[letter].setValue(number)
            self.boxes[letter].blockSignals(blocked)

    # -- edits

    def _type(self, letter: str, number: float) -> None:
        """Move the selected point along one axis; along hue by the shorter way."""
        plane = self.plot.plane
        x, y, _ = self.plot.points[self.plot.at]
        shown = y - plane.lean * x
        if letter == "y":
            shown = plane.y.meant(number)
        else:
            way = plane.x.meant(number) - x
            x += way - round(way) if plane.turning else way
        self.plot.set_point(x, shown + plane.lean * x)
        self._show_point()

    def _take_points(self, points: Points) -> None:
        self._announce({self.active: Table(points)}, self._what())

    def _reset(self) -> None:
        self._announce({self.active: getattr(self._fresh(), self.active)}, f"{self._what()} reset")

    def _reset_all(self) -> None:
        fresh = self._fresh()
        self._announce({name: getattr(fresh, name) for name in self.curves}, "reset")

    def _estimate(self) -> None:
        self._announce({self.active: Table(without_slopes(self._points(self.active)))}, f"{self._what()} slopes")

    def _announce(self, tables: dict[str, Table], what: str) -> None:
        self.edited.emit(self._with(tables), what)

    def take(self, found: dict[str, float]) -> None:
        self.drag_started.emit()  # a separate undo step
        self.plot.pin(found[self.active])
        self.drag_ended.emit()
        self.plot.setFocus()

    def mark(self) -> Op:
        return ops.GradingTone(contrast=1.5, style=self._style)

    @property
    def _style(self) -> str:
        return str(getattr(self.op, "style"))  # noqa: B009

    def _what(self) -> str:
        return self.curves[self.active][0]


class RgbCurvesBody(CurvesBody):
    """Edits the red, green, blue and master curves in one plot."""

    curves: ClassVar = {
        "master": ("Master", "red, green and blue together, after their own curves"),
        "red": ("Red", "only red"),
        "green": ("Green", "only green"),
        "blue": ("Blue", "only blue"),
    }
    picks = "adds a point to the edited curve at the colour's value; for master, at its luma"

    def _plane(self, name: str) -> Plane:
        return rgb_plane(self._style)

    def _fresh(self) -> Op:
        return ops.GradingRgbCurve.straight(self._style)

    def _drawn(self) -> tuple[str, ...]:
        return tuple(self.curves)

    def _with(self, tables: dict[str, Table]) -> dict[str, Any]:
        whole = {name: getattr(self.op, name) for name in self.curves} | tables
        new = ops.GradingRgbCurve.of(whole["red"], whole["green"], whole["blue"], whole["master"])
        return {**tables, "curves": new.curves}

    def finder(self) -> Callable[[Colour], dict[str, float]]:
        assert isinstance(self.op, ops.GradingRgbCurve)
        return self.op.positions_of


class HueCurvesBody(CurvesBody):
    """Edits eight curves of hue, saturation and luma."""

    curves: ClassVar = {
        "hue_hue": ("Hue vs Hue", "shift each hue"),
        "hue_sat": ("Hue vs Sat", "gain of the saturation of each hue"),
        "hue_lum": ("Hue vs Lum", "gain of the luma of each hue; in style log, 2 adds 0.1"),
        "hue_fx": ("Hue FX", "rotate each hue by any angle, after all other curves"),
        "lum_sat": ("Lum vs Sat", "gain of saturation in shadows, mid tones and highlights"),
        "lum_lum": ("Lum vs Lum", "contrast curve of luma"),
        "sat_sat": ("Sat vs Sat", "saturation curve of weak and strong colours"),
        "sat_lum": ("Sat vs Lum", "gain of luma of weak and strong colours; in style log, 2 adds 0.1"),
    }
    picks = "adds a point to the edited curve at the colour's value, and one on each side to pin the curve"

    def _plane(self, name: str) -> Plane:
        return hue_plane(name, self._style)

    def _fresh(self) -> Op:
        return ops.GradingHueCurve.neutral(self._style)

    def finder(self) -> Callable[[Colour], dict[str, float]]:
        assert isinstance(self.op, ops.GradingHueCurve)
        return self.op.positions_of
