"""The limit on a process's address space, as set by `ulimit -v` and batch systems.

When the limit is reached, libraries end the process, wait for ever for threads that could not start, or report a sound
file as damaged. Tessera therefore checks the limit beforehand. The limit counts all mapped memory, which is far more
than the memory in use.
"""

from __future__ import annotations

import sys

from engine.core.system import usable_cores
from engine.errors import MemoryLimitError

MB = 1 << 20
LOADED = 400 * MB
"""Bytes mapped by Python and by the libraries that read files and configs."""
COMPUTING = 1000 * MB
"""Bytes mapped to compute and write images: LOADED, the kernel compiler, and the kernels' buffers."""
THREAD = 128 * MB
"""Bytes mapped by a thread: its stack and its own heap."""
MOST_THREADS = 8
"""Number of threads that have their own heaps at once; further threads share them."""


def check_address_space(needed: int = LOADED) -> None:
    """Raise MemoryLimitError if this process may map less than `needed` bytes."""
    limit = _limit()
    if limit is not None and limit < needed:
        what = f"this process is limited to {limit // MB} MB of address space and needs {needed // MB} MB"
        raise MemoryLimitError(what, "raise the limit (ulimit -v)")


def needed_to_compute(threads: int = 0) -> int:
    """Return the bytes that a process maps to compute and write images; `threads` 0 means one per core."""
    return COMPUTING + THREAD * min(threads or usable_cores(), MOST_THREADS)


def free_address_space() -> int:
    """Return the bytes that this process may still map; sys.maxsize without a limit."""
    limit = _limit()
    if limit is None:
        return sys.maxsize
    import psutil  # only a limit needs it: without one no start waits for it

    return max(0, limit - int(psutil.Process().memory_info().vms))


def _limit() -> int | None:
    """Return the bytes that this process may map; None without a limit, as on Windows."""
    try:
        import resource
    except ImportError:
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit
