"""The CUDA backend: generated and hand-written kernels compiled by NVRTC. Only this package imports CuPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.public_names import importer

if TYPE_CHECKING:
    from engine.compute.backends.cuda.detection import CudaDevice as CudaDevice
    from engine.compute.backends.cuda.detection import devices as devices
    from engine.compute.backends.cuda.driver import device_count as device_count
    from engine.compute.backends.cuda.primitives import CudaPrimitives as CudaPrimitives

_HOME = {
    "CudaDevice": "detection",
    "devices": "detection",
    "device_count": "driver",
    "CudaPrimitives": "primitives",
}
__all__ = sorted(_HOME)
__getattr__ = importer(__name__, _HOME)
