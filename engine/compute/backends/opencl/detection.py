"""The OpenCL devices of this machine, and why one is not usable."""

from __future__ import annotations

from typing import Any

import pyopencl as cl

from engine.core.records import dataclass
from engine.core.system import available_memory
from engine.errors import BackendUnavailable

THREADS = 256
"""Threads that a work group must hold."""
NO_PLATFORM = -1001
"""The code of the loader's error if no driver is installed."""


@dataclass(frozen=True)
class OpenclDevice:
    """A device as reported by its driver. Memory is in bytes. `reason` says why it is not usable, and is else empty."""

    name: str
    platform: str
    driver: str
    is_software: bool
    total_memory: int
    free_memory: int
    reason: str


def devices() -> list[OpenclDevice]:
    """Return every OpenCL device, the best first. Raises BackendUnavailable if no driver answers."""
    return [info for info, _ in _found()]


def choose(which: str | int | None = None) -> tuple[OpenclDevice, Any]:
    """Return a device and PyOpenCL's own: by index in `devices()`, by part of its name, or the best one."""
    found = _found()
    if not found:
        raise BackendUnavailable("opencl: there is no device")
    for index, (info, device) in enumerate(found):
        wanted = which.lower() in info.name.lower() if isinstance(which, str) else which in (None, index)
        if wanted and info.reason:
            raise BackendUnavailable(f"opencl: {info.name} can't be used: {info.reason}")
        if wanted:
            return info, device
    known = ", ".join(f"{index} ({info.name})" for index, (info, _) in enumerate(found))
    raise BackendUnavailable(f"opencl: there is no device {which!r}", f"devices are: {known}")


def _found() -> list[tuple[OpenclDevice, Any]]:
    """Return the devices with PyOpenCL's own: usable ones first, and hardware before software."""
    try:
        all_devices = [device for platform in cl.get_platforms() for device in _devices_of(platform)]
        found = [(_described(device), device) for device in all_devices]
    except cl.Error as error:
        if error.code == NO_PLATFORM:
            return []
        raise BackendUnavailable(f"opencl: {first_line(error)}", "check the driver of the device") from error
    return sorted(found, key=lambda each: (bool(each[0].reason), each[0].is_software))


def _devices_of(platform: Any) -> list[Any]:
    """Return the devices of a platform; a driver whose hardware is missing has none, or fails."""
    try:
        return list(platform.get_devices())
    except cl.Error:
        return []


def _described(device: Any) -> OpenclDevice:
    software = bool(device.type & cl.device_type.CPU)
    total = int(device.global_mem_size)
    free = min(total, available_memory()) if software else total
    platform = str(device.platform.name).strip()
    name, driver = " ".join(device.name.split()), f"driver {device.driver_version}"
    return OpenclDevice(name, platform, driver, software, total, free, _reason(device))


def _reason(device: Any) -> str:
    """Return why a device can't run the kernels, or an empty string."""
    if not device.available or not device.compiler_available:
        return "the device, or the compiler of its driver, is not available"
    if _version(device) < (1, 2) or device.profile != "FULL_PROFILE":
        return f"its driver has {device.version.strip()}; the full profile of OpenCL 1.2 is needed"
    if not device.single_fp_config & cl.device_fp_config.INF_NAN or not device.endian_little:
        return "it computes without NaN and Inf, or stores numbers the other way round"
    if device.max_work_group_size < THREADS:
        return f"its work groups have at most {device.max_work_group_size} threads; {THREADS} are needed"
    return ""


def _version(device: Any) -> tuple[int, ...]:
    """Return the version that a device reports as `OpenCL 3.0 ...`."""
    return tuple(int(part) for part in device.version.split()[1].split("."))


def first_line(error: Exception) -> str:
    """Return the first line of an error message, or the type of the error if it has none."""
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
