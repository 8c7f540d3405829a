"""What a backend is: public verbs here, once; each backend fills in the private hooks below and nothing else.

A buffer is whatever the backend keeps an image in. The hooks are the abstract methods at the end.
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

from engine.compute.filters import Taps, blur_taps, resize_taps
from engine.compute.handles import ImageHandle as ImageHandle
from engine.compute.handles import MemoryStats as MemoryStats
from engine.compute.plan import DISPLAY as DISPLAY_FORMAT
from engine.compute.plan import FilterStep, PixelFormat, Stage
from engine.compute.statistics import Axis, Statistics
from engine.core.geometry import GpuLimits
from engine.errors import GradeError, HandleError, OutOfDeviceMemory
from engine.kernel.op import ColorOp
from engine.ops import Cdl, Lut1d, Lut3d, Matrix

LOG = logging.getLogger("tessera")

STORAGES = (np.dtype(np.float16), np.dtype(np.float32))
"""How an image may be stored. Arithmetic is float32 in either case."""
DISPLAY = DISPLAY_FORMAT.dtype
INSIDE = 1 << 16
"""Of a number that tells what a pixel of the screen shows of a frame: set where the frame covers it."""


class GpuPrimitives(ABC):
    """Images in and out of a device, and what it can do with them. Safe to call from several threads.

    With a `memory_limit` (bytes), images that would exceed it together raise OutOfDeviceMemory.
    """

    name: str
    device: str
    limits: GpuLimits
    priority: int
    """Of two backends, the one that is chosen; operations between two take the lower, which is the more compatible."""
    on_processor: bool = False
    """Whether the device is the processor, or a program on it."""
    repairs: bool = False
    """Whether frames for display that end with a `StandIn` are exact where it is not to be trusted."""
    concurrency: int = 1
    """Tiles worth having on their way at once, so that transfers and work overlap."""

    def __init__(self, memory_limit: int | None = None) -> None:
        self.memory_limit = memory_limit
        self._lock = threading.RLock()
        self._stats = MemoryStats()

    # -- memory

    def upload(self, pixels: NDArray[Any]) -> ImageHandle:
        """A handle on (height, width, 3|4) pixels of float16 or float32.

        The CPU keeps no copy: leave the array unchanged while the handle lives.
        """
        if pixels.ndim != 3 or pixels.shape[2] not in (3, 4) or 0 in pixels.shape:
            raise HandleError(f"an image has the shape (height, width, 3 or 4), not {pixels.shape}")
        if pixels.dtype not in STORAGES:
            raise HandleError(f"pixels are float16 or float32, not {pixels.dtype}")
        return self._handle(lambda: self._import(pixels), pixels.shape, pixels.dtype)

    def allocate(self, width: int, height: int, channels: int = 4, dtype: Any = np.float32) -> ImageHandle:
        """A handle on an image whose pixels are not set."""
        shape, kind = (height, width, channels), np.dtype(dtype)
        return self._handle(lambda: self._new_buffer(shape, kind), shape, kind)

    def download(self, handle: ImageHandle, into: NDArray[Any] | None = None) -> NDArray[Any]:
        """The image as an array: `into`, or a new one; on the CPU then the very one that the handle holds."""
        if into is not None and (into.shape, into.dtype) != (handle.shape, handle.dtype):
            raise HandleError(f"an image of {handle.shape} can't go into an array of {into.shape}")
        return self._export(self._own(handle), into)

    def free(self, handle: ImageHandle) -> None:
        """Give the memory of an image back now; a second time is a HandleError."""
        self._own(handle, alive=False).free()

    def memory_stats(self) -> MemoryStats:
        return self._stats

    def synchronize(self) -> None:
        """Return when all work given so far is done."""
        self._wait()

    # -- colour

    def prepare(self, stage: Stage) -> None:
        """Compile what a stage needs, so that running it does not."""
        if isinstance(stage.step, FilterStep):
            self._compile_filter(stage.source, stage.target)
        else:
            self._compile(stage.step.ops, stage.source, stage.target)

    def prepared(self, stage: Stage) -> bool:
        """Whether a stage runs without compiling anything."""
        if isinstance(stage.step, FilterStep):
            return self._is_filter_compiled(stage.source, stage.target)
        return self._is_compiled(stage.step.ops, stage.source, stage.target)

    def exec_point(self, source: ImageHandle, target: ImageHandle, ops: Sequence[ColorOp]) -> None:
        """Run colour ops in order, in one pass. Both images have one size; `target` may be `source`."""
        source = self._moved_here(source)
        self._same_size(source, target)
        self._run_point(self._own(source), self._own(target), ops)

    def exec_matrix(self, source: ImageHandle, target: ImageHandle, matrix: Any, offset: Any = (0, 0, 0, 0)) -> None:
        """Multiply RGBA by a 4x4 matrix (16 numbers, row by row) and add an offset."""
        self.exec_point(source, target, [Matrix(tuple(np.ravel(matrix)), tuple(offset))])

    def exec_cdl(
        self, source: ImageHandle, target: ImageHandle, slope: Any, offset: Any, power: Any, saturation: float = 1.0
    ) -> None:
        """An ASC CDL, no-clamp."""
        self.exec_point(source, target, [Cdl(tuple(slope), tuple(offset), tuple(power), saturation)])

    def exec_lut1d(self, source: ImageHandle, target: ImageHandle, curve: Any) -> None:
        """A curve of (size, 1|3) values over 0..1."""
        self.exec_point(source, target, [Lut1d(curve)])

    def exec_lut3d(
        self, source: ImageHandle, target: ImageHandle, cube: Any, interpolation: str = "tetrahedral"
    ) -> None:
        """A cube of (size, size, size, 3) values over 0..1, indexed [r][g][b]."""
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
        """Gaussian blur that reaches `radius` pixels."""
        if radius <= 0.0:
            raise GradeError(f"the radius of a blur must be above 0, not {radius:g}")
        self._same_size(source, target)
        self.exec_taps(source, target, blur_taps(radius, source.width), blur_taps(radius, source.height))

    def exec_taps(self, source: ImageHandle, target: ImageHandle, columns: Taps, rows: Taps) -> None:
        """Weighted sums: one set of taps for each column and for each row of `target`."""
        if (len(columns.first), len(rows.first), source.channels) != (target.width, target.height, target.channels):
            raise HandleError(f"taps for {len(columns.first)} x {len(rows.first)} pixels do not fill {target.shape}")
        self._run_filter(self._moved_here(source), self._own(target), columns, rows)

    # -- reductions: what scopes and checks need to know of an image

    def statistics(self, handle: ImageHandle) -> Statistics:
        """Least, largest and mean finite value, and how many are not finite or negative, for each channel."""
        return self._run_statistics(self._own(handle))

    def histogram(self, handle: ImageHandle, axis: Axis) -> NDArray[np.uint32]:
        """(4, axis.bins) counts of R, G, B and Rec.709 luma; values beyond the axis in its end bins, no NaN."""
        return self._run_histogram(self._own(handle), axis)

    def waveform(self, handle: ImageHandle, columns: int, axis: Axis) -> NDArray[np.uint32]:
        """(4, axis.bins, columns) counts: a histogram of R, G, B and luma for each of `columns` upright stripes.

        The first three are the RGB parade, the last is the luma waveform. Pixel column x falls in stripe
        x * columns // width.
        """
        return self._run_waveform(self._own(handle), columns, axis)

    def vectorscope(self, handle: ImageHandle, size: int, extent: float = 0.5) -> NDArray[np.uint32]:
        """(size, size) counts: Cr upwards over Cb to the right (ITU-R BT.709-6, item 3.3), each -extent..extent.

        Colours beyond lie on the rim; pixels with NaN or Inf are left out.
        """
        return self._run_vectorscope(self._own(handle), size, extent)

    def release_cached(self) -> None:
        """Give memory that is kept for reuse back to the device."""
        self._trim()

    # -- inside

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
        """Bytes that an image takes on the device."""
        return math.prod(shape) * dtype.itemsize

    def _own(self, handle: ImageHandle, alive: bool = True) -> ImageHandle:
        if handle.primitives is not self:
            raise HandleError(f"the image lies on {handle.primitives.name}, not on {self.name}", "use handle.to()")
        if alive:
            _ = handle.buffer
        return handle

    def _moved_here(self, handle: ImageHandle) -> ImageHandle:
        """A source from another backend of higher priority, converted; the log says so."""
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
        """Memory for an image; OutOfDeviceMemory where there is none."""

    @abstractmethod
    def _drop_buffer(self, buffer: Any) -> None:
        """Give a buffer's memory back."""

    @abstractmethod
    def _import(self, pixels: NDArray[Any]) -> Any:
        """A buffer with these pixels."""

    @abstractmethod
    def _export(self, handle: ImageHandle, into: NDArray[Any] | None) -> NDArray[Any]:
        """The pixels of a handle, in `into` where it is given."""

    @abstractmethod
    def _compile(self, ops: Sequence[ColorOp], source: PixelFormat, target: PixelFormat) -> None:
        """Make the kernels of a run of colour ops between these formats ready."""

    @abstractmethod
    def _is_compiled(self, ops: Sequence[ColorOp], source: PixelFormat, target: PixelFormat) -> bool:
        """Whether `_compile` has nothing to do."""

    @abstractmethod
    def _compile_filter(self, source: PixelFormat, target: PixelFormat) -> None:
        """Make the kernels of a filter between these formats ready."""

    @abstractmethod
    def _is_filter_compiled(self, source: PixelFormat, target: PixelFormat) -> bool:
        """Whether `_compile_filter` has nothing to do."""

    @abstractmethod
    def _run_point(self, source: ImageHandle, target: ImageHandle, ops: Sequence[ColorOp]) -> None:
        """Run colour ops in one pass."""

    @abstractmethod
    def _run_filter(self, source: ImageHandle, target: ImageHandle, columns: Taps, rows: Taps) -> None:
        """Weighted sums along columns and rows."""

    @abstractmethod
    def _wait(self) -> None:
        """Wait for the device."""

    @abstractmethod
    def _trim(self) -> None:
        """Drop what is kept for reuse only."""

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
