"""What the mattes of a grade read besides the image: where it lies in the display window, and planes of its file."""

from __future__ import annotations

from typing import Protocol

from engine.compute.backends.base import GpuPrimitives, ImageHandle
from engine.core.geometry import Place, Rect
from engine.core.records import dataclass
from engine.mattes.planes import Plane


class PlaneSource(Protocol):
    """Planes of an image, at its size. Thread-safe: tiles are computed concurrently."""

    @property
    def fixed_bytes(self) -> int:
        """Bytes of main memory that the source keeps, whatever is read."""

    def handles(self, primitives: GpuPrimitives, planes: tuple[Plane, ...], rect: Rect) -> list[ImageHandle]:
        """Return the planes in `rect`, in pixels of the image, as RGBA float32 images with four planes in each.

        Channels beyond the last plane are undefined. Raises FileError or GradeError for planes that it does not have.
        """


WHOLE = Place()
"""The place of an image that fills its display window."""


@dataclass(frozen=True)
class MatteInputs:
    """The place of an image, the source of its planes, and the size of its display window at level 0.

    Without `planes`, mattes that read some raise GradeError. With a `frame` of (0, 0), mattes keep the positions that
    they have.
    """

    place: Place = WHOLE
    planes: PlaneSource | None = None
    frame: tuple[int, int] = (0, 0)


NO_INPUTS = MatteInputs()
"""Those of an image that fills its display window and has no planes."""
