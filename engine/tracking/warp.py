"""Similarities of the plane: shift, scale and rotation, and which of them a track may use.

Points are complex numbers x + iy, in pixels from the top left corner of the display window; y points down, so that a
positive angle turns clockwise on the screen.
"""

from __future__ import annotations

import cmath
from typing import Any

from numpy.typing import NDArray

from engine.core.records import dataclass

Points = NDArray[Any]
"""Complex numbers."""


@dataclass(frozen=True)
class Freedom:
    """What the window may do besides moving: change its size, turn."""

    scale: bool = True
    rotation: bool = True

    def allowed(self, factor: Any) -> Any:
        """Return the allowed factor that is nearest to the given one; numbers or arrays."""
        if not self.scale:
            return factor / abs(factor) if self.rotation else factor * 0.0 + 1.0
        return factor if self.rotation else factor.real + 0.0j


@dataclass(frozen=True)
class Warp:
    """The similarity z -> factor * z + shift."""

    factor: complex = 1.0 + 0.0j
    shift: complex = 0.0j

    def __call__(self, points: Any) -> Any:
        return self.factor * points + self.shift

    def after(self, other: Warp) -> Warp:
        """Return the warp that applies `other` first."""
        return Warp(self.factor * other.factor, self.factor * other.shift + self.shift)

    @property
    def inverse(self) -> Warp:
        return Warp(1.0 / self.factor, -self.shift / self.factor)

    @classmethod
    def about(cls, pivot: complex, factor: complex, shift: complex) -> Warp:
        """Return the warp that scales and turns about a pivot, then shifts."""
        return cls(factor, pivot + shift - factor * pivot)

    @property
    def angle(self) -> float:
        """The rotation, in radians, -pi..pi."""
        return cmath.phase(self.factor)
