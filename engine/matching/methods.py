"""The methods that match colours: pixels of two images in, ordinary ops out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.records import dataclass
from engine.errors import GradeError
from engine.grade.entries import Group
from engine.kernel.op import ColorOp
from engine.matching.covariance import monge_kantorovich
from engine.matching.histogram import matching_curves
from engine.matching.samples import CURVE, Samples, bounded, encoded, usable
from engine.matching.smooth_lut import fitted_lut
from engine.matching.transport import transferred
from engine.ops import ChannelMixer, Matrix

MOST_TRANSFERRED = 1 << 14
"""The most pixels whose distribution is transferred as a whole."""
PORTIONS = np.array([0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95])
"""The portions of the pixels that the gain of a channel is the mean of."""
MOST_STOPS = 10.0


@dataclass(frozen=True)
class Method:
    """A method: its title, what it does, and whether it wants scene-linear values even where there are logarithms."""

    title: str
    about: str
    make: Callable[[Samples, Samples], tuple[ColorOp, ...]]
    wants_linear: bool = False


def _balance(source: Samples, reference: Samples) -> tuple[ColorOp, ...]:
    """Return the gain of each channel in scene-linear values: exposure and white balance."""
    stops = []
    for channel in range(3):
        known, wanted = (np.quantile(each[:, channel], PORTIONS) for each in (source, reference))
        both = (known > 0.0) & (wanted > 0.0)
        stops.append(float(np.log2(wanted[both] / known[both]).mean()) if both.any() else 0.0)
    gains = np.exp2(np.clip(stops, -MOST_STOPS, MOST_STOPS))
    return (ChannelMixer(*map(tuple, np.diag(gains).tolist())),)


def _linear(source: Samples, reference: Samples) -> tuple[ColorOp, ...]:
    """Return the linear map of the logarithms."""
    found = monge_kantorovich(source, reference)
    matrix = np.eye(4)
    matrix[:3, :3] = found.matrix
    return (Matrix(tuple(map(float, matrix.ravel())), (*map(float, found.offset), 0.0), "rgb"),)


def _curves(source: Samples, reference: Samples) -> tuple[ColorOp, ...]:
    return (matching_curves(source, reference),)


def _smooth(source: Samples, reference: Samples) -> tuple[ColorOp, ...]:
    """Return the 3D LUT of a transfer of the whole distribution."""
    source, reference = _fewer(source), _fewer(reference)
    linear = monge_kantorovich(source, reference)
    return (fitted_lut(source, transferred(linear.apply(source), reference), linear),)


def _fewer(samples: Samples) -> Samples:
    return samples[:: max(1, -(-len(samples) // MOST_TRANSFERRED))]


METHODS = {
    "balance": Method(
        "Exposure and balance", "A gain for each channel in scene-linear values: a channel mixer", _balance, True
    ),
    "linear": Method("Mean and covariance", "One linear map of the logarithms: a matrix", _linear),
    "curves": Method("Histogram", "A curve of the logarithm for each channel: RGB curves", _curves),
    "smooth": Method("Smooth 3D", "All colours, by a smooth 3D LUT of the logarithms", _smooth),
}
"""The methods by their names on the command line, from the most careful one to the closest."""


def match(source: NDArray[Any], reference: NDArray[Any], method: str, linear: bool = True) -> tuple[ColorOp, ...]:
    """Return the ops that give the pixels of `source` (..., 3|4) the look of those of `reference`.

    Both are in one colour space. With `linear` that is scene-linear: a method that compares logarithms then puts its op
    between the curve of ACEScct and its inverse. Without, the values are logarithms already; a method that wants
    scene-linear values is given these (`METHODS[method].wants_linear`). Raises GradeError if there is no usable pixel.
    """
    if method not in METHODS:
        raise GradeError(f"{method!r} is not a valid method", f"methods are: {', '.join(METHODS)}")
    pixels, wanted, chosen = usable(source, "the image"), usable(reference, "the reference"), METHODS[method]
    if chosen.wants_linear:
        return chosen.make(pixels, wanted)
    if not linear:
        return chosen.make(bounded(pixels), bounded(wanted))
    return (CURVE, *chosen.make(bounded(encoded(pixels)), bounded(encoded(wanted))), CURVE.inverse())


def matched_group(ops: tuple[ColorOp, ...], reference: str, strength: float = 1.0) -> Group:
    """Return the ops as an entry of a grade; its mix is the strength, 0..1."""
    return Group(ops, f"Match to {reference}", mix=strength)
