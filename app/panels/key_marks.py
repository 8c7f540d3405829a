"""The diamonds of the controls of an entry, or of a part of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QWidget

from app.model.key_edits import matching
from app.widgets.key_mark import WIDTH, KeyMark, KeySpot, KeyState
from engine.grade.curves import Curve


def state_of(curves: Mapping[str, Curve], paths: tuple[str, ...], frame: int) -> KeyState:
    """Return the state of a control for some parameters of an entry: it has a key if each of them has."""
    found = matching(paths, curves)
    if not found:
        return KeyState.NONE
    has_all = len(found) == len(paths) or paths[0].endswith(".*")
    return KeyState.KEY if has_all and all(curves[path].key_at(frame) for path in found) else KeyState.BETWEEN


class KeyMarks(QObject):
    """Shows which controls have keys. `prefix` is what stands before the names of the fields in the paths of the
    parameters, such as "matte."."""

    toggled = Signal(object, str)  # the paths of a control, and its name
    menu_wanted = Signal(object, str, QPoint)  # the same, and a global position

    def __init__(self, parent: QObject, prefix: str = "") -> None:
        super().__init__(parent)
        self.prefix = prefix
        self.marks: list[tuple[tuple[str, ...], KeyMark]] = []  # the fields of each, without the prefix
        self._curves: Mapping[str, Curve] = {}
        self._frame = 0

    def add(self, field: str, spots: Iterable[KeySpot]) -> None:
        """Add diamonds for a field."""
        for spot in spots:
            fields = (field,) if spot.parts is None else tuple(f"{field}.{part}" for part in spot.parts or "*")
            self._add_mark(fields, spot)

    def _add_mark(self, fields: tuple[str, ...], spot: KeySpot) -> None:
        mark = KeyMark(spot)
        mark.toggled.connect(partial(self._toggle, fields, spot.name))
        mark.menu_wanted.connect(partial(self._show_menu, fields, spot.name))
        self.marks.append((fields, mark))
        mark.show_state(self._state(fields))

    def add_row(self, fields: tuple[str, ...], row: QWidget, name: str) -> None:
        """Add a diamond for all numbers of some fields, at the left end of a row that has room for it."""
        spot = KeySpot(row, lambda: QPoint(WIDTH // 2, row.height() // 2), name, ())
        self._add_mark(tuple(f"{field}.*" for field in fields), spot)

    def show_keys(self, curves: Mapping[str, Curve], frame: int) -> None:
        """Show the keys of the entry's parameters at a frame."""
        if (curves is self._curves and frame == self._frame) or not (curves or self._curves):
            return
        self._curves, self._frame = curves, frame
        for fields, mark in self.marks:
            mark.show_state(self._state(fields))

    def set_prefix(self, prefix: str) -> None:
        """Follow the controls to another part of the entry."""
        if prefix != self.prefix:
            self.prefix = prefix
            for fields, mark in self.marks:
                mark.show_state(self._state(fields))

    def _paths(self, fields: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self.prefix + field for field in fields)

    def _state(self, fields: tuple[str, ...]) -> KeyState:
        return state_of(self._curves, self._paths(fields), self._frame)

    def _toggle(self, fields: tuple[str, ...], name: str) -> None:
        self.toggled.emit(self._paths(fields), name)

    def _show_menu(self, fields: tuple[str, ...], name: str, where: QPoint) -> None:
        self.menu_wanted.emit(self._paths(fields), name, where)
