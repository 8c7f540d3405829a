"""The canvas tool that picks colours for qualifiers, by a click or by a stroke on the image."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter

from app.canvas.mattes.drawing_tool import ENTERS, Ended
from app.canvas.mattes.painting import draw_label, draw_lines
from app.canvas.mattes.place import CLICK, CanvasPlace, Pixel, at_of, has_control, held_of, point_of
from app.canvas.tools import Tool
from app.model.matte_geometry import Held, Line
from app.model.matte_keys import with_ranges, with_samples
from app.model.matte_paths import Point
from app.model.viewport import Viewport
from app.services.matte_picks import MattePicks
from app.services.matte_selection import MatteSelection
from app.services.messages import Messages
from engine.mattes.qualifiers import MOST_SAMPLES, HslQualifier, Key3d

if TYPE_CHECKING:
    from app.model.matte_keys import Colours


FULL = f"A 3D key has at most {MOST_SAMPLES} samples; remove some first"
HINTS = {
    Key3d: ("adds to the 3D key", "leaves out of the 3D key"),
    HslQualifier: ("sets the ranges", "extends the ranges"),
}
"""What a stroke does, and what it does with the other modifier held: Alt for a 3D key, Shift for an HSL qualifier."""


class StrokeTool(Tool):
    """Gives the colours of a click or stroke to the selected 3D key or HSL qualifier.

    Alt gives them to those that a 3D key leaves out, Shift extends the ranges of an HSL qualifier. Return picks at the
    centre of the canvas.
    """

    is_temporary = True

    def __init__(
        self, place: CanvasPlace, selection: MatteSelection, picks: MattePicks, messages: Messages, ended: Ended
    ) -> None:
        """`ended` is called once the tool is not on the canvas any more."""
        self._place, self._canvas, self._selection, self._picks = place, place.canvas, selection, picks
        self._messages, self._ended = messages, ended
        self._line: Line = []  # of the stroke, on the image
        self._pointer: Point = (0.0, 0.0)
        self._held = Held()
        place.canvas.scene.overlays.append(self)

    def mouse_press(self, event: QMouseEvent) -> bool:
        if event.button() != Qt.MouseButton.LeftButton or self._canvas.moves_image or has_control(event):
            return False
        self._line = []
        self._extend(event)
        return True

    def mouse_move(self, event: QMouseEvent) -> bool:
        if not self._line:
            return False
        self._extend(event)
        return True

    def mouse_release(self, event: QMouseEvent) -> bool:
        if not self._line or event.button() != Qt.MouseButton.LeftButton:
            return bool(self._line)
        line, self._line = self._line, []
        self._pick(self._pixels(line), held_of(event))
        self._canvas.redraw()
        return True

    def key_press(self, event: QKeyEvent) -> bool:
        if event.key() not in ENTERS:
            return False
        pixel = self._place.pixel(point_of(QPointF(self._canvas.rect().center())))
        self._pick(() if pixel is None else (pixel,), held_of(event))
        return True

    def cursor_at(self, position: object) -> Qt.CursorShape | None:
        return None if self._canvas.moves_image else Qt.CursorShape.CrossCursor

    def removed(self) -> None:
        """Forget the stroke."""
        self._line = []
        self._canvas.redraw()
        self._ended(self)

    def drawn(self) -> bool:
        """Return whether a stroke is being drawn."""
        return bool(self._line)

    def paint(self, painter: QPainter, viewport: Viewport, ratio: float) -> None:
        """Paint the stroke and what it does, in device pixels."""
        hints = HINTS.get(type(self._selection.source))  # type: ignore[arg-type]
        if not self._line or hints is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        mapping, size = self._place.mapping_of(viewport, ratio), (float(viewport.width), float(viewport.height))
        draw_lines(painter, [self._line], mapping, ratio)
        draw_label(painter, [hints[self._is_other]], self._pointer, size, ratio)
        painter.restore()

    @property
    def _is_other(self) -> bool:
        """Whether the modifier is held that makes a stroke do something else."""
        return self._held.alt if isinstance(self._selection.source, Key3d) else self._held.shift

    def _extend(self, event: QMouseEvent) -> None:
        mapping = self._place.mapping
        if mapping is not None:
            self._held, self._pointer = held_of(event), at_of(event)
            self._line.append(mapping.on_image(self._pointer))
            self._canvas.redraw()

    def _pixels(self, line: Line) -> tuple[Pixel, ...]:
        """Return the pixels of the image along a stroke, each once."""
        mapping = self._place.mapping
        across, down = mapping.metric if mapping is not None else (1.0, 1.0)
        between = line[:1]
        for (x0, y0), (x1, y1) in pairwise(line):
            steps = max(1, round(max(abs(x1 - x0) * across, abs(y1 - y0) * down) / CLICK))
            shares = (n / steps for n in range(1, steps + 1))
            between += [(x0 + (x1 - x0) * share, y0 + (y1 - y0) * share) for share in shares]
        found = (self._place.pixel_of(each) for each in between)
        return tuple(dict.fromkeys(pixel for pixel in found if pixel is not None))

    def _pick(self, pixels: tuple[Pixel, ...], held: Held) -> None:
        """Read the colours of pixels for the selected qualifier."""
        source, entry, node = self._selection.source, self._selection.entry, self._selection.node
        self._held = held
        if isinstance(source, Key3d) and len(source.added) + len(source.removed) >= MOST_SAMPLES:
            self._messages.note(FULL)
        elif isinstance(source, Key3d | HslQualifier):
            take = partial(self._take, (entry, node), self._is_other)
            self._picks.colours(source, entry, pixels, take, self._messages.warn)

    def _take(self, where: object, other: bool, colours: Colours) -> None:
        """Give colours to the qualifier, unless another one is selected by now."""
        selection = self._selection
        source = selection.source
        if where != (selection.entry, selection.node):
            return
        if isinstance(source, Key3d):
            text = "removed samples" if other else "samples"
            selection.set_source(with_samples(source, colours, other), f"{source.title()} {text}")
        elif isinstance(source, HslQualifier):
            selection.set_source(with_ranges(source, colours, other), f"{source.title()} ranges")
