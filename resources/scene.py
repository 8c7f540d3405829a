"""The scene of the sample image: a still life at golden hour, as distance fields in NumPy.

Points and directions are arrays (3, n) of float32; colours are scene-linear with Rec.709 primaries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]
"""float32, and float64 where points lie between pixels."""
F = np.float32

FAR = 60.0
NO_HIT_DEPTH = 1e10
"""Z of the sky."""
STOPS = tuple(range(-7, 8))
"""Patches of the step wedge, left to right: each emits 0.18 times two to the power of its number."""
CHART = np.array(
    # Linear Rec.709 values of the 24 patches of the classic chart, row by row.
    [
        *([0.168, 0.085, 0.058], [0.539, 0.304, 0.223], [0.120, 0.197, 0.334]),
        *([0.093, 0.147, 0.052], [0.231, 0.215, 0.431], [0.135, 0.513, 0.404]),
        *([0.671, 0.202, 0.026], [0.064, 0.107, 0.375], [0.532, 0.084, 0.120]),
        *([0.107, 0.043, 0.140], [0.338, 0.503, 0.050], [0.740, 0.363, 0.027]),
        *([0.024, 0.046, 0.278], [0.063, 0.296, 0.064], [0.427, 0.028, 0.038]),
        *([0.799, 0.571, 0.012], [0.498, 0.090, 0.298], [0.005, 0.238, 0.381]),
        *([0.888, 0.888, 0.876], [0.584, 0.590, 0.588], [0.359, 0.366, 0.365]),
        *([0.190, 0.192, 0.191], [0.089, 0.090, 0.091], [0.031, 0.032, 0.033]),
    ],
    F,
)


@dataclass(frozen=True)
class Material:
    """Material of an object. `skin` is the amount of wrapped diffuse light, as under skin; `glow` is emission."""

    albedo: tuple[float, float, float]
    gloss: float = 0.04
    metal: bool = False
    skin: float = 0.0
    glow: float = 0.0


MATERIALS = (
    Material((0.34, 0.25, 0.19), gloss=0.03),  # 0 table
    Material((0.05, 0.05, 0.055), gloss=0.02),  # 1 frames
    Material((0.5, 0.5, 0.5), gloss=0.0),  # 2 chart; the patches replace the albedo
    Material((0.0, 0.0, 0.0), gloss=0.0),  # 3 wedge; the patches glow
    Material((0.94, 0.93, 0.92), metal=True),  # 4 chrome
    Material((0.18, 0.18, 0.18), gloss=0.0),  # 5 grey ball
    Material((0.62, 0.37, 0.27), gloss=0.028, skin=0.45),  # 6 light skin
    Material((0.36, 0.18, 0.11), gloss=0.03, skin=0.35),  # 7 medium skin
    Material((0.115, 0.05, 0.028), gloss=0.034, skin=0.25),  # 8 deep skin
    Material((0.015, 0.05, 0.34), gloss=0.06),  # 9 cobalt vase
    Material((0.62, 0.014, 0.012), gloss=0.05),  # 10 red
    Material((0.03, 0.30, 0.05), gloss=0.04),  # 11 green ring
    Material((0.82, 0.52, 0.012), gloss=0.04),  # 12 yellow
    Material((0.95, 0.56, 0.24), gloss=0.02, glow=7.0),  # 13 lantern
    Material((0.80, 0.34, 0.08), gloss=0.035),  # 14 orange
    Material((0.90, 0.56, 0.26), metal=True),  # 15 brass
)
ALBEDO = np.array([m.albedo for m in MATERIALS], F)
GLOSS = np.array([m.gloss for m in MATERIALS], F)
METAL = np.array([m.metal for m in MATERIALS])
SKIN = np.array([m.skin for m in MATERIALS], F)
GLOW = np.array([m.glow for m in MATERIALS], F)

OBJECTS = (
    *("table", "chart_frame", "chart", "wedge_frame", "wedge", "chrome_ball", "grey_ball"),
    *("light_skin_ball", "medium_skin_ball", "deep_skin_ball", "vase", "red_ball", "green_ring", "yellow_box"),
    *("lantern", "orange_ball", "lantern_stand"),
)
"""The names of `things`, in the same order."""
MATERIAL_NAMES = (
    *("wood", "black_paint", "chart", "wedge", "chrome", "grey", "light_skin", "medium_skin", "deep_skin", "cobalt"),
    *("red", "green", "yellow", "paper", "orange", "brass"),
)
"""The names of MATERIALS."""

SUN = np.array([-0.62, 0.50, -0.60], F) / np.linalg.norm([-0.62, 0.50, -0.60]).astype(F)
SUN_LIGHT = np.array([1.55, 1.08, 0.62], F)
LANTERN = np.array([4.1, 2.05, 1.1], F)
LANTERN_LIGHT = np.array([1.5, 0.80, 0.30], F)

CHART_AT, CHART_HALF = np.array([-3.2, 1.30, 1.35], F), (1.72, 1.18, 0.05)
WEDGE_AT, WEDGE_HALF = np.array([-0.25, 0.17, -2.6], F), (2.4, 0.115, 0.10)
CHART_TURN = (0.26, -0.17)
"""Yaw and pitch of the chart, turned towards the camera and leaning back, in radians."""


def length(v: Array) -> Array:
    return np.sqrt(np.einsum("i...,i...->...", v, v))


def unit(v: Array) -> Array:
    return v / np.maximum(length(v), F(1e-9))


def at(p: Array, x: float, y: float, z: float) -> Array:
    return p - np.array([x, y, z], F)[:, None]


def ball(p: Array, x: float, y: float, z: float, radius: float) -> Array:
    return length(at(p, x, y, z)) - F(radius)


def box(q: Array, half: tuple[float, float, float], rounding: float) -> Array:
    d = np.abs(q) - np.array(half, F)[:, None] + F(rounding)
    return length(np.maximum(d, 0)) + np.minimum(d.max(axis=0), 0) - F(rounding)


def turned(q: Array, yaw: float, pitch: float = 0.0) -> Array:
    """Return `q` in the frame of an object that is rotated by `yaw` about y, then by `pitch`, in radians."""
    c, s = F(np.cos(yaw)), F(np.sin(yaw))
    x, y, z = c * q[0] - s * q[2], q[1], s * q[0] + c * q[2]
    c, s = F(np.cos(pitch)), F(np.sin(pitch))
    return np.stack([x, c * y - s * z, s * y + c * z])


def soft_union(a: Array, b: Array, k: float) -> Array:
    h = np.maximum(F(k) - np.abs(a - b), 0) / F(k)
    return np.minimum(a, b) - h * h * F(k * 0.25)


def vase(p: Array) -> Array:
    q = at(p, 2.15, 0.0, 2.0)
    radius = np.hypot(q[0], q[2])
    belly = np.hypot(radius / F(1.0), (q[1] - F(0.98)) / F(1.1)) * F(1.0) - F(0.86)
    neck = np.maximum(radius - F(0.27) - F(0.05) * np.maximum(q[1] - F(1.9), 0) ** 2, np.abs(q[1] - F(2.15)) - F(0.62))
    lip = np.hypot(radius - F(0.34), q[1] - F(2.76)) - F(0.075)
    foot = np.maximum(radius - F(0.5), np.abs(q[1] - F(0.06)) - F(0.06))
    body = soft_union(soft_union(belly, neck, 0.45), np.minimum(lip, foot + F(0.0)), 0.12)
    hollow = np.maximum(radius - F(0.22), F(2.0) - q[1])
    return np.maximum(body, -hollow) * F(0.85)


def ring(p: Array) -> Array:
    q = turned(at(p, -0.52, 0.90, 1.55), -0.35, 0.28)
    return np.hypot(np.hypot(q[0], q[1]) - F(0.68), q[2]) - F(0.215)


def things(p: Array) -> list[tuple[int, Array]]:
    """Return material number and distance of every object."""
    chart = turned(p - CHART_AT[:, None], *CHART_TURN)
    wedge = turned(p - WEDGE_AT[:, None], 0.0, -0.35)
    stand = at(p, float(LANTERN[0]), 0.0, float(LANTERN[2]))
    pole = np.maximum(np.hypot(stand[0], stand[2]) - F(0.05), np.abs(stand[1] - F(0.8)) - F(0.8))
    plate = np.maximum(np.hypot(stand[0], stand[2]) - F(0.55), np.abs(stand[1] - F(0.04)) - F(0.03)) - F(0.01)
    return [
        (0, box(at(p, 0.0, -0.3, 0.9), (5.9, 0.3, 4.1), 0.08)),
        (1, box(chart + np.array([0, 0, -0.03], F)[:, None], (1.84, 1.30, 0.05), 0.03)),
        (2, box(chart, CHART_HALF, 0.01)),
        (1, box(wedge + np.array([0, 0, -0.04], F)[:, None], (2.48, 0.175, 0.10), 0.04)),
        (3, box(wedge, WEDGE_HALF, 0.01)),
        (4, ball(p, 0.72, 0.92, 0.75, 0.92)),
        (5, ball(p, -1.42, 0.48, -0.55, 0.48)),
        (6, ball(p, -0.55, 0.52, -1.0, 0.52)),
        (7, ball(p, 0.50, 0.46, -1.30, 0.46)),
        (8, ball(p, 1.40, 0.40, -1.40, 0.40)),
        (9, vase(p)),
        (10, ball(p, 2.32, 0.62, -0.25, 0.62)),
        (11, ring(p)),
        (12, box(turned(at(p, 3.6, 0.42, -0.75), 0.55), (0.42, 0.42, 0.42), 0.07)),
        (13, ball(p, float(LANTERN[0]), float(LANTERN[1]), float(LANTERN[2]), 0.6)),
        (14, ball(p, 2.22, 0.24, -1.75, 0.24)),
        (15, np.minimum(pole, plate)),
    ]


def distance(p: Array) -> Array:
    """Return the distance to the nearest surface."""
    return np.minimum.reduce([d for _, d in things(p)])


def nearest(p: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the numbers of the nearest object and of its material."""
    numbers, distances = zip(*things(p), strict=True)
    found = np.argmin(np.stack(distances), axis=0)
    return found, np.array(numbers)[found]


def material(p: Array) -> NDArray[np.intp]:
    """Return the material number of the nearest object."""
    return nearest(p)[1]


def normal(p: Array, step: float = 1e-3) -> Array:
    """Return the normalized gradient of the distance, from four samples on a tetrahedron."""
    corners = np.array([[1, -1, -1], [-1, -1, 1], [-1, 1, -1], [1, 1, 1]], F)
    return unit(sum(c[:, None] * distance(p + F(step) * c[:, None]) for c in corners).astype(F))


def hashed(x: NDArray[np.int64], y: NDArray[np.int64]) -> Array:
    """Return a fixed pseudo-random number, 0..1, for each pair of integers."""
    h = (x * 374761393 + y * 668265263) & 0xFFFFFFFF
    h = ((h ^ (h >> 13)) * 1274126177) & 0xFFFFFFFF
    return ((h ^ (h >> 16)) & 0xFFFF).astype(F) / F(65535)


def noise(x: Array, y: Array) -> Array:
    """Return smooth value noise, 0..1."""
    fx, fy = np.floor(x), np.floor(y)
    ix, iy = fx.astype(np.int64), fy.astype(np.int64)
    u, v = x - fx, y - fy
    u, v = u * u * (3 - 2 * u), v * v * (3 - 2 * v)
    low = hashed(ix, iy) * (1 - u) + hashed(ix + 1, iy) * u
    high = hashed(ix, iy + 1) * (1 - u) + hashed(ix + 1, iy + 1) * u
    return (low * (1 - v) + high * v).astype(F)


def clouded(x: Array, y: Array, octaves: int = 5) -> Array:
    """Return the sum of several octaves of noise, each rotated against the previous one."""
    total, weight = np.zeros_like(x), 0.5
    for _ in range(octaves):
        total += F(weight) * noise(x, y)
        x, y, weight = F(1.6) * x + F(1.2) * y + 7, F(1.6) * y - F(1.2) * x + 3, weight * 0.5
    return total


def table_colour(p: Array) -> Array:
    """Return the colour of the table: planks along x with a fine grain."""
    row = np.floor(p[2] / F(0.9) + F(0.35))
    grain = clouded(p[0] * F(0.55) + row * 17, p[2] * F(7.0) + row * 5, 4)
    tone = F(0.62) + F(0.55) * grain + F(0.22) * (hashed(row.astype(np.int64), row.astype(np.int64) * 0 + 5) - F(0.5))
    seam = np.abs((p[2] / F(0.9) + F(0.35)) - row - F(0.5))
    tone = tone * (1 - F(0.75) * np.clip((seam - F(0.485)) / F(0.01), 0, 1))
    return np.array(MATERIALS[0].albedo, F)[:, None] * np.stack([tone, tone ** F(1.15), tone ** F(1.35)])


def patches(p: Array) -> tuple[Array, Array]:
    """Return the albedo of the chart's front and the emission of the wedge's front at `p`."""
    q = turned(p - CHART_AT[:, None], *CHART_TURN)
    u = (q[0] / F(CHART_HALF[0]) + 1) * 3
    v = (1 - q[1] / F(CHART_HALF[1])) * 2
    column, row = np.clip(u.astype(np.int64), 0, 5), np.clip(v.astype(np.int64), 0, 3)
    inside = (np.abs(u - column - F(0.5)) < F(0.43)) & (np.abs(v - row - F(0.5)) < F(0.43)) & (q[2] < 0)
    albedo = np.where(inside, CHART[row * 6 + column].T, F(0.028))
    q = turned(p - WEDGE_AT[:, None], 0.0, -0.35)
    u = (q[0] / F(WEDGE_HALF[0]) + 1) * F(len(STOPS) / 2)
    step = np.clip(u.astype(np.int64), 0, len(STOPS) - 1)
    lit = (np.abs(u - step - F(0.5)) < F(0.455)) & (np.abs(q[1]) < F(0.10)) & (q[2] < 0)
    glow = np.where(lit, F(0.18) * np.exp2(np.array(STOPS, F))[step], 0)
    return albedo, glow.astype(F)


def sky(direction: Array) -> Array:
    """Return the radiance of the environment: an evening sky over the sea, with clouds, and the sun behind the
    camera."""
    x, y, z = direction
    up = np.maximum(y, 0)
    t = np.exp(-up * F(6.5))
    toward = np.clip(np.einsum("i...,i->...", direction, SUN), 0, 1)
    zenith, horizon = np.array([0.055, 0.125, 0.33], F)[:, None], np.array([0.88, 0.50, 0.30], F)[:, None]
    light = zenith * (1 - t) + horizon * t
    light += np.array([0.9, 0.5, 0.25], F)[:, None] * toward**6
    scale = F(1.0) / (up + F(0.10))
    cover = clouded(x * scale * F(0.9) + 11, z * scale * F(1.9) + 4)
    edge = clouded(x * scale * F(0.9) + F(10.86), z * scale * F(1.9) + F(3.9))
    amount = np.clip((cover - F(0.5)) * F(4.0), 0, 1) * np.clip(up * F(14), 0, 1)
    bright = np.clip(F(0.55) + (cover - edge) * F(7.0), 0.05, 1.4)
    lit = np.array([2.1, 1.15, 0.74], F)[:, None] * bright + np.array([0.12, 0.13, 0.2], F)[:, None]
    light = light * (1 - amount) + lit * amount
    disc = np.clip((toward - F(0.9976)) / F(0.0012), 0, 1)
    light = light + np.array([420.0, 262.0, 140.0], F)[:, None] * (disc * disc * (3 - 2 * disc) + F(0.01) * toward**400)
    return np.where(y < 0, sea(direction), light).astype(F)


def sea(direction: Array) -> Array:
    """Return the radiance of the sea below the horizon: haze in the distance, ripples nearby."""
    down = np.maximum(-direction[1], F(1e-4))
    x, z = direction[0] / down, direction[2] / down
    ripple = clouded(x * F(0.9), z * F(2.4), 4)
    haze = np.exp(-down * F(22))
    water = np.array([0.022, 0.075, 0.105], F)[:, None] * (F(0.55) + ripple)
    glint = np.array([0.95, 0.62, 0.42], F)[:, None] * np.clip((ripple - F(0.45)) * 3, 0, 1) * np.exp(-down * F(9))
    return water + glint * F(0.55) + np.array([0.62, 0.37, 0.25], F)[:, None] * haze
