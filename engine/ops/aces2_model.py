"""ACES 2: the colour appearance model, the tone scale and the compressions, as functions of the pixel language.

Lightness J is 0..100 for 100 nits, colourfulness M unbounded from 0, hue h 0..360 degrees. Source: Academy, ACES 2.0
CTL (`Lib.Academy.OutputTransform.ctl`, `Lib.Academy.Tonescale.ctl`); the model is that of L. Hellwig and M. Fairchild,
"Brightness, lightness, colorfulness, and chroma in CIECAM02 and CAM16", Color Research and Application 47, 2022.
The host computes its tables (`aces2_tables`) with the same functions.
"""

from __future__ import annotations

from typing import Any

from engine.core.records import dataclass
from engine.kernel.pixel import (
    Scalar,
    Vec,
    absolute,
    atan2,
    clamp,
    floor,
    log2,
    lookup,
    maximum,
    minimum,
    pow,
    search,
    select,
    sqrt,
    where_equal,
)

REFERENCE = 100.0
"""Luminance of J = 100, nits."""
ADAPTING = 100.0
"""Luminance that the viewer is adapted to, nits. The background has 20 nits, the surround is dim."""
_K4 = (1.0 / (5.0 * ADAPTING + 1.0)) ** 4
ADAPTATION = 0.2 * _K4 * (5.0 * ADAPTING) + 0.1 * (1.0 - _K4) ** 2 * (5.0 * ADAPTING) ** (1.0 / 3.0)
"""F_L of the model."""
SURROUND = 0.59
MODEL_GAMMA = SURROUND * (1.48 + (20.0 / REFERENCE) ** 0.5)
"""Exponent from achromatic response to J."""
CONE_POWER, CONE_OFFSET = 0.42, 27.13
MOST_RESPONSE = 0.99
_WHITE = ADAPTATION**CONE_POWER
WHITE_RESPONSE = _WHITE / (CONE_OFFSET + _WHITE)
DEGREES = 57.29577951308232

TOE = 0.04
"""Shadow toe of the tone scale."""
CONTRAST = 1.15
CHROMA_WEIGHTS = (11.34072, 16.46899, 7.88380, 14.66441, -6.37224, 9.19364, 77.12896)
"""Weights of the first three harmonics of hue, cosines then sines, and of 1."""
SMOOTH = 0.12
"""Smoothness of the cusps."""
CUSP_BLEND, GAIN_BLEND = 1.3, 0.3
LEAST_THRESHOLD = 0.75
"""Fraction of the gamut boundary up to which colours are unchanged."""
HUE_STEPS = 3
"""Bisection steps that find a hue near its place in an evenly spaced table."""


@dataclass(frozen=True)
class Viewing:
    """Numbers that depend on primaries: matrices RGB -> cones -> (A, a, b) and back, 36 numbers row by row."""

    numbers: Any

    def response(self, rgb: Vec) -> Vec:
        """Return the achromatic response (1 for REFERENCE) and the two opponent responses."""
        return self._times(9, _each(compressed, self._times(0, rgb)))

    def rgb(self, response: Vec) -> Vec:
        return self._times(27, _each(expanded, self._times(18, response)))

    def _times(self, at: int, v: Vec) -> Vec:
        m = self.numbers
        rows = range(at, at + 9, 3)
        return Vec(tuple(m[i] * v[0] + m[i + 1] * v[1] + m[i + 2] * v[2] for i in rows))


@dataclass(frozen=True)
class Rendering:
    """Numbers and tables that depend on the peak luminance, and for the gamut on the limiting primaries."""

    numbers: Any
    reach: Any
    hues: Any
    cusps: Any

    def __getattr__(self, name: str) -> Scalar:
        return self.numbers[NUMBERS.index(name)]


NUMBERS = (
    *("s_2", "m_2", "inverse_limit", "limit_j", "limit_a", "saturation", "saturation_threshold", "compression"),
    *("chroma_scale", "middle_j", "focus_distance", "lower_gamma", "hue_before", "hue_after"),
)
"""Names of the numbers of a Rendering."""


def _each(f: Any, v: Vec) -> Vec:
    return Vec(tuple(f(x) for x in v))


def compressed(x: Scalar) -> Scalar:
    """Return the cone response to a cone signal: a saturating power; odd."""
    y = pow(absolute(x), CONE_POWER)
    y = y / (CONE_OFFSET + y)
    return select(x < 0.0, -y, y)


def expanded(y: Scalar) -> Scalar:
    """Invert `compressed`, with the response clamped to 0.99."""
    clamped = minimum(MOST_RESPONSE, absolute(y))
    x = pow(CONE_OFFSET * clamped / (1.0 - clamped), 1.0 / CONE_POWER)
    return select(y < 0.0, -x, x)


def lightness(a: Scalar) -> Scalar:
    """Return J for an achromatic response >= 0."""
    return 100.0 * pow(a, MODEL_GAMMA)


def achromatic(j: Scalar) -> Scalar:
    """Invert `lightness`."""
    return pow(j * 0.01, 1.0 / MODEL_GAMMA)


def luminance(a: Scalar) -> Scalar:
    """Return the luminance in nits for an achromatic response >= 0."""
    return expanded(a * WHITE_RESPONSE) * (REFERENCE / ADAPTATION)


def response_to(nits: Scalar) -> Scalar:
    """Invert `luminance`."""
    return compressed(nits * (ADAPTATION / REFERENCE)) * (1.0 / WHITE_RESPONSE)


def polar(a: Scalar, b: Scalar) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """Return M, h, and cosine and sine of h, for opponent responses."""
    m = sqrt(a * a + b * b)
    degrees = atan2(b, a) * DEGREES
    share = 1.0 / where_equal(m, 0.0, 1.0, m)
    return m, select(degrees < 0.0, degrees + 360.0, degrees), where_equal(m, 0.0, 1.0, a * share), b * share


def wrapped(hue: Scalar) -> Scalar:
    """Wrap a hue in degrees to 0..360."""
    return hue - 360.0 * floor(hue * (1.0 / 360.0))


# --- tone scale ------------------------------------------------------------------------------------------------


def toned(nits: Scalar, p: Rendering) -> Scalar:
    """Map scene to display luminance, in nits."""
    f = p.m_2 * pow(nits / (nits + p.s_2), CONTRAST)
    return maximum(f * f / (f + TOE), 0.0) * REFERENCE


def untoned(nits: Scalar, p: Rendering) -> Scalar:
    """Invert `toned`."""
    z = maximum(minimum(nits * (1.0 / REFERENCE), p.inverse_limit), 0.0)
    f = 0.5 * (z + sqrt(z * (4.0 * TOE + z)))
    return p.s_2 / (pow(p.m_2 / f, 1.0 / CONTRAST) - 1.0)


# --- chroma ----------------------------------------------------------------------------------------------------


def chroma_norm(c: Scalar, s: Scalar, p: Rendering) -> Scalar:
    """Return the norm of M at a hue with cosine c and sine s."""
    w = CHROMA_WEIGHTS
    c2, s2 = 2.0 * c * c - 1.0, 2.0 * c * s
    c3, s3 = (4.0 * c * c - 3.0) * c, (3.0 - 4.0 * s * s) * s
    total = w[0] * c + w[1] * c2 + w[2] * c3 + w[3] * s + w[4] * s2 + w[5] * s3 + w[6]
    return total * p.chroma_scale


def _degree(hue: Scalar) -> Scalar:
    """Return the whole degree at or below a hue; a valid table entry also for NaN and Inf."""
    return clamp(floor(hue), 0.0, 360.0)


def reach_at(hue: Scalar, p: Rendering) -> Scalar:
    """Return the largest M of ACEScg at the largest J."""
    whole = _degree(hue)
    return lookup(p.reach, 0, whole + 1.0, hue - whole)


def _toe_parts(limit: Scalar, k1: Scalar, k2: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    k2 = maximum(k2, 0.001)
    k1 = sqrt(k1 * k1 + k2 * k2)
    return k1, k2, (limit + k1) / (limit + k2)


def toe(x: Scalar, limit: Scalar, k1: Scalar, k2: Scalar) -> Scalar:
    """Compress values far below `limit`; return x above it."""
    k1, k2, k3 = _toe_parts(limit, k1, k2)
    b, c = k3 * x - k1, k2 * k3 * x
    root = sqrt(b * b + 4.0 * c)
    bent = select(b < 0.0, 2.0 * c / (root - b), 0.5 * (b + root))
    return select(x > limit, x, bent)


def untoe(x: Scalar, limit: Scalar, k1: Scalar, k2: Scalar) -> Scalar:
    """Invert `toe`."""
    k1, k2, k3 = _toe_parts(limit, k1, k2)
    return select(x > limit, x, (x * x + k1 * x) / (k3 * (x + k2)))


def _chroma_limits(j: Scalar, a: Scalar, reach: Scalar, norm: Scalar, p: Rendering) -> tuple[Scalar, ...]:
    n = j / p.limit_j
    rest = maximum(1.0 - n, 0.0)
    limit = a / p.limit_a * reach / norm
    outer = (limit - 0.001, rest * p.saturation, sqrt(n * n + p.saturation_threshold))
    return (limit, *outer, n * p.compression, rest)


def chroma_compressed(m: Scalar, ratio: Scalar, j: Scalar, a: Scalar, reach: Scalar, norm: Scalar, p: Rendering) -> Any:
    """Return M after the tone scale multiplied the achromatic response by `ratio`, to `a` (lightness `j`)."""
    limit, l1, k1, k2, k3, k4 = _chroma_limits(j, a, reach, norm, p)
    x = m * ratio / norm
    x = limit - toe(limit - x, l1, k1, k2)
    return where_equal(m, 0.0, 0.0, toe(x, limit, k3, k4) * norm)


def chroma_expanded(m: Scalar, ratio: Scalar, j: Scalar, a: Scalar, reach: Scalar, norm: Scalar, p: Rendering) -> Any:
    """Invert `chroma_compressed`."""
    limit, l1, k1, k2, k3, k4 = _chroma_limits(j, a, reach, norm, p)
    x = untoe(m / norm, limit, k3, k4)
    x = limit - untoe(limit - x, l1, k1, k2)
    return where_equal(m, 0.0, 0.0, x * norm / ratio)


# --- gamut -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cusp:
    """The limiting gamut at a hue: its most colourful point, and the curve above it."""

    j: Scalar
    m: Scalar
    upper_gamma: Scalar

    def focus_j(self, p: Rendering) -> Scalar:
        """Return the J that colours are compressed towards."""
        return _mixed(self.j, p.middle_j, minimum(CUSP_BLEND - self.j / p.limit_j, 1.0))

    def threshold(self, p: Rendering) -> Scalar:
        """Return the J above which compression steepens."""
        return _mixed(self.j, p.limit_j, GAIN_BLEND)


def _mixed(a: Scalar, b: Scalar, t: Scalar) -> Scalar:
    return a + (b - a) * t


def cusp_at(hue: Scalar, p: Rendering) -> Cusp:
    near = _degree(hue) + 1.0
    first, last = maximum(near + p.hue_before, 0.0), minimum(near + p.hue_after, p.hues.size - 1.0)
    at = search(p.hues, 0, hue, first, last, HUE_STEPS)
    at = minimum(at, p.hues.size - 2.0)
    low, high = lookup(p.hues, 0, at, 0.0), lookup(p.hues, 0, at + 1.0, 0.0)
    share = (hue - low) / (high - low)
    j, m, gamma = (_mixed(lookup(p.cusps, i, at, 0.0), lookup(p.cusps, i, at + 1.0, 0.0), share) for i in range(3))
    return Cusp(j, m, gamma)


def slope_gain(j: Scalar, cusp: Cusp, p: Rendering) -> Scalar:
    threshold = cusp.threshold(p)
    steeper = log2((p.limit_j - threshold) / maximum(p.limit_j - j, 0.0001)) * 0.30102999566398120
    return p.limit_j * p.focus_distance * select(j > threshold, steeper * steeper + 1.0, 1.0)


def on_axis(j: Scalar, m: Scalar, focus: Scalar, gain: Scalar, p: Rendering) -> Scalar:
    """Return the J at which the line of compression through (j, m) meets the grey axis."""
    scaled = m / gain
    a = scaled / focus
    below = select(j < focus, 1.0, -1.0)
    b = select(j < focus, 1.0 - scaled, -(1.0 + scaled + p.limit_j * a))
    c = select(j < focus, -j, p.limit_j * scaled + j)
    return -2.0 * c / (b + below * sqrt(b * b - 4.0 * a * c))


def line_slope(axis: Scalar, focus: Scalar, gain: Scalar, p: Rendering) -> Scalar:
    """Return the slope dJ/dM of the line that meets the grey axis at `axis`."""
    return select(axis < focus, axis, p.limit_j - axis) * (axis - focus) / (focus * gain)


def boundary(axis: Scalar, slope: Scalar, gamma: Scalar, j: Scalar, m: Scalar, reference: Scalar) -> Scalar:
    """Return the M at which a line meets the curve through 0 and (j, m).

    Approximate, but exact for the line through `reference`.
    """
    return reference * pow(axis / reference, gamma) * m / (j - slope * m)


def gamut_boundary(axis: Scalar, slope: Scalar, cusp: Cusp, cusp_axis: Scalar, p: Rendering) -> Scalar:
    """Return the M at which a line leaves the limiting gamut."""
    lower = boundary(axis, slope, p.lower_gamma, cusp.j, cusp.m, cusp_axis)
    top = p.limit_j
    upper = boundary(top - axis, -slope, cusp.upper_gamma, top - cusp.j, cusp.m, top - cusp_axis)
    scale = SMOOTH * cusp.m
    h = maximum(scale - absolute(lower - upper), 0.0) / scale
    return minimum(lower, upper) - h * h * h * scale * (1.0 / 6.0)


def _remapped(m: Scalar, edge: Scalar, reach: Scalar, expand: bool) -> Scalar:
    """Compress M so that `reach` falls on the gamut's edge, or expand it."""
    part = maximum(edge / reach, LEAST_THRESHOLD)
    start = part * edge
    beyond, edge, reach = m - start, edge - start, reach - start
    scale = reach / (reach / edge - 1.0)
    n = beyond / scale
    moved = select(n >= 1.0, scale, scale * n / (1.0 - n)) if expand else scale * n / (1.0 + n)
    return select(m <= start, m, select(part >= 1.0, m, start + moved))


def _along(j: Scalar, m: Scalar, jx: Scalar, reach: Scalar, cusp: Cusp, p: Rendering, expand: bool) -> Any:
    gain, focus = slope_gain(jx, cusp, p), cusp.focus_j(p)
    axis = on_axis(j, m, focus, gain, p)
    slope = line_slope(axis, focus, gain, p)
    edge = gamut_boundary(axis, slope, cusp, on_axis(cusp.j, cusp.m, focus, gain, p), p)
    far = boundary(axis, slope, 1.0 / MODEL_GAMMA, p.limit_j, reach, p.limit_j)
    moved = _remapped(m, edge, far, expand)
    return select(edge <= 0.0, j, axis + moved * slope), select(edge <= 0.0, 0.0, moved)


def gamut_compressed(j: Scalar, m: Scalar, hue: Scalar, reach: Scalar, p: Rendering, expand: bool) -> Any:
    """Compress J and M into the limiting gamut; with `expand`, invert that."""
    cusp = cusp_at(hue, p)
    jx = j
    if expand:
        jx = select(j > cusp.threshold(p), _along(j, m, j, reach, cusp, p, True)[0], j)
    moved_j, moved_m = _along(j, m, jx, reach, cusp, p, expand)
    grey = select(j > p.limit_j, 1.0, select(m <= 0.0, 1.0, 0.0)) > 0.5
    dark = j <= 0.0
    return select(dark, 0.0, select(grey, j, moved_j)), select(dark, 0.0, select(grey, 0.0, moved_m))
