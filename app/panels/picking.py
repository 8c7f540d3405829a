"""Pick a colour in the image for an op."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from shiboken6 import isValid

from app.canvas.areas import dragged_area, draw_area, is_drag
from app.canvas.canvas import Canvas
from app.canvas.tools import Tool
from app.model.arriving import colours_after, ops_before
from app.model.viewport import Viewport
from app.panels.bodies import PickingBody
from app.panels.dragging_body import DraggingBody
from app.services.current_document import CurrentDocument
from app.services.jobs import Jobs
from app.services.messages import Messages
from engine.core.geometry import Rect
from engine.core.records import dataclass
from engine.grade.masking import SavedBlend, reads_place
from engine.kernel.op import Op
from engine.viewing import Levels

if TYPE_CHECKING:
    from app.panels.warper.image_samples import ImageSamples

Pixel = tuple[int, int]
Asked = tuple[tuple[Pixel, ...], Callable[[NDArray[np.float32]], None]]


class PixelPicker(Tool):
    """Waits for a click on the canvas and passes the result for its colour to the body that asked.

    For a body that takes areas, it waits for a click or a drag, and draws the area that is dragged. It is on top of the
    canvas's tools while it waits. Return picks the centre of the canvas.
    """

    is_temporary = True

    def __init__(
        self,
        current: CurrentDocument,
        canvas: Canvas,
        levels: Callable[[], Levels | None],
        ask: Callable[[tuple[Pixel, ...], tuple[Op, ...]], object],
        jobs: Jobs,
        messages: Messages,
    ) -> None:
        """`levels` returns the pixels of the displayed image. `ask` requests the values of pixels after ops, for
        `take_values`."""
        self._current, self._canvas, self._levels, self._ask = current, canvas, levels, ask
        self._jobs, self._messages = jobs, messages
        self._asked: Asked | None = None
        self._body: PickingBody | None = None
        self._place: Callable[[], int | None] = lambda: None
        self._start: QPointF | None = None  # of a drag
        self._pointer = QPointF()
        self.area: Rect | None = None
        """The pixels that are being dragged over."""
        self._samples: ImageSamples | None = None
        canvas.scene.overlays.append(self)

    def pick(self, body: PickingBody, wanted: bool, place: Callable[[], int | None]) -> None:
        """Start or stop picking for a body; release its button at the end. `place` returns the index of its entry in
        the grade, None once it is removed."""
        self._canvas.tools.remove(self)  # also when it waits for another body
        if wanted:
            self._body, self._place = body, place
            self._canvas.tools.push(self)
            self._canvas.setFocus()  # it handles Esc
            ends = "ends" if isinstance(body, DraggingBody) else "cancels"
            self._messages.note(f"{body.wanted}; Return picks the centre, Esc {ends}")

    def sample(self, body: DraggingBody, place: Callable[[], int | None]) -> None:
        """Show a body the colours of the image."""
        if self._samples is None:
            from app.panels.warper.image_samples import ImageSamples

            self._samples = ImageSamples(self._before, self._levels, self._jobs, self._messages)
            for signal in (self._current.image_changed, self._current.grade_changed):
                signal.connect(self._samples.update_soon)
        self._samples.serve(body, place)

    def _before(self, index: int, mark: Op) -> tuple[object, tuple[Op, ...]]:
        """Return the current image, and the ops before an entry in the colour space of `mark`."""
        document = self._current.document
        return document.image, ops_before(document.grade_at_frame, index, document.managed, mark)

    def mouse_press(self, event: QMouseEvent) -> bool:
        if event.button() != Qt.MouseButton.LeftButton:
            return False
        self._start = event.position()
        if not self._takes_areas:
            self._pick_at(event.position())
        return True

    def mouse_move(self, event: QMouseEvent) -> bool:
        if self._start is None:
            return False
        if self._takes_areas:
            self._drag_to(self._start, event.position())
            return True
        if not isinstance(self._body, DraggingBody):
            return False
        away = event.position() - self._start
        self._body.pull_to(away.x(), -away.y())
        return True

    def mouse_release(self, event: QMouseEvent) -> bool:
        start, area = self._start, self.area
        if start is None or event.button() != Qt.MouseButton.LeftButton:
            return False
        self._start = self.area = None
        if isinstance(self._body, DraggingBody):
            self._body.end_pick()
        elif area is not None:
            self._canvas.tools.remove(self)
            self._take(area)
        elif self._takes_areas:
            self._pick_at(start)
        return True

    def drawn(self) -> bool:
        """Return whether an area is being dragged."""
        return self.area is not None

    def paint(self, painter: QPainter, viewport: Viewport, ratio: float) -> None:
        """Paint the area that is being dragged, and its size beside the pointer."""
        if self.area is None:
            return
        from app.canvas.mattes.painting import draw_label

        painter.save()
        draw_area(painter, viewport, self.area, ratio)
        at, canvas = (self._pointer.x(), self._pointer.y()), (float(viewport.width), float(viewport.height))
        draw_label(painter, [f"{self.area.width} × {self.area.height} pixels"], at, canvas, ratio)
        painter.restore()

    def key_press(self, event: QKeyEvent) -> bool:
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return False
        self._pick_at(QPointF(self._canvas.rect().center()))
        if isinstance(self._body, DraggingBody):
            self._body.end_pick()
        return True

    def cursor_at(self, position: QPointF) -> Qt.CursorShape | None:
        return Qt.CursorShape.CrossCursor

    def removed(self) -> None:
        """Release the button of the body."""
        self._start = self.area = None
        self._canvas.redraw()
        if self._body is not None and isValid(self._body):
            if isinstance(self._body, DraggingBody):
                self._body.end_pick()
            self._body.pick.setChecked(False)
            self._body.pick.setFocus()

    def _pick_at(self, position: QPointF) -> None:
        """Take the colour at a position of the canvas; beside the image, wait for another click."""
        pixel = self._canvas.pixel_at(position)
        if pixel is None:
            self._start = None
        else:
            if not isinstance(self._body, DraggingBody):
                self._canvas.tools.remove(self)
            levels, body = self._levels(), self._body
            if levels is not None and body is not None:
                self._take(area_around(levels, *pixel, body.reach))

    @property
    def _takes_areas(self) -> bool:
        return self._body is not None and self._body.most_side > 0

    def _drag_to(self, start: QPointF, end: QPointF) -> None:
        """Choose the pixels from the start of a drag to here."""
        most = self._body.most_side if self._body is not None else 0
        self._pointer = end
        self.area = dragged_area(self._canvas, start, end, most) if is_drag(start, end) else None
        self._canvas.redraw()

    def _take(self, area: Rect) -> None:
        body, place, index = self._body, self._place, self._place()
        document, levels = self._current.document, self._levels()
        if body is None or not isValid(body) or index is None or levels is None:
            return
        area = area.clipped(levels.width, levels.height)  # the image may have changed during a drag
        if isinstance(body, DraggingBody):
            body.begin_pick()
        op, grade, managed, mark, find = body.op, document.grade_at_frame, document.managed, body.mark(), body.finder()

        def take(found: object) -> None:
            if isinstance(found, MattesBefore):  # those are computed where frames are
                self._asked = found.pixels, find_in
                self._ask(found.pixels, found.ops)
            elif document is self._current.document and place() is not None and body.op == op:
                body.take(found)
                if isinstance(body, DraggingBody):
                    body.arrive()
            elif isinstance(body, DraggingBody):
                body.fail()

        def fail(line: str) -> None:
            self._messages.warn(line)
            if isinstance(body, DraggingBody):
                body.fail()

        def find_in(values: NDArray[np.float32]) -> None:
            within = body.reduced(values.reshape(area.height, area.width, -1))
            self._jobs.latest(body, "pick", partial(find, within), take, fail)

        def work() -> object:
            ops = ops_before(grade, index, managed, mark)
            if any(isinstance(each, SavedBlend) or reads_place(each) for each in ops):
                pixels = ((x, y) for y in range(area.y, area.bottom) for x in range(area.x, area.right))
                return MattesBefore(ops, tuple(pixels))
            return find(body.reduced(arriving(levels, area, ops)))

        self._jobs.latest(body, "pick", work, take, fail)

    def take_values(self, pixels: tuple[Pixel, ...], values: NDArray[np.float32]) -> None:
        """Take the values of pixels that were asked for."""
        if self._asked is not None and self._asked[0] == pixels:
            find_in, self._asked = self._asked[1], None
            find_in(values)


@dataclass(frozen=True)
class MattesBefore:
    """The ops before an entry, of which some depend on where pixels are, as mattes do, and the pixels to take."""

    ops: tuple[Op, ...]
    pixels: tuple[Pixel, ...]


def area_around(levels: Levels, column: int, row: int, reach: int) -> Rect:
    """Return the pixels up to `reach` away from the one at (column, row)."""
    side = 2 * reach + 1
    return Rect(column - reach, row - reach, side, side).clipped(levels.width, levels.height)


def arriving(levels: Levels, area: Rect, ops: tuple[Op, ...]) -> NDArray[np.float64]:
    """Return the pixels of an area after ops, without the filters among them."""
    return colours_after(levels.exact(area), ops)
