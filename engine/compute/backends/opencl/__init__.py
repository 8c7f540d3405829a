"""The OpenCL backend: the kernels of CUDA, built by the driver of the device. Only this package imports PyOpenCL."""

from engine.compute.backends.opencl.detection import OpenclDevice, devices
from engine.compute.backends.opencl.primitives import OpenclPrimitives

__all__ = ["OpenclDevice", "OpenclPrimitives", "devices"]
