"""The keys of the curves in a plot: which are selected, and how they are changed."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Signal

from app.model import curve_lines
from app.model.curve_lines import CurveLine, Curves, Selection
from app.widgets.gestures import Painted
from app.widgets.key_axes import Axes
from engine.grade.curves import Curve


class KeyEditing(Painted):
    """Has lines and a selection of their keys. Emits other curves for those whose keys the user changes."""

    edited = Signal(object, str)  # Curves; what was done, with {} for their name
    selected = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.lines: tuple[CurveLine, ...] = ()
        self.selection: Selection = frozenset()
        self.axes = Axes(QRectF(0, 0, 1, 1))

    @property
    def curves(self) -> dict[str, Curve]:
        """The curves that are shown, by some names."""
        return {str(line.id): line.curve for line in self.lines}

    def select(self, selection: Selection) -> None:
        """Select keys."""
        self._select(curve_lines.existing(self.lines, selection))

    def _select(self, selection: Selection) -> None:
        if selection != self.selection:
            self.selection = selection
            self.selected.emit()
            self.update()

    def select_all(self) -> None:
        """Select all keys."""
        self._select(frozenset((line.id, frame) for line in self.lines for frame in line.curve.frames))

    def step(self, by: int, adds: bool = False) -> None:
        """Select the next or previous key, of all curves in their order; with `adds` beside those that are selected."""
        places = [(line.id, frame) for line in self.lines for frame in line.curve.frames]
        chosen = [at for at, each in enumerate(places) if each in self.selection]
        if places:
            at = (chosen[-1 if by > 0 else 0] + by) % len(places) if chosen else 0
            self._select(frozenset({places[at]}) | (self.selection if adds else frozenset()))
            self.axes = self.axes.showing(places[at][1])

    def remove(self) -> None:
        """Remove the selected keys."""
        self._edit(curve_lines.without(self.lines, self.selection), "removal of keys of {}")

    def interpolate(self, interpolation: str) -> None:
        """Set the interpolation of the selected keys."""
        self._edit(curve_lines.interpolated(self.lines, self.selection, interpolation), f"{interpolation} keys of {{}}")

    def nudge(self, frames: int, value: float) -> None:
        """Move the selected keys."""
        lines, selection = self.lines, self.selection
        if selection:
            curves, self.selection = curve_lines.moved(lines, selection, frames, value)
            self._edit(curves, "move of keys of {}")
            self.selected.emit()

    def set_value(self, value: float) -> None:
        """Set the value of the selected keys."""
        self._edit(curve_lines.with_values(self.lines, self.selection, value), "value of keys of {}")

    def _edit(self, curves: Curves, what: str) -> None:
        if curves:
            self.edited.emit(curves, what)
