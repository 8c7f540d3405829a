"""Planar frames in the kernels of planar.cu: what determines a kernel, and what it is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.planar import PlanarFormat
from engine.core.geometry import Rect
from engine.core.records import dataclass

WORD = {np.dtype(np.uint8): "uchar", np.dtype(np.uint16): "ushort"}
SIZES = ("column", "row", "luma_row", "chroma_width", "chroma_height", "phase_x", "phase_y", "cr_first")
STRUCT = np.dtype([*((name, np.int32) for name in SIZES), ("width", np.uint32), ("neutral", np.float32)])
"""The struct Frame of planar.cu."""


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


def planes_in_order(planes: Sequence[Any], format: PlanarFormat) -> list[Any]:
    """Return the planes of luma, Cb, Cr and alpha as the kernel takes them; luma stands for those that are missing."""
    luma, *others = planes
    alpha = others.pop() if format.alpha else luma
    cb, cr = (*others, *others, luma, luma)[:2]
    return [luma, cb, cr, alpha]


def frame_struct(format: PlanarFormat, region: Rect) -> NDArray[Any]:
    """Return the struct Frame for a region, as an array without axes."""
    sizes = (region.x, region.y, format.width, *format.chroma_size, *format.phases, format.step - 1)
    struct = np.zeros((), STRUCT)
    for name, number in zip(SIZES, sizes, strict=True):
        struct[name] = number
    struct["width"], struct["neutral"] = region.width, format.chroma_codes[0]
    return struct
