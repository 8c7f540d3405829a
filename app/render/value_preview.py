"""The part of the preview that reads values of pixels: one under the pointer, and means of boxes."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.model.grade_rows import Path
from app.model.view_ops import UNMANAGED
from app.render.grid_preview import GridPreview
from app.render.probe_samples import Box, ProbeRequest, SampleRequest
from engine import Grade
from engine.color.management import Managed
from engine.grade.colour_settings import Viewing


class ValuePreview(GridPreview):
    """Requests values of pixels; a newer request of a kind replaces the pending one. `Preview` answers them."""

    probed = Signal(object)  # ProbeResult
    sampled = Signal(object)  # list of Sample

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._probe: ProbeRequest | None = None
        self._sampling: SampleRequest | None = None

    def probe(self, x: int, y: int, grade: Grade, managed: Managed = UNMANAGED) -> None:
        """Request the values of a pixel; replaces the pending probe. One that the displayed image lacks has none."""
        with self._changed:
            levels = self._displayed
            is_inside = levels is not None and 0 <= x < levels.width and 0 <= y < levels.height
            self._probe = ProbeRequest(self._serial, x, y, grade, managed) if is_inside else None
            self._changed.notify()

    def sample(
        self, boxes: tuple[Box, ...], grade: Grade, managed: Managed, viewing: Viewing, inside: Path = ()
    ) -> None:
        """Request the mean values of boxes of pixels, of those inside the matte of the entry at `inside` if that has
        one; replaces the pending samples."""
        with self._changed:
            self._sampling = SampleRequest(self._serial, boxes, grade, managed, viewing, inside)
            self._changed.notify()
