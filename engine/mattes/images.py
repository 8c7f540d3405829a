"""Image files as mattes."""

from __future__ import annotations

from engine.kernel.pixel import Pixel, Scalar, clamp
from engine.mattes import checks
from engine.mattes.planes import FilePlane, Plane
from engine.mattes.source import MatteSource


class ImageMatte(MatteSource):
    """A channel of another image file, or of a sequence, fitted to the display window and clamped to 0..1.

    `path` may have a frame pattern. `channel` is a full name; "" is the first of Y, A, R that the file has.
    """

    family = "Images"
    label = "Image"

    path: str = ""
    channel: str = ""

    def check(self) -> None:
        checks.text(self, "path", empty=True)
        checks.text(self, "channel", empty=True)

    @property
    def planes(self) -> tuple[Plane, ...]:
        return (FilePlane(self.path, self.channel),)

    def coverage(self, px: Pixel) -> Scalar:
        return clamp(px.planes[0], 0.0, 1.0)
