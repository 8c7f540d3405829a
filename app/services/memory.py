"""Memory of the window's process: what images took goes back to the system when the last of them is closed, and
looking for what is no longer needed does not keep the interface waiting."""

from __future__ import annotations

import atexit
import ctypes
import gc
import sys
from typing import Any

_ARENA_MAX = -8  # of mallopt, from malloc.h


def share_arena() -> None:
    """Have all threads take memory from one arena of the C library; to be called before there are any.

    glibc gives threads arenas of their own and keeps what is free at the end of each, up to 64 MiB, for good; only the
    first can be emptied by `give_back`. That threads wait for one another can't be measured when images are read.
    """
    library = _library()
    if hasattr(library, "mallopt"):
        library.mallopt(_ARENA_MAX, 1)


def keep_loaded() -> None:
    """Have Python's collector pass over what there is by now: modules and the window, which stay to the end.

    It would go through all of it now and then, which holds every thread for some 60 ms. At the end it may look again,
    or libraries tell that their objects have leaked.
    """
    gc.freeze()
    atexit.register(gc.unfreeze)


def give_back() -> None:
    """Give back to the system what is free. Any thread may call this; it takes some milliseconds."""
    library = _library()
    if hasattr(library, "malloc_trim"):
        library.malloc_trim(0)


def _library() -> Any:
    """The C library of Linux; those of other systems give back what is large by themselves."""
    return ctypes.CDLL(None) if sys.platform.startswith("linux") else None
