"""The base class of backends: it implements the public verbs once; each backend implements only the private hooks.

A buffer is whatever the backend stores an image in. The hooks are the abstract methods at the end.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine import ops
from engine.compute.backends.extremes import check_extreme, window_steps
from engine.compute.backends.inputs import PointInputs
from engine.compute.backends.memory import LOG as LOG
from engine.compute.backends.memory import STORAGES as STORAGES
from engine.compute.backends.planar_verbs import PlanarVerbs
from engine.compute.handles import ImageHandle as ImageHandle
from engine.compute.handles import MemoryStats as MemoryStats
from engine.compute.plan import DISPLAY as DISPLAY_FORMAT
from engine.compute.plan import ExtremeStep, FilterStep, PixelFormat, SoftStep, Stage
from engine.core.geometry import GpuLimits, Place
from engine.errors import GradeError, HandleError
from engine.kernel.op import ColorOp
from engine.kernel.taps import Taps, blur_taps, resize_taps

if TYPE_CHECKING:
    from engine.compute.backends.extremes import Steps
    from engine.compute.chunks import ChunkCodec
    from engine.compute.statistics import Axis, Statistics

DISPLAY = DISPLAY_FORMAT.dtype
INSIDE = 1 << 16
"""Flag in the placement of a screen column or row: set where the frame covers it."""


class GpuPrimitives(PlanarVerbs):
    """Transfers images to and from a device and processes them there. Thread-safe."""

    device: str
    limits: GpuLimits
    runs_on_cpu: bool = False
    """Whether the device is the CPU or a software device on it."""
    repairs: bool = False
    """Whether frames for display that end with a `BakedLut` are exact where it is not accurate."""
    concurrency: int = 1
    """The useful number of concurrent tiles, so that transfers and computation overlap."""
    chunk_codec: ChunkCodec | None = None
    """Decodes and encodes EXR chunks, on a device that can."""

    # -- colour

    def prepare(self, stage: Stage) -> None:
        """Compile the kernels of a stage in advance."""
        if isinstance(stage.step, FilterStep | SoftStep):
            self._compile_filter(stage.source, stage.target)
        elif isinstance(stage.step, ExtremeStep):
            self._compile_extreme()
        else:
            self._compile(stage.step.ops, stage.source, stage.target)

    def prepared(self, stage: Stage) -> bool:
        """Return whether a stage runs without compiling anything."""
        if isinstance(stage.step, FilterStep | SoftStep):
            return self._is_filter_compiled(stage.source, stage.target)
        if isinstance(stage.step, ExtremeStep):
            return self._is_extreme_compiled()
        return self._is_compiled(stage.step.ops, stage.source, stage.target)

    def exec_point(
        self,
        source: ImageHandle,
        target: ImageHandle,
        ops: Sequence[ColorOp],
        place: Place | None = None,
        planes: Sequence[ImageHandle] = (),
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Run colour ops in order, in one pass. All images have the same size; `target` may be `source`.

        `place` says where the source is in the display window, for ops that read `px.x` and `px.y`. `planes` are at
        most two RGBA float32 images, with `px.planes` 0-3 and 4-7. Raises HandleError if ops read what is not given,
        and Cancelled if `stop()`, which the CPU asks after each part of the image, returns True before the last one.
        """
        source = self._moved_here(source)
        self._same_size(source, target)
        inputs = PointInputs(place, tuple(self._moved_here(image) for image in planes), stop)
        inputs.check_images(source, self._own(target))
        self._run_point(self._own(source), target, ops, inputs)

    def exec_matrix(self, source: ImageHandle, target: ImageHandle, matrix: Any, offset: Any = (0, 0, 0, 0)) -> None:
        """Multiply RGBA by a 4x4 matrix (16 numbers, row by row) and add an offset."""
        self.exec_point(source, target, [ops.Matrix(tuple(np.ravel(matrix)), tuple(offset))])

    def exec_cdl(
        self, source: ImageHandle, target: ImageHandle, slope: Any, offset: Any, power: Any, saturation: float = 1.0
    ) -> None:
        """Apply an ASC CDL, no-clamp."""
        self.exec_point(source, target, [ops.Cdl(tuple(slope), tuple(offset), tuple(power), saturation)])

    def exec_lut1d(self, source: ImageHandle, target: ImageHandle, curve: Any) -> None:
        """Apply a 1D LUT of (size, 1|3) values over 0..1."""
        self.exec_point(source, target, [ops.Lut1d(curve)])

    def exec_lut3d(
        self, source: ImageHandle, target: ImageHandle, cube: Any, interpolation: str = "tetrahedral"
    ) -> None:
        """Apply a 3D LUT of (size, size, size, 3) values over 0..1, indexed [r][g][b]."""
        self.exec_point(source, target, [ops.Lut3d(cube, interpolation=interpolation)])

    # -- filters

    def exec_resize(
        self,
        source: ImageHandle,
        target: ImageHandle,
        filter: str = "area",
        region: tuple[float, float, float, float] | None = None,
    ) -> None:
        """Fill `target` with the region (x, y, width, height in source pixels; default: all) of `source`."""
        x, y, width, height = region or (0.0, 0.0, float(source.width), float(source.height))
        columns = resize_taps(filter, source.width, target.width, x, width)
        rows = resize_taps(filter, source.height, target.height, y, height)
        self.exec_taps(source, target, columns, rows)

    def exec_blur(self, source: ImageHandle, target: ImageHandle, radius: float) -> None:
        """Apply a Gaussian blur that reaches `radius` pixels. Raises GradeError if `radius` is not above 0."""
        if radius <= 0.0:
            raise GradeError(f"the radius of a blur must be above 0, not {radius:g}")
        self._same_size(source, target)
        self.exec_taps(source, target, blur_taps(radius, source.width), blur_taps(radius, source.height))

    def exec_taps(self, source: ImageHandle, target: ImageHandle, columns: Taps, rows: Taps) -> None:
        """Compute weighted sums, with one set of taps for each column and for each row of `target`."""
        if (len(columns.first), len(rows.first), source.channels) != (target.width, target.height, target.channels):
            raise HandleError(f"taps for {len(columns.first)} x {len(rows.first)} pixels do not fill {target.shape}")
        self._run_filter(self._moved_here(source), self._own(target), columns, rows)

    def exec_extreme(
        self, source: ImageHandle, target: ImageHandle, radius_x: int, radius_y: int, largest: bool
    ) -> None:
        """Take the largest or the smallest value of each channel within `radius_x` columns and `radius_y` rows.

        The images are RGBA float32. Edge pixels are repeated outwards. NaN is ignored, unless there is nothing else.
        """
        source = self._moved_here(source)
        check_extreme(source, self._own(target), radius_x, radius_y)
        self._run_extreme(source, target, window_steps(radius_x, radius_y), largest)

    # -- reductions, for scopes and checks

    def statistics(self, handle: ImageHandle) -> Statistics:
        """Return minimum, maximum and mean of the finite values of each channel, and counts of NaN, Inf, negatives."""
        return self._run_statistics(self._own(handle))

    def histogram(self, handle: ImageHandle, axis: Axis) -> NDArray[np.uint32]:
        """Return (4, axis.bins) counts of R, G, B and Rec.709 luma.

        Values beyond the axis count in its end bins; NaN is not counted.
        """
        return self._run_histogram(self._own(handle), axis)

    def waveform(self, handle: ImageHandle, columns: int, axis: Axis) -> NDArray[np.uint32]:
        """Return (4, axis.bins, columns) counts: a histogram of R, G, B, luma for each of `columns` vertical stripes.

        The first three are the RGB parade, the last is the luma waveform. Pixel column x falls in stripe
        x * columns // width.
        """
        return self._run_waveform(self._own(handle), columns, axis)

    def vectorscope(self, handle: ImageHandle, size: int, extent: float = 0.5) -> NDArray[np.uint32]:
        """Return (size, size) counts: Cr upwards, Cb to the right (ITU-R BT.709-6, item 3.3), each -extent..extent.

        Colours beyond count at the border; pixels with NaN or Inf are not counted.
        """
        return self._run_vectorscope(self._own(handle), size, extent)

    def release_cached(self) -> None:
        """Return memory that is kept for reuse to the device."""
        self._trim()

    @staticmethod
    def _same_size(source: ImageHandle, target: ImageHandle) -> None:
        if (source.width, source.height) != (target.width, target.height):
            raise HandleError(f"an image of {source.shape} can't go into one of {target.shape}")

    # -- hooks

    @abstractmethod
    def _compile(self, ops: Sequence[ColorOp], source: PixelFormat, target: PixelFormat) -> None:
        """Compile the kernels of a run of colour ops between these formats."""

    @abstractmethod
    def _is_compiled(self, ops: Sequence[ColorOp], source: PixelFormat, target: PixelFormat) -> bool:
        """Return whether `_compile` has nothing to do."""

    @abstractmethod
    def _compile_filter(self, source: PixelFormat, target: PixelFormat) -> None:
        """Compile the kernels of a filter between these formats."""

    @abstractmethod
    def _is_filter_compiled(self, source: PixelFormat, target: PixelFormat) -> bool:
        """Return whether `_compile_filter` has nothing to do."""

    @abstractmethod
    def _compile_extreme(self) -> None:
        """Compile the kernels of extremes."""

    @abstractmethod
    def _is_extreme_compiled(self) -> bool:
        """Return whether `_compile_extreme` has nothing to do."""

    @abstractmethod
    def _run_extreme(self, source: ImageHandle, target: ImageHandle, steps: Steps, largest: bool) -> None:
        """Take the extremes of a window that grows by these steps along x and y."""

    @abstractmethod
    def _trim(self) -> None:
        """Free memory that is only kept for reuse."""

    @abstractmethod
    def _run_statistics(self, handle: ImageHandle) -> Statistics:
        """See `statistics`."""

    @abstractmethod
    def _run_histogram(self, handle: ImageHandle, axis: Axis) -> NDArray[np.uint32]:
        """See `histogram`."""

    @abstractmethod
    def _run_waveform(self, handle: ImageHandle, columns: int, axis: Axis) -> NDArray[np.uint32]:
        """See `waveform`."""

    @abstractmethod
    def _run_vectorscope(self, handle: ImageHandle, size: int, extent: float) -> NDArray[np.uint32]:
        """See `vectorscope`."""
