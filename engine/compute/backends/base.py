"""The base class of backends: it implements the public verbs once; each backend implements only the private hooks.

A buffer is whatever the backend stores an image in. The hooks are the abstract methods at the end.
"""

from __future__ import annotations

import logging
import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.chunks import ChunkCodec
from engine.compute.handles import ImageHandle as ImageHandle
from engine.compute.handles import MemoryStats as MemoryStats
from engine.compute.plan import DISPLAY as DISPLAY_FORMAT
from engine.compute.plan import FilterStep, PixelFormat, Stage
from engine.compute.statistics import Axis, Statistics
from engine.core.geometry import GpuLimits
from engine.errors import GradeError, HandleError, OutOfDeviceMemory
from engine.kernel.op import ColorOp
from engine.kernel.taps import Taps, blur_taps, resize_taps
from engine.ops import Cdl, Lut1d, Lut3d, Matrix

LOG = logging.getLogger("tessera")

STORAGES = (np.dtype(np.float16), np.dtype(np.float32))
"""Sample types of stored images. Arithmetic is float32 for both."""
DISPLAY = DISPLAY_FORMAT.dtype
INSIDE = 1 << 16
"""Flag in the placement of a screen column or row: set where the frame covers it."""


class GpuPrimitives(ABC):
    """Transfers images to and from a device and processes them there. Thread-safe.

    With a `memory_limit` (bytes), an image that would make the total exceed it raises OutOfDeviceMemory.
    """

    name: str
    device: str
    limits: GpuLimits
    priority: int
    """The backend with the highest priority is selected; operations between two backends run on the lower one, which is
    the more compatible."""
    runs_on_cpu: bool = False
    """Whether the device is the CPU or a software device on it."""
    repairs: bool = False
    """Whether frames for display that end with a `BakedLut` are exact where it is not accurate."""
    concurrency: int = 1
    """The useful number of concurrent tiles, so that transfers and computation overlap."""
    chunk_codec: ChunkCodec | None = None
    """Decodes and encodes EXR chunks, on a device that can."""

    def __init__(self, memory_limit: int | None = None) -> None:
        self.memory_limit = memory_limit
        self._lock = threading.RLock()
        self._stats = MemoryStats()

    # -- memory

    def upload(self, pixels: NDArray[Any]) -> ImageHandle:
        """Upload (height, width, 3|4) pixels of float16 or float32 and return their handle.

        The CPU backend does not copy: leave the array unchanged while the handle exists.
        """
        if pixels.ndim != 3 or pixels.shape[2] not in (3, 4) or 0 in pixels.shape:
            raise HandleError(f"an image has the shape (height, width, 3 or 4), not {pixels.shape}")
        if pixels.dtype not in STORAGES:
            raise HandleError(f"pixels are float16 or float32, not {pixels.dtype}")
        return self._handle(lambda: self._import(pixels), pixels.shape, pixels.dtype)

    def allocate(self, width: int, height: int, channels: int = 4, dtype: Any = np.float32) -> ImageHandle:
        """Allocate an image with undefined pixels and return its handle."""
        shape, kind = (height, width, channels), np.dtype(dtype)
        return self._handle(lambda: self._new_buffer(shape, kind), shape, kind)

    def download(self, handle: ImageHandle, into: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return the image as an array: `into`, or a new one; without `into` the CPU returns the handle's own array."""
        if into is not None and (into.shape, into.dtype) != (handle.shape, handle.dtype):
            raise HandleError(f"an image of {handle.shape} can't go into an array of {into.shape}")
        return self._export(self._own(handle), into)

    def free(self, handle: ImageHandle) -> None:
        """Free the memory of an image now. Raises HandleError if it was freed before."""
        self._own(handle, alive=False).free()

    def memory_stats(self) -> MemoryStats:
        return self._stats

    def synchronize(self) -> None:
        """Wait until all work submitted so far is done."""
        self._wait()

    # -- colour

    def prepare(self, stage: Stage) -> None:
        """Compile the kernels of a stage in advance."""
        if isinstance(stage.step, FilterStep):
            self._compile_filter(stage.source, stage.target)
        else:
            self._compile(stage.step.ops, stage.source, stage.target)

    def prepared(self, stage: Stage) -> bool:
        """Return whether a stage runs without compiling anything."""
        if isinstance(stage.step, FilterStep):
            return self._is_filter_compiled(stage.source, stage.target)
        return self._is_compiled(stage.step.ops, stage.source, stage.target)

    def exec_point(self, source: ImageHandle, target: ImageHandle, ops: Sequence[ColorOp]) -> None:
        """Run colour ops in order, in one pass. Both images have the same size; `target` may be `source`."""
        source = self._moved_here(source)
        self._same_size(source, target)
        self._run_point(self._own(source), self._own(target), ops)

    def exec_matrix(self, source: ImageHandle, target: ImageHandle, matrix: Any, offset: Any = (0, 0, 0, 0)) -> None:
        """Multiply RGBA by a 4x4 matrix (16 numbers, row by row) and add an offset."""
        self.exec_point(source, target, [Matrix(tuple(np.ravel(matrix)), tuple(offset))])

    def exec_cdl(
        self, source: ImageHandle, target: ImageHandle, slope: Any, offset: Any, power: Any, saturation: float = 1.0
    ) -> None:
        """Apply an ASC CDL, no-clamp."""
        self.exec_point(source, target, [Cdl(tuple(slope), tuple(offset), tuple(power), saturation)])

    def exec_lut1d(self, source: ImageHandle, target: ImageHandle, curve: Any) -> None:
        """Apply a 1D LUT of (size, 1|3) values over 0..1."""
        self.exec_point(source, target, [Lut1d(curve)])

    def exec_lut3d(
        self, source: ImageHandle, target: ImageHandle, cube: Any, interpolation: str = "tetrahedral"
    ) -> None:
        """Apply a 3D LUT of (size, size, size, 3) values over 0..1, indexed [r][g][b]."""
        self.exec_point(source, target, [Lut3d(cube, interpolation=interpolation)])

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

    # -- internals

    def _handle(self, make: Callable[[], Any], shape: tuple[int, ...], dtype: np.dtype[Any]) -> ImageHandle:
        height, width, channels = shape
        size = self._footprint((height, width, channels), dtype)
        self._count(size, 1)
        try:
            return ImageHandle(self, make(), (height, width, channels), dtype, size)
        except BaseException:
            self._count(-size, -1)
            raise

    def _count(self, size: int, images: int) -> None:
        with self._lock:
            live = self._stats.live + size
            if size > 0 and self.memory_limit is not None and live > self.memory_limit:
                raise OutOfDeviceMemory(f"{self.name}: the limit of {self.memory_limit >> 20} MB is reached")
            self._stats = MemoryStats(live, max(live, self._stats.peak), self._stats.count + images)

    def _release(self, buffer: Any, size: int) -> None:
        self._drop_buffer(buffer)
        self._count(-size, -1)

    def _footprint(self, shape: tuple[int, int, int], dtype: np.dtype[Any]) -> int:
        """Return the bytes that an image takes on the device."""
        return math.prod(shape) * dtype.itemsize

    def _own(self, handle: ImageHandle, alive: bool = True) -> ImageHandle:
        if handle.primitives is not self:
            raise HandleError(f"the image lies on {handle.primitives.name}, not on {self.name}", "use handle.to()")
        if alive:
            _ = handle.buffer
        return handle

    def _moved_here(self, handle: ImageHandle) -> ImageHandle:
        """Return a source on this backend; one on a backend of higher priority is converted and logged."""
        if handle.primitives is self or handle.primitives.priority < self.priority:
            return self._own(handle)
        LOG.info("an image on %s is converted to %s", handle.primitives.name, self.name)
        return handle.to(self)

    @staticmethod
    def _same_size(source: ImageHandle, target: ImageHandle) -> None:
        if (source.width, source.height) != (target.width, target.height):
            raise HandleError(f"an image of {source.shape} can't go into one of {target.shape}")

    # -- hooks

    @abstractmethod
    def _new_buffer(self, shape: tuple[int, int, int], dtype: np.dtype[Any]) -> Any:
        """Allocate memory for an image. Raises OutOfDeviceMemory."""

    @abstractmethod
    def _drop_buffer(self, buffer: Any) -> None:
        """Free the memory of a buffer."""

    @abstractmethod
    def _import(self, pixels: NDArray[Any]) -> Any:
        """Return a buffer with these pixels."""

    @abstractmethod
    def _export(self, handle: ImageHandle, into: NDArray[Any] | None) -> NDArray[Any]:
        """Return the pixels of a handle, in `into` if it is given."""

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
    def _run_point(self, source: ImageHandle, target: ImageHandle, ops: Sequence[ColorOp]) -> None:
        """Run colour ops in one pass."""

    @abstractmethod
    def _run_filter(self, source: ImageHandle, target: ImageHandle, columns: Taps, rows: Taps) -> None:
        """Compute weighted sums along columns and rows."""

    @abstractmethod
    def _wait(self) -> None:
        """Wait for the device."""

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
