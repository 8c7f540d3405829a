"""CudaPrimitives, the backend for NVIDIA GPUs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import cache
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.base import ImageHandle
from engine.compute.backends.c_primitives import CPrimitives
from engine.compute.backends.c_texts import Language
from engine.compute.backends.cuda.chunk_codec import CudaChunkCodec
from engine.compute.backends.cuda.detection import count, device, first_line
from engine.compute.backends.cuda.statistics import statistics
from engine.compute.backends.cuda.transfer import Transfers
from engine.compute.statistics import Statistics
from engine.core.geometry import GpuLimits
from engine.errors import BackendUnavailable, DeviceLost, KernelError, OutOfDeviceMemory
from engine.kernel.dump import dump
from engine.kernel.point_text import cuda_point

MAX_SIDE = 1 << 18
"""The longest side of a tile: CUDA buffers have no limit of their own."""
BLOCKS_PER_PROCESSOR = 64
INCLUDES = "#include <cuda_fp16.h>\n"
OPTIONS = ("--std=c++17",)
POINT_OPTIONS = (*OPTIONS, "--ftz=true")
"""Comparisons, too, must count subnormal numbers as 0, as the hardware's reciprocal does."""


class CudaPrimitives(CPrimitives):
    """The backend of one CUDA device. Work of all threads goes to one stream."""

    name = "cuda"
    priority = 150
    concurrency = 4
    language = Language("language.cu", "__half", cuda_point)
    _missing = np.uint64(0)

    def __init__(self, index: int = 0, memory_limit: int | None = None) -> None:
        super().__init__(memory_limit)
        if index >= (there := count()):
            raise BackendUnavailable(f"there is no CUDA device {index}", f"this machine has {there}")
        info = device(index)
        self.index = index
        self.device = f"{info.name} ({info.total_memory >> 30} GB, compute capability {info.compute_capability})"
        self.limits = GpuLimits.with_vram(memory_limit or info.free_memory, MAX_SIDE)
        self._pool = cupy.cuda.MemoryPool()
        if memory_limit is not None:
            self._pool.set_limit(size=memory_limit)
        self._transfers = Transfers(index)
        with cupy.cuda.Device(index):
            self._stream = cupy.cuda.Stream(non_blocking=True)
            self._processors = cupy.cuda.Device(index).attributes["MultiProcessorCount"]
        self._most_blocks = self._processors * BLOCKS_PER_PROCESSOR
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

    def _read(self, buffer: Any, into: NDArray[Any]) -> NDArray[Any]:
        with self._device():
            self._transfers.download(buffer, into, self._stream.record())
        return into

    def _small(self, array: NDArray[Any]) -> Any:
        buffer = self._new_buffer(array.shape, array.dtype)
        buffer.set(np.ascontiguousarray(array), stream=self._stream)
        return buffer

    def _wait(self) -> None:
        with self._device():
            self._stream.synchronize()

    def _trim_device(self) -> None:
        self._stream.synchronize()
        self._transfers.trim()
        self._codec.trim()
        self._pool.free_all_blocks()

    # -- kernels

    @contextlib.contextmanager
    def _device(self) -> Iterator[None]:
        try:
            with cupy.cuda.Device(self.index):
                yield
        except cupy.cuda.memory.OutOfMemoryError as error:
            raise OutOfDeviceMemory(f"{self.device} has no memory left") from error
        except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError) as error:
            if "OutOfMemory" in str(error) or "OUT_OF_MEMORY" in str(error):
                raise OutOfDeviceMemory(f"{self.device} has no memory left") from error
            raise DeviceLost(f"{self.device} failed: {first_line(error)}") from error

    def _compiled(self, file: str, text: str) -> Any:
        """Return the module of a text; CuPy caches the binary on disk."""
        dump(file, text)
        options = POINT_OPTIONS if file == "point.cu" else OPTIONS
        module = cupy.RawModule(code=INCLUDES + text, options=options, backend="nvrtc")
        try:
            module.compile()
        except cupy.cuda.compiler.CompileException as error:
            raise KernelError(f"a CUDA kernel does not compile: {first_line(error)}") from error
        return module

    def _launch(self, kernel: Any, blocks: int, threads: int, arguments: tuple[Any, ...], local_bytes: int = 0) -> None:
        kernel((blocks,), (threads,), arguments, shared_mem=local_bytes, stream=self._stream)

    def _uniforms(self, values: NDArray[np.float32]) -> Any:
        """Return a struct, as an array without axes: it travels with the launch."""
        struct = np.zeros((), _struct(max(len(values), 1)))
        struct["u"][: len(values)] = values
        return struct

    def _run_statistics(self, handle: ImageHandle) -> Statistics:
        return statistics(self, handle)


@cache
def _struct(count: int) -> np.dtype[Any]:
    return np.dtype([("u", np.float32, (count,))])
