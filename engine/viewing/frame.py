"""Frames of a viewport."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.base import ImageHandle
from engine.core.records import dataclass
from engine.viewing.requests import Region


@dataclass(frozen=True)
class Frame:
    """RGBA bytes (height, width, 4) of `region`, clamped and opaque, in main memory or on a device.

    `exact` says that it is neither approximated nor at reduced resolution. `view_error` is the largest error of a baked
    view in display values 0..1; 0 for the view itself.
    """

    held: NDArray[np.uint8] | ImageHandle
    region: Region
    exact: bool
    view_error: float = 0.0

    @property
    def handle(self) -> ImageHandle | None:
        """The handle of a frame on a device, else None."""
        return self.held if isinstance(self.held, ImageHandle) else None

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """The frame in main memory; a frame on a device is downloaded on each access."""
        return self.held.primitives.download(self.held) if isinstance(self.held, ImageHandle) else self.held
