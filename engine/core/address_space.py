"""The limit of a process's address space, as `ulimit -v` and batch systems set it.

Where it is reached, libraries end the process or wait for ever, for threads that could not start, or they say that a
sound file is damaged. So what is too little is refused beforehand. A limit counts all that is mapped: far more than the
memory that is used.
"""

from __future__ import annotations

import sys

import psutil

from engine.core.system import usable_cores
from engine.errors import MemoryLimitError

MB = 1 << 20
LOADED = 400 * MB
"""What Python and the libraries that read files and configs map."""
COMPUTING = 1000 * MB
"""What is mapped to compute and write images: LOADED, the compiler of the kernels, and what they work on."""
THREAD = 128 * MB
"""What a thread maps: its stack and a heap of its own."""
MOST_THREADS = 8
"""So many have heaps of their own at once; others share them."""


def check_address_space(needed: int = LOADED) -> None:
    """MemoryLimitError where this process may map less than `needed` bytes."""
    limit = _limit()
    if limit is not None and limit < needed:
        what = f"this process may have {limit // MB} MB of address space, and needs {needed // MB} MB"
        raise MemoryLimitError(what, "raise the limit (ulimit -v)")


def needed_to_compute(threads: int = 0) -> int:
    """Bytes that a process maps to compute and write images; `threads` 0 is one per core."""
    return COMPUTING + THREAD * min(threads or usable_cores(), MOST_THREADS)


def free_address_space() -> int:
    """Bytes that this process may map besides what it has mapped; sys.maxsize where there is no limit."""
    limit = _limit()
    return sys.maxsize if limit is None else max(0, limit - int(psutil.Process().memory_info().vms))


def _limit() -> int | None:
    """Bytes that this process may map; None where nothing limits them, as on Windows."""
    try:
        import resource
    except ImportError:
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit
