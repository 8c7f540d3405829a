"""The verbs of backends that convert planar frames of movies."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.compute.backends.inputs import PointInputs
from engine.compute.backends.memory import ImageMemory
from engine.compute.handles import ImageHandle, PlanarImage
from engine.core.geometry import Place, Rect
from engine.errors import HandleError
from engine.kernel.op import ColorOp
from engine.kernel.taps import Taps, resize_taps

if TYPE_CHECKING:
    from engine.compute.planar import PlanarFormat, Rounding


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
        from engine.compute.ycbcr import YcbcrToRgb  # for movies alone

        run = (YcbcrToRgb.of(image.format), *ops)
        self._run_planes(image, self._own(target), run, PointInputs(place), part)

    def exec_to_planes(
        self,
        source: ImageHandle,
        format: PlanarFormat,
        ops: Sequence[ColorOp] = (),
        place: Place | None = None,
        dither: int | None = None,
    ) -> PlanarImage:
        """Run colour ops on an image, whose result is R'G'B', and convert that to the planes of a frame of its size.

        Each chroma sample is the mean of the pixels around its place, weighted by a tent that falls to 0 at two luma
        samples: 1 2 1 where it lies on a luma sample, 1 3 3 1 where it lies between two. Codes are rounded to the
        nearest, ties to even, and clamped to the `legal_codes` of the format. With `dither`, noise of up to a code is
        added first, against banding; it is the same for the same number, such as that of a frame.
        """
        source = self._moved_here(source)
        if (source.width, source.height) != (format.width, format.height):
            raise HandleError(f"an image of {source.shape} can't go into a frame of {format.width} x {format.height}")
        from engine.compute.ycbcr import RgbToYcbcr

        codes = self.allocate(format.width, format.height)
        try:
            self._run_point(source, codes, (*ops, RgbToYcbcr.of(format)), PointInputs(place))
            return self._planes_of_codes(codes, format, dither)
        finally:
            codes.free()

    # -- internals

    def _planes_of_codes(self, codes: ImageHandle, format: PlanarFormat, dither: int | None) -> PlanarImage:
        from engine.compute.planar import Rounding

        size = self._planes_footprint(format)
        image = self._counted(size, lambda: PlanarImage(self, self._new_planes(format), format, size))
        chroma_planes, noise = len(format.shapes) - 1 - format.alpha, (dither is not None, dither or 0)
        rounding = Rounding(*format.legal_codes, *noise)
        self._run_samples(codes, image, 0, 0, rounding)
        if format.alpha:
            self._run_samples(codes, image, len(format.shapes) - 1, 3, Rounding(0, format.largest, *noise))
        chroma = self._subsampled(codes, format) if chroma_planes else codes
        for number in range(chroma_planes):
            self._run_samples(chroma, image, 1 + number, 1 + number, rounding)
        if chroma is not codes:
            chroma.free()
        return image

    def _subsampled(self, codes: ImageHandle, format: PlanarFormat) -> ImageHandle:
        """Return the codes at the places of the chroma samples; the image itself if they are those of luma."""
        halved, down = format.subsampling
        if not halved:
            return codes
        columns, rows = format.chroma_size
        right, below = format.phases
        chroma = self.allocate(columns, rows)
        # A tap of two pixels has its place between them: half a pixel right of and below the first.
        columns_taps = resize_taps("bilinear", codes.width, columns, 0.5 * (right - 1), 2.0 * columns)
        rows_taps = resize_taps("bilinear", codes.height, rows, 0.5 * (below - 1) * down, float(rows << down))
        self._run_filter(codes, chroma, columns_taps, rows_taps)
        return chroma

    # -- hooks

    @abstractmethod
    def _run_point(self, source: ImageHandle, target: ImageHandle, ops: Sequence[ColorOp], inputs: PointInputs) -> None:
        """Run colour ops in one pass. Raises HandleError if they read what the inputs lack."""

    @abstractmethod
    def _run_filter(self, source: ImageHandle, target: ImageHandle, columns: Taps, rows: Taps) -> None:
        """Compute weighted sums along columns and rows."""

    @abstractmethod
    def _run_planes(
        self, image: PlanarImage, target: ImageHandle, ops: Sequence[ColorOp], inputs: PointInputs, region: Rect
    ) -> None:
        """Run colour ops on the codes of a region's pixels: Y', Cb, Cr, and that of alpha, or 1 without alpha."""

    @abstractmethod
    def _run_samples(
        self, source: ImageHandle, image: PlanarImage, plane: int, channel: int, rounding: Rounding
    ) -> None:
        """Fill a plane of a frame with the codes in a channel of a float32 image, rounded.

        A plane of two samples per column takes the next channel, too.
        """
