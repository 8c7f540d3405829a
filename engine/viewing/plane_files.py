"""The planes of opened images, for views of them and for picking objects."""

from __future__ import annotations

from functools import partial
from typing import Any

from engine.core.geometry import Place
from engine.core.kept_beside import KeptBeside
from engine.viewing.plane_sources import PlaneFile
from engine.viewing.plane_store import PlaneStore


def planes_of(image: Any) -> PlaneStore | None:
    """Return the planes of an opened image, the same object each time; None for an image that is not of a file."""
    of_file = getattr(image, "info", None) is not None and getattr(image, "part", None) is not None
    return _STORES.get(image) if of_file else None


def _store(image: Any) -> PlaneStore:
    part = image.part
    data, shown = part.data_window, part.display_window
    place = Place(float(data[0] - shown[0]), float(data[1] - shown[1]))
    frame = shown[2] - shown[0] + 1, shown[3] - shown[1] + 1
    opened = partial(_opened, image.info, part, bool(getattr(image, "damage", "")))
    return PlaneStore((part.width, part.height), place, frame, opened)


_STORES = KeptBeside(_store)


def _opened(info: Any, part: Any, damaged: bool) -> PlaneFile:
    # Imported with the first matte that reads a file: it takes some 30 ms that the first frame need not wait for.
    from engine.io.planes import PlaneOptions, PlaneReader, missing

    return PlaneFile(PlaneReader(info, part, options=PlaneOptions(salvage=damaged)), partial(missing, info, part=part))
