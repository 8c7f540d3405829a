"""ACES 2: what follows from the peak luminance and the primaries, computed once on the host.

Source: Academy, ACES 2.0 CTL (`Lib.Academy.OutputTransform.ctl`, `init_*` and `make_*`); the spacing of the hues and
the searches' step sizes are OpenColorIO's, whose tables these equal but for rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import GradeError
from engine.op import Table
from engine.ops import aces2_model as model
from engine.ops.aces2_model import Cusp, Rendering, Viewing
from engine.pixel import Vec

Array = NDArray[np.float64]

AP0 = (0.7347, 0.2653, 0.0, 1.0, 0.0001, -0.077, 0.32168, 0.33767)
AP1 = (0.713, 0.293, 0.165, 0.83, 0.128, 0.044, 0.32168, 0.33767)
REC709 = (0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329)
"""xy of red, green, blue and white: Academy S-2008-001, S-2014-004; ITU-R BT.709-6."""
_CAM16 = (0.8336, 0.1735, 2.3854, -1.4659, 0.087, -0.125, 0.333, 0.333)
_OPPONENT = np.array([[2.0, 1.0, 0.05], [1.0, -12.0 / 11.0, 1.0 / 11.0], [1.0 / 9.0, 1.0 / 9.0, -2.0 / 9.0]])
_HUES = 360
_CORNERS = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1], [1, 0, 1]], np.float64)
"""Of the RGB cube, in the order of their hues."""
_TEST_POSITIONS = (0.01, 0.1, 0.5, 0.8, 0.99)
_SMOOTH_M = 0.27


def check_peak(peak: float) -> None:
    """GradeError where ACES 2 has no tone scale for the peak."""
    if not 1.0 <= peak <= 10000.0:
        raise GradeError(f"the peak of an ACES 2 rendering must lie within 1 and 10000 nits, not {peak:g}")


def check_primaries(primaries: tuple[float, ...]) -> None:
    """GradeError where the primaries make no triangle."""
    if min(abs(y) for y in primaries[1::2]) < 1e-9 or abs(np.linalg.det(rgb_to_xyz(primaries))) < 1e-9:
        raise GradeError("the primaries make no triangle of colours with luminance")


def rgb_to_xyz(primaries: tuple[float, ...]) -> Array:
    """SMPTE RP 177, for white of Y = 1."""
    xy = np.array(primaries).reshape(4, 2)
    xyz = np.column_stack([xy[:, 0] / xy[:, 1], np.ones(4), (1.0 - xy.sum(axis=1)) / xy[:, 1]])
    return np.asarray(xyz[:3].T * np.linalg.solve(xyz[:3].T, xyz[3]))


@lru_cache(maxsize=64)
def viewing_numbers(primaries: tuple[float, ...]) -> tuple[float, ...]:
    """The numbers of a Viewing."""
    to_xyz, from_xyz = rgb_to_xyz(primaries), np.linalg.inv(rgb_to_xyz(_CAM16))
    white = from_xyz @ to_xyz @ np.full(3, model.REFERENCE)
    luminance = float(to_xyz[1].sum() * model.REFERENCE)
    adaptation = model.ADAPTATION / model.REFERENCE * luminance / white
    to_cones = adaptation[:, None] * (from_xyz @ to_xyz) * model.REFERENCE
    at_white = np.array([float(model.compressed(x)) for x in adaptation * white])
    opponent = _OPPONENT * (4.0 * model.REFERENCE)
    to_response = opponent * np.array([[1.0 / float(opponent[0] @ at_white)], [43.0 * 0.9], [43.0 * 0.9]])
    parts = (to_cones, to_response, np.linalg.inv(to_response), np.linalg.inv(to_cones))
    return tuple(float(x) for part in parts for x in part.ravel())


@lru_cache(maxsize=64)
def tone_numbers(peak: float) -> tuple[float, ...]:
    """The numbers of a Rendering but those of the hues."""
    n_r, grey, log_peak = model.REFERENCE, 0.18, math.log10(peak / model.REFERENCE)
    toe, g = model.TOE, model.CONTRAST
    m_0 = peak / n_r
    hit = _hit(peak)
    m_1 = 0.5 * (m_0 + math.sqrt(m_0 * (m_0 + 4.0 * toe)))
    m = m_1 / ((hit / m_1) / (hit / m_1 + 1.0)) ** g
    display_grey = _display_grey(peak)
    g_ip = 0.5 * (display_grey + math.sqrt(display_grey * (display_grey + 4.0 * toe)))
    root = (g_ip / m) ** (1.0 / g)
    w_2 = grey / (-(m_1 * root) / (root - 1.0))
    u_2 = ((hit / m_1) / (hit / m_1 + w_2)) ** g
    limit_j = float(model.lightness(model.response_to(peak)))
    return (
        w_2 * m_1 * n_r,
        m_1 / u_2,
        peak / (u_2 * n_r),
        limit_j,
        float(model.achromatic(limit_j)),
        max(0.2, 1.3 - 1.3 * 0.69 * log_peak),
        0.5 / peak,
        2.4 + 2.4 * 3.3 * log_peak,
        (0.03379 * peak) ** 0.30596 - 0.45135,
        float(model.lightness(model.response_to(display_grey * n_r))),
        1.35 + 1.35 * 1.75 * log_peak,
        1.0 / (1.14 + 0.07 * log_peak),
    )


def _hit(peak: float) -> float:
    """Scene light that reaches the peak."""
    return 128.0 + (896.0 - 128.0) * math.log(peak / 100.0) / math.log(100.0)


def _display_grey(peak: float) -> float:
    return 10.013 / 100.0 * (1.0 + math.log2(peak / 100.0) * 0.14)


def _bare(peak: float) -> Rendering:
    """A Rendering without its tables."""
    return Rendering((*tone_numbers(peak), 0.0, 0.0), None, None, None)


def _viewing(primaries: tuple[float, ...]) -> Viewing:
    return Viewing(viewing_numbers(primaries))


def _rgb(viewing: Viewing, j: Any, m: Any, degrees: Any) -> Array:
    hue = np.deg2rad(degrees)
    rgb = viewing.rgb(Vec((model.achromatic(j), m * np.cos(hue), m * np.sin(hue))))
    return np.stack(np.broadcast_arrays(*rgb), axis=-1)


def _jmh(viewing: Viewing, rgb: Array) -> tuple[Array, Array, Array]:
    a, *opponent = viewing.response(Vec(tuple(np.moveaxis(rgb, -1, 0))))
    m, hue, _, _ = model.polar(*opponent)
    return np.asarray(model.lightness(a)), np.asarray(m), np.asarray(hue)


def _halved(low: Array, high: Array, width: float, inside: Callable[[Array], NDArray[np.bool_]]) -> tuple[Array, Array]:
    """Narrow the brackets until they are at most `width`; `inside` holds below what is sought."""
    while (high - low).max() > width:
        middle = 0.5 * (low + high)
        below = inside(middle)
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return low, high


def _bracketed(step: float, end: float, inside: Callable[[Array], NDArray[np.bool_]]) -> tuple[Array, Array]:
    """For each hue the first bracket of width `step`, from 0 on, that `inside` leaves; the last one before `end`."""
    low, high = np.zeros(_HUES), np.full(_HUES, step)
    open_ = np.ones(_HUES, bool)
    while open_.any() and high.max() < end:
        open_ &= inside(high) & (high < end)
        low, high = np.where(open_, high, low), np.where(open_, high + step, high)
    return low, high


@lru_cache(maxsize=64)
def reach_table(peak: float) -> Table:
    """M of ACEScg's boundary at the largest J, for each degree of hue, with one more at both ends."""
    limit_j, hues, viewing = tone_numbers(peak)[3], np.arange(_HUES, dtype=np.float64), _viewing(AP1)

    def inside(m: Array) -> NDArray[np.bool_]:
        return np.asarray((_rgb(viewing, limit_j, m, hues) >= 0.0).all(axis=-1))

    _, reach = _halved(*_bracketed(50.0, 1300.0, inside), 1e-2, inside)
    return Table(_ring(reach))


def _ring(values: Array) -> Array:
    return np.concatenate([values[-1:], values, values[:1]])


@lru_cache(maxsize=64)
def gamut_tables(peak: float, primaries: tuple[float, ...]) -> tuple[Table, Table, tuple[float, float]]:
    """Hues, the cusps (J, M, exponent of the upper hull) at them, and how far a hue lies from its even place."""
    p, viewing = _bare(peak), _viewing(primaries)
    cube = _CORNERS * (peak / model.REFERENCE)
    corner_hues = _jmh(viewing, cube)[2]
    hues = _spaced(np.unique(np.concatenate([_reach_corner_hues(peak), corner_hues])))
    j, m = _cusps(hues, viewing, cube, corner_hues)
    m = m * (1.0 + _SMOOTH_M * model.SMOOTH)
    ring = _ring(hues) - 360.0 * np.eye(1, _HUES + 2)[0] + 360.0 * np.eye(1, _HUES + 2, _HUES + 1)[0]
    exponent = 1.0 / _upper_gamma(hues, Cusp(j, m, None), viewing, peak, p)
    off = np.arange(_HUES) - np.floor(hues)
    cusps = np.column_stack([_ring(j), _ring(m), _ring(exponent)])
    return Table(ring), Table(cusps), (min(-1.0, float(off.min())), max(0.0, float(off.max())))


def _reach_corner_hues(peak: float) -> Array:
    """Hues of ACEScg's corners, scaled until they are as light as the peak."""
    limit, viewing = tone_numbers(peak)[4], _viewing(AP1)

    def inside(scale: Array) -> NDArray[np.bool_]:
        return np.asarray(viewing.response(Vec(tuple((scale[:, None] * _CORNERS).T)))[0] < limit)

    _, scale = _halved(np.zeros(6), np.full(6, 8.0 * _hit(peak)), 1e-3, inside)
    return _jmh(viewing, scale[:, None] * _CORNERS)[2]


def _spaced(corners: Array) -> Array:
    """360 hues, as even as they can be with every corner among them."""
    places: list[int] = []
    least = 0 if corners[0] == 0.0 else 1
    for number, hue in enumerate(corners):
        place = min(max(round(float(hue)), least), _HUES - 1)
        if places and place == places[-1]:
            if number > 1 and places[-2] != places[-1] - 1:
                places[-1] -= 1
            else:
                place += 1
        places.append(min(place, _HUES - 1))
        least = place
    ends, values = [0, *places, _HUES], [0.0, *corners, 360.0]
    runs = [
        low + np.arange(after - before) * ((high - low) / max(after - before, 1))
        for before, after, low, high in zip(ends, ends[1:], values, values[1:], strict=False)
    ]
    return np.concatenate(runs)


def _cusps(hues: Array, viewing: Viewing, cube: Array, corner_hues: Array) -> tuple[Array, Array]:
    """J and M of the points of the given hues on the edges between the corners of the cube."""
    start = int(np.argmin(corner_hues))
    order = [(start + i) % 6 for i in range(-1, 7)]
    corners, ends = cube[order], corner_hues[order] + np.array([-360.0, *[0.0] * 6, 360.0])
    upper = np.searchsorted(ends[1:], hues, side="right") + 1
    low, high = corners[upper - 1], corners[upper]

    def inside(share: Array) -> NDArray[np.bool_]:
        found = _jmh(viewing, low + (high - low) * share[:, None])[2]
        before, after = found < ends[upper - 1], found >= ends[upper]
        return np.asarray(~before & (after | (found <= hues)))

    near, far = _halved(np.zeros(_HUES), np.ones(_HUES), 1e-9, inside)
    j, m, _ = _jmh(viewing, low + (high - low) * (0.5 * (near + far))[:, None])
    return j, m


def _upper_gamma(hues: Array, cusp: Cusp, viewing: Viewing, peak: float, p: Rendering) -> Array:
    """The least exponent for which the upper hull encloses the gamut at five heights."""
    tests = []
    for position in _TEST_POSITIONS:
        j = cusp.j + (p.limit_j - cusp.j) * position
        gain, focus = model.slope_gain(j, cusp, p), cusp.focus_j(p)
        axis = model.on_axis(j, cusp.m, focus, gain, p)
        slope = model.line_slope(axis, focus, gain, p)
        tests.append((axis, slope, model.on_axis(cusp.j, cusp.m, focus, gain, p)))

    def inside(gamma: Array) -> NDArray[np.bool_]:
        hull = Cusp(cusp.j, cusp.m, 1.0 / gamma)
        short = np.zeros(_HUES, bool)
        for axis, slope, cusp_axis in tests:
            m = model.gamut_boundary(axis, slope, hull, cusp_axis, p)
            short |= ~(_rgb(viewing, axis + slope * m, m, hues) > peak / model.REFERENCE).any(axis=-1)
        return short

    return _halved(*_bracketed(0.4, 5.0, inside), 1e-5, inside)[1]
