"""The values of the pixel under the cursor, in the status bar."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.canvas.canvas import Canvas
from app.canvas.stage import Stage, holds_ids
from app.render.preview import Preview
from app.render.probe_samples import ProbeResult
from app.services.colour_manager import Colour
from app.services.open_documents import OpenDocuments
from app.shell.status_bar import StatusBar


class PointerProbe(QObject):
    """Requests the values under the cursor when it moves or when they change, and shows them."""

    def __init__(
        self,
        documents: OpenDocuments,
        colour: Colour,
        preview: Preview,
        stage: Stage,
        canvas: Canvas,
        status: StatusBar,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._documents, self._colour, self._preview, self._stage = documents, colour, preview, stage
        self._status = status
        self._pixel: tuple[int, int] | None = None
        canvas.hovered.connect(self._hover)
        preview.probed.connect(self._show)
        for signal in (documents.grade_changed, documents.image_changed, stage.previewed_lut_changed, colour.changed):
            signal.connect(self._request)

    def _hover(self, pixel: tuple[int, int] | None) -> None:
        self._pixel = pixel
        self._request()

    def _request(self) -> None:
        """Request the values of the pixel under the cursor; clear the values if there is none."""
        document = self._documents.current
        image = document.image
        x, y = self._pixel or (-1, -1)
        if image is None or not (0 <= x < image.part.width and 0 <= y < image.part.height):
            self._status.show_probe(None)
        elif self._colour.settled(document):
            self._preview.probe(x, y, self._stage.grade, document.managed)

    def _show(self, result: ProbeResult) -> None:
        image = self._documents.current.image
        if self._pixel == (result.x, result.y) and image is not None:
            self._status.show_probe(result, image.part.data_window[:2], holds_ids(image))
