"""What colour ops read of a pixel beside its channels: its place and its planes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field

import numpy as np

from engine.compute.handles import ImageHandle
from engine.core.geometry import Place
from engine.core.records import dataclass
from engine.errors import HandleError
from engine.kernel.arguments import Arguments
from engine.kernel.pixel import MOST_PLANES
from engine.kernel.point_text import PER_IMAGE


@dataclass(frozen=True)
class PointInputs:
    """The place of an image, and images of the same size with planes 0-3 and 4-7; and when to stop."""

    place: Place | None = None
    planes: tuple[ImageHandle, ...] = ()
    stop: Callable[[], bool] = field(default=lambda: False, compare=False)

    def check_images(self, source: ImageHandle, target: ImageHandle) -> None:
        """Raise HandleError if the planes are not at most two RGBA float32 images of the size of the source."""
        if len(self.planes) * PER_IMAGE > MOST_PLANES:
            raise HandleError(f"ops read at most {MOST_PLANES} planes, not {len(self.planes)} images of {PER_IMAGE}")
        for plane in self.planes:
            if plane.shape != (source.height, source.width, PER_IMAGE) or plane.dtype != np.float32:
                wanted = f"RGBA float32 of {source.width} x {source.height}"
                raise HandleError(f"an image of {plane.shape}, {plane.dtype} can't be planes; they are {wanted}")
            if plane.buffer is target.buffer:
                raise HandleError("the result can't be written over the planes that it is computed from")

    def check(self, kernels: Iterable[Arguments]) -> None:
        """Raise HandleError if kernels read what is not given."""
        for each in kernels:
            if each.placed and self.place is None:
                raise HandleError("the ops read the place of pixels, and none is given")
            if each.planes > len(self.planes) * PER_IMAGE:
                raise HandleError(f"the ops read {each.planes} planes, and {len(self.planes)} images are given")
