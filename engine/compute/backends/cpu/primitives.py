"""CpuPrimitives. Compiled functions take addresses of arrays, which are kept alive here during the call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.base import DISPLAY, GpuPrimitives, ImageHandle
from engine.compute.backends.cpu.buffers import (
    NOTHING,
    buffer_of,
    given,
    goes_past_cache,
    has_plain_rows,
    planar_of,
    samples_of,
)
from engine.compute.backends.cpu.extreme_bands import Window, extreme_lines
from engine.compute.backends.cpu.freed_memory import FreedMemory
from engine.compute.backends.cpu.kernels import CODE, Kernel, KernelStore, address_of, function
from engine.compute.backends.cpu.layout import (
    BLOCK,
    DISTANCES,
    QUEUE,
    WORK,
    Band,
    Buffer,
    FilterBand,
    SampleBand,
    int64s,
    part_of,
)
from engine.compute.backends.cpu.scopes import Reductions
from engine.compute.backends.cpu.threads import Threads
from engine.compute.backends.inputs import PointInputs
from engine.compute.baked_lut import BakedLut
from engine.compute.handles import PlanarImage
from engine.compute.plan import PixelFormat
from engine.core.bounded_cache import BoundedCache
from engine.core.geometry import GpuLimits, Rect
from engine.core.system import available_memory, processor_name, usable_cores
from engine.errors import HandleError, OutOfDeviceMemory
from engine.kernel.arguments import Arguments
from engine.kernel.op import ColorOp, Table
from engine.kernel.table_layout import packed
from engine.kernel.taps import Taps

if TYPE_CHECKING:
    from engine.compute.backends.extremes import Steps
    from engine.compute.planar import PlanarFormat, Rounding
    from engine.compute.statistics import Axis, Statistics


KEPT_TABLES = 32
"""The number of tables kept in the layout of the kernels, the most recently used last."""
MAX_SIDE = 1 << 20


class _PreparedOp(NamedTuple):
    """The kernel of an op, its uniforms and its tables, whose addresses are in `listed`."""

    op: ColorOp
    kernel: Kernel
    uniforms: NDArray[np.float32]
    tables: list[NDArray[Any]]
    listed: NDArray[np.int64]


class _Run(NamedTuple):
    """Some ops, and the addresses of their kernels, of their uniforms and of the lists of their tables."""

    ops: tuple[ColorOp, ...]
    prepared: tuple[_PreparedOp, ...]
    arguments: tuple[Arguments, ...]
    addresses: tuple[NDArray[np.int64], ...]

    @property
    def work(self) -> int:
        """Floats of scratch memory that the ops need."""
        paths = max((each.paths for each in self.arguments), default=0)
        return (QUEUE + DISTANCES + paths) * BLOCK if paths else WORK


class CpuPrimitives(GpuPrimitives):
    """The CPU backend. With `threads` 0 it uses every core that the process may use."""

    name = "cpu"
    priority = 10
    runs_on_cpu = repairs = True

    def __init__(self, threads: int = 0, memory_limit: int | None = None) -> None:
        super().__init__(memory_limit)
        self.threads = threads or usable_cores()
        self.device = f"{processor_name()}, {self.threads} threads"
        self.limits = GpuLimits.with_vram(memory_limit or available_memory(), MAX_SIDE)
        self._pool = Threads(self.threads)
        self._reductions = Reductions(self._pool)
        self._kernels = KernelStore()
        self._freed = FreedMemory()
        self._tables: BoundedCache[Table, NDArray[Any]] = BoundedCache(KEPT_TABLES)
        self._last: _Run | None = None

    def _new_buffer(self, shape: tuple[int, int, int], dtype: np.dtype[Any]) -> NDArray[Any]:
        try:
            return self._freed.array(shape, dtype, self._stats.peak - self._stats.live)
        except MemoryError:
            raise OutOfDeviceMemory(f"there is not enough memory for an image of {shape[1]} x {shape[0]}") from None

    def _drop_buffer(self, buffer: Any) -> None:
        """Do nothing: the array is freed with its last reference."""

    def _reusing_memory(self) -> AbstractContextManager[None]:
        return self._freed.kept()

    def _import(self, pixels: NDArray[Any]) -> NDArray[Any]:
        return pixels if has_plain_rows(pixels) else np.ascontiguousarray(pixels)

    def _export(self, handle: ImageHandle, into: NDArray[Any] | None) -> NDArray[Any]:
        array: NDArray[Any] = handle.buffer
        if into is None:
            return array
        np.copyto(into, array)
        return into

    def _compile(self, ops: Sequence[ColorOp], source: PixelFormat, target: PixelFormat) -> None:
        repairs = _repairs(ops, target.dtype)
        for op in (*ops, *repairs):
            self._kernels.get(op)
        _run_band(repairs)

    def _is_compiled(self, ops: Sequence[ColorOp], source: PixelFormat, target: PixelFormat) -> bool:
        repairs = _repairs(ops, target.dtype)
        return _band_name(repairs) in CODE and all(self._kernels.has(op) for op in (*ops, *repairs))

    def _compile_filter(self, source: PixelFormat, target: PixelFormat) -> None:
        _filter_rows()

    def _is_filter_compiled(self, source: PixelFormat, target: PixelFormat) -> bool:
        return "filter_rows" in CODE

    def _run_point(self, source: ImageHandle, target: ImageHandle, ops: Sequence[ColorOp], inputs: PointInputs) -> None:
        self._run_bands(buffer_of(source.buffer), target, ops, inputs)

    def _run_bands(
        self,
        source: Buffer,
        target: ImageHandle,
        ops: Sequence[ColorOp],
        inputs: PointInputs,
        planar: tuple[int, int] = (0, 0),
    ) -> None:
        """Run ops on an image, or on a planar frame: the addresses of its Planar and of the function that reads it."""
        repairs = _repairs(ops, target.dtype)
        run = self._run_of((*ops, *repairs))
        inputs.check(run.arguments[: len(ops)])
        PointInputs().check(run.arguments[len(ops) :])
        others, floats = given(inputs, run.arguments), run.work
        ends, counts = (source, buffer_of(target.buffer)), (len(ops), len(run.ops))
        pixels, past_cache = target.width * target.height, goes_past_cache(target.buffer)
        step = self._pool.band_pixels(pixels)
        run_band, addresses = _run_band(repairs), [array.ctypes.data for array in run.addresses]
        geometry = int64s(Band(0, pixels, *ends, target.width, past_cache, *counts, others.address, *planar))

        def work_on(first: int) -> None:
            band = part_of(geometry, first, min(first + step, pixels))
            work = np.empty(floats, np.float32)
            run_band(band.ctypes.data, *addresses, work.ctypes.data)

        self._pool.share(work_on, range(0, pixels, step), inputs.stop)

    def _new_planes(self, format: PlanarFormat) -> Sequence[NDArray[Any]]:
        try:
            return tuple(np.empty(shape, format.dtype) for shape in format.shapes)
        except MemoryError:
            size = f"{format.width} x {format.height}"
            raise OutOfDeviceMemory(f"there is not enough memory for a frame of {size}") from None

    def _import_planes(self, planes: Sequence[NDArray[Any]], format: PlanarFormat) -> Sequence[NDArray[Any]]:
        return planes

    def _export_planes(self, image: PlanarImage) -> Sequence[NDArray[Any]]:
        planes: Sequence[NDArray[Any]] = image.buffer
        return planes

    def _run_planes(
        self, image: PlanarImage, target: ImageHandle, ops: Sequence[ColorOp], inputs: PointInputs, region: Rect
    ) -> None:
        planar = int64s(planar_of(image.buffer, image.format, region))
        reads = planar.ctypes.data, address_of("planar_rows", "unpack_planar")
        self._run_bands(NOTHING, target, ops, inputs, reads)

    def _run_samples(
        self, source: ImageHandle, image: PlanarImage, plane: int, channel: int, rounding: Rounding
    ) -> None:
        codes, target = buffer_of(source.buffer), samples_of(image.buffer[plane], image.format.shift)
        limits, keys = (rounding.low, rounding.high), (rounding.key(channel), rounding.key(channel + 1))
        sample_rows = function("samples", "sample_rows", 1)
        step = max(1, self._pool.band_pixels(source.width * source.height) // source.width)

        def work_on(top: int) -> None:
            rows = top, min(top + step, source.height)
            band = int64s(SampleBand(codes, target, source.width, *rows, channel, *limits, rounding.noise, *keys))
            sample_rows(band.ctypes.data)

        self._pool.share(work_on, range(0, source.height, step))

    def _run_of(self, ops: tuple[ColorOp, ...]) -> _Run:
        """Return the arguments of `run_band` for these ops.

        Those of the last run are kept: frames are made in strips, and a slider changes one op of many.
        """
        last = self._last
        if last is not None and last.ops == ops:
            return last
        known = {id(each.op): each for each in last.prepared} if last is not None else {}
        prepared = tuple(known.get(id(op)) or self._prepare_op(op) for op in ops)
        columns: tuple[list[int], ...] = (
            [each.kernel.address for each in prepared],
            [each.uniforms.ctypes.data for each in prepared],
            [each.listed.ctypes.data for each in prepared],
        )
        addresses = tuple(np.array(column, np.int64) for column in columns)
        self._last = run = _Run(ops, prepared, tuple(each.kernel.arguments for each in prepared), addresses)
        return run

    def _prepare_op(self, op: ColorOp) -> _PreparedOp:
        kernel = self._kernels.get(op)
        tables = [self._tables.of(table, partial(packed, table)) for table in kernel.arguments.table_values([op])]
        listed = np.array([table.ctypes.data for table in tables] or [0], np.int64)
        return _PreparedOp(op, kernel, kernel.arguments.uniform_values([op]), tables, listed)

    def _run_filter(self, source: ImageHandle, target: ImageHandle, columns: Taps, rows: Taps) -> None:
        ends = buffer_of(source.buffer), buffer_of(target.buffer)
        taps = [
            np.ascontiguousarray(part, np.float32 if part is each.weights else np.int32)
            for each in (columns, rows)
            for part in (each.first, each.count, each.weights, each.places)
        ]
        widths, weights = (source.width, target.width), (columns.weights.shape[1], rows.weights.shape[1])
        places, even = (columns.places.shape[1], rows.places.shape[1]), columns.even
        floats = source.width * source.channels + 2 * max(weights)
        step = max(1, self._pool.band_pixels(target.width * target.height) // target.width)
        filter_rows, addresses = _filter_rows(), [array.ctypes.data for array in taps]
        fours = source.channels == 4 and columns.weights.shape[1] == 4 and columns.all_used
        geometry = int64s(FilterBand(0, target.height, *ends, *widths, *weights, *places, *even, fours))

        def work_on(top: int) -> None:
            band = part_of(geometry, top, min(top + step, target.height))
            work = np.empty(floats, np.float32)
            filter_rows(band.ctypes.data, *addresses, work.ctypes.data)

        self._pool.share(work_on, range(0, target.height, step))

    def _compile_extreme(self) -> None:
        extreme_lines()

    def _is_extreme_compiled(self) -> bool:
        return "extreme_lines" in CODE

    def _run_extreme(self, source: ImageHandle, target: ImageHandle, steps: Steps, largest: bool) -> None:
        between = self.allocate(source.width, source.height)
        for axis, read, written in ((0, source, between), (1, between, target)):
            each = np.array([step[axis] for step in steps if step[axis]], np.int64)
            window = Window(read.buffer, written.buffer, each, largest, axis == 1)
            self._pool.share(window.compute, window.starts(self._pool.bands))
        between.free()

    def _wait(self) -> None:
        """Do nothing: every call returns when its work is done."""

    def _trim(self) -> None:
        self._tables.clear()
        self._freed.clear()
        self._last = None

    def _run_statistics(self, handle: ImageHandle) -> Statistics:
        return self._reductions.statistics(handle)

    def _run_histogram(self, handle: ImageHandle, axis: Axis) -> NDArray[np.uint32]:
        return self._reductions.histogram(handle, axis)

    def _run_waveform(self, handle: ImageHandle, columns: int, axis: Axis) -> NDArray[np.uint32]:
        return self._reductions.waveform(handle, columns, axis)

    def _run_vectorscope(self, handle: ImageHandle, size: int, extent: float) -> NDArray[np.uint32]:
        return self._reductions.vectorscope(handle, size, extent)


def resize_array(
    cpu: CpuPrimitives,
    source: NDArray[Any],
    target: NDArray[Any],
    filter: str = "area",
    region: tuple[float, float, float, float] | None = None,
) -> None:
    """Fill an array with a region of another, as `exec_resize` does. `target` may be a part of a larger image.

    Raises HandleError if the pixels of a row of `target` are not contiguous.
    """
    if not has_plain_rows(target):
        raise HandleError("the pixels of a row are not contiguous")
    cpu.exec_resize(cpu.upload(source), cpu.upload(target), filter, region)


def _repairs(ops: Sequence[ColorOp], target: np.dtype[Any]) -> tuple[ColorOp, ...]:
    """Return the ops of a final BakedLut, for pixels where it is not accurate; () if there is none."""
    return ops[-1].ops if ops and isinstance(ops[-1], BakedLut) and target == DISPLAY else ()


def _band_name(repairs: tuple[ColorOp, ...]) -> str:
    return "run_repaired_band" if repairs else "run_band"


def _run_band(repairs: tuple[ColorOp, ...]) -> Callable[..., None]:
    """Return the compiled function that runs ops on a band."""
    name = _band_name(repairs)
    return function("repairs" if repairs else "bands", name, 5)


def _filter_rows() -> Callable[..., None]:
    return function("filters", "filter_rows", 10)
