"""WgpuPrimitives, the backend for GPUs with Vulkan, Metal or Direct3D 12."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.base import GpuPrimitives, ImageHandle
from engine.compute.backends.extremes import Steps, in_turns
from engine.compute.backends.inputs import PointInputs
from engine.compute.backends.wgpu.abilities import Abilities
from engine.compute.backends.wgpu.detection import choose
from engine.compute.backends.wgpu.device import Batch, Device, Part, spread, whole
from engine.compute.backends.wgpu.image import PIXEL_BYTES, SAMPLES, Chunk, Image, cuts, rows_per_chunk
from engine.compute.backends.wgpu.kernels import PIXELS, KernelStore
from engine.compute.backends.wgpu.numbers import (
    CONSTANTS,
    AlongNumbers,
    DownNumbers,
    ExtremeNumbers,
    PlaceNumbers,
    PointNumbers,
    words,
)
from engine.compute.backends.wgpu.planar import Frames, Planes
from engine.compute.backends.wgpu.reductions import Reductions
from engine.compute.backends.wgpu.tables import Kept, Tables
from engine.compute.backends.wgpu.transfers import Transfers
from engine.compute.handles import PlanarImage
from engine.compute.plan import PixelFormat
from engine.compute.planar import PlanarFormat, Rounding
from engine.compute.statistics import Axis, Statistics
from engine.core.geometry import GpuLimits, Rect
from engine.errors import OutOfDeviceMemory
from engine.kernel.arguments import Arguments
from engine.kernel.op import ColorOp
from engine.kernel.point_text import images
from engine.kernel.taps import Taps

MAX_SIDE = 1 << 18
"""The longest side of a tile: images are split over buffers, so buffers set no limit."""
STRIP_BYTES = 32 * 1024**2
"""Size of the strip of rows between the two passes of a filter, which fits in the cache of a large card."""
KEPT_SHARE = 4
"""1 / KEPT_SHARE of the device's memory may be kept for later images."""
THREADS, SQUARE = 256, 16
"""Invocations of a workgroup, and the side of a square workgroup."""


class WgpuPrimitives(GpuPrimitives):
    """The backend of one wgpu adapter, given by its index or a part of its name; by default the best one.

    Images are stored as RGBA. Work of all threads goes to one queue, in the order of the calls; only calls that read
    pixels or numbers wait for it.
    """

    name = "wgpu"
    priority = 100
    concurrency = 3

    def __init__(
        self, adapter: str | int | None = None, memory_limit: int | None = None, _binding_limit: int | None = None
    ) -> None:
        super().__init__(memory_limit)
        found, self.info = choose(adapter)
        self.device = self.info.device
        self.runs_on_cpu = self.info.is_software
        self._device = Device(found, self.info.name, _binding_limit)
        side = min(MAX_SIDE, self._device.binding_limit // PIXEL_BYTES[np.dtype(np.float32)])
        if memory_limit or self.info.memory_detected:
            self.limits = GpuLimits.with_vram(memory_limit or self.info.free_memory, side)
        else:
            self.limits = GpuLimits(max_tile_dim=side)
        self._transfers = Transfers(self._device)
        self._kernels = KernelStore(self._device, lambda: Abilities.of(self._device, self._transfers))
        self._frames = Frames(self._device, self._kernels, self._transfers)
        self._kept = Kept(self._device)
        self._last: tuple[tuple[ColorOp, ...], NDArray[np.float32], Tables] | None = None
        self._reductions = Reductions(self._device, self._kernels, self._transfers)

    # -- memory

    def _footprint(self, shape: tuple[int, int, int], dtype: np.dtype[Any]) -> int:
        return shape[0] * shape[1] * PIXEL_BYTES[dtype]

    def _new_buffer(self, shape: tuple[int, int, int], dtype: np.dtype[Any]) -> Image:
        height, width, _ = shape
        if not rows_per_chunk(width, self._device.binding_limit):
            raise OutOfDeviceMemory(f"{self._device.name} can't hold rows of {width} pixels")
        self._device.pool.shrink(self._budget())
        try:
            return self._chunks(width, height, PIXEL_BYTES[dtype])
        except OutOfDeviceMemory:
            self._trim()
            self._wait()  # dropped buffers are only free after that
            return self._chunks(width, height, PIXEL_BYTES[dtype])

    def _chunks(self, width: int, height: int, pixel: int) -> Image:
        chunks: list[Chunk] = []
        try:
            for cut in cuts(width, height, self._device.binding_limit):
                chunks.append(Chunk(self._device.storage(cut.pixels * pixel), cut.y, cut.bottom))
        except BaseException:
            self._drop_buffer(Image(tuple(chunks)))
            raise
        return Image(tuple(chunks))

    def _budget(self) -> int:
        """Return the bytes that may be kept: a share of the device's memory, within the memory limit."""
        budget = self.limits.available_memory // KEPT_SHARE
        return budget if self.memory_limit is None else max(0, min(budget, self.memory_limit - self._stats.live))

    def _drop_buffer(self, buffer: Image | Planes) -> None:
        for part in buffer.buffers:
            self._device.pool.give(part)

    def _import(self, pixels: NDArray[Any]) -> Image:
        height, width, channels = pixels.shape
        image = self._new_buffer((height, width, channels), pixels.dtype)
        try:
            for chunk in image.chunks:
                self._transfers.write(pixels[chunk.top : chunk.bottom], chunk.buffer)
        except BaseException:
            self._drop_buffer(image)
            raise
        return image

    def _export(self, handle: ImageHandle, into: NDArray[Any] | None) -> NDArray[Any]:
        pixels = np.empty(handle.shape, handle.dtype) if into is None else into
        for chunk in handle.buffer.chunks:
            self._transfers.read(chunk.buffer, pixels[chunk.top : chunk.bottom])
        return pixels

    def _wait(self) -> None:
        self._transfers.fence()

    def _trim(self) -> None:
        self._last = None
        self._device.trim()
        self._transfers.trim()
        self._kept.clear()

    def _planes_footprint(self, format: PlanarFormat) -> int:
        return self._frames.footprint(format)

    def _new_planes(self, format: PlanarFormat) -> Planes:
        self._device.pool.shrink(self._budget())
        return self._frames.new(format)

    def _import_planes(self, planes: Sequence[NDArray[Any]], format: PlanarFormat) -> Planes:
        frame = self._new_planes(format)
        try:
            self._frames.write(planes, frame)
        except BaseException:
            self._drop_buffer(frame)
            raise
        return frame

    def _export_planes(self, image: PlanarImage) -> Sequence[NDArray[Any]]:
        return self._frames.read(image)

    def _run_samples(
        self, source: ImageHandle, image: PlanarImage, plane: int, channel: int, rounding: Rounding
    ) -> None:
        self._frames.fill(source, image, plane, channel, rounding)

    # -- colour

    def _compile(self, ops: Sequence[ColorOp], source: PixelFormat, target: PixelFormat) -> None:
        self._kernels.point(ops, (source.dtype, target.dtype), in_place=False)

    def _is_compiled(self, ops: Sequence[ColorOp], source: PixelFormat, target: PixelFormat) -> bool:
        return self._kernels.has(ops, (source.dtype, target.dtype))

    def _compile_filter(self, source: PixelFormat, target: PixelFormat) -> None:
        self._kernels.fixed("down", source.dtype)
        self._kernels.fixed("along", np.dtype(np.float32), target.dtype)

    def _is_filter_compiled(self, source: PixelFormat, target: PixelFormat) -> bool:
        down = self._kernels.has_fixed("down", source.dtype)
        return down and self._kernels.has_fixed("along", np.dtype(np.float32), target.dtype)

    def _run_point(self, source: ImageHandle, target: ImageHandle, ops: Sequence[ColorOp], inputs: PointInputs) -> None:
        in_place = source.buffer is target.buffer
        takes, kernel = self._kernels.point(ops, (source.dtype, target.dtype), in_place)
        inputs.check([takes])
        planes = [image.buffer.chunks for image in inputs.planes[: images(takes)]]
        values, tables = self._arguments(tuple(ops), takes)
        batch = Batch(self._device)
        uniforms = batch.values(values)
        for read, written, *others in zip(source.buffer.chunks, target.buffer.chunks, *planes, strict=True):
            place = _place_numbers(takes, inputs, read, source.width)
            ends = [whole(written.buffer)] if in_place else [whole(read.buffer), whole(written.buffer)]
            groups, bound = self._bound(batch, written, target.width, tables, place)
            batch.add(kernel, groups, *ends, uniforms, *bound, *(whole(chunk.buffer) for chunk in others))
        batch.submit()

    def _bound(
        self, batch: Batch, written: Chunk, width: int, tables: Tables, more: tuple[float, ...]
    ) -> tuple[tuple[int, int], list[Part]]:
        """Return the workgroups of `point` for the rows of a chunk, and the tables and numbers that it reads."""
        pixels = (written.bottom - written.top) * width
        groups = spread(pixels, THREADS * PIXELS)
        numbers = batch.values(words(*PointNumbers(pixels, groups[0], *CONSTANTS), *tables.offsets, *more))
        return groups, [whole(tables.buffer), whole(tables.buffer), numbers]

    def _run_planes(
        self, image: PlanarImage, target: ImageHandle, ops: Sequence[ColorOp], inputs: PointInputs, region: Rect
    ) -> None:
        takes, kernel = self._kernels.point(ops, (SAMPLES, target.dtype), in_place=False)
        inputs.check([takes])
        values, tables = self._arguments(tuple(ops), takes)
        batch = Batch(self._device)
        uniforms = batch.values(values)
        for chunk in target.buffer.chunks:
            place = _place_numbers(takes, inputs, chunk, target.width)
            for band, buffer in image.buffer.bands:
                if band.top < region.y + chunk.bottom and region.y + chunk.top < band.bottom:
                    more = (*place, *band.numbers(region, chunk.top))
                    groups, bound = self._bound(batch, chunk, target.width, tables, more)
                    batch.add(kernel, groups, whole(buffer), whole(chunk.buffer), uniforms, *bound)
        batch.submit()

    def _arguments(self, ops: tuple[ColorOp, ...], takes: Arguments) -> tuple[NDArray[np.float32], Tables]:
        """Return the uniforms and tables, cached for the last run, since frames repeat."""
        last = self._last
        if last is None or last[0] != ops:
            values = takes.uniform_values(ops)
            last = self._last = ops, values, self._kept.tables(takes.table_values(ops))
        return last[1:]

    # -- filters

    def _run_filter(self, source: ImageHandle, target: ImageHandle, columns: Taps, rows: Taps) -> None:
        step = rows_per_chunk(source.width, min(STRIP_BYTES, self._device.binding_limit)) or 1
        strip = self.allocate(source.width, min(step, target.height), 4)
        try:
            batch = Batch(self._device)
            down, along = _Pass(self, batch, rows), _Pass(self, batch, columns)
            for top in range(0, target.height, step):
                bottom = min(top + step, target.height)
                self._down(batch, down, source, strip, (top, bottom), rows)
                self._along(batch, along, strip, target, (top, bottom))
            batch.submit()
        finally:
            strip.free()

    def _down(
        self, batch: Batch, taps: _Pass, source: ImageHandle, strip: ImageHandle, part: tuple[int, int], rows: Taps
    ) -> None:
        """Add the pass that sums result rows `part`, one buffer of the source after the other."""
        kernel = self._kernels.fixed("down", source.dtype)
        height = part[1] - part[0]
        groups = (-(-source.width // SQUARE), -(-height // SQUARE))
        for number, (chunk, _, _) in enumerate(source.buffer.within(*rows.span(*part))):
            begins, sets = number == 0, taps.weights.sets
            numbers = DownNumbers(source.width, height, part[0], chunk.top, chunk.bottom, begins, sets)
            parts = (whole(chunk.buffer), whole(strip.buffer.chunks[0].buffer), taps.spans, whole(taps.weights.buffer))
            batch.add(kernel, groups, *parts, batch.values(words(*numbers)))

    def _along(self, batch: Batch, taps: _Pass, strip: ImageHandle, target: ImageHandle, part: tuple[int, int]) -> None:
        """Add the pass that computes result rows `part` from the strip."""
        kernel = self._kernels.fixed("along", np.dtype(np.float32), target.dtype)
        for chunk, first, last in target.buffer.within(*part):
            groups = (-(-target.width // SQUARE), -(-(last - first) // SQUARE))
            sizes = (strip.width, target.width, last - first)
            numbers = AlongNumbers(*sizes, first - part[0], first - chunk.top, taps.weights.sets)
            parts = (whole(strip.buffer.chunks[0].buffer), whole(chunk.buffer), taps.spans, whole(taps.weights.buffer))
            batch.add(kernel, groups, *parts, batch.values(words(*numbers)))

    # -- extremes

    def _compile_extreme(self) -> None:
        self._kernels.fixed("extreme", np.dtype(np.float32))

    def _is_extreme_compiled(self) -> bool:
        return self._kernels.has_fixed("extreme", np.dtype(np.float32))

    def _run_extreme(self, source: ImageHandle, target: ImageHandle, steps: Steps, largest: bool) -> None:
        between = self.allocate(source.width, source.height) if len(steps) > 1 else target
        batch = Batch(self._device)
        for read, written, step in in_turns(source, between, target, steps):
            for chunk in written.buffer.chunks:
                self._extreme(batch, read, chunk, step, largest)
        batch.submit()
        if between is not target:
            between.free()

    def _extreme(self, batch: Batch, source: ImageHandle, chunk: Chunk, step: tuple[int, int], largest: bool) -> None:
        """Add a step that computes one buffer of the result, from one buffer of the source after the other."""
        kernel = self._kernels.fixed("extreme", np.dtype(np.float32))
        rows, first = chunk.bottom - chunk.top, True
        groups = (-(-source.width // SQUARE), -(-rows // SQUARE))
        spans = [(chunk.top + by, chunk.bottom + by) for by in sorted({-step[1], 0, step[1]})]
        held = [tuple(min(max(row, 0), source.height - 1) for row in (top, end - 1)) for top, end in spans]
        for part in source.buffer.chunks:
            if any(top < part.bottom and part.top <= end for top, end in held):
                size = (source.width, source.height, chunk.top, rows, part.top, part.bottom)
                numbers = ExtremeNumbers(*size, first, *step, largest, CONSTANTS[1])
                batch.add(kernel, groups, whole(part.buffer), whole(chunk.buffer), batch.values(words(*numbers)))
                first = False

    # -- reductions

    def _run_statistics(self, handle: ImageHandle) -> Statistics:
        return self._reductions.statistics(handle)

    def _run_histogram(self, handle: ImageHandle, axis: Axis) -> NDArray[np.uint32]:
        return self._reductions.histogram(handle, axis)

    def _run_waveform(self, handle: ImageHandle, columns: int, axis: Axis) -> NDArray[np.uint32]:
        return self._reductions.waveform(handle, columns, axis)

    def _run_vectorscope(self, handle: ImageHandle, size: int, extent: float) -> NDArray[np.uint32]:
        return self._reductions.vectorscope(handle, size, extent)


class _Pass:
    """The taps of one pass of a filter, ready for binding."""

    def __init__(self, primitives: WgpuPrimitives, batch: Batch, taps: Taps) -> None:
        self.weights = primitives._kept.weights(taps)
        self.spans: Part = batch.values(self.weights.spans(taps))


def _place_numbers(takes: Arguments, inputs: PointInputs, chunk: Chunk, width: int) -> tuple[float, ...]:
    """Return what a kernel reads of the place of a chunk's rows."""
    if not takes.placed or inputs.place is None:
        return ()
    return PlaceNumbers.of(inputs.place.part(0, chunk.top), width)
