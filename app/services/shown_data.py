"""How layers of data are shown beside the displayed image: by the kind that their names say."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.model.data_view import ShownData
from engine.viewing.data_kinds import IMAGE, KINDS, kind_of, sampled_range, shown_kind

SAMPLES = 160
"""The most columns and rows of pixels that are sampled for the range of data."""


def shown_data(image: Any) -> ShownData | None:
    """Return how a layer is shown if its name says that it holds data, in the range of its values; else None."""
    kind = kind_of(image.part, image.layer)
    if kind == IMAGE:
        return None
    if KINDS[kind].shown == "ids":
        return ShownData(kind, plain=not all(image.part.channel(name).type == "uint" for name in image.layer.channels))
    if not hasattr(image, "pixels"):
        return ShownData(kind)
    down, across = (-(-length // SAMPLES) for length in image.pixels.shape[:2])
    values = np.asarray(image.pixels[::down, ::across], np.float64)[..., :3]
    found = shown_kind(kind, image.layer.name or image.part.name, values)
    if found == IMAGE:
        return None
    return ShownData(found, sampled_range(found, values)) if KINDS[found].shown == "range" else ShownData(found)
