"""ACES 2: numbers and tables that depend on the peak luminance and the primaries, computed once on the host.

Source: Academy, ACES 2.0 CTL (`Lib.Academy.OutputTransform.ctl`, `init_*` and `make_*`). The spacing of the hues and
the step sizes of the searches are OpenColorIO's; the tables equal its tables up to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from ctypes import c_float
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from engine.core.colorimetry import MID_GREY, PRIMARIES, to_xyz
from engine.errors import GradeError
from engine.kernel.op import Table
from engine.ops import aces2_model as model
from engine.ops import aces2_shipped
from engine.ops.aces2_single import Hull, Single, achromatic, f, lightness, power

Array = NDArray[np.float32]

AP0, AP1, REC709 = (PRIMARIES[name] for name in ("ap0", "ap1", "rec709"))
_HUES = 360
_CORNERS = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1], [1, 0, 1]], np.float32)
"""Corners of the RGB cube, in the order of their hues."""
_TEST_POSITIONS = (0.01, 0.1, 0.5, 0.8, 0.99)
_SMOOTH_M = f(0.27)


def check_peak(peak: float) -> None:
    """Raise GradeError if ACES 2 has no tone scale for the peak."""
    if not 1.0 <= peak <= 10000.0:
        raise GradeError(f"the peak of an ACES 2 rendering must be between 1 and 10000 nits, not {peak:g}")


def check_primaries(primaries: tuple[float, ...]) -> None:
    """Raise GradeError if the primaries form no triangle that float32 can compute with."""
    with np.errstate(all="ignore"):
        try:
            flat = min(abs(y) for y in primaries[1::2]) < 1e-9 or abs(np.linalg.det(to_xyz(primaries))) < 1e-9
            sound = not flat and np.isfinite(viewing_numbers(primaries)).all()
        except np.linalg.LinAlgError:
            sound = False
    if not sound:
        raise GradeError("the primaries do not form a triangle of colours with luminance")


def check_display(peak: float, primaries: tuple[float, ...]) -> None:
    """Raise GradeError if ACES 2 can't render for a display with this peak and these primaries."""
    check_peak(peak)
    check_primaries(primaries)
    with np.errstate(all="ignore"):
        corners = _single(_rounded(primaries)).jmh(_cube(peak))
    if not np.isfinite(corners).all():
        raise GradeError("the primaries have corners without a hue or a lightness")


@lru_cache(maxsize=64)
def viewing_numbers(primaries: tuple[float, ...]) -> tuple[float, ...]:
    """Return the numbers of a Viewing."""
    return _single(primaries).numbers()


@lru_cache(maxsize=64)
def _single(primaries: tuple[float, ...]) -> Single:
    return Single.of(primaries)


@lru_cache(maxsize=64)
def tone_numbers(peak: float) -> tuple[float, ...]:
    """Return the numbers of a Rendering, without those of the hues."""
    n, n_r, toe, g = f(peak), f(model.REFERENCE), f(model.TOE), f(model.CONTRAST)
    log_peak = f(np.log10(n / n_r))
    white, hit = n / n_r, _hit(peak)
    m_1 = f(0.5) * (white + np.sqrt(white * (white + f(4.0) * toe)))
    m = m_1 / power((hit / m_1) / (hit / m_1 + f(1.0)), g)
    display_grey = f(10.013) / n_r * (f(1.0) + f(np.log(n / n_r)) / f(np.log(f(2.0))) * f(0.14))
    g_ip = f(0.5) * (display_grey + np.sqrt(display_grey * (display_grey + f(4.0) * toe)))
    root = power(g_ip / m, f(1.0) / g)
    w_2 = f(MID_GREY) / (-(m_1 * root) / (root - f(1.0)))
    u_2 = power((hit / m_1) / (hit / m_1 + w_2), g)
    limit_j = lightness(n)
    numbers = (
        w_2 * m_1 * n_r,
        m_1 / u_2,
        n / (u_2 * n_r),
        limit_j,
        achromatic(limit_j),
        max(f(0.2), f(1.3) - f(1.3) * f(0.69) * log_peak),
        f(0.5) / n,
        f(2.4) + f(2.4) * f(3.3) * log_peak,
        power(f(0.03379) * n, f(0.30596)) - f(0.45135),
        lightness(display_grey * n_r),
        f(1.35) + f(1.35) * f(1.75) * log_peak,
        f(1.0) / (f(1.14) + f(0.07) * log_peak),
    )
    return tuple(float(x) for x in numbers)


def _hit(peak: float) -> np.float32:
    """Return the scene-linear value that reaches the peak."""
    share = f(np.log(f(peak) / f(100.0))) / f(np.log(f(100.0)))
    return f(f(128.0) + f(896.0 - 128.0) * share)


def _halved(low: Array, high: Array, width: float, inside: Callable[[Array], NDArray[np.bool_]]) -> tuple[Array, Array]:
    """Bisect the brackets until they are at most `width`; `inside` is true below the value sought."""
    while (open_ := high - low > width).any():
        middle = (low + high) / f(2.0)
        below = inside(middle)
        low, high = np.where(open_ & below, middle, low), np.where(open_ & ~below, middle, high)
    return low, high


def _halved_near(
    low: list[float], high: float, width: float, inside: Callable[[Array, list[int]], NDArray[np.bool_]], guess: Array
) -> list[float]:
    """Return the middles of the brackets of `_halved`, to the last bit, in a tenth of its time.

    The steps that lead to a guess are found without `inside`, which takes values and the number of the bracket of each;
    one call then checks all of them. A bracket that it refutes is halved on from there.
    """
    asked = {number: (each, high, float(guess[number])) for number, each in enumerate(low)}
    found: dict[int, float] = {}
    while asked:
        paths = {number: _path(*bracket, width) for number, bracket in asked.items()}
        numbers = [number for number, (steps, _) in paths.items() for _ in steps]
        values = np.array([step[2] for steps, _ in paths.values() for step in steps], np.float32)
        verdicts = iter(inside(values, numbers).tolist() if numbers else ())
        asked = {}
        for number, (steps, middle) in paths.items():
            found[number] = middle
            for near, far, halfway, below in [(*step, next(verdicts)) for step in steps]:
                if below != (halfway < guess[number]):
                    asked[number] = (halfway, far, halfway) if below else (near, halfway, halfway)
                    break
        for number, (_, _, halfway) in asked.items():
            guess[number] = halfway
    return [found[number] for number in range(len(low))]


def _path(low: float, high: float, guess: float, width: float) -> tuple[list[tuple[float, float, float]], float]:
    """Return the steps of a bisection in float32 that ends at the guess: low, high and middle; and the last middle."""
    steps: list[tuple[float, float, float]] = []
    while True:
        middle = c_float((low + high) / 2.0).value
        if high - low <= width:
            return steps, middle
        steps.append((low, high, middle))
        low, high = (middle, high) if middle < guess else (low, middle)


def _bracketed(step: float, end: float, inside: Callable[[Array], NDArray[np.bool_]]) -> tuple[Array, Array]:
    """Return, for each hue, the first bracket of width `step` from 0 on where `inside` ends; the last before `end`."""
    low, high = np.zeros(_HUES, np.float32), np.full(_HUES, step, np.float32)
    open_ = np.ones(_HUES, bool)
    while open_.any():
        open_ &= high < f(end)
        open_ &= inside(high)
        low, high = np.where(open_, high, low), np.where(open_, high + f(step), high)
    return low, high


@lru_cache(maxsize=64)
def reach_table(peak: float) -> Table:
    """Return M of the boundary of ACEScg at the largest J, for each degree of hue, with one more entry at each end."""
    limit, hues, viewing = f(tone_numbers(peak)[3]), np.arange(_HUES, dtype=np.float32), _single(AP1)

    def inside(m: Array) -> NDArray[np.bool_]:
        return np.asarray((viewing.rgb(limit, m, hues) >= 0.0).all(axis=-1))

    return Table(_ring(_halved(*_bracketed(50.0, 1300.0, inside), 1e-2, inside)[1]))


def _ring(values: Array) -> Array:
    return np.concatenate([values[-1:], values, values[:1]])


@lru_cache(maxsize=64)
def gamut_tables(peak: float, primaries: tuple[float, ...]) -> aces2_shipped.Found:
    """Return hues, the cusps (J, M, exponent of the upper hull) at them, and how far hues lie from even spacing.

    Raises GradeError if the display's colours enclose no gamut.
    """
    return aces2_shipped.find(peak, primaries) or compute_gamut_tables(peak, primaries)


def compute_gamut_tables(peak: float, primaries: tuple[float, ...]) -> aces2_shipped.Found:
    """Compute the result of `gamut_tables`."""
    with np.errstate(all="ignore"):
        hues, cusps, off = _gamut_tables(peak, primaries)
    if not (np.isfinite(hues.array).all() and np.isfinite(cusps.array).all() and np.isfinite(off).all()):
        raise GradeError(f"the primaries enclose no gamut that ACES 2 can render for at {peak:g} nits")
    return hues, cusps, off


def _gamut_tables(peak: float, primaries: tuple[float, ...]) -> aces2_shipped.Found:
    numbers = [f(x) for x in tone_numbers(peak)]
    viewing, cube = _single(_rounded(primaries)), _cube(peak)
    corner_hues = viewing.jmh(cube)[2]
    corners = {float(hue) for hue in (*_reach_corner_hues(peak), *corner_hues)}
    hues = _spaced(np.array(sorted(corners), np.float32))
    j, m = _cusps(hues, viewing, cube, corner_hues)
    hull = Hull(j, m * (f(1.0) + _SMOOTH_M * f(model.SMOOTH)), numbers[3], *numbers[-3:])
    exponents = f(1.0) / _upper_gamma(hues, hull, viewing, peak)
    ring = _ring(hues)
    ring[0], ring[-1] = ring[0] - f(360.0), ring[-1] + f(360.0)
    off = np.arange(_HUES) - np.floor(hues)
    cusps = np.column_stack([_ring(hull.j), _ring(hull.m), _ring(exponents)])
    return Table(ring), Table(cusps), (min(-1.0, float(off.min())), max(0.0, float(off.max())))


def _rounded(primaries: tuple[float, ...]) -> tuple[float, ...]:
    """Round primaries to float32."""
    return tuple(float(f(x)) for x in primaries)


def _cube(peak: float) -> Array:
    """Return the corners of the display's RGB cube, in units of 100 nits."""
    return np.asarray(_CORNERS * (f(peak) / f(model.REFERENCE)))


def _reach_corner_hues(peak: float) -> Array:
    """Return the hues of the corners of ACEScg, scaled until they are as light as the peak."""
    limit, viewing = f(tone_numbers(peak)[4]), _single(AP1)

    def inside(scale: Array) -> NDArray[np.bool_]:
        return np.asarray(viewing.response(scale[:, None] * _CORNERS)[..., 0] < limit)

    most = np.full(6, 8.0 * _hit(peak), np.float32)
    _, scale = _halved(np.zeros(6, np.float32), most, 1e-3, inside)
    return viewing.jmh(scale[:, None] * _CORNERS)[2]


def _spaced(corners: Array) -> Array:
    """Return 360 hues, spaced as evenly as possible with every corner among them."""
    places: list[int] = []
    least = 0 if corners[0] == 0.0 else 1
    for number, hue in enumerate(corners):
        place = min(max(math.floor(float(hue) + 0.5), least), _HUES - 1)
        if places and place == places[-1]:
            if number > 1 and places[-2] != places[-1] - 1:
                places[-1] -= 1
            else:
                place += 1
        places.append(min(place, _HUES - 1))
        least = place
    ends, values = [0, *places, _HUES], [f(0.0), *corners, f(360.0)]
    runs = [
        low + np.arange(after - before, dtype=np.float32) * ((high - low) / f(max(after - before, 1)))
        for before, after, low, high in zip(ends, ends[1:], values, values[1:], strict=False)
    ]
    return np.concatenate(runs)


def _cusps(hues: Array, viewing: Single, cube: Array, corner_hues: Array) -> tuple[Array, Array]:
    """Return J and M of the points with the given hues on the edges of the RGB cube."""
    start = int(np.argmin(corner_hues))
    order = [(start + i) % 6 for i in range(-1, 7)]
    corners, ends = cube[order], corner_hues[order] + np.array([-360.0, *[0.0] * 6, 360.0], np.float32)
    upper = np.searchsorted(ends[1:], hues, side="right") + 1
    low, high = corners[upper - 1], corners[upper]
    shares = np.zeros(_HUES, f)
    edges = [np.flatnonzero((upper == edge) & (ends[edge - 1] != hues)) for edge in range(1, 8)]

    def inside(share: Array, at: NDArray[np.intp]) -> NDArray[np.bool_]:
        found = viewing.jmh((high[at] - low[at]) * share[:, None] + low[at])[2]
        early, late = found < ends[upper[at] - 1], found >= ends[upper[at]]
        return np.asarray(~early & (late | (found <= hues[at])))

    width = float(f(1e-7))
    guess = _halved(shares, np.ones(_HUES, f), width, partial(inside, at=np.arange(_HUES)))[1]
    for step in range(max(len(edge) for edge in edges)):  # along all edges at once, each from its previous position
        at = np.array([edge[step] for edge in edges if step < len(edge)])
        before = [float(shares[edge[step - 1]]) if step else 0.0 for edge in edges if step < len(edge)]

        def among(share: Array, numbers: list[int], at: NDArray[np.intp] = at) -> NDArray[np.bool_]:
            return inside(share, at[numbers])

        shares[at] = _halved_near(before, 1.0, width, among, guess[at])
    j, m, _ = viewing.jmh((high - low) * shares[:, None] + low)
    return j, m


def _upper_gamma(hues: Array, hull: Hull, viewing: Single, peak: float) -> Array:
    """Return the smallest exponent for which the upper hull encloses the gamut at five heights."""
    lines = [hull.lines(position) for position in _TEST_POSITIONS]
    limit = f(peak) / f(model.REFERENCE)

    def inside(gamma: Array) -> NDArray[np.bool_]:
        short = np.zeros(_HUES, bool)
        for line in lines:
            j, m = hull.edge(line, f(1.0) / gamma)
            short |= ~(viewing.rgb(j, m, hues) > limit).any(axis=-1)
        return short

    return _halved(*_bracketed(0.4, 5.0, inside), 1e-5, inside)[1]
