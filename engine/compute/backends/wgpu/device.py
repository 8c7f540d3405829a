"""An opened adapter: memory, pipelines and submission; wgpu's errors become Tessera's."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import wgpu
from numpy.typing import NDArray

from engine.compute.backends.wgpu.compat import check_device, has_no_poller, unchecked_module
from engine.compute.backends.wgpu.pool import Pool
from engine.core.records import dataclass
from engine.errors import BackendUnavailable, DeviceLost, KernelError, OutOfDeviceMemory
from engine.kernel.dump import dump

WANTED_LIMITS = ("max-buffer-size", "max-storage-buffer-binding-size")
"""Limits requested as high as the adapter allows; the others are WebGPU's defaults."""
ALIGNMENT = 256
"""Alignment in bytes of bindings within a buffer, which every adapter supports."""
GROUPS = 65535
"""The most workgroups along one axis of a dispatch."""
DOUBLES = "shader-f64"
KEPT_GROUPS = 64
LEAST_PARAMETERS, PARAMETERS = 1 << 16, "UNIFORM|STORAGE|COPY_DST"
"""Size and usage of the memory for small arrays."""


@dataclass(frozen=True)
class Part:
    """A range of bytes of a buffer, to be bound. `buffer` is None for the parameters of a Batch."""

    buffer: Any
    offset: int
    size: int


@dataclass(frozen=True)
class Kernel:
    """A compiled entry point and its bind group layout."""

    pipeline: Any
    layout: Any
    bindings: str


class Device:
    """A wgpu device. Thread-safe."""

    def __init__(self, adapter: Any, name: str, binding_limit: int | None = None) -> None:
        self.name = name
        self.lock = threading.RLock()
        limits = {key: adapter.limits[key] for key in WANTED_LIMITS}
        self.binding_limit = min(binding_limit or min(limits.values()), *limits.values()) // ALIGNMENT * ALIGNMENT
        self.rounds_twice = adapter.info["adapter_type"] == "CPU" and DOUBLES in adapter.features
        features = [DOUBLES] if self.rounds_twice else []
        try:
            self._device = adapter.request_device_sync(required_limits=limits, required_features=features)
        except (RuntimeError, wgpu.GPUError) as error:
            raise BackendUnavailable(f"wgpu: {name} can't be opened: {said(error)}") from None
        check_device(self._device)
        self.pool = Pool(self._new_storage)
        self._layouts: dict[str, tuple[Any, Any]] = {}
        self._parameters = self.buffer(LEAST_PARAMETERS, PARAMETERS)
        self._written = b""
        self._groups: OrderedDict[Any, tuple[Any, Any]] = OrderedDict()

    @property
    def native(self) -> Any:
        """wgpu's own device; call it within `translated`, and with the lock held if the call submits work."""
        return self._device

    @contextlib.contextmanager
    def translated(self) -> Iterator[None]:
        """Convert wgpu's errors to ours."""
        try:
            yield
        except wgpu.GPUOutOfMemoryError as error:
            raise OutOfDeviceMemory(f"{self.name} has no memory left") from error
        except wgpu.GPUError as error:
            if "device is lost" in str(error).lower():
                raise DeviceLost(f"{self.name} is lost") from error
            raise KernelError(f"{self.name} refused the work: {said(error)}") from error
        except (RuntimeError, AttributeError) as error:
            if isinstance(error, AttributeError) and not has_no_poller(error):
                raise
            raise DeviceLost(f"{self.name} does not answer: {said(error)}") from error

    # -- memory

    def buffer(self, size: int, usage: str) -> Any:
        """Allocate memory, filled with zeros."""
        with self.translated():
            return self._device.create_buffer(size=size, usage=usage)

    def storage(self, size: int) -> Any:
        """Return memory for images with undefined content, from the pool if a buffer fits."""
        return self.pool.take(size)

    def _new_storage(self, size: int) -> Any:
        return self.buffer(size, "STORAGE|COPY_SRC|COPY_DST")

    def filled(self, content: NDArray[Any]) -> Any:
        """Allocate memory with this content."""
        buffer = self.buffer(max(content.nbytes, 16), "STORAGE|COPY_DST")
        with self.translated():
            self._device.queue.write_buffer(buffer, 0, np.ascontiguousarray(content))
        return buffer

    def copy(self, source: Any, start: int, target: Any, to: int, size: int) -> None:
        """Copy on the device, after all work submitted before."""
        with self.lock, self.translated():
            encoder = self._device.create_command_encoder()
            encoder.copy_buffer_to_buffer(source, start, target, to, size)
            self._device.queue.submit([encoder.finish()])

    def trim(self) -> None:
        """Free kept memory that is not in use."""
        with self.lock:
            self._groups.clear()
        self.pool.shrink(0)

    def destroy(self) -> None:
        """Destroy the device; every later use raises DeviceLost.

        Takes the lock, since the native library ends the process if a device is destroyed while work is submitted.
        """
        with self.lock:
            self._device.destroy()

    # -- kernels

    def kernel(self, name: str, text: str, entry: str, bindings: str) -> Kernel:
        """Compile an entry point. `bindings` has a letter for each binding: u for uniform, r for read-only storage, w
        for read-write storage, `-` for a binding that the entry point does not use.

        Raises KernelError if the text does not compile.
        """
        dump(f"{name}.wgsl", text)
        layout, pipeline_layout = self._layout(bindings)
        try:
            with self.translated():
                module = unchecked_module(self._device, text)
                compute = {"module": module, "entry_point": entry}
                pipeline = self._device.create_compute_pipeline(layout=pipeline_layout, compute=compute)
        except KernelError as error:
            raise KernelError(f"the kernel {name} does not compile: {said(error.__cause__)}") from error
        return Kernel(pipeline, layout, bindings)

    def _layout(self, bindings: str) -> tuple[Any, Any]:
        with self.lock, self.translated():
            if bindings not in self._layouts:
                kinds = {"u": "uniform", "r": "read-only-storage", "w": "storage"}
                entries = [
                    {"binding": number, "visibility": "COMPUTE", "buffer": {"type": kinds[letter]}}
                    for number, letter in enumerate(bindings)
                    if letter != "-"
                ]
                layout = self._device.create_bind_group_layout(entries=entries)
                whole = self._device.create_pipeline_layout(bind_group_layouts=[layout])
                self._layouts[bindings] = layout, whole
            return self._layouts[bindings]

    # -- work

    def submit(self, dispatches: Sequence[tuple[Kernel, tuple[Part, ...], tuple[int, int]]], parameters: bytes) -> None:
        """Submit dispatches in order, as one command buffer. Returns before they are done."""
        with self.lock, self.translated():
            if len(parameters) > self._parameters.size:
                self._parameters = self.buffer(1 << (len(parameters) - 1).bit_length(), PARAMETERS)
                self._written = b""
            # Writes are ordered with submissions, so that earlier work keeps its own parameters.
            if parameters and parameters != self._written:
                self._device.queue.write_buffer(self._parameters, 0, parameters)
                self._written = parameters
            encoder = self._device.create_command_encoder()
            compute = encoder.begin_compute_pass()
            for kernel, parts, groups in dispatches:
                compute.set_pipeline(kernel.pipeline)
                compute.set_bind_group(0, self._group(kernel, parts))
                compute.dispatch_workgroups(*groups)
            compute.end()
            self._device.queue.submit([encoder.finish()])

    def _group(self, kernel: Kernel, parts: tuple[Part, ...]) -> Any:
        """Return the bind group of a dispatch. Groups are cached with their buffers, whose addresses are the key."""
        bound = [(part.buffer or self._parameters, part.offset, part.size) for part in parts]
        key = (kernel.bindings, *((id(buffer), offset, size) for buffer, offset, size in bound))
        if key not in self._groups:
            places = [number for number, letter in enumerate(kernel.bindings) if letter != "-"]
            entries = [
                {"binding": place, "resource": {"buffer": buffer, "offset": offset, "size": size}}
                for place, (buffer, offset, size) in zip(places, bound, strict=True)
            ]
            self._groups[key] = self._device.create_bind_group(layout=kernel.layout, entries=entries), bound
            while len(self._groups) > KEPT_GROUPS:
                self._groups.popitem(last=False)
        self._groups.move_to_end(key)
        return self._groups[key][0]


class Batch:
    """Dispatches that are submitted together, with the small arrays that they read."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._parameters = bytearray()
        self._dispatches: list[tuple[Kernel, tuple[Part, ...], tuple[int, int]]] = []

    def values(self, array: NDArray[Any]) -> Part:
        """Add a small array, padded with zeros to at least one whole vec4, and return the part to bind."""
        content = np.ascontiguousarray(array).tobytes()
        content += bytes(-len(content) % 16 or (0 if content else 16))
        part = Part(None, len(self._parameters), len(content))
        self._parameters += content + bytes(-len(content) % ALIGNMENT)
        return part

    def add(self, kernel: Kernel, groups: tuple[int, int], *parts: Part) -> None:
        self._dispatches.append((kernel, parts, groups))

    def submit(self) -> None:
        self._device.submit(self._dispatches, bytes(self._parameters))


def whole(buffer: Any) -> Part:
    """Return a part that covers a whole buffer."""
    return Part(buffer, 0, buffer.size)


def spread(invocations: int, threads: int) -> tuple[int, int]:
    """Return the workgroups in two dimensions for a number of invocations."""
    groups = -(-invocations // threads)
    rows = -(-groups // GROUPS)
    return -(-groups // rows), rows


def said(error: BaseException | None) -> str:
    """Return the first meaningful line of an error."""
    lines = [line.strip() for line in str(error).splitlines()]
    lines = [line for line in lines if line and line not in ("Validation Error", "Caused by:")]
    lines = [line for line in lines if not line.startswith("In wgpu")] or lines
    return lines[0] if lines else type(error).__name__
