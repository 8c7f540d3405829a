"""The verbs of backends that convert planar frames of movies."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from engine.compute.backends.inputs import PointInputs
from engine.compute.backends.memory import ImageMemory
from engine.compute.handles import ImageHandle, PlanarImage
from engine.compute.ycbcr import YcbcrToRgb
from engine.core.geometry import Place, Rect
from engine.errors import HandleError
from engine.kernel.op import ColorOp


class PlanarVerbs(ImageMemory):
    """Converts planar frames on a device."""

    def exec_planes(
        self,
        image: PlanarImage,
        target: ImageHandle,
        ops: Sequence[ColorOp] = (),
        place: Place | None = None,
        region: Rect | None = None,
    ) -> None:
        """Convert a planar frame to R'G'B', and run colour ops on that, in one pass.

        Chroma is interpolated linearly between the samples around a pixel, which are where the format's siting says;
        beyond the edges the outermost samples are repeated. `target` has the size of the `region` (default: all), and
        `place` says where that region is in the display window, for ops that read `px.x` and `px.y`.
        """
        image = self._moved_here(image)
        frame = Rect(0, 0, image.format.width, image.format.height)
        part = frame if region is None else region
        if part.clipped(frame.width, frame.height) != part or not part.pixels:
            raise HandleError(f"the region {part} is not inside a frame of {frame.width} x {frame.height}")
        if (part.width, part.height) != (target.width, target.height):
            raise HandleError(f"{part.width} x {part.height} pixels can't go into an image of {target.shape}")
        run = (YcbcrToRgb.of(image.format), *ops)
        self._run_planes(image, self._own(target), run, PointInputs(place), part)

    # -- hooks

    @abstractmethod
    def _run_planes(
        self, image: PlanarImage, target: ImageHandle, ops: Sequence[ColorOp], inputs: PointInputs, region: Rect
    ) -> None:
        """Run colour ops on the codes of a region's pixels: Y', Cb, Cr, and that of alpha, or 1 without alpha."""
