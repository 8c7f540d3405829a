"""Planar frames in CUDA kernels: what determines a kernel, and what it is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.planar import PlanarFormat
from engine.core.geometry import Rect

WORD = {np.dtype(np.uint8): "unsigned char", np.dtype(np.uint16): "unsigned short"}
POINTERS = ("luma", "cb", "cr", "alpha")
SIZES = ("column", "row", "luma_row", "chroma_width", "chroma_height", "phase_x", "phase_y")
STRUCT = np.dtype(
    [*((name, np.uint64) for name in POINTERS), *((name, np.int32) for name in SIZES), ("width", np.uint32),
     ("neutral", np.float32), ("padding", np.uint32)]
)  # fmt: skip
"""The struct Planes of planar.cu."""


@dataclass(frozen=True)
class PlanarLayout:
    """What a kernel is compiled for: samples, subsampling, and which planes there are."""

    dtype: np.dtype[Any]
    shift: int
    step: int
    across: int
    down: int
    chroma: bool
    alpha: bool

    @classmethod
    def of(cls, format: PlanarFormat) -> PlanarLayout:
        return cls(
            format.dtype, format.shift, format.step, *format.subsampling, format.chroma_size[0] > 0, format.alpha
        )

    @property
    def head(self) -> dict[str, Any]:
        """The definitions of planar.cu."""
        shape = {"SHIFT": self.shift, "STEP": self.step, "ACROSS": self.across, "DOWN": self.down}
        return {"PLANAR": 1, "WORD": WORD[self.dtype], **shape, "CHROMA": int(self.chroma), "ALPHA": int(self.alpha)}


def planes_struct(addresses: Sequence[int], format: PlanarFormat, region: Rect) -> NDArray[Any]:
    """Return the struct Planes for a region of a frame with planes at these addresses, as an array without axes."""
    luma, *others = addresses
    alpha = others.pop() if format.alpha else 0
    cb, cr = (*others, *others, 0, 0)[:2]
    cr += (format.step - 1) * format.dtype.itemsize
    sizes = (region.x, region.y, format.width, *format.chroma_size, *format.phases)
    struct = np.zeros((), STRUCT)
    for names, numbers in ((POINTERS, (luma, cb, cr, alpha)), (SIZES, sizes)):
        for name, number in zip(names, numbers, strict=True):
            struct[name] = number
    struct["width"], struct["neutral"] = region.width, format.chroma_codes[0]
    return struct
