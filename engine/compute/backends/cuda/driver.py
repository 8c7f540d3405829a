"""What the CUDA driver says by itself: importing CuPy takes up to a second."""

from __future__ import annotations

import ctypes
import sys

LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
SUCCESS = 0


def device_count() -> int:
    """Return the number of CUDA devices; 0 without a driver that works."""
    try:
        driver = ctypes.CDLL(LIBRARY)
    except OSError:
        return 0
    count = ctypes.c_int()
    works = driver.cuInit(0) == SUCCESS and driver.cuDeviceGetCount(ctypes.byref(count)) == SUCCESS
    return count.value if works else 0
