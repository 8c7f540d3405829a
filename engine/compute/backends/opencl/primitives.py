"""OpenclPrimitives, the backend for devices with a driver for OpenCL 1.2."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyopencl as cl
from numpy.typing import NDArray

from engine.compute.backends.base import ImageHandle
from engine.compute.backends.c_primitives import CPrimitives
from engine.compute.backends.c_texts import Language
from engine.compute.backends.opencl.detection import choose, first_line
from engine.compute.backends.opencl.statistics import statistics
from engine.compute.statistics import Statistics
from engine.core.geometry import GpuLimits
from engine.errors import DeviceLost, KernelError, OutOfDeviceMemory
from engine.kernel.dump import dump
from engine.kernel.point_text import opencl_point

MAX_SIDE = 1 << 18
"""The longest side of a tile: buffers have no limit but their size."""
BLOCKS_PER_UNIT, SOFTWARE_BLOCKS = 64, 1 << 20
"""Most blocks of a launch, for each unit of a GPU; and for software, whose blocks share nothing."""
OPTIONS = ("-cl-std=CL1.2", "-w")
ROUNDED = "-cl-fp32-correctly-rounded-divide-sqrt"
NO_MEMORY = {
    cl.status_code.MEM_OBJECT_ALLOCATION_FAILURE,
    cl.status_code.OUT_OF_RESOURCES,
    cl.status_code.OUT_OF_HOST_MEMORY,
    cl.status_code.INVALID_BUFFER_SIZE,
}


class OpenclPrimitives(CPrimitives):
    """The backend of one OpenCL device. Kernels of all threads go to one queue, uploads to another."""

    name = "opencl"
    priority = 50
    concurrency = 2
    language = Language("language.cl", "half", opencl_point)
    _missing = None

    def __init__(self, which: str | int | None = None, memory_limit: int | None = None) -> None:
        super().__init__(memory_limit)
        info, device = choose(which)
        self.device = f"{info.name} via {info.platform} ({info.driver})"
        self.runs_on_cpu = info.is_software
        memory, self._largest = memory_limit or info.free_memory, int(device.max_mem_alloc_size)
        self.limits = GpuLimits.with_vram(memory, MAX_SIDE, min(memory, self._largest))
        self._most_blocks = SOFTWARE_BLOCKS if info.is_software else device.max_compute_units * BLOCKS_PER_UNIT
        rounds = device.single_fp_config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT
        self._options = [*OPTIONS, ROUNDED] if rounds else [*OPTIONS]
        with self._device():
            self._context = _context(device)
            self._queue, self._uploads = (cl.CommandQueue(self._context) for _ in range(2))

    # -- memory

    def _new_buffer(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        size = max(math.prod(shape) * dtype.itemsize, 1)
        if size > self._largest:  # some drivers notice only where the memory is used
            raise OutOfDeviceMemory(f"{self.device} has no memory left for {size >> 20} MB in one piece")
        with self._device():
            return cl.Buffer(self._context, cl.mem_flags.READ_WRITE, size)

    def _drop_buffer(self, buffer: Any) -> None:
        """Do nothing: the memory is freed with its last reference, once no launch uses it."""

    def _import(self, pixels: NDArray[Any]) -> Any:
        buffer = self._new_buffer(pixels.shape, pixels.dtype)
        if pixels.size:
            with self._device():
                cl.enqueue_copy(self._uploads, buffer, np.ascontiguousarray(pixels), is_blocking=True)
        return buffer

    def _read(self, buffer: Any, into: NDArray[Any]) -> NDArray[Any]:
        rows = into if into.flags.c_contiguous else np.empty(into.shape, into.dtype)
        with self._device():
            cl.enqueue_copy(self._queue, rows, buffer, is_blocking=True)
        if rows is not into:
            np.copyto(into, rows)
        return into

    def _small(self, array: NDArray[Any]) -> Any:
        return self._import(array)

    def _wait(self) -> None:
        with self._device():
            self._queue.finish()

    def _trim_device(self) -> None:
        """Do nothing: no memory is kept for reuse."""

    # -- kernels

    @contextlib.contextmanager
    def _device(self) -> Iterator[None]:
        try:
            yield
        except cl.Error as error:
            if error.code in NO_MEMORY:
                raise OutOfDeviceMemory(f"{self.device} has no memory left") from error
            _context.cache_clear()  # it is lost, too
            raise DeviceLost(f"{self.device} failed: {first_line(error)}") from error

    def _compiled(self, file: str, text: str) -> Any:
        """Return the module of a text. The driver keeps the binary on disk, if it has a cache."""
        dump(str(Path(file).with_suffix(".cl")), text)
        program = cl.Program(self._context, text)
        try:
            with warnings.catch_warnings():  # what a compiler says of a kernel that it builds does not matter
                warnings.simplefilter("ignore", cl.CompilerWarning)
                program.build(self._options, cache_dir=False)
        except cl.Error as error:
            if error.code in NO_MEMORY:
                raise
            said = [line for line in str(error).splitlines() if "error:" in line] or [first_line(error)]
            raise KernelError(f"an OpenCL kernel does not compile: {said[0]}") from error
        return _Module(program)

    def _launch(self, kernel: Any, blocks: int, threads: int, arguments: tuple[Any, ...], local_bytes: int = 0) -> None:
        if local_bytes:
            arguments = (*arguments, cl.LocalMemory(local_bytes))
        for place, argument in enumerate(arguments):
            kernel.set_arg(place, argument.tobytes() if isinstance(argument, np.ndarray) else argument)
        cl.enqueue_nd_range_kernel(self._queue, kernel, (blocks * threads,), (threads,))

    def _uniforms(self, values: NDArray[np.float32]) -> Any:
        """Return a buffer: the parameters of a kernel may have as few as 1024 bytes."""
        return self._small(values if len(values) else np.zeros(1, np.float32))

    def _run_statistics(self, handle: ImageHandle) -> Statistics:
        return statistics(self, handle)


@cache
def _context(device: Any) -> Any:
    """Return the context of a device, which all its backends share: drivers allow few."""
    return cl.Context([device])


class _Module:
    """The kernels of a program."""

    def __init__(self, program: Any) -> None:
        self._kernels = {kernel.function_name: kernel for kernel in program.all_kernels()}

    def get_function(self, name: str) -> Any:
        return self._kernels[name]
