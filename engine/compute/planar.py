"""Planar frames of movies: the layout, the range, the matrix and the chroma siting of their samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.records import dataclass
from engine.errors import HandleError, shown

DEPTHS = range(8, 17)
SUBSAMPLING = {"420": (1, 1), "422": (1, 0), "444": (0, 0), "400": (0, 0)}
"""Binary logarithms of the luma samples per chroma sample, across and down."""
PHASES = {"left": (0, 1), "center": (1, 1), "topleft": (0, 0)}
"""How far the first chroma sample lies right of and below the first luma sample, in half luma samples: left, of MPEG-2
and H.264 (chroma_sample_loc_type 0); center, of JPEG and MPEG-1 (type 1); topleft, of BT.2020 and BT.2100 (type 2)."""
WEIGHTS = {
    "bt601": (0.299, 0.114),
    "bt709": (0.2126, 0.0722),
    "bt2020ncl": (0.2627, 0.0593),
    "smpte240m": (0.212, 0.087),
}
"""K_R and K_B, the weights of R' and B' in luma: ITU-T H.273, table 4, MatrixCoefficients 6, 1, 9 and 7."""
CHANNELS, GOLDEN = 4, 0x9E3779B9
"""Channels of a pixel, and a multiplier that sets them apart: 2 ** 32 by the golden ratio."""
MATRICES = (*WEIGHTS, "identity")
PACKINGS = ("planar", "semiplanar")


@dataclass(frozen=True)
class Rounding:
    """How codes become whole numbers from `low` to `high`: to the nearest, ties to even; NaN becomes `low`.

    With `noise` a number is added first that depends on the place of the sample and on `seed` alone. Its distribution
    is a triangle from -1 to 1 (TPDF), so that the mean of many samples is the code, and their variance does not depend
    on it: Lipshitz, Wannamaker and Vanderkooy, "Quantization and dither", 1992.
    """

    low: int
    high: int
    noise: bool = False
    seed: int = 0

    def key(self, channel: int) -> int:
        """Return what the noise of a channel is made from, beside the number of the sample."""
        return (self.seed * CHANNELS + channel) * GOLDEN & 0xFFFFFFFF


@dataclass(frozen=True)
class PlanarFormat:
    """The format of a frame in planes: Y', Cb, Cr and, with `alpha`, alpha; for the matrix `identity` G', B', R'.

    `chroma` is 420, 422, 444 or 400 (luma alone). A `semiplanar` frame has one plane of alternating Cb and Cr, and its
    samples of more than 8 bits are the high bits of 16 (NV12, P010); in a `planar` one they are the low bits.
    `full_range` says that codes run from 0 to 2 ** depth - 1, else black and white are those of video. Alpha is always
    of full range. Sides that are not divisible have chroma samples that count as if they were rounded up. `fraction` is
    how many of the bits of a code are below its unit, for means of codes.
    """

    width: int
    height: int
    depth: int = 8
    chroma: str = "420"
    packing: str = "planar"
    full_range: bool = False
    matrix: str = "bt709"
    siting: str = "left"
    alpha: bool = False
    fraction: int = 0

    def __post_init__(self) -> None:
        if self.width < 1 or self.height < 1:
            raise HandleError(f"a frame has at least one pixel, not {self.width} x {self.height}")
        if self.depth not in DEPTHS:
            raise HandleError(f"samples of planes have 8 to 16 bits, not {self.depth}")
        options = {"chroma": SUBSAMPLING, "packing": PACKINGS, "matrix": MATRICES, "siting": PHASES}
        for name, known in options.items():
            if getattr(self, name) not in known:
                value = shown(getattr(self, name))
                raise HandleError(f"{value} is not a valid {name} of planes; these are: {', '.join(known)}")
        if self.matrix == "identity" and self.chroma != "444":
            raise HandleError(f"planes of R'G'B' are not subsampled: chroma must be 444, not {self.chroma}")

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of a sample."""
        return np.dtype(np.uint8 if self.depth == 8 else np.uint16)

    @property
    def shift(self) -> int:
        """How far the bits of a sample are shifted up."""
        return 16 - self.depth if self.packing == "semiplanar" and self.depth > 8 else 0

    @property
    def subsampling(self) -> tuple[int, int]:
        """Binary logarithms of the luma samples per chroma sample, across and down."""
        return SUBSAMPLING[self.chroma]

    @property
    def phases(self) -> tuple[int, int]:
        """Half luma samples from the first luma sample to the first chroma sample, to the right and down."""
        (across, down), (right, below) = self.subsampling, PHASES[self.siting]
        return right * across, below * down

    @property
    def chroma_size(self) -> tuple[int, int]:
        """Width and height of the chroma planes; 0 without chroma."""
        across, down = self.subsampling
        return (0, 0) if self.chroma == "400" else (-(-self.width >> across), -(-self.height >> down))

    @property
    def step(self) -> int:
        """Samples from one Cb to the next in their plane."""
        return 2 if self.packing == "semiplanar" else 1

    @property
    def shapes(self) -> tuple[tuple[int, int, int], ...]:
        """Rows, columns, and samples per column of each plane."""
        columns, rows = self.chroma_size
        luma, chroma = (self.height, self.width, 1), (rows, columns, self.step)
        return (luma, *[chroma] * (0 if not rows else 3 - self.step), *[luma] * self.alpha)

    @property
    def nbytes(self) -> int:
        """Bytes of all samples."""
        return sum(rows * columns * samples for rows, columns, samples in self.shapes) * self.dtype.itemsize

    @property
    def largest(self) -> int:
        """The largest code, without a fraction."""
        return (1 << self.depth) - (1 << self.fraction)

    @property
    def luma_codes(self) -> tuple[float, float]:
        """The code of black, and the codes between black and white: ITU-T H.273, equations 20 to 31."""
        scale = float(1 << (self.depth - 8))
        return (0.0, float(self.largest)) if self.full_range else (16.0 * scale, 219.0 * scale)

    @property
    def chroma_codes(self) -> tuple[float, float]:
        """The code of no colour, and the codes from -0.5 to 0.5, likewise."""
        zero = float(1 << (self.depth - 1))
        return zero, float(self.largest) if self.full_range else 224.0 * float(1 << (self.depth - 8))

    @property
    def legal_codes(self) -> tuple[int, int]:
        """The smallest and the largest code of a frame that is made: in video range those of BT.709-6 and BT.2100-2,
        from 1 to 254 for 8 bits, without the codes of synchronisation words."""
        step = 1 << (self.depth - 8)
        return (0, self.largest) if self.full_range else (step, 255 * step - 1)

    def checked(self, planes: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], ...]:
        """Return the planes as arrays of (rows, columns, samples), not copied.

        A plane of Cb and Cr may also be given as (rows, samples). Raises HandleError if planes are missing, cut short,
        of another size or type, or not stored row by row from the top, from left to right.
        """
        if len(planes) != len(self.shapes):
            raise HandleError(f"this format has {len(self.shapes)} planes, not {len(planes)}")
        return tuple(self._checked(*each) for each in enumerate(zip(planes, self.shapes, strict=True)))

    def _checked(self, number: int, given: tuple[NDArray[Any], tuple[int, int, int]]) -> NDArray[Any]:
        plane, (rows, columns, samples) = given
        if plane.dtype != self.dtype:
            raise HandleError(f"plane {number} has samples of {plane.dtype}; {self.depth} bits are {self.dtype}")
        if plane.shape not in ((rows, columns * samples), (rows, columns, samples)):
            wanted = f"{rows} rows of {columns * samples} samples"
            raise HandleError(f"plane {number} has the shape {plane.shape}; this frame needs {wanted}")
        row, *others = plane.strides
        plain = others == [samples * plane.itemsize, plane.itemsize][-len(others) :] and row % plane.itemsize == 0
        if not plain or row < columns * samples * plane.itemsize:
            raise HandleError(f"plane {number} is not stored from left to right and from top to bottom", "copy it")
        strides = row, samples * plane.itemsize, plane.itemsize
        return np.lib.stride_tricks.as_strided(plane, (rows, columns, samples), strides, writeable=False)
