"""Memory of the window's process: returns the memory of closed images to the system and shortens garbage collection,
so that it does not block the interface. Only the interface thread collects garbage."""

from __future__ import annotations

import atexit
import ctypes
import gc
import sys
from dataclasses import dataclass
from functools import cache
from typing import Any

_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -2, -3, -8
"""Parameters of mallopt, from malloc.h."""
MAPPED_FROM, KEPT_FREE = 32 << 20, 64 << 20
"""Blocks of so many bytes are mapped one by one, and so much free memory stays with the process until `give_back`."""


@dataclass
class _Loading:
    """Whether everything that stays in memory is being loaded, and whether it has been excluded from collection."""

    begun: bool = False
    kept: bool = False


_loading = _Loading()


def begin_loading() -> None:
    """Prepare the process for loading everything that stays in memory; call this before starting threads.

    Until `keep_loaded` nothing is collected: the modules and the window are no garbage, and traversing them while they
    are made takes a tenth of the start.
    """
    stop_collecting()
    _loading.begun = True
    _keep_bands()


def stop_collecting() -> None:
    """Leave all collection of garbage to the functions below, which the interface thread calls.

    Python collects on whichever thread makes the next object. Closed windows and cards are garbage with timers and
    widgets of Qt in it, and the process crashes when another thread deletes these while the event loop uses them.
    """
    gc.disable()


def _keep_bands() -> None:
    """Make all threads allocate from one arena of the C library, which keeps the memory of freed bands.

    glibc gives threads arenas of their own and never returns the free memory at the end of each, up to 64 MiB; only the
    first can be trimmed by `give_back`. Contention between threads is not measurable when images are read. By default
    it returns the memory of each band to the system at once, and the pages of the next one take a third of the time
    that reading an image takes. When it does return memory, it keeps half of what may be free: the pixels of the window
    are allocated anew with each size, and a thousand new pages took up to 25 ms of a turn of the event loop.
    """
    library = _library()
    if hasattr(library, "mallopt"):
        library.mallopt(_ARENA_MAX, 1)
        library.mallopt(_MMAP_THRESHOLD, MAPPED_FROM)
        library.mallopt(_TRIM_THRESHOLD, KEPT_FREE)
        library.mallopt(_TOP_PAD, KEPT_FREE // 2)


def keep_loaded() -> None:
    """Exclude all existing objects from garbage collection: modules and the window, which live to the end.

    Traversing them blocks every thread for over 100 ms now and then. They are included again at exit; otherwise
    libraries report their objects as leaked. Without `begin_loading`, and the second time, this does nothing.
    """
    if _loading.begun and not _loading.kept:
        _loading.kept = True
        gc.freeze()
        atexit.register(gc.unfreeze)


def collect_young() -> None:
    """Collect garbage among the objects made lately, if there are as many as would make Python collect it."""
    new, once, _ = gc.get_count()
    most_new, most_once, _ = gc.get_threshold()
    if new > most_new:
        gc.collect(1 if once > most_once else 0)


def collect_old() -> None:
    """Collect garbage among the objects made since `keep_loaded`, if there are many new ones.

    That takes up to 40 ms, which would otherwise be added to any turn of the event loop.
    """
    _, middle, _ = gc.get_threshold()
    if gc.get_count()[2] >= middle:
        gc.collect()


def collect_all() -> None:
    """Collect all garbage among the objects made since `keep_loaded`: exceptions and closures may hold images.

    What is left is excluded from later collections, if `keep_loaded` has been called: once no image is open, it is
    panels and modules that were loaded since. Traversing 20,000 objects takes over 10 ms.
    """
    gc.collect()
    if _loading.kept:
        gc.freeze()


def give_back() -> None:
    """Return free memory to the system. Any thread may call this; it takes some milliseconds."""
    library = _library()
    if hasattr(library, "malloc_trim"):
        library.malloc_trim(0)


@cache
def _library() -> Any:
    """Return the C library on Linux; those of other systems return large blocks by themselves."""
    return ctypes.CDLL(None) if sys.platform.startswith("linux") else None
