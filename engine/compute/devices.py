"""Detection of backends and devices, choice of the best one, and creation of executors.

A device is named `cpu`, `wgpu`, `cuda` or `opencl`, optionally followed by a number (`cuda:1`) or, for wgpu and OpenCL,
by a part of its name (`wgpu:intel`). The caller's choice takes precedence, then the environment variable
TESSERA_BACKEND, then the usable device with the highest priority.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.numa import cores_near as cores_near_pci
from engine.core.numa import nodes
from engine.core.records import dataclass
from engine.core.system import available_memory, processor_name, total_memory
from engine.errors import BackendError, BackendUnavailable

if TYPE_CHECKING:
    from engine.compute.backends.base import GpuPrimitives
    from engine.compute.executor import TiledExecutor

PRIORITIES = {"cuda": 150, "wgpu": 100, "opencl": 50, "cpu": 10}
SOFTWARE_PRIORITIES = {"wgpu": 5, "opencl": 2}
"""Priorities of software devices: the CPU backend is faster."""
VARIABLE = "TESSERA_BACKEND"
CUPY_REMEDY = "install the extra: pip install 'tessera[cuda]'"


@dataclass(frozen=True)
class BackendInfo:
    """A device of a backend. `reason` says why it is not usable.

    `name` is the argument of create_executor. Memory is in bytes, 0 if unknown; `detected` is False if the total is a
    default. `details` is the compute capability or the driver. `exr` is where EXRs are decoded and encoded for the
    device: "device" or "cpu".
    """

    name: str
    usable: bool
    reason: str
    device: str
    total_memory: int
    free_memory: int
    priority: int
    detected: bool
    details: str = ""
    exr: str = "cpu"


def detect_backends() -> list[BackendInfo]:
    """Return every device of every backend, the best first; unusable backends are included with their reason."""
    found = [*_cuda(), *_wgpu(), *_opencl(), _cpu()]
    return sorted(found, key=lambda info: (info.usable, info.priority), reverse=True)


def select_best_backend() -> str:
    """Return the name of the usable device with the highest priority."""
    if not may_have_gpu():
        return "cpu"  # without loading a driver, which can take longer than the job
    cuda = _cuda(1)[0]
    if cuda.usable:
        return cuda.name  # nothing has a higher priority, so that no other driver need be loaded
    return next(info.name for info in detect_backends() if info.usable)


def devices_in_turn(backend: str = "auto") -> list[str]:
    """Return the devices that share the frames of a sequence: all CUDA devices for `auto` and `cuda`, else one.

    `cuda:0` is only the first CUDA device.
    """
    if backend == "auto":
        backend = os.environ.get(VARIABLE) or "auto"
    chosen = select_best_backend() if backend == "auto" else backend
    if chosen != "cuda":
        return [chosen]
    return _cuda_names() or [chosen]


def cores_near(device: str) -> frozenset[int]:
    """Return the cores of the NUMA node of a CUDA device; none for other devices, or if there is only one node."""
    kind, _, index = device.partition(":")
    if kind != "cuda" or not nodes() or importlib.util.find_spec("cupy") is None:
        return frozenset()
    from engine.compute.backends.cuda.detection import pci_bus

    return cores_near_pci(pci_bus(int(index or 0)))


def may_have_gpu() -> bool:
    """Return False if Linux has no device file of a GPU; on other systems only the drivers can tell."""
    if sys.platform != "linux":
        return True
    return any(next(Path("/dev").glob(pattern), None) for pattern in ("dri/render*", "nvidia[0-9]*", "dxg", "kfd"))


def create_executor(
    backend: str = "auto",
    threads: int = 0,
    tile: int | None = None,
    max_memory: int | None = None,
    memory_limit: int | None = None,
) -> TiledExecutor:
    """Return an executor on `backend`, the name of a device or `auto`.

    `threads` is for the CPU backend, 0 is one per core. `tile`, `max_memory`: see TiledExecutor. `memory_limit` is the
    number of bytes that images may take on the device. If the device fails, the executor continues on the next best
    one. Raises BackendUnavailable if the device can't be used.
    """
    from engine.compute.executor import TiledExecutor

    if backend == "auto":
        backend = os.environ.get(VARIABLE) or "auto"
    chosen = select_best_backend() if backend == "auto" else backend

    def open_cpu() -> GpuPrimitives:
        return _open("cpu", threads, None)

    def open_gpu(kind: str, found: Callable[[], list[BackendInfo]]) -> GpuPrimitives:
        """Open a device that is a GPU; software devices are slower than the CPU backend."""
        if not any(info.usable and info.priority > PRIORITIES["cpu"] for info in found()):
            raise BackendUnavailable(f"{kind}: there is no GPU")
        return _open(kind, threads, memory_limit)

    open_wgpu, open_opencl = partial(open_gpu, "wgpu", _wgpu), partial(open_gpu, "opencl", _opencl)
    fallbacks: dict[str, list[Callable[[], GpuPrimitives]]] = {
        "cuda": [open_wgpu, open_opencl, open_cpu],
        "wgpu": [open_opencl, open_cpu],
        "opencl": [open_cpu],
    }
    kind = chosen.partition(":")[0]
    return TiledExecutor(_open(chosen, threads, memory_limit), tile, max_memory, fallbacks.get(kind, []))


def _open(name: str, threads: int, memory_limit: int | None) -> GpuPrimitives:
    kind, _, which = name.partition(":")
    if kind == "cpu" and not which:
        from engine.compute.backends.cpu import CpuPrimitives

        return CpuPrimitives(threads, memory_limit)
    if kind == "cuda" and (not which or which.isdigit()):
        _require("cuda", "cupy", CUPY_REMEDY)
        from engine.compute.backends.cuda import CudaPrimitives

        return CudaPrimitives(int(which or 0), memory_limit)
    if kind == "wgpu":
        _require("wgpu", "wgpu", "pip install wgpu")
        from engine.compute.backends.wgpu import WgpuPrimitives

        return WgpuPrimitives(int(which) if which.isdigit() else which or None, memory_limit)
    if kind == "opencl":
        _require("opencl", "pyopencl", "install the extra: pip install 'tessera[opencl]'")
        from engine.compute.backends.opencl import OpenclPrimitives

        return OpenclPrimitives(int(which) if which.isdigit() else which or None, memory_limit)
    known = ", ".join(["auto", *dict.fromkeys(info.name for info in detect_backends())])
    raise BackendUnavailable(f"{name!r} is not a valid backend", f"use one of: {known}")


def _require(backend: str, package: str, remedy: str) -> None:
    if importlib.util.find_spec(package) is None:
        raise BackendUnavailable(f"{backend}: the package {package} is not installed", remedy)


def _unusable(name: str, reason: str) -> BackendInfo:
    return BackendInfo(name, False, reason, "", 0, 0, PRIORITIES[name], False)


def _numbered(backend: str, number: int) -> str:
    """Return the name of a device; the first one of a backend has no number."""
    return f"{backend}:{number}" if number else backend


def _cpu() -> BackendInfo:
    usable = importlib.util.find_spec("numba") is not None
    reason = "" if usable else "the package numba is not installed"
    return BackendInfo(
        "cpu", usable, reason, processor_name(), total_memory(), available_memory(), PRIORITIES["cpu"], True
    )


def _cuda_names() -> list[str]:
    """Return the names of all CUDA devices, without opening them; none if CuPy or the driver is missing."""
    if importlib.util.find_spec("cupy") is None:
        return []
    from engine.compute.backends.cuda import device_count

    return [_numbered("cuda", index) for index in range(device_count())]


def _cuda(most: int | None = None) -> list[BackendInfo]:
    """Return the CUDA devices, or the first ones up to `most`; one that is not usable if there are none."""
    try:
        _require("cuda", "cupy", CUPY_REMEDY)
        from engine.compute.backends.cuda import devices

        found = devices(most)
    except BackendError as error:
        return [_unusable("cuda", f"{error.what}; {error.do}".removeprefix("cuda: ").removeprefix("CUDA: "))]
    except ImportError as error:
        return [_unusable("cuda", f"CuPy can't be loaded: {str(error).splitlines()[0]}")]
    if not found:
        return [_unusable("cuda", "there is no CUDA device")]
    return [
        BackendInfo(
            _numbered("cuda", info.index),
            True,
            "",
            info.name,
            info.total_memory,
            info.free_memory,
            PRIORITIES["cuda"] - info.index,
            True,
            f"compute capability {info.compute_capability}, {info.driver}",
            "device",
        )
        for info in found
    ]


def _wgpu() -> list[BackendInfo]:
    try:
        _require("wgpu", "wgpu", "pip install wgpu")
        from engine.compute.backends.wgpu import adapters

        found = adapters()
    except BackendError as error:
        return [_unusable("wgpu", f"{error.what}; {error.do}".removeprefix("wgpu: "))]
    except (ImportError, OSError) as error:
        return [_unusable("wgpu", f"wgpu can't be loaded: {str(error).splitlines()[0]}")]
    if not found:
        return [
            _unusable(
                "wgpu", "there is no Vulkan, Metal or Direct3D device (on Linux: install libvulkan1 and a driver)"
            )
        ]
    return [
        BackendInfo(
            _numbered("wgpu", number),
            True,
            "",
            info.name,
            info.total_memory,
            0,
            (SOFTWARE_PRIORITIES["wgpu"] if info.is_software else PRIORITIES["wgpu"]) - number,
            info.memory_detected,
            f"{info.backend}, {info.driver}",
        )
        for number, info in enumerate(found)
    ]


def _opencl() -> list[BackendInfo]:
    try:
        _require("opencl", "pyopencl", "install the extra: pip install 'tessera[opencl]'")
        from engine.compute.backends.opencl import devices

        found = devices()
    except BackendError as error:
        return [_unusable("opencl", f"{error.what}; {error.do}".removeprefix("opencl: "))]
    except (ImportError, OSError) as error:
        return [_unusable("opencl", f"PyOpenCL can't be loaded: {str(error).splitlines()[0]}")]
    if not found:
        return [_unusable("opencl", "there is no driver for OpenCL")]
    return [
        BackendInfo(
            _numbered("opencl", number),
            not info.reason,
            info.reason,
            info.name,
            info.total_memory,
            info.free_memory,
            (SOFTWARE_PRIORITIES["opencl"] if info.is_software else PRIORITIES["opencl"]) - number,
            True,
            f"{info.platform}, {info.driver}",
        )
        for number, info in enumerate(found)
    ]
