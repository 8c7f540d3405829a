"""The planes of opened images, for views of them and for picking objects."""

from __future__ import annotations

import threading
import weakref
from functools import partial
from typing import Any

from engine.core.geometry import Place
from engine.viewing.plane_sources import PlaneFile
from engine.viewing.plane_store import PlaneStore

_STORES: dict[int, tuple[weakref.ref[Any], PlaneStore]] = {}
_LOCK = threading.Lock()


def planes_of(image: Any) -> PlaneStore | None:
    """Return the planes of an opened image, the same object each time; None for an image that is not of a file."""
    info, part = getattr(image, "info", None), getattr(image, "part", None)
    if info is None or part is None:
        return None
    with _LOCK:
        known = _STORES.get(id(image))
        if known is None or known[0]() is not image:
            data, shown = part.data_window, part.display_window
            place = Place(float(data[0] - shown[0]), float(data[1] - shown[1]))
            frame = shown[2] - shown[0] + 1, shown[3] - shown[1] + 1
            opened = partial(_opened, info, part, bool(getattr(image, "damage", "")))
            store = PlaneStore((part.width, part.height), place, frame, opened)
            known = _STORES[id(image)] = weakref.ref(image, partial(_forget, id(image))), store
        return known[1]


def _opened(info: Any, part: Any, damaged: bool) -> PlaneFile:
    # Imported with the first matte that reads a file: it takes some 30 ms that the first frame need not wait for.
    from engine.io.planes import PlaneOptions, PlaneReader, missing

    return PlaneFile(PlaneReader(info, part, options=PlaneOptions(salvage=damaged)), partial(missing, info, part=part))


def _forget(number: int, gone: weakref.ref[Any]) -> None:
    known = _STORES.get(number)  # without the lock: the collector may run while this thread holds it
    if known is not None and known[0] is gone:
        _STORES.pop(number, None)
