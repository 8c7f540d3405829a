"""The CUDA devices of this machine."""

from __future__ import annotations

from dataclasses import dataclass

import cupy

from engine.errors import BackendUnavailable


@dataclass(frozen=True)
class CudaDevice:
    """A CUDA device as reported by the driver. Memory is in bytes."""

    index: int
    name: str
    total_memory: int
    free_memory: int
    compute_capability: str
    driver: str


def devices() -> list[CudaDevice]:
    """Return every CUDA device. Raises BackendUnavailable if the driver or CuPy's libraries do not work."""
    try:
        found = []
        for index in range(cupy.cuda.runtime.getDeviceCount()):
            with cupy.cuda.Device(index) as device:
                free, total = device.mem_info
                name = cupy.cuda.runtime.getDeviceProperties(index)["name"].decode()
                version = cupy.cuda.runtime.driverGetVersion()
                capability = f"{device.compute_capability[:-1]}.{device.compute_capability[-1]}"
                driver = f"CUDA {version // 1000}.{version % 1000 // 10}"
                found.append(CudaDevice(index, name, total, free, capability, driver))
        return found
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise BackendUnavailable(f"CUDA: {first_line(error)}", "check the NVIDIA driver") from error


def pci_bus(index: int) -> str:
    """Return the place of a device on the PCI bus, such as `0000:1B:00.0`; '' if the driver does not know it."""
    try:
        return str(cupy.cuda.runtime.deviceGetPCIBusId(index))
    except cupy.cuda.runtime.CUDARuntimeError:
        return ""


def first_line(error: Exception) -> str:
    """Return the first line of an error message, or the type of the error if it has none."""
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
