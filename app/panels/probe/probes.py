"""What is probed on the current image: the pixel under the cursor, the area and the pins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QObject, Signal

from app.canvas.pins import Pin
from app.canvas.stage import Stage, holds_ids
from app.render.probe_samples import Box
from engine.core.records import dataclass


@dataclass(frozen=True)
class Probe:
    """A box of pixels with its name; a pinned one has a `pin`, the area and the cursor have none."""

    name: str
    box: Box
    pin: Pin | None = None
    is_area: bool = False


class Probes(QObject):
    """Lists the probes of the current image and requests their values."""

    changed = Signal()  # the probes or their values may have changed
    sampled = Signal(object)  # the requested values: a list of Sample

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self._stage = stage
        for signal in (stage.shown, stage.previewed_lut_changed):
            signal.connect(self.changed)

    @property
    def has_image(self) -> bool:
        """Whether there is an image to probe."""
        return self._stage.image is not None

    @property
    def holds_ids(self) -> bool:
        """Whether the image holds IDs, which have no mean."""
        return holds_ids(self._stage.image)

    @property
    def can_clear(self) -> bool:
        """Whether there is an area or a pin to remove."""
        return self._stage.pins.is_set

    def listed(self, size: int) -> list[Probe]:
        """Return the probes in order: cursor, area, pins. Cursor and pins measure `size` × `size` pixels."""
        return list(self._listed(size)) if self.has_image else []

    def request(self, probes: Sequence[Probe]) -> None:
        """Request the values of probes; `sampled` is emitted with them."""
        self._stage.sample(tuple(probe.box for probe in probes))

    def remove(self, probe: Probe) -> None:
        """Remove a pin or the area; the cursor stays."""
        if probe.pin is not None:
            self._stage.pins.remove(probe.pin)
        elif probe.is_area:
            self._stage.pins.remove_area()

    def clear(self) -> None:
        """Remove the area and every pin."""
        self._stage.pins.clear()

    def _listed(self, size: int) -> Iterator[Probe]:
        pointer, area = self._stage.pins.pointer, self._stage.pins.area
        if pointer is not None:
            yield Probe(f"Cursor  {self._place(pointer)}", self._around(pointer, size))
        if area is not None:
            yield Probe(f"Area  {self._place(area[:2])}  {area[2]} × {area[3]}", area, is_area=True)
        for number, pin in enumerate(self._stage.pins.pins, 1):
            yield Probe(f"{number}  {self._place(pin)}", self._around(pin, size), pin)

    def _around(self, pixel: Pin, size: int) -> Box:
        """Return the box of `size` around a pixel; for an image of IDs, only the pixel."""
        if self.holds_ids:
            return pixel[0], pixel[1], 1, 1
        return pixel[0] - size // 2, pixel[1] - size // 2, size, size

    def _place(self, pixel: Sequence[int]) -> str:
        """Format column and row in the coordinates of the file."""
        left, top = self._stage.image.part.data_window[:2]
        return f"{pixel[0] + left}, {pixel[1] + top}"
