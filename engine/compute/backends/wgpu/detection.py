"""Detection of wgpu adapters, their types and their memory."""

from __future__ import annotations

import contextlib
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import wgpu
from wgpu.backends import wgpu_native

from engine.compute.backends.wgpu.compat import check_library, parse_types_quickly
from engine.core.geometry import DEFAULT_VRAM_BYTES
from engine.core.records import dataclass
from engine.core.system import available_memory, total_memory
from engine.errors import BackendUnavailable

BACKENDS, SYSTEMS = ("Vulkan", "Metal", "DX12"), ("Vulkan", "Metal", "D3D12")
"""The supported graphics APIs, by the two names that wgpu gives them; OpenGL's compute shaders guarantee too little."""
KINDS = ("DiscreteGPU", "IntegratedGPU", "Unknown", "CPU")
"""Adapter types, the best first; CPU is a software rasteriser."""
NVIDIA_QUERY = ("nvidia-smi", "--query-gpu=name,memory.total,memory.free", "--format=csv,noheader,nounits")
NVIDIA_SECONDS = 10.0
"""How long the answer is cached: the query can take a second."""
DRM = Path("/sys/class/drm")


@dataclass(frozen=True)
class AdapterInfo:
    """An adapter. Memory is in bytes; `memory_detected` says whether it was detected or is the default."""

    index: int
    name: str
    kind: str
    backend: str
    driver: str
    is_software: bool
    total_memory: int
    free_memory: int
    memory_detected: bool

    @property
    def device(self) -> str:
        """A description of the adapter in one line."""
        return f"{self.name} via {self.backend}" + (f" ({self.driver})" if self.driver else "")


def adapters() -> list[AdapterInfo]:
    """Return every adapter, the best first. Raises BackendUnavailable if wgpu can't be used."""
    infos = [dict(adapter.info) for adapter in _enumerate()]
    names = [info["device"] for info in infos]
    return [_described(number, info, names[:number].count(info["device"])) for number, info in enumerate(infos)]


def choose(adapter: str | int | None = None) -> tuple[Any, AdapterInfo]:
    """Return wgpu's adapter and its description: by index in `adapters()`, by part of its name, or the best one."""
    infos = adapters()
    if not infos:
        raise BackendUnavailable("wgpu: there is no adapter for Vulkan, Metal or Direct3D 12")
    for info in infos:
        if _is_wanted(info, adapter):
            return _enumerate()[info.index], info
    known = ", ".join(f"{info.index} ({info.name})" for info in infos)
    raise BackendUnavailable(f"wgpu: there is no adapter {adapter!r}", f"adapters are: {known}")


def _is_wanted(info: AdapterInfo, adapter: str | int | None) -> bool:
    if isinstance(adapter, str) and not adapter.isdigit():
        return adapter.lower() in info.name.lower()
    return adapter is None or info.index == int(adapter)


@lru_cache(maxsize=1)
def _enumerate() -> list[Any]:
    """Return wgpu's adapters, the best first."""
    check_library()
    parse_types_quickly(wgpu_native._api.ffi)
    logging.getLogger("wgpu").addHandler(logging.NullHandler())  # errors are raised, not printed
    try:
        with _runtime_directory(), contextlib.suppress(RuntimeError):  # an instance may exist already, and see more
            wgpu_native.extras.set_instance_extras(backends=BACKENDS)
        with _runtime_directory():
            found = wgpu.gpu.enumerate_adapters_sync()
    except (RuntimeError, wgpu.GPUError) as error:
        raise BackendUnavailable(f"wgpu finds no adapters: {error}") from None
    usable = [adapter for adapter in found if adapter.info["backend_type"] in SYSTEMS]
    return sorted(usable, key=lambda adapter: KINDS.index(_kind(adapter.info)))


@contextlib.contextmanager
def _runtime_directory() -> Iterator[None]:
    """Set XDG_RUNTIME_DIR if it is missing: without it Mesa prints a warning, although it does not need it here."""
    missing = sys.platform == "linux" and not os.environ.get("XDG_RUNTIME_DIR")
    if missing:
        os.environ["XDG_RUNTIME_DIR"] = tempfile.gettempdir()
    try:
        yield
    finally:
        if missing:
            del os.environ["XDG_RUNTIME_DIR"]


def _kind(info: Any) -> str:
    return info["adapter_type"] if info["adapter_type"] in KINDS else "Unknown"


def _described(number: int, info: dict[str, Any], twin: int) -> AdapterInfo:
    """Describe an adapter; `twin` is the number of earlier adapters with the same name."""
    software = _kind(info) == "CPU"
    total, free = _main_memory() if software else _memory(info, twin)
    detected = total > 0
    if not detected:
        total = free = DEFAULT_VRAM_BYTES
    name, backend, description = info["device"], info["backend_type"], info["description"]
    driver = f"driver {description}" if description[:1].isdigit() else description
    return AdapterInfo(number, name, _kind(info), backend, driver, software, total, free, detected)


def _main_memory() -> tuple[int, int]:
    return total_memory(), available_memory()


def _memory(info: dict[str, Any], twin: int) -> tuple[int, int]:
    """Return total and free memory of a graphics card if the system reports it, else 0."""
    now = int(time.monotonic() / NVIDIA_SECONDS)
    cards = [(total, free) for name, total, free in _nvidia(now) if name == info["device"]]
    cards = cards or _drm(int(info["vendor_id"]), int(info["device_id"]))
    return cards[min(twin, len(cards) - 1)] if cards else (0, 0)


@lru_cache(maxsize=1)
def _nvidia(now: int) -> list[tuple[str, int, int]]:
    """Return name, total and free memory of each card that NVIDIA's driver lists."""
    try:
        answer = subprocess.run(NVIDIA_QUERY, capture_output=True, text=True, timeout=10, check=True).stdout
        rows = [line.rsplit(",", 2) for line in answer.splitlines() if line.count(",") >= 2]
        return [(name.strip(), int(total) << 20, int(free) << 20) for name, total, free in rows]
    except (OSError, ValueError, subprocess.SubprocessError):
        return []


def _drm(vendor: int, device: int) -> list[tuple[int, int]]:
    """Return total and free memory of the cards with these PCI IDs, as reported by Linux's amdgpu."""
    found = []
    for card in sorted(DRM.glob("card*/device")):
        with contextlib.suppress(OSError, ValueError):
            if (int((card / "vendor").read_text(), 16), int((card / "device").read_text(), 16)) == (vendor, device):
                total = int((card / "mem_info_vram_total").read_text())
                found.append((total, total - int((card / "mem_info_vram_used").read_text())))
    return found
