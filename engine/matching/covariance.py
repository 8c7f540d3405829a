"""The linear map that gives colours the mean and the covariance of others.

Source: Pitié and Kokaram, "The linear Monge-Kantorovitch linear colour mapping for example-based colour transfer", CVMP
2007: of all linear maps that do, it moves the colours least.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.records import dataclass
from engine.matching.samples import Samples

Matrix = NDArray[np.float64]
NOISE = 0.002
"""Standard deviation that is added to both sides, in the logarithm (a thirtieth of a stop): a flat area stays flat."""
MOST_GAIN = 4.0
"""The most that a colour's distance from the mean is stretched, or shrunk."""


@dataclass(frozen=True)
class Affine:
    """A matrix (3, 3) for colours, and the offset that is added after it."""

    matrix: Matrix
    offset: Matrix

    def apply(self, values: Samples) -> Samples:
        """Return colours (n, 3) after the map."""
        return np.asarray(values @ self.matrix.T + self.offset)


def monge_kantorovich(source: Samples, reference: Samples) -> Affine:
    """Return the map from the mean and covariance of `source` to those of `reference`, both as logarithms."""
    stretch = optimal_map(_covariance(source), _covariance(reference))
    values, axes = np.linalg.eigh(stretch)
    matrix = (axes * np.clip(values, 1.0 / MOST_GAIN, MOST_GAIN)) @ axes.T
    return Affine(matrix, reference.mean(axis=0) - matrix @ source.mean(axis=0))


def optimal_map(source: Matrix, reference: Matrix) -> Matrix:
    """Return the symmetric matrix that turns one covariance into another one: equation 9 of the paper."""
    root, back = _power(source, 0.5), _power(source, -0.5)
    return np.asarray(back @ _power(root @ reference @ root, 0.5) @ back)


def _covariance(samples: Samples) -> Matrix:
    away = samples - samples.mean(axis=0)
    return np.asarray(away.T @ away / len(samples) + NOISE**2 * np.eye(3))


def _power(matrix: Matrix, power: float) -> Matrix:
    """Return a power of a symmetric positive definite matrix."""
    values, axes = np.linalg.eigh(0.5 * (matrix + matrix.T))
    return np.asarray((axes * np.maximum(values, 1e-16) ** power) @ axes.T)
