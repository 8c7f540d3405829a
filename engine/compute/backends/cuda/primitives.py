"""CudaPrimitives, the backend for NVIDIA GPUs."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

import shaders
from engine.compute.backends.base import GpuPrimitives, ImageHandle
from engine.compute.backends.cuda.chunk_codec import CudaChunkCodec
from engine.compute.backends.cuda.detection import devices, first_line
from engine.compute.backends.cuda.kernel_texts import (
    filter_head,
    laid_out,
    lines_of,
    more_arguments,
    point_head,
    uniforms_struct,
)
from engine.compute.backends.cuda.reductions import Reductions
from engine.compute.backends.cuda.transfer import Transfers
from engine.compute.backends.extremes import Steps, in_turns
from engine.compute.backends.inputs import PointInputs
from engine.compute.handles import PlanarImage
from engine.compute.plan import PixelFormat
from engine.compute.planar import PlanarFormat, Rounding
from engine.compute.planar_layout import WORD, PlanarLayout, planes_struct
from engine.compute.statistics import Axis, Statistics
from engine.compute.tap_launches import Filters, is_gather, strips
from engine.core.bounded_cache import BoundedCache
from engine.core.geometry import GpuLimits, Rect
from engine.errors import BackendUnavailable, DeviceLost, KernelError, OutOfDeviceMemory
from engine.kernel.codegen import Program, trace
from engine.kernel.dump import dump
from engine.kernel.op import ColorOp, Table
from engine.kernel.point_text import cuda_point, reads_more
from engine.kernel.taps import Taps

MAX_SIDE = 1 << 18
"""The longest side of a tile: CUDA buffers have no limit of their own."""
THREADS = 256
BLOCKS_PER_PROCESSOR = 64
"""Few enough that each block fetches data shared by all pixels once for many pixels."""
KEPT_TABLES = 64
KEPT_RUNS = 256
"""The number of runs whose kernels are kept, the most recently used last."""
OPTIONS = ("--std=c++17",)
POINT_OPTIONS = (*OPTIONS, "--ftz=true")
"""Comparisons, too, must count subnormal numbers as 0, as the hardware's reciprocal does."""


@dataclass(frozen=True)
class _Run:
    """A traced run of ops, and its compiled modules by the formats of source and target."""

    program: Program
    modules: dict[tuple[PixelFormat | PlanarLayout, PixelFormat], Any]


class CudaPrimitives(GpuPrimitives):
    """The backend of one CUDA device. Work of all threads goes to one stream, in the order of the calls."""

    name = "cuda"
    priority = 150
    concurrency = 4

    def __init__(self, index: int = 0, memory_limit: int | None = None) -> None:
        super().__init__(memory_limit)
        found = devices()
        if index >= len(found):
            raise BackendUnavailable(f"there is no CUDA device {index}", f"this machine has {len(found)}")
        info = found[index]
        self.index = index
        self.device = f"{info.name} ({info.total_memory >> 30} GB, compute capability {info.compute_capability})"
        self.limits = GpuLimits.with_vram(memory_limit or info.free_memory, MAX_SIDE)
        self._pool = cupy.cuda.MemoryPool()
        if memory_limit is not None:
            self._pool.set_limit(size=memory_limit)
        self._transfers = Transfers(index)
        self._runs: BoundedCache[tuple[Any, ...], _Run] = BoundedCache(KEPT_RUNS)
        self._modules: dict[Any, Any] = {}  # of the hand-written files, by storage
        self._tables: OrderedDict[Table, Any] = OrderedDict()
        self._last: tuple[tuple[ColorOp, ...], Any, Any, list[Any]] | None = None
        with cupy.cuda.Device(index):
            self._stream = cupy.cuda.Stream(non_blocking=True)
            self._processors = cupy.cuda.Device(index).attributes["MultiProcessorCount"]
        self._filters = Filters(self._small, self._stream)
        self._reductions = Reductions(self)
        self._codec = CudaChunkCodec(self)
        self.chunk_codec = self._codec

    # -- memory

    def _new_buffer(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        with self._device(), self._stream:
            size = int(np.prod(shape)) * dtype.itemsize
            return cupy.ndarray(shape, dtype, self._pool.malloc(max(size, 1)))

    def _drop_buffer(self, buffer: Any) -> None:
        """Do nothing: the memory returns to the pool with its last reference."""

    def _import(self, pixels: NDArray[Any]) -> Any:
        buffer = self._new_buffer(pixels.shape, pixels.dtype)
        with self._device():
            # The memory may have just been released by another image: wait for the work submitted so far.
            self._transfers.upload(pixels, buffer, self._stream.record())
        return buffer

    def _export(self, handle: ImageHandle, into: NDArray[Any] | None) -> NDArray[Any]:
        return self._exported(handle.buffer, np.empty(handle.shape, handle.dtype) if into is None else into)

    def _exported(self, buffer: Any, pixels: NDArray[Any]) -> NDArray[Any]:
        with self._device():
            self._transfers.download(buffer, pixels, self._stream.record())
        return pixels

    def _new_planes(self, format: PlanarFormat) -> Any:
        return tuple(self._new_buffer(shape, format.dtype) for shape in format.shapes)

    def _import_planes(self, planes: Sequence[NDArray[Any]], format: PlanarFormat) -> Any:
        return tuple(self._import(plane) for plane in planes)

    def _export_planes(self, image: PlanarImage) -> Sequence[NDArray[Any]]:
        return [self._exported(plane, np.empty(plane.shape, plane.dtype)) for plane in image.buffer]

    def _wait(self) -> None:
        with self._device():
            self._stream.synchronize()

    def _trim(self) -> None:
        with self._device(), self._lock:
            self._tables.clear()
            self._filters.clear()
            self._last = None
            self._stream.synchronize()
            self._transfers.trim()
            self._codec.trim()
            self._pool.free_all_blocks()

    # -- colour

    def _compile(self, ops: Sequence[ColorOp], source: PixelFormat, target: PixelFormat) -> None:
        with self._device(), self._lock:
            self._point_kernel(self._run(ops), source, target)

    def _is_compiled(self, ops: Sequence[ColorOp], source: PixelFormat, target: PixelFormat) -> bool:
        run = self._runs.get(_structure(ops))
        return run is not None and (source, target) in run.modules

    def _compile_filter(self, source: PixelFormat, target: PixelFormat) -> None:
        with self._device():
            self._filter_kernel("columns", source, target)

    def _is_filter_compiled(self, source: PixelFormat, target: PixelFormat) -> bool:
        return ("taps.cu", *filter_head(source, target).values()) in self._modules

    def _run_point(self, source: ImageHandle, target: ImageHandle, ops: Sequence[ColorOp], inputs: PointInputs) -> None:
        self._launch(source.format, source.buffer, target, ops, inputs)

    def _run_planes(
        self, image: PlanarImage, target: ImageHandle, ops: Sequence[ColorOp], inputs: PointInputs, region: Rect
    ) -> None:
        planes = planes_struct([plane.data.ptr for plane in image.buffer], image.format, region)
        self._launch(PlanarLayout.of(image.format), planes, target, ops, inputs)

    def _run_samples(
        self, source: ImageHandle, image: PlanarImage, plane: int, channel: int, rounding: Rounding
    ) -> None:
        target, shift = image.buffer[plane], image.format.shift
        with self._device(), self._lock:
            kernel = self._kernel("samples.cu", "samples", {"WORD": WORD[image.format.dtype]})
            blocks = min(-(-target.size // THREADS), self._processors * BLOCKS_PER_PROCESSOR)
            keys = rounding.key(channel), rounding.key(channel + 1)
            numbers = (np.uint32(n) for n in (target.size, target.shape[2], channel, shift, *keys))
            floats = (np.float32(n) for n in (rounding.noise, rounding.low, rounding.high))
            arguments = (source.buffer, target, *numbers, *floats)
            kernel((blocks,), (THREADS,), arguments, stream=self._stream)

    def _launch(
        self,
        format: PixelFormat | PlanarLayout,
        source: Any,
        target: ImageHandle,
        ops: Sequence[ColorOp],
        inputs: PointInputs,
    ) -> None:
        with self._device(), self._lock:
            run = self._run(ops)
            kernel, program = self._point_kernel(run, format, target.format), run.program
            inputs.check([program])
            uniforms, pointers = self._arguments(program, tuple(ops))
            pixels = target.width * target.height
            blocks = min(-(-pixels // THREADS), self._processors * BLOCKS_PER_PROCESSOR)
            arguments: tuple[Any, ...] = (source, target.buffer, np.uint32(pixels), uniforms, pointers)
            if reads_more(program):
                arguments += more_arguments(program, inputs, target.width)
            kernel((blocks,), (THREADS,), arguments, stream=self._stream)

    def _arguments(self, program: Program, ops: tuple[ColorOp, ...]) -> tuple[Any, Any]:
        """Return the uniforms and the addresses of tables, cached for the last run, since frames repeat."""
        if self._last is None or self._last[0] != ops:
            uniforms = uniforms_struct(program.uniform_values(ops))
            tables = [self._table(table) for table in program.table_values(ops)]
            self._last = (ops, uniforms, self._addresses(tables), tables)
        return self._last[1:3]

    def _addresses(self, tables: list[Any]) -> Any:
        """Return the addresses of tables, on the device: those of the last run if it had the same tables."""
        _, _, addresses, before = self._last or ((), None, None, None)
        if before is not None and list(map(id, tables)) == list(map(id, before)):
            return addresses
        return self._small(np.array([table.data.ptr for table in tables] or [0], np.uint64))

    def _point_kernel(self, run: _Run, source: PixelFormat | PlanarLayout, target: PixelFormat) -> Any:
        """Return the kernel of a run. The caller holds the lock."""
        if (source, target) not in run.modules:
            head = point_head(run.program, source, target)
            text = shaders.text("maths.cu") + cuda_point(run.program, isinstance(source, PlanarLayout))
            run.modules[source, target] = self._compiled("point.cu", head, text, POINT_OPTIONS)
        return run.modules[source, target].get_function("point")

    def _run(self, ops: Sequence[ColorOp]) -> _Run:
        """Return the traced run of these ops. The caller holds the lock."""
        structure = _structure(ops)
        if structure not in self._runs and len(self._runs) == self._runs.most:
            self._stream.synchronize()  # the kernels of the evicted run may still be running
        return self._runs.of(structure, lambda: _Run(trace(ops), {}))

    # -- filters

    def _run_filter(self, source: ImageHandle, target: ImageHandle, columns: Taps, rows: Taps) -> None:
        if is_gather(columns, rows):
            with self._device(), self._lock:
                kernel = self._filter_kernel("gather", source.format, target.format)
                self._filters.gather(kernel, source, target, columns, rows)
            return
        parts = strips(source.width, target.height)
        strip = self.allocate(source.width, parts[0][1], 4, np.float32)
        with self._device(), self._lock:
            down, along = (self._filter_kernel(name, source.format, target.format) for name in ("columns", "rows"))
            for part in parts:
                self._filters.down(down, source, strip, rows, part)
                self._filters.along(along, strip, target, columns, part)
        strip.free()

    def _filter_kernel(self, name: str, source: PixelFormat, target: PixelFormat) -> Any:
        return self._kernel("taps.cu", name, filter_head(source, target))

    def _compile_extreme(self) -> None:
        with self._device():
            self._kernel("extremes.cu", "largest", {})

    def _is_extreme_compiled(self) -> bool:
        return ("extremes.cu",) in self._modules

    def _run_extreme(self, source: ImageHandle, target: ImageHandle, steps: Steps, largest: bool) -> None:
        between = self.allocate(source.width, source.height) if len(steps) > 1 else target
        with self._device(), self._lock:
            kernel = self._kernel("extremes.cu", "largest" if largest else "smallest", {})
            blocks = min(-(-source.width * source.height // THREADS), self._processors * BLOCKS_PER_PROCESSOR)
            size = np.int32(source.width), np.int32(source.height)
            for read, written, (x, y) in in_turns(source, between, target, steps):
                arguments = (read.buffer, written.buffer, *size, np.int32(x), np.int32(y))
                kernel((blocks,), (THREADS,), arguments, stream=self._stream)
        if between is not target:
            between.free()

    # -- reductions

    def _run_statistics(self, handle: ImageHandle) -> Statistics:
        return self._reductions.statistics(handle)

    def _run_histogram(self, handle: ImageHandle, axis: Axis) -> NDArray[np.uint32]:
        return self._reductions.histogram(handle, axis)

    def _run_waveform(self, handle: ImageHandle, columns: int, axis: Axis) -> NDArray[np.uint32]:
        return self._reductions.waveform(handle, columns, axis)

    def _run_vectorscope(self, handle: ImageHandle, size: int, extent: float) -> NDArray[np.uint32]:
        return self._reductions.vectorscope(handle, size, extent)

    # -- internals

    @contextlib.contextmanager
    def _device(self) -> Iterator[None]:
        """Make this the current device, and convert CuPy's errors to ours."""
        try:
            with cupy.cuda.Device(self.index):
                yield
        except cupy.cuda.memory.OutOfMemoryError as error:
            raise OutOfDeviceMemory(f"{self.device} has no memory left") from error
        except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError) as error:
            if "OutOfMemory" in str(error) or "OUT_OF_MEMORY" in str(error):
                raise OutOfDeviceMemory(f"{self.device} has no memory left") from error
            raise DeviceLost(f"{self.device} failed: {first_line(error)}") from error

    def _kernel(self, file: str, name: str, head: dict[str, Any]) -> Any:
        """Return a function of a hand-written file, compiled on first use (CuPy caches the binary on disk)."""
        with self._lock:
            key = (file, *head.values())
            if key not in self._modules:
                self._modules[key] = self._compiled(file, head, shaders.text(file))
            return self._modules[key].get_function(name)

    @staticmethod
    def _compiled(file: str, head: dict[str, Any], text: str, options: tuple[str, ...] = OPTIONS) -> Any:
        text = lines_of(head) + text
        dump(file, text)
        module = cupy.RawModule(code=text, options=options, backend="nvrtc")
        try:
            module.compile()
        except cupy.cuda.compiler.CompileException as error:
            raise KernelError(f"a CUDA kernel does not compile: {first_line(error)}") from error
        return module

    def _small(self, array: NDArray[Any]) -> Any:
        """Return a small array on the device, copied in the order of the stream."""
        buffer = self._new_buffer(array.shape, array.dtype)
        buffer.set(np.ascontiguousarray(array), stream=self._stream)
        return buffer

    def _table(self, table: Table) -> Any:
        if table not in self._tables:
            self._tables[table] = self._small(laid_out(table))
            while len(self._tables) > KEPT_TABLES:
                self._tables.popitem(last=False)
        self._tables.move_to_end(table)
        return self._tables[table]


def _structure(ops: Sequence[ColorOp]) -> tuple[Any, ...]:
    return tuple(op.structure for op in ops)
