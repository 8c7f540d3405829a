"""Denoise."""

from __future__ import annotations

import math
from itertools import pairwise

from engine.kernel.filter_op import Computed, FilterOp, SideImage, Weighted
from engine.kernel.op import Numbers, derived, slider
from engine.kernel.pixel import Pixel, Scalar, Value, Vec, clamp, dot, finite, maximum, sqrt

SPLINE = (1.0, 4.0, 6.0, 4.0, 1.0)
"""The weights of a cubic B-spline."""
DEVIATIONS = (0.8907963, 0.20066385, 0.0855075, 0.04121745)
"""The standard deviation of each level of the transform, for noise with one of 1: Starck and Murtagh, table 2.1."""
SHARES = (1.0, 0.5, 0.0, 0.0)
"""The share of `detail` at each level."""
AROUND, NEAR = (1.0,) * 5, (1.0,) * 3
"""The weights of means of squares around a coefficient."""
MOST_APART = 2
"""The largest distance between these squares: wider ones at coarse levels gain 0.02 dB."""
THRESHOLD, EXPECTED = 1.44, 0.5
"""The squared noise that the first pass takes away, and that the second expects, for a strength of 1; tuned by PSNR."""
LEAST_DEVIATION, LEAST = 1e-5, 1e-12
OPPONENT = tuple(
    tuple(n / math.hypot(*row) for n in row) for row in ((1.0, 1.0, 1.0), (1.0, 0.0, -1.0), (1.0, -2.0, 1.0))
)
"""The rows of an orthonormal matrix: luma, red to blue, and magenta to green."""


class Denoise(FilterOp):
    """Reduce noise by shrinking wavelets. Scene-linear RGB in and out, unbounded.

    The noise of a channel has the variance dark**2 + shot**2 * x. The generalised Anscombe transform of x, 2 / b *
    sqrt(b x + 3 / 8 b**2 + dark**2) with b = shot**2 (less its value at 0), makes that 1, an orthonormal matrix makes
    luma and two chromas, and a wavelet transform "a trous" with a cubic B-spline makes four levels. At each level a
    first estimate scales coefficients by max(1 - 1.44 n / E, 0), with n the variance of the noise times the square of
    the strength, and E the mean of 5 x 5 squared coefficients around them, 1 or 2 pixels apart. The result scales them
    by P / (P + n / 2), with P the mean of 3 x 3 squares of the first estimate. `detail` leaves a share of luma at the
    finest level, and half of it at the next. The inverse adds b / 4 for the noise that is gone, so that the mean stays.
    In views of half the size, a quarter and so on, whose pixels have no finer levels, the others are what they are.

    Sources: J.-L. Starck and F. Murtagh, "Astronomical image and data analysis", 2006; G. Y. Chen, T. D. Bui and A.
    Krzyzak, "Image denoising using neighbouring wavelet coefficients", 2004; S. Ghael, A. Sayeed and R. Baraniuk,
    "Improved wavelet denoising via empirical Wiener filtering", 1997.
    """

    luma: float = slider(
        0.0, 0.0, 4.0, minimum=0.0, help="Strength for brightness; 1 matches the measured noise", visible=(0.0, 2.0)
    )
    chroma: float = slider(
        0.0, 0.0, 4.0, minimum=0.0, help="Strength for colour; 1 matches the measured noise", visible=(0.0, 2.0)
    )
    detail: float = slider(
        0.0, 0.0, 1.0, minimum=0.0, help="Share of the finest luma detail, and its noise, that is kept"
    )
    dark: Numbers = slider(
        (0.01, 0.01, 0.01),
        0.0,
        1.0,
        minimum=0.0,
        help="Standard deviation of the noise at black, of red, green and blue",
        visible=(0.0, 0.1),
    )
    shot: Numbers = slider(
        (0.0, 0.0, 0.0),
        0.0,
        1.0,
        minimum=0.0,
        help="Standard deviation of the photon noise at a value of 1",
        visible=(0.0, 0.1),
    )
    scale: float = 1.0

    @derived(3)
    def gains(self) -> tuple[float, ...]:
        """b of each channel in this view, whose pixels are means of pixels."""
        return tuple((shot * min(self.scale, 1.0)) ** 2 for shot in self.shot)

    @derived(3)
    def floors(self) -> tuple[float, ...]:
        """The root in the transform at 0."""
        darks = (max(dark * min(self.scale, 1.0), LEAST_DEVIATION) for dark in self.dark)
        return tuple(math.sqrt(dark**2 + 0.375 * gain**2) for dark, gain in zip(darks, self.gains, strict=True))

    @derived(3)
    def strengths(self) -> tuple[float, ...]:
        """The squares of the strengths."""
        return self.luma**2, self.chroma**2, self.chroma**2

    @derived()
    def removed(self) -> float:
        """The variance of the transform that is removed, about: the mean of its square is larger by that."""
        return (min(self.luma, 1.0) * (1.0 - min(self.detail, 1.0)) + 2.0 * min(self.chroma, 1.0)) / 3.0

    @property
    def finest(self) -> int:
        """The level of the image that the first one of this view is: a view of half the size lacks level 0."""
        return min(max(round(-math.log2(self.scale)), 0), len(DEVIATIONS) - 1)

    def side_images(self) -> tuple[SideImage, ...]:
        smooth: list[SideImage] = [Computed("stabilised")]
        for level in range(len(DEVIATIONS) - self.finest):
            smooth.append(Weighted(smooth[-1], SPLINE, 1 << level))
        kept: list[SideImage] = []
        for level, (fine, coarse) in enumerate(pairwise(smooth)):
            numbers = DEVIATIONS[level] ** 2, SHARES[self.finest + level]
            apart = min(1 << level, MOST_APART)
            energy = Weighted(Computed("squares", fine, (coarse,)), AROUND, apart)
            estimate = Computed("estimate", fine, (coarse, energy), values=numbers)
            kept.append(Computed("kept", fine, (coarse, Weighted(estimate, NEAR, apart)), values=numbers))
        result = smooth[-1]
        for pair in zip(kept[::2], kept[1::2], strict=False):
            result = Computed("total", result, pair, values=(1.0,))
        if len(kept) % 2:
            result = Computed("total", result, (kept[-1], kept[-1]), values=(0.0,))
        return (result,)

    def stabilised(self, px: Pixel) -> Vec:
        """Return luma and chromas with noise of 1."""
        found = []
        for x, gain, floor in zip(finite(px.rgb), self.gains, self.floors, strict=True):
            root = sqrt(maximum(x, 0.0) * gain + floor * floor)
            found.append(2.0 * x / (root + floor))
        return Vec(tuple(dot(row, found) for row in OPPONENT))

    def squares(self, px: Pixel) -> Value:
        detail = px.rgb - Vec(px.planes[:3])
        return detail * detail

    def estimate(self, px: Pixel, numbers: Vec) -> Vec:
        """Return the squares of the first estimate."""
        found = []
        for own, coarse, energy, strength in zip(px.rgb, px.planes, px.planes[4:], self.strengths, strict=False):
            share = maximum(1.0 - numbers[0] * (THRESHOLD * strength) / maximum(energy, LEAST), 0.0)
            estimate = (own - coarse) * share
            found.append(estimate * estimate)
        return Vec(tuple(found))

    def kept(self, px: Pixel, numbers: Vec) -> Vec:
        """Return what stays of a level."""
        found = list[Scalar]()
        for own, coarse, power, strength in zip(px.rgb, px.planes, px.planes[4:], self.strengths, strict=False):
            share = power / maximum(power + numbers[0] * (EXPECTED * strength), LEAST)
            found.append((own - coarse) * (share if found else self._with_detail(share, numbers[1])))
        return Vec(tuple(found))

    def _with_detail(self, share: Scalar, most: Scalar) -> Scalar:
        left = self.detail * most
        return share * (1.0 - left) + left

    def total(self, px: Pixel, shares: Vec) -> Value:
        """Return the sum of three images, the last of them to a share."""
        return px.rgb + Vec(px.planes[:3]) + Vec(px.planes[4:7]) * shares[0]

    def pixel(self, px: Pixel) -> Value:
        columns = zip(*OPPONENT, strict=True)
        found = list[Scalar]()
        for column, gain, floor in zip(columns, self.gains, self.floors, strict=True):
            y = dot(column, px.planes[:3])
            bent = maximum(y, 0.0)
            found.append(y * floor + gain * 0.25 * (bent * bent + clamp(y * 0.5 + 0.5, 0.0, 1.0) * self.removed))
        return px.rgb + (Vec(tuple(found)) - finite(px.rgb))

    def at_scale(self, scale: float) -> Denoise:
        return self.replace(scale=scale)

    def is_identity(self) -> bool:
        return self.luma == 0.0 and self.chroma == 0.0
