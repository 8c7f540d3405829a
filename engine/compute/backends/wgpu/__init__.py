"""The wgpu backend: compute shaders over Vulkan, Metal or Direct3D 12. Only this package imports wgpu."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.public_names import importer

if TYPE_CHECKING:
    from engine.compute.backends.wgpu.detection import AdapterInfo as AdapterInfo
    from engine.compute.backends.wgpu.detection import adapters as adapters
    from engine.compute.backends.wgpu.primitives import WgpuPrimitives as WgpuPrimitives

_HOME = {
    "AdapterInfo": "detection",
    "adapters": "detection",
    "WgpuPrimitives": "primitives",
}
__all__ = sorted(_HOME)
__getattr__ = importer(__name__, _HOME)
