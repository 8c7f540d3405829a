"""Arrays and what ops read beside them, as compiled functions take them: addresses and sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.base import DISPLAY
from engine.compute.backends.cpu.layout import BYTE, FLOAT, HALF, Buffer, Inputs, Planar, Samples, int64s
from engine.compute.backends.inputs import PointInputs
from engine.core.geometry import Place, Rect
from engine.kernel.arguments import Arguments
from engine.kernel.point_text import images

if TYPE_CHECKING:
    from engine.compute.planar import PlanarFormat


NONTEMPORAL_BYTES = 24 * 1024**2
"""A result of at least this size, which would not stay in the cache, is written with non-temporal stores."""
STORAGE = {np.dtype(np.float16): HALF, np.dtype(np.float32): FLOAT, DISPLAY: BYTE}

NOTHING, NO_PLANE = Buffer(0, FLOAT, 4, 0), Samples(0, 0, 0, 1, 0)


class Others(NamedTuple):
    """The address of the Inputs of some ops, 0 if they read none; `referenced` keeps them alive."""

    address: int
    referenced: tuple[NDArray[Any], ...]


def given(inputs: PointInputs, arguments: Sequence[Arguments]) -> Others:
    """Return what kernels read beside channels, for `run_band`."""
    placed = any(each.placed for each in arguments)
    count = max((images(each) for each in arguments), default=0)
    if not placed and not count:
        return Others(0, ())
    place = inputs.place or Place()
    numbers = np.array([place.x, place.y, place.step_x, place.step_y])
    low, high = ([buffer_of(image.buffer) for image in inputs.planes[:count]] + [NOTHING] * 2)[:2]
    geometry = int64s(Inputs(placed, numbers.ctypes.data, place.column, place.row, count, low, high))
    return Others(geometry.ctypes.data, (geometry, numbers))


def has_plain_rows(pixels: NDArray[Any]) -> bool:
    """Return whether the pixels of a row are contiguous, and the row stride is a whole number of pixels."""
    pixel = pixels.itemsize * pixels.shape[2]
    row, column, channel = pixels.strides
    return channel == pixels.itemsize and column == pixel and row >= pixel * pixels.shape[1] and row % pixel == 0


def goes_past_cache(pixels: NDArray[Any]) -> bool:
    """Return whether a result is too large for the cache and laid out for non-temporal stores of `run_band`."""
    return pixels.nbytes >= NONTEMPORAL_BYTES and pixels.flags.c_contiguous and pixels.ctypes.data % 16 == 0


def buffer_of(pixels: NDArray[Any]) -> Buffer:
    channels = pixels.shape[2]
    stride = pixels.strides[0] // (channels * pixels.itemsize)
    return Buffer(pixels.ctypes.data, STORAGE[pixels.dtype], channels, stride)


def planar_of(planes: Sequence[NDArray[Any]], format: PlanarFormat, region: Rect) -> Planar:
    """Return the geometry of a region of a planar frame."""
    luma, *others = (samples_of(plane, format.shift) for plane in planes)
    alpha = others.pop() if format.alpha else NO_PLANE
    cb, cr = (others * 2)[:2] if others else (NO_PLANE, NO_PLANE)
    if format.step == 2:
        cr = cr._replace(address=cr.address + format.dtype.itemsize)
    place = (*format.subsampling, *format.phases, region.x, region.y)
    return Planar(luma, cb, cr, alpha, *format.chroma_size, *place, int(format.chroma_codes[0]))


def samples_of(plane: NDArray[Any], shift: int) -> Samples:
    row, column, _ = (stride // plane.itemsize for stride in plane.strides)
    return Samples(plane.ctypes.data, row, plane.itemsize, column, shift)
