"""The canvas tool that picks the objects of Cryptomatte layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QInputEvent, QKeyEvent, QMouseEvent, QPainter

from app.canvas.mattes.drawing_tool import ENTERS, Ended
from app.canvas.mattes.highlight import outlined
from app.canvas.mattes.painting import draw_label
from app.canvas.mattes.place import CanvasPlace, Pixel, at_of, has_control, held_of, point_of
from app.canvas.mattes.window_keys import modifiers_of
from app.canvas.tools import Tool
from app.model.matte_edit import Path, source_at, with_values
from app.model.matte_objects import ADD, REMOVE, TOGGLE, leaf_of, with_object
from app.model.matte_paths import Point
from app.model.viewport import Box, Viewport
from app.render.preview import Preview
from app.services.matte_picks import FoundObjects, MattePicks
from app.services.matte_selection import MatteSelection
from app.services.messages import Messages
from engine.errors import GradeError
from engine.mattes.cryptomatte import Cryptomatte
from engine.mattes.tree import Leaf, Matte, Node

OUTLINE = 1.0
"""The width of either line of the outline, in logical pixels."""


class CryptomatteTool(QObject, Tool):
    """Names the object under the pointer and highlights it; a click adds it to the matte, or removes it.

    Shift only adds, Ctrl and Alt only remove. The up and down keys go through the Cryptomatte layers of the file;
    Return picks at the centre of the canvas.
    """

    is_temporary = True

    def __init__(
        self,
        place: CanvasPlace,
        selection: MatteSelection,
        picks: MattePicks,
        layers: Callable[[], Sequence[str]],
        preview: Preview,
        messages: Messages,
        ended: Ended,
    ) -> None:
        """`layers` returns the Cryptomatte layers of the displayed file. `ended` is called once the tool is gone."""
        super().__init__(place.canvas)
        self._place, self._canvas, self._selection, self._picks = place, place.canvas, selection, picks
        self._layers, self._preview, self._messages, self._ended = layers, preview, messages, ended
        self.layer = ""
        """The layer whose objects are picked; '' while the tool is not there."""
        self.lines: tuple[str, ...] = ()
        """What is written beside the pointer."""
        self._pointer: Point | None = None
        self._pixel: Pixel | None = None
        self._found: FoundObjects | None = None
        self._wanted: Matte | None = None  # the object to highlight
        self._shown: object = None  # the part of the image in the frame on the canvas
        self._highlight: tuple[QImage, Box] | None = None
        place.canvas.scene.overlays.append(self)
        preview.highlighted.connect(self._show_highlight)
        preview.frame.connect(self._follow_frame)
        place.canvas.hovered.connect(self._leave)

    @property
    def highlights(self) -> bool:
        """Whether an object is highlighted now."""
        return self._highlight is not None

    def begin(self) -> None:
        """Begin with the layer of the selected source."""
        source = self._selection.source
        self.layer = source.layer if isinstance(source, Cryptomatte) else ""
        self._forget()

    def mouse_press(self, event: QMouseEvent) -> bool:
        if event.button() != Qt.MouseButton.LeftButton or self._canvas.moves_image:
            return False
        self._pick(at_of(event), way_of(event))
        return True

    def mouse_move(self, event: QMouseEvent) -> bool:
        self._pointer = at_of(event)
        self._look(self._place.pixel(self._pointer))
        self._canvas.redraw()
        return False

    def key_press(self, event: QKeyEvent) -> bool:
        if event.key() in ENTERS:
            self._pick(point_of(QPointF(self._canvas.rect().center())), way_of(event))
            return True
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and modifiers_of(event) == Qt.KeyboardModifier.NoModifier:
            self._step(1 if event.key() == Qt.Key.Key_Down else -1)
            return True
        return False

    def cursor_at(self, position: object) -> Qt.CursorShape | None:
        return None if self._canvas.moves_image else Qt.CursorShape.PointingHandCursor

    def removed(self) -> None:
        """Name and highlight nothing any more."""
        self.layer = ""
        self._forget()
        self._picks.rest()
        self._ended(self)

    def refresh(self) -> None:
        """Name the object under the pointer again, after an edit of the matte."""
        if self._found is not None:
            self._pixel = None
            self._look(self._found.pixel)

    def drawn(self) -> bool:
        """Return whether there is something to name or to highlight."""
        return bool(self.layer) and (self._highlight is not None or bool(self.lines))

    def paint(self, painter: QPainter, viewport: Viewport, ratio: float) -> None:
        """Paint the highlight and the name, in device pixels."""
        if not self.layer:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._highlight is not None:
            image, (x, y, width, height) = self._highlight
            mapping, corner = self._place.mapping_of(viewport, ratio), viewport.display[:2]
            left, top = mapping.on_canvas((x - corner[0], y - corner[1]))
            right, bottom = mapping.on_canvas((x + width - corner[0], y + height - corner[1]))
            painter.drawImage(QRectF(left * ratio, top * ratio, (right - left) * ratio, (bottom - top) * ratio), image)
        if self._pointer is not None and self.lines:
            draw_label(painter, self.lines, self._pointer, (float(viewport.width), float(viewport.height)), ratio)
        painter.restore()

    def _leave(self, hovered: Pixel | None) -> None:
        """Name nothing once the pointer has left the canvas or the image."""
        if hovered is None and self.layer:
            self._pointer = None
            self._look(None)

    def _look(self, pixel: Pixel | None) -> None:
        """Find what is at a pixel, unless that is known or on its way."""
        if pixel == self._pixel or not self.layer:
            return
        self._pixel = pixel
        if pixel is None:
            self._picks.rest()
            self._name(None)
        else:
            self._picks.look(self.layer, pixel, self._source_of(self.layer), self._take_look, self._fail_look)

    def _take_look(self, found: FoundObjects) -> None:
        if found.layer == self.layer and found.pixel == self._pixel:
            self._name(found)

    def _fail_look(self, line: str) -> None:
        if self.layer:
            self.lines = (line,)
            self._canvas.redraw()

    def _name(self, found: FoundObjects | None) -> None:
        """Write what was found, and highlight the object that a click picks."""
        self._found = found
        if found is None or not found.objects:
            self.lines = (self.layer, "no object here") if found is not None else ()
            self._want(None)
        else:
            first = found.objects[0]
            state = ", in the matte" if first.id in found.inside else ""
            self.lines = (first.name, f"{found.layer}, covers {100.0 * first.coverage:.0f} %{state}")
            self._want(Matte(Leaf(Cryptomatte(found.layer, ids=(first.id,)))))
        self._canvas.redraw()

    def _want(self, matte: Matte | None) -> None:
        if matte != self._wanted:
            self._wanted = matte
            self._highlight = None
            self._preview.highlight(matte)

    def _follow_frame(self, _frame: object, request: Any) -> None:
        """Request name and highlight again once another part of the image is shown, or another image."""
        shown = request.serial, request.view.region, request.view.width
        if shown == self._shown or not self.layer:
            return
        self._shown = shown
        if self._wanted is not None:
            self._preview.highlight(self._wanted)
        if self._pointer is not None:
            self._pixel = None
            self._look(self._place.pixel(self._pointer))

    def _show_highlight(self, image: QImage | None, region: Box, matte: Matte | None) -> None:
        """Outline the coverage of an object on a thread, and show that, unless another one is wanted by now."""
        if matte != self._wanted:
            return
        if image is None:
            self._highlight = None
            self._canvas.redraw()
            return

        def show(made: QImage) -> None:
            if matte == self._wanted:
                self._highlight = made, region
                self._canvas.redraw()

        mapping = self._place.mapping
        across = region[2] * mapping.across if mapping is not None else 1.0  # on the canvas
        width = max(1, round(OUTLINE * image.width() / across))
        self._picks.compute(partial(outlined, image, width), show, self._messages.warn)

    def _pick(self, at: Point, way: str) -> None:
        pixel = self._place.pixel(at)
        if pixel is not None and self.layer:
            self._picks.take(self.layer, pixel, partial(self._take, way, self._selection.entry), self._messages.warn)

    def _take(self, way: str, entry: Path, found: FoundObjects) -> None:
        """Add an object that was clicked to the matte, or remove it, unless another entry is edited by now."""
        selection, matte = self._selection, self._selection.matte
        if not self.layer or entry != selection.entry or matte is None or selection.node is None or not found.objects:
            return
        first = found.objects[0]
        try:
            root, path = leaf_of(matte.root, selection.node, found.layer)
            source = source_of(root, path)
            changed = with_object(source, first, found.manifest, way)
            made = replace(matte, root=with_values(root, path, source=changed))
        except GradeError as error:
            self._messages.warn(str(error))
            return
        if changed == source:
            return
        added = len(changed.names) + len(changed.ids) > len(source.names) + len(source.ids)
        if not selection.set_matte(made, f"{'with' if added else 'without'} {first.name}"):
            return
        if path != selection.node:  # another layer: its leaf is the one that is picked for now
            selection.select(path)
            selection.pick(True)

    def _step(self, by: int) -> None:
        """Pick in the next or the previous layer of the file."""
        layers = list(self._layers())
        if layers:
            at = layers.index(self.layer) + by if self.layer in layers else 0
            self.layer = layers[at % len(layers)]
            self._pixel = None
            self._messages.note(f"Picking in {self.layer}")
            if self._pointer is not None:
                self._look(self._place.pixel(self._pointer))

    def _source_of(self, layer: str) -> Cryptomatte | None:
        """Return the source of the matte that holds the objects of a layer; None if there is none yet."""
        matte, node = self._selection.matte, self._selection.node
        if matte is None or node is None:
            return None
        return source_of(*leaf_of(matte.root, node, layer))

    def _forget(self) -> None:
        self.lines, self._pointer, self._pixel, self._found = (), None, None, None
        self._want(None)
        self._canvas.redraw()


def way_of(event: QInputEvent) -> str:
    """Return what a click or key does: Shift only adds, Ctrl and Alt only remove."""
    held = held_of(event)
    return REMOVE if has_control(event) or held.alt else ADD if held.shift else TOGGLE


def source_of(root: Node, path: Path) -> Cryptomatte:
    """Return the source of a leaf for objects."""
    source = source_at(root, path)
    assert isinstance(source, Cryptomatte)
    return source
