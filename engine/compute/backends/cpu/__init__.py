"""The CPU backend: numba kernels over bands of pixels on a pool of threads. Nothing else imports numba."""

from engine.compute.backends.cpu.primitives import CpuPrimitives

__all__ = ["CpuPrimitives"]
