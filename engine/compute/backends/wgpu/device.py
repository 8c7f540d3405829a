"""An opened adapter: memory, pipelines and submission, with wgpu's errors told as ours."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import wgpu
from numpy.typing import NDArray

from engine.compute.backends.wgpu.modules import unchecked_module
from engine.compute.backends.wgpu.pool import Pool
from engine.errors import BackendUnavailable, DeviceLost, KernelError, OutOfDeviceMemory
from engine.kernel.dump import dump

WANTED_LIMITS = ("max-buffer-size", "max-storage-buffer-binding-size")
"""Limits asked for as high as the adapter allows; the others are WebGPU's defaults."""
ALIGNMENT = 256
"""Of what is bound within a buffer, in bytes: every adapter can do this."""
GROUPS = 65535
"""Most workgroups along one axis of a dispatch."""
DOUBLES = "shader-f64"
KEPT_GROUPS = 64
LEAST_PARAMETERS, PARAMETERS = 1 << 16, "UNIFORM|STORAGE|COPY_DST"
"""Size and usage of the memory for small arrays."""


@dataclass(frozen=True)
class Part:
    """Some bytes of a buffer, to be bound. `buffer` is None for those of a Batch's own parameters."""

    buffer: Any
    offset: int
    size: int


@dataclass(frozen=True)
class Kernel:
    """A compiled entry point, and the layout of what it binds, in the order of its bindings."""

    pipeline: Any
    layout: Any
    bindings: str


class Device:
    """wgpu's device. Safe to call from several threads."""

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
        self.pool = Pool(self._new_storage)
        self._layouts: dict[str, tuple[Any, Any]] = {}
        self._parameters = self.buffer(LEAST_PARAMETERS, PARAMETERS)
        self._written = b""
        self._groups: OrderedDict[Any, tuple[Any, Any]] = OrderedDict()

    @property
    def native(self) -> Any:
        """wgpu's own device; calls of it belong under `translated`, and under the lock where they submit."""
        return self._device

    @contextlib.contextmanager
    def translated(self) -> Iterator[None]:
        """wgpu's errors become ours."""
        try:
            yield
        except wgpu.GPUOutOfMemoryError as error:
            raise OutOfDeviceMemory(f"{self.name} has no memory left") from error
        except wgpu.GPUError as error:
            if "device is lost" in str(error).lower():
                raise DeviceLost(f"{self.name} is lost") from error
            raise KernelError(f"{self.name} refused the work: {said(error)}") from error
        except (RuntimeError, AttributeError) as error:  # a lost device can't be waited for; it has no poller
            if isinstance(error, AttributeError) and "get_token" not in str(error):
                raise
            raise DeviceLost(f"{self.name} does not answer: {said(error)}") from error

    # -- memory

    def buffer(self, size: int, usage: str) -> Any:
        """New memory, zeros."""
        with self.translated():
            return self._device.create_buffer(size=size, usage=usage)

    def storage(self, size: int) -> Any:
        """Memory for images, from what is kept where that fits; its content is not set."""
        return self.pool.take(size)

    def _new_storage(self, size: int) -> Any:
        return self.buffer(size, "STORAGE|COPY_SRC|COPY_DST")

    def filled(self, content: NDArray[Any]) -> Any:
        """New memory with this content."""
        buffer = self.buffer(max(content.nbytes, 16), "STORAGE|COPY_DST")
        with self.translated():
            self._device.queue.write_buffer(buffer, 0, np.ascontiguousarray(content))
        return buffer

    def copy(self, source: Any, start: int, target: Any, to: int, size: int) -> None:
        """Copy on the device, after all that was submitted before."""
        with self.lock, self.translated():
            encoder = self._device.create_command_encoder()
            encoder.copy_buffer_to_buffer(source, start, target, to, size)
            self._device.queue.submit([encoder.finish()])

    def trim(self) -> None:
        """Let go of what is kept of memory that is not in use."""
        with self.lock:
            self._groups.clear()
        self.pool.shrink(0)

    def destroy(self) -> None:
        """Give the device up; every later use finds it lost.

        Not while work is being submitted: the native library ends the process when a device goes at that moment.
        """
        with self.lock:
            self._device.destroy()

    # -- kernels

    def kernel(self, name: str, text: str, entry: str, bindings: str) -> Kernel:
        """Compile an entry point. `bindings` has a letter for each: u for uniforms, r for what is read, w for what is
        written too.

        A `-` is a binding that the entry point does not use.
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
        """Run dispatches in order, as one piece of work. Returns before it is done."""
        with self.lock, self.translated():
            if len(parameters) > self._parameters.size:
                self._parameters = self.buffer(1 << (len(parameters) - 1).bit_length(), PARAMETERS)
                self._written = b""
            # Written in the order of submissions, so that work in flight keeps its own.
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
        """What a dispatch binds; kept, since frames repeat, together with its buffers, whose addresses are its key."""
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
    """Dispatches to be submitted together, with the small arrays that they read."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._parameters = bytearray()
        self._dispatches: list[tuple[Kernel, tuple[Part, ...], tuple[int, int]]] = []

    def values(self, array: NDArray[Any]) -> Part:
        """A small array, to be bound; filled up with zeros to whole vec4, of which there is at least one."""
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
    """All of a buffer, to be bound."""
    return Part(buffer, 0, buffer.size)


def spread(invocations: int, threads: int) -> tuple[int, int]:
    """Workgroups in two dimensions for so many invocations."""
    groups = -(-invocations // threads)
    rows = -(-groups // GROUPS)
    return -(-groups // rows), rows


def said(error: BaseException | None) -> str:
    """The first line of an error that tells something."""
    lines = [line.strip() for line in str(error).splitlines()]
    telling = [line for line in lines if line and line not in ("Validation Error", "Caused by:")]
    telling = [line for line in telling if not line.startswith("In wgpu")] or telling
    return telling[0] if telling else type(error).__name__
