"""The wgpu backend: compute shaders over Vulkan, Metal or Direct3D 12. Only this package imports wgpu."""

from engine.compute.backends.wgpu.detection import AdapterInfo, adapters
from engine.compute.backends.wgpu.primitives import WgpuPrimitives

__all__ = ["AdapterInfo", "WgpuPrimitives", "adapters"]
