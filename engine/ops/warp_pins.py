"""The pins of a colour warp: solved on the host, and where their map folds.

The weights of the pins at a place sum to less than 1; what is missing is that of the anchor, which moves nothing. So
each pin's vector is longer than its own displacement, by as much as brings it to its target: a linear system with a
row for each pin (as for radial basis functions).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.core.records import dataclass
from engine.ops.warp_space import FROM_POSITION, STOPS, luminance_stops

Array = NDArray[np.float64]

MOST = 16
CAPACITIES = (4, 8, MOST)
"""Numbers of pins that a kernel is made for."""
LEAST_RADIUS = 2.0
"""Smaller radii, in %, count as this."""
RANK = 1e-3
"""Directions of the system with a smaller singular value, relative to the largest, are left out: pins on almost the
same colour with different targets meet in the middle."""
FAR = 1e4
"""Place of the pins that are not used."""
_SLICES = np.array([-0.5, 0.0, 0.5])
"""Lightness, besides that of the pins, at which folds are looked for."""


class Pin(NamedTuple):
    """A colour (hue in degrees, saturation in %, lightness in stops), its target, and radius and strength in %."""

    hue: float
    saturation: float
    lightness: float
    to_hue: float
    to_saturation: float
    to_lightness: float
    radius: float = 25.0
    strength: float = 100.0

    @property
    def source(self) -> Array:
        return place_of(self.hue, self.saturation, self.lightness)

    @property
    def target(self) -> Array:
        return place_of(self.to_hue, self.to_saturation, self.to_lightness)


@dataclass(frozen=True, eq=False)
class Warp:
    """The weighted vectors of a map, with a row for each pin that a kernel may have.

    `moves` are displacements of positions, `responses` the same of log2 responses. `flat` maps ignore w.
    """

    places: Array
    tightness: Array
    moves: Array
    responses: Array
    flat: bool

    @property
    def axes(self) -> int:
        """Number of the axes that pins grip."""
        return 2 if self.flat else 3

    def _shares(self, positions: Array) -> Array:
        """Return the weights (n, pins)."""
        away = (positions[:, None] - self.places)[..., : self.axes]
        weights = np.exp2(-self.tightness * (away**2).sum(axis=-1))
        return np.asarray(weights / (1.0 + weights.sum(axis=1, keepdims=True)))

    def determinants(self, positions: ArrayLike) -> Array:
        """Return the determinants of the Jacobian of the map at positions (n, 3); it folds where they are not > 0."""
        positions = np.asarray(positions, np.float64)
        shares, moves = self._shares(positions), self.moves[:, : self.axes]
        mean = shares @ moves
        rows = []
        for axis in range(self.axes):
            away = positions[:, axis, None] - self.places[:, axis]
            slopes = shares * (-2.0 * math.log(2.0) * self.tightness * away)
            row = slopes @ moves - slopes.sum(axis=1, keepdims=True) * mean
            row[:, axis] += 1.0
            rows.append(row)
        first, second, *third = rows
        if not third:
            return np.asarray(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0])
        return np.asarray((first * np.cross(second, third[0])).sum(axis=1))


def place_of(hue: float, saturation: float, lightness: float) -> Array:
    """Return the position of a hue in degrees, a saturation in %, and a lightness in stops about mid grey."""
    angle, radius = math.radians(hue), saturation / 100.0
    return np.array([radius * math.cos(angle), radius * math.sin(angle), lightness / STOPS])


def numbers_at(position: ArrayLike) -> tuple[float, float, float]:
    """Return the hue (0..360 degrees), saturation (%) and lightness (stops) of a position."""
    u, v, w = (float(x) for x in np.asarray(position, np.float64))
    return math.degrees(math.atan2(v, u)) % 360.0, 100.0 * math.hypot(u, v), w * STOPS


def displacement_of(pin: Pin, flat: bool) -> Array:
    """Return how far a pin moves its own colour. A `flat` one keeps the luminance."""
    way = pin.target - pin.source
    way *= pin.strength / 100.0
    if flat:
        ends = np.stack([pin.source, pin.source + way])
        stops = luminance_stops(ends[:, 0], ends[:, 1])
        way[2] = (stops[0] - stops[1]) / STOPS
    return way


def solved(pins: Mapping[int, Pin], solid: bool) -> Warp:
    """Return the map of pins, given by number; in a `solid` one, they grip lightness, too."""
    places, tightness, moves = np.full((MOST, 3), FAR), np.ones(MOST), np.zeros((MOST, 3))
    rows = [number - 1 for number in pins]
    for row, pin in zip(rows, pins.values(), strict=True):
        places[row] = pin.source
        tightness[row] = math.log2(3.0) / (max(pin.radius, LEAST_RADIUS) / 100.0) ** 2
    unsolved = Warp(places, tightness, moves, moves, flat=not solid)
    if rows:
        system = unsolved._shares(places[rows])[:, rows]
        wanted = np.stack([displacement_of(pin, flat=not solid) for pin in pins.values()])
        moves[rows] = np.linalg.lstsq(system, wanted, rcond=RANK)[0]
    return Warp(places, tightness, moves, moves @ FROM_POSITION.T, flat=not solid)


def folds(warp: Warp, side: int = 40, reach: float = 1.25) -> NDArray[np.bool_]:
    """Return where the map folds: (side, side), v downwards from `reach`, u from -`reach`; at any lightness."""
    across = (np.arange(side) + 0.5) / side * 2.0 * reach - reach
    u, v = np.meshgrid(across, -across)
    used = warp.places[:, 0] < FAR
    few = replace(
        warp, places=warp.places[used], tightness=warp.tightness[used], moves=warp.moves[used], responses=warp.responses
    )
    heights = np.zeros(1) if warp.flat else np.unique(np.concatenate([_SLICES, few.places[:, 2]]))
    found = np.zeros(u.shape, bool)
    if warp.moves.any():
        for w in heights:
            positions = np.stack([u, v, np.full_like(u, w)], axis=-1).reshape(-1, 3)
            found |= (few.determinants(positions) <= 0.0).reshape(u.shape)
    return found
