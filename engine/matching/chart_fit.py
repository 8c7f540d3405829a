"""The colour matrix that brings the patches of a ColorChecker nearest to their published colours."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.colorimetry import PRIMARIES, aces_from
from engine.core.records import dataclass
from engine.errors import GradeError
from engine.matching.chart_values import ACES_TO_D50, D50, NEUTRAL, PATCHES, published_xyz
from engine.matching.delta_e import delta_e, lab_of
from engine.ops import ChannelMixer

Array = NDArray[np.float64]
KEEPS = {
    "nothing": "The chart gets its published colours: exposure and white balance change, too",
    "exposure": "The published colours are as bright as the grey patches of the image",
    "white": "The published colours are lit like the grey patches of the image, whose colour stays",
}
"""What of the image a fit can keep."""
FLOOR = 0.05
"""Added to the luminance of a patch before its weight, 1 / luminance: errors count by their share of it."""
LEAST_PATCHES = 6
WORST = 1e5
"""The largest condition number of the patches: beyond it they hardly differ."""
LARGE = 10.0
"""A mean error after the fit from which on the corners are probably not on a chart."""
ROUNDS = 8
"""Fits with less and less weight on patches that disagree, which find those that are hidden or have a glint."""
SOFT = 4.0
"""The error, in CIEDE2000, that halves the weight of a patch in such a fit."""
MOST_STRAYS = 8
STRAY, STRAY_SHARE = 10.0, 3.0
"""The error of a hidden patch: at least this, and this many times the median."""


@dataclass(frozen=True, eq=False)
class ChartFit:
    """A colour matrix (3, 3), and the CIEDE2000 errors of the 24 patches before and after it; NaN if not measured.

    `used` are the patches that it was fitted to: not those that are hidden or have a glint.
    """

    matrix: Array
    before: Array
    after: Array
    used: NDArray[np.bool_]

    @property
    def op(self) -> ChannelMixer:
        """The matrix as an op."""
        return ChannelMixer(*map(tuple, self.matrix.tolist()))

    @property
    def means(self) -> tuple[float, float]:
        """The mean errors before and after, of the patches that were used."""
        return float(self.before[self.used].mean()), float(self.after[self.used].mean())

    @property
    def is_doubtful(self) -> bool:
        """Whether the errors are as large as where there is no chart, or where it is turned."""
        return self.means[1] > LARGE


def fit_chart(measured: NDArray[Any], to_aces: NDArray[Any] | None = None, keep: str = "exposure") -> ChartFit:
    """Return the fit for scene-linear RGB of the patches (24, 3), by weighted least squares.

    `to_aces` is the matrix from that RGB to ACES2065-1; by default its primaries are those of Rec.709. `keep` is one of
    KEEPS. Patches that are NaN are left out, and so are those that disagree with the others. Raises GradeError if there
    are too few, or if they hardly differ.
    """
    if keep not in KEEPS:
        raise GradeError(f"{keep!r} is not something that a fit can keep", f"choose one of {', '.join(KEEPS)}")
    to_aces = aces_from(PRIMARIES["rec709"]) if to_aces is None else to_aces
    to_d50 = ACES_TO_D50 @ np.asarray(to_aces, np.float64)
    known, wanted = np.asarray(measured, np.float64), published_xyz() @ np.linalg.inv(to_d50).T
    good = np.asarray(np.isfinite(known).all(axis=1))
    if good.sum() < LEAST_PATCHES:
        raise GradeError(f"only {good.sum()} patches of the chart are in the image", "place the corners on the chart")
    light = _light(known, wanted, to_d50[1], keep)
    wanted = wanted * light
    weights = good / (wanted @ to_d50[1] / (light @ to_d50[1]) + FLOOR)
    fit = partial(
        _keeping_white if keep == "white" else _least_squares, np.where(good[:, None], known, 0.0), wanted, light
    )

    def errors(rgb: Array) -> Array:
        shown, published = (lab_of((each / light) @ to_d50.T, D50) for each in (rgb, wanted))
        return np.where(good, delta_e(shown, published), np.nan)

    used = good & ~_strays(lambda weigh: errors(known @ fit(weights * weigh).T))
    matrix = fit(weights * used)
    return ChartFit(matrix, errors(known), errors(known @ matrix.T), used)


def _strays(errors_of: Callable[[Array], Array]) -> NDArray[np.bool_]:
    """Return which patches disagree with the others; `errors_of` returns the errors of a fit with some weights."""
    weigh = np.ones(len(PATCHES))
    for _ in range(ROUNDS):
        errors = np.nan_to_num(errors_of(weigh))
        weigh = 1.0 / (1.0 + (errors / SOFT) ** 2)
    found = np.asarray(errors > max(STRAY, STRAY_SHARE * float(np.median(errors))))
    return found if (~found).sum() >= len(PATCHES) - MOST_STRAYS else np.zeros(len(PATCHES), bool)


def _light(known: Array, wanted: Array, luminance: Array, keep: str) -> Array:
    """Return the RGB that white has in the image as it is to be."""
    if keep == "nothing":
        return np.ones(3)
    grey, published = known[NEUTRAL], wanted[NEUTRAL]
    if keep == "exposure":
        grey, published = (np.repeat((each @ luminance)[:, None], 3, axis=1) for each in (grey, published))
    seen = (np.isfinite(grey) & (grey > 0.0)).all(axis=1)
    if not seen.any():
        raise GradeError("the grey patches of the chart are not in the image", "place the corners on the chart")
    return np.asarray(np.exp(np.median(np.log(grey[seen] / published[seen]), axis=0)))


def _least_squares(known: Array, wanted: Array, _light: Array, weights: Array) -> Array:
    """Return the matrix with the least weighted squared errors."""
    return _solved(known, wanted, weights).T


def _keeping_white(known: Array, wanted: Array, light: Array, weights: Array) -> Array:
    """Return the same of those matrices that keep the colour of the light: the blue column follows from the others."""
    seen, aims = known / light, wanted / light
    free = _solved(seen[:, :2] - seen[:, 2:], aims - seen[:, 2:], weights)
    inner = np.column_stack([free.T, 1.0 - free.sum(axis=0)])
    return np.asarray(inner * light[:, None] / light)


def _solved(known: Array, wanted: Array, weights: Array) -> Array:
    weighted = known * weights[:, None]
    if not np.isfinite(weighted).all() or np.linalg.cond(weighted) > WORST:
        raise GradeError("the patches hardly differ", "place the corners on the chart")
    return np.asarray(np.linalg.lstsq(weighted, wanted * weights[:, None], rcond=None)[0])
