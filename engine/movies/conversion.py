"""Planes of movies as R'G'B' in main memory, by the kernels of the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.cpu import CpuPrimitives
from engine.core.geometry import Rect
from engine.movies.info import MovieInfo

Floats = NDArray[np.float32]


@cache
def _cpu() -> CpuPrimitives:
    return CpuPrimitives()


def to_rgb(planes: Sequence[NDArray[Any]], info: MovieInfo, region: Rect | None = None) -> Floats:
    """Return the pixels (height, width, 3|4) of a frame, or of a region of it: 0 is black and 1 is white.

    The whole frame is turned as it is displayed; a region is that of a movie that is not turned.
    """
    cpu, form = _cpu(), info.format
    width, height = (form.width, form.height) if region is None else (region.width, region.height)
    target = cpu.allocate(width, height, 4 if form.alpha else 3, np.float32)
    cpu.exec_planes(cpu.upload_planes(planes, form), target, region=region)
    pixels: Floats = cpu.download(target)
    turns = info.rotation // 90 if region is None else 0
    return np.ascontiguousarray(np.rot90(pixels, -turns)) if turns else pixels
