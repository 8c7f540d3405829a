"""The CPU backend: numba kernels over bands of pixels on a thread pool. Only this package imports numba."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.public_names import importer

if TYPE_CHECKING:
    from engine.compute.backends.cpu.primitives import CpuPrimitives as CpuPrimitives
    from engine.compute.backends.cpu.primitives import resize_array as resize_array

_HOME = {
    "CpuPrimitives": "primitives",
    "resize_array": "primitives",
}
__all__ = sorted(_HOME)
__getattr__ = importer(__name__, _HOME)
