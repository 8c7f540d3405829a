"""The base class of backends whose kernels are in `shaders/*.cu`: they compile and launch these in their language."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.base import GpuPrimitives, ImageHandle
from engine.compute.backends.c_scopes import Scopes
from engine.compute.backends.c_texts import Language, laid_out, more_arguments
from engine.compute.backends.extremes import Steps, in_turns
from engine.compute.backends.inputs import PointInputs
from engine.compute.handles import PlanarImage
from engine.compute.plan import PixelFormat
from engine.compute.planar import PlanarFormat, Rounding
from engine.compute.planar_layout import WORD, PlanarLayout, frame_struct, planes_in_order
from engine.compute.statistics import Axis
from engine.compute.tap_launches import Filters, is_gather, strips
from engine.core.bounded_cache import BoundedCache
from engine.core.geometry import Rect
from engine.core.records import dataclass
from engine.kernel.arguments import Arguments
from engine.kernel.codegen import trace
from engine.kernel.op import ColorOp, Table
from engine.kernel.taps import Taps

THREADS = 256
KEPT_TABLES = 64
KEPT_RUNS = 256
"""The number of runs whose kernels are kept, the most recently used last."""


@dataclass(frozen=True)
class _Run:
    """What the kernel of a run of ops takes, and its compiled modules by the formats of source and target."""

    arguments: Arguments
    modules: dict[tuple[PixelFormat | PlanarLayout, PixelFormat], Any]


@dataclass(frozen=True)
class _Data:
    """What a launch of `point` takes for some ops. The tables keep their memory while it may be in use."""

    ops: tuple[ColorOp, ...]
    uniforms: Any
    tables: tuple[Any, ...]


class CPrimitives(GpuPrimitives):
    """A backend with the kernels of `shaders/*.cu`. Work of all threads is done in the order of the calls.

    A derived class says how to transfer arrays, and how to compile and launch a kernel: the hooks at the end.
    """

    language: ClassVar[Language]
    _most_blocks: int
    """Few enough blocks that each fetches data shared by all pixels once for many pixels."""
    _missing: Any
    """The argument of a kernel for an image that there is not."""

    def __init__(self, memory_limit: int | None = None) -> None:
        super().__init__(memory_limit)
        self._runs: BoundedCache[tuple[Any, ...], _Run] = BoundedCache(KEPT_RUNS)
        self._modules: dict[Any, Any] = {}  # of the hand-written files, by definitions
        self._tables: BoundedCache[Table, Any] = BoundedCache(KEPT_TABLES)
        self._last: _Data | None = None
        self._filters = Filters(self._small, self._launch)
        self._scopes = Scopes(self)

    # -- memory

    def _export(self, handle: ImageHandle, into: NDArray[Any] | None) -> NDArray[Any]:
        return self._read(handle.buffer, np.empty(handle.shape, handle.dtype) if into is None else into)

    def _new_planes(self, format: PlanarFormat) -> Any:
        return tuple(self._new_buffer(shape, format.dtype) for shape in format.shapes)

    def _import_planes(self, planes: Sequence[NDArray[Any]], format: PlanarFormat) -> Any:
        return tuple(self._import(plane) for plane in planes)

    def _export_planes(self, image: PlanarImage) -> Sequence[NDArray[Any]]:
        shapes = image.format.shapes
        return [self._read(b, np.empty(s, image.format.dtype)) for b, s in zip(image.buffer, shapes, strict=True)]

    def _trim(self) -> None:
        with self._device(), self._lock:
            self._tables.clear()
            self._filters.clear()
            self._last = None
            self._trim_device()

    # -- colour

    def _compile(self, ops: Sequence[ColorOp], source: PixelFormat, target: PixelFormat) -> None:
        with self._device(), self._lock:
            self._point_kernel(ops, source, target)

    def _is_compiled(self, ops: Sequence[ColorOp], source: PixelFormat, target: PixelFormat) -> bool:
        run = self._runs.get(_structure(ops))
        return run is not None and (source, target) in run.modules

    def _run_point(self, source: ImageHandle, target: ImageHandle, ops: Sequence[ColorOp], inputs: PointInputs) -> None:
        self._point(source.format, [source.buffer], target, ops, inputs)

    def _run_planes(
        self, image: PlanarImage, target: ImageHandle, ops: Sequence[ColorOp], inputs: PointInputs, region: Rect
    ) -> None:
        source = [*planes_in_order(image.buffer, image.format), frame_struct(image.format, region)]
        self._point(PlanarLayout.of(image.format), source, target, ops, inputs)

    def _run_samples(
        self, source: ImageHandle, image: PlanarImage, plane: int, channel: int, rounding: Rounding
    ) -> None:
        rows, columns, step = image.format.shapes[plane]
        count, keys = rows * columns * step, (rounding.key(channel), rounding.key(channel + 1))
        numbers = (np.uint32(n) for n in (count, step, channel, image.format.shift, *keys))
        floats = (np.float32(n) for n in (rounding.noise, rounding.low, rounding.high))
        with self._device(), self._lock:
            kernel = self._kernel("samples.cu", "samples", {"WORD": WORD[image.format.dtype]})
            self._over(kernel, count, (source.buffer, image.buffer[plane], *numbers, *floats))

    def _point(
        self,
        format: PixelFormat | PlanarLayout,
        source: Sequence[Any],
        target: ImageHandle,
        ops: Sequence[ColorOp],
        inputs: PointInputs,
    ) -> None:
        with self._device(), self._lock:
            takes, kernel = self._point_kernel(ops, format, target.format)
            inputs.check([takes])
            data, pixels = self._data(takes, tuple(ops)), target.width * target.height
            more = more_arguments(takes, inputs, target.width, self._missing)
            arguments = (*source, target.buffer, np.uint32(pixels), data.uniforms, *data.tables, *more)
            self._over(kernel, pixels, arguments)

    def _data(self, takes: Arguments, ops: tuple[ColorOp, ...]) -> _Data:
        """Return the uniforms and tables of ops, cached for the last run, since frames repeat."""
        if self._last is None or self._last.ops != ops:
            tables = tuple(self._table(table) for table in takes.table_values(ops))
            self._last = _Data(ops, self._uniforms(takes.uniform_values(ops)), tables)
        return self._last

    def _table(self, table: Table) -> Any:
        return self._tables.of(table, lambda: self._small(laid_out(table)))

    def _point_kernel(
        self, ops: Sequence[ColorOp], source: PixelFormat | PlanarLayout, target: PixelFormat
    ) -> tuple[Arguments, Any]:
        """Return the kernel of a run, compiled on first use, and what it takes. The caller holds the lock."""
        structure = _structure(ops)
        run = self._runs.get(structure)
        if run is None or (source, target) not in run.modules:
            program = trace(ops)
            if run is None:
                run = _Run(program.arguments, {})
                self._keep(structure, run)
            file, head, text = self.language.point_text(program, source, target)
            run.modules[source, target] = self._compiled(file, self.language.text(file, head, text))
        return run.arguments, run.modules[source, target].get_function("point")

    def _keep(self, structure: tuple[Any, ...], run: _Run) -> None:
        if len(self._runs) == self._runs.most:
            self._wait()  # the kernels of the evicted run may still be running
        self._runs.put(structure, run)

    # -- filters

    def _compile_filter(self, source: PixelFormat, target: PixelFormat) -> None:
        with self._device():
            self._filter_kernel("columns", source, target)

    def _is_filter_compiled(self, source: PixelFormat, target: PixelFormat) -> bool:
        return ("taps.cu", *self.language.filter_head(source, target).values()) in self._modules

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
        return self._kernel("taps.cu", name, self.language.filter_head(source, target))

    def _compile_extreme(self) -> None:
        with self._device():
            self._kernel("extremes.cu", "largest", {})

    def _is_extreme_compiled(self) -> bool:
        return ("extremes.cu",) in self._modules

    def _run_extreme(self, source: ImageHandle, target: ImageHandle, steps: Steps, largest: bool) -> None:
        between = self.allocate(source.width, source.height) if len(steps) > 1 else target
        with self._device(), self._lock:
            kernel = self._kernel("extremes.cu", "largest" if largest else "smallest", {})
            size = np.int32(source.width), np.int32(source.height)
            for read, written, (x, y) in in_turns(source, between, target, steps):
                arguments = (read.buffer, written.buffer, *size, np.int32(x), np.int32(y))
                self._over(kernel, source.width * source.height, arguments)
        if between is not target:
            between.free()

    # -- reductions

    def _run_histogram(self, handle: ImageHandle, axis: Axis) -> NDArray[np.uint32]:
        return self._scopes.histogram(handle, axis)

    def _run_waveform(self, handle: ImageHandle, columns: int, axis: Axis) -> NDArray[np.uint32]:
        return self._scopes.waveform(handle, columns, axis)

    def _run_vectorscope(self, handle: ImageHandle, size: int, extent: float) -> NDArray[np.uint32]:
        return self._scopes.vectorscope(handle, size, extent)

    # -- internals

    def _over(self, kernel: Any, count: int, arguments: tuple[Any, ...]) -> None:
        """Launch a kernel whose threads take all of `count` elements in turns."""
        self._launch(kernel, min(-(-count // THREADS), self._most_blocks), THREADS, arguments)

    def _kernel(self, file: str, name: str, head: dict[str, Any]) -> Any:
        """Return a function of a hand-written file, compiled on first use."""
        with self._lock:
            key = (file, *head.values())
            if key not in self._modules:
                self._modules[key] = self._compiled(file, self.language.text(file, head))
            return self._modules[key].get_function(name)

    # -- hooks

    @abstractmethod
    def _device(self) -> AbstractContextManager[None]:
        """Make this the current device within the context, and convert the errors of its library to ours."""

    @abstractmethod
    def _small(self, array: NDArray[Any]) -> Any:
        """Return a buffer with a small array, copied in the order of the launches."""

    @abstractmethod
    def _read(self, buffer: Any, into: NDArray[Any]) -> NDArray[Any]:
        """Copy a buffer to an array after the launches so far, and return the array."""

    @abstractmethod
    def _trim_device(self) -> None:
        """Free memory that is only kept for reuse. The caller holds the lock."""

    @abstractmethod
    def _compiled(self, file: str, text: str) -> Any:
        """Return the module of a text, which has `get_function(name)`. Raises KernelError."""

    @abstractmethod
    def _launch(self, kernel: Any, blocks: int, threads: int, arguments: tuple[Any, ...], local_bytes: int = 0) -> None:
        """Run blocks of threads after the launches so far; arguments are buffers, numbers and structs of NumPy."""

    @abstractmethod
    def _uniforms(self, values: NDArray[np.float32]) -> Any:
        """Return the argument of `point` that has these values."""


def _structure(ops: Sequence[ColorOp]) -> tuple[Any, ...]:
    return tuple(op.structure for op in ops)
