"""The CUDA backend: generated and hand-written kernels compiled by NVRTC. Nothing else imports CuPy."""

from engine.backends.cuda.primitives import CudaDevice, CudaPrimitives, devices

__all__ = ["CudaDevice", "CudaPrimitives", "devices"]
