"""The values of the pixel under the cursor, in the status bar."""

from __future__ import annotations

from app.canvas.stage import Stage, holds_ids
from app.render.probe_samples import ProbeResult
from app.shell.status_bar import StatusBar


class PointerProbe:
    """Requests the values under the cursor when it moves or when they change, and shows them."""

    def __init__(self, stage: Stage, status: StatusBar) -> None:
        self._stage, self._status = stage, status
        self._pixel: tuple[int, int] | None = None

    def follow(self, pixel: tuple[int, int] | None) -> None:
        """Show the values of another pixel of the image; None if the cursor is beside it."""
        self._pixel = pixel
        self.refresh()

    def refresh(self) -> None:
        """Request the values of the pixel under the cursor; clear the values if there is none."""
        image = self._stage.image
        x, y = self._pixel or (-1, -1)
        if image is None or not (0 <= x < image.part.width and 0 <= y < image.part.height):
            self._status.show_probe(None)
        else:
            self._stage.probe(x, y)

    def show(self, result: ProbeResult) -> None:
        """Show the values, unless the cursor has moved on."""
        image = self._stage.image
        if self._pixel == (result.x, result.y) and image is not None:
            self._status.show_probe(result, image.part.data_window[:2], holds_ids(image))
