"""The OpenCL backend: the kernels of CUDA, built by the driver of the device. Only this package imports PyOpenCL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.public_names import importer

if TYPE_CHECKING:
    from engine.compute.backends.opencl.detection import OpenclDevice as OpenclDevice
    from engine.compute.backends.opencl.detection import devices as devices
    from engine.compute.backends.opencl.primitives import OpenclPrimitives as OpenclPrimitives

_HOME = {
    "OpenclDevice": "detection",
    "devices": "detection",
    "OpenclPrimitives": "primitives",
}
__all__ = sorted(_HOME)
__getattr__ = importer(__name__, _HOME)
