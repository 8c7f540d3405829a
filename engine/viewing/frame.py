"""What a frame is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.base import ImageHandle
from engine.viewing.requests import Region


@dataclass(frozen=True)
class Frame:
    """RGBA bytes (height, width, 4) of `region`, clamped and opaque. `exact` as the ops say, at the view's own size."""

    held: NDArray[np.uint8] | ImageHandle
    region: Region
    exact: bool

    @property
    def handle(self) -> ImageHandle | None:
        """The frame where it lies on the device."""
        return self.held if isinstance(self.held, ImageHandle) else None

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """The frame in main memory; each time brought there from a device."""
        return self.held.primitives.download(self.held) if isinstance(self.held, ImageHandle) else self.held
