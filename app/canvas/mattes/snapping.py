"""What windows of mattes snap to, and whether they do."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from app.canvas.mattes.place import CanvasPlace
from app.model.matte_drawing import shape_of
from app.model.matte_edit import Path, paths, source_at
from app.model.matte_geometry import SnapLines, Snapped, snapped
from app.model.matte_paths import Point
from app.services.matte_selection import MatteSelection
from app.services.settings import Settings

SETTING = "matte_snapping"


class Snapping(QObject):
    """Snaps what is dragged to the display window's edges, thirds and centre, and to the other windows of a matte."""

    changed = Signal(bool)

    def __init__(self, place: CanvasPlace, selection: MatteSelection, settings: Settings) -> None:
        super().__init__(place.canvas)
        self._place, self._selection, self._settings = place, selection, settings

    @property
    def on(self) -> bool:
        """Whether drags snap; Ctrl inverts it during a drag."""
        return bool(self._settings.get(SETTING, True))

    def set(self, on: bool) -> None:
        """Turn snapping on or off, also for the next session."""
        if on != self.on:
            self._settings.set(SETTING, on)
            self.changed.emit(on)

    def apply(
        self, moving: tuple[Sequence[float], Sequence[float]], by: Point, inverted: bool, without: Path | None = None
    ) -> Snapped:
        """Return a movement after snapping of the `moving` coordinates. `inverted` is whether Ctrl is held, `without`
        the node that is dragged."""
        mapping = self._place.mapping
        if self.on == inverted or mapping is None:
            return Snapped(*by)
        return snapped(moving, by, self._lines(without), mapping.metric)

    def point(self, at: Point, inverted: bool) -> tuple[Point, Snapped]:
        """Return a point of a new window after snapping."""
        found = self.apply(((0.0,), (0.0,)), at, inverted)
        return (found.dx, found.dy), found

    def _lines(self, without: Path | None) -> SnapLines:
        matte = self._selection.matte
        sources = [source_at(matte.root, path) for path in paths(matte.root) if path != without] if matte else []
        shapes = (shape_of(source) for source in sources)
        return SnapLines.of(*self._place.window, [shape for shape in shapes if shape is not None])
