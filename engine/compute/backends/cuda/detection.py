"""The CUDA devices of this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import cupy

from engine.core.records import dataclass
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


def count() -> int:
    """Return the number of CUDA devices. Raises BackendUnavailable if the driver or CuPy's libraries do not work."""
    with _working():
        return int(cupy.cuda.runtime.getDeviceCount())


def device(index: int) -> CudaDevice:
    """Return a CUDA device. Raises the same errors as `count`.

    Asking for its free memory creates a context on the device, which takes up to a second: ask for those that are used.
    """
    with _working(), cupy.cuda.Device(index) as found:
        free, total = found.mem_info
        name = cupy.cuda.runtime.getDeviceProperties(index)["name"].decode()
        version = cupy.cuda.runtime.driverGetVersion()
        capability = f"{found.compute_capability[:-1]}.{found.compute_capability[-1]}"
        driver = f"CUDA {version // 1000}.{version % 1000 // 10}"
        return CudaDevice(index, name, total, free, capability, driver)


def devices(most: int | None = None) -> list[CudaDevice]:
    """Return every CUDA device, or the first ones up to `most`. Raises the same errors as `count`."""
    return [device(index) for index in range(count())[:most]]


@contextmanager
def _working() -> Iterator[None]:
    try:
        yield
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
