"""The wgpu backend: compute shaders over Vulkan, Metal or Direct3D 12. Nothing else of the engine imports wgpu."""

from engine.backends.wgpu.adapters import AdapterInfo, adapters

__all__ = ["AdapterInfo", "adapters"]
