"""The CUDA backend: generated and hand-written kernels compiled by NVRTC. Only this package imports CuPy."""

from engine.compute.backends.cuda.detection import CudaDevice, devices
from engine.compute.backends.cuda.primitives import CudaPrimitives

__all__ = ["CudaDevice", "CudaPrimitives", "devices"]
