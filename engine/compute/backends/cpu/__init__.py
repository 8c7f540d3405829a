"""The CPU backend: numba kernels over bands of pixels on a thread pool. Only this package imports numba."""

from engine.compute.backends.cpu.primitives import CpuPrimitives, resize_array

__all__ = ["CpuPrimitives", "resize_array"]
