"""Which backends this machine has, which one is best, and an executor on it."""

from __future__ import annotations

import importlib.util
import platform
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psutil

from engine.errors import BackendUnavailable

if TYPE_CHECKING:
    from engine.executor import TiledExecutor

PRIORITIES = {"cuda": 150, "wgpu": 100, "cpu": 10}
"""The usable backend with the highest priority is the best one."""


@dataclass(frozen=True)
class BackendInfo:
    """One backend: usable, or the `reason` why not. Memory in bytes; `detected` says whether it was read."""

    name: str
    usable: bool
    reason: str
    device: str
    total_memory: int
    free_memory: int
    priority: int
    detected: bool


def detect_backends() -> list[BackendInfo]:
    """Every backend that Tessera has, the best first."""
    found = [_cpu()]
    return sorted(found, key=lambda info: (info.usable, info.priority), reverse=True)


def select_best_backend() -> str:
    """Name of the usable backend with the highest priority."""
    return next(info.name for info in detect_backends() if info.usable)


def create_executor(
    backend: str = "auto", threads: int = 0, tile: int | None = None, max_memory: int | None = None
) -> TiledExecutor:
    """An executor on `backend`: auto, cpu, wgpu or cuda; BackendUnavailable where it can't be used.

    `threads`: of the CPU backend, 0 for every core. `tile`, `max_memory`: see TiledExecutor.
    """
    from engine.executor import TiledExecutor

    name = select_best_backend() if backend == "auto" else backend
    if name != "cpu":
        known = ", ".join(info.name for info in detect_backends())
        raise BackendUnavailable(f"the backend {name!r} is not part of this Tessera", f"use auto or one of: {known}")
    from engine.backends.cpu import CpuPrimitives

    return TiledExecutor(CpuPrimitives(threads), tile, max_memory)


def _cpu() -> BackendInfo:
    memory = psutil.virtual_memory()
    usable = importlib.util.find_spec("numba") is not None
    reason = "" if usable else "numba is not installed"
    device = platform.processor() or platform.machine()
    return BackendInfo("cpu", usable, reason, device, memory.total, memory.available, PRIORITIES["cpu"], True)
