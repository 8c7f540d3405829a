"""A grade as a 3D LUT in a file that other programs read: .cube, .csp, .spi3d or .3dl.

Up to 1 a cube stands alone. Above, it would spend its entries on the highlights: a shaper comes first, a 1D LUT of
log2(1 + |x| / toe) with the sign of x, straight near 0 and logarithmic beyond. The file stores it as entries spread
evenly over the domain with straight lines between; the cube is computed behind exactly these lines, so that the shaper
itself adds no error. How each format writes it down: see `engine.luts.text_formats`.

What goes in is held to the domain, so light outside of it ends at the faces of the cube. What comes out, and what goes
from op to op where that is needed, is held to half-precision's range: a grade in a logarithm makes more of some colours
at the edge of a camera's gamut, and even infinities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.atomic import write_text
from engine.errors import GradeError, UnsupportedFile
from engine.kernel.op import ColorOp, Op, Table
from engine.luts.text_formats import LUT_FORMATS, Baked
from engine.ops import Lut1d, Lut3d

Array = NDArray[np.float64]
Execute = Callable[[Sequence[ColorOp], Array], Array]

LARGEST_CUBE = 129
"""Entries along an axis that OpenColorIO takes."""
SCENE = (0.0, 64.0)
"""Domain where a format has a shaper and none is given: scene light up to 8.5 stops above mid grey."""
UNIT = (0.0, 1.0)
SHORTEST_SHAPER, LONGEST_SHAPER = 4096, 65536
ENTRIES_IN_TOE = 8
"""Shaper entries that the toe gets at least, while the longest shaper allows it."""
TOES = tuple(2.0**-stops for stops in range(2, 15, 2))
"""Toes that are tried, as parts of the domain; the one with the smallest mean error stays."""
LARGEST = 65504.0
"""The largest half-precision number."""
MOST_CLAMPED = 0.5
"""Share of the colours that may lie beyond it."""
MUCH = 0.05
"""An error that is seen."""
DARKEST = 0.002
"""Lower end of the light that the error is measured on: 6.5 stops below mid grey."""
BEYOND = 4.0
"""How far above the domain the error outside of it is measured: two stops."""
SAMPLES, OUTSIDE = 20000, 4000
SIZE, SIZE_OF_SCENE, SIZE_OF_TRIAL = 33, 65, 17
"""Entries along each axis if none are asked for, without and behind a shaper; and of the cubes that choose the toe."""
INTERPOLATIONS = {"linear": "trilinear", "tetrahedral": "tetrahedral"}
"""How a reader may interpolate the cube, and Lut3d's word for it."""


@dataclass(frozen=True)
class BakeReport:
    """How well a baked LUT stands for its grade.

    Errors are against the float64 reference, divided by max(1, the pixel's largest channel). `max_error` and
    `mean_error` are of colours within the domain, spread evenly over the stops (over the domain where there is no
    shaper), `outside_error` of colours with a channel below it or up to two stops above.
    """

    size: int
    domain: tuple[float, float]
    shaper: int
    """Entries of the shaper; 0 where there is none."""
    max_error: float
    mean_error: float
    outside_error: float
    cut_off: bool
    """Whether the format's whole numbers cut off results below 0 or above 1."""
    held: float = 0.0
    """Share of the colours within the domain whose results lie beyond 65504 or are no number. They have no error."""

    @property
    def error(self) -> str:
        """For people: how far it is off within the domain."""
        return f"error {self.mean_error:.2g} on average, {self.max_error:.2g} at most"

    @property
    def text(self) -> str:
        """For people: what was baked, and how far it is off."""
        low, high = self.domain
        shaper = f" behind a shaper of {self.shaper}" if self.shaper else ""
        cut = "; results beyond 0..1 are cut off" if self.cut_off else ""
        held = f"; {100 * self.held:.2g} % of the colours lie beyond 65504 and are held there" if self.held else ""
        return (
            f"{self.size} entries along each axis{shaper}, for light of {low:g}..{high:g}; {self.error}, "
            f"outside of that light up to {self.outside_error:.2g}{cut}{held}"
        )

    @property
    def doubtful(self) -> bool:
        """Whether a person should look at what is lost."""
        return self.cut_off or self.held > 0.0 or self.max_error > MUCH


def bake(
    ops: Iterable[Op],
    path: str | Path,
    size: int = 0,
    *,
    domain: tuple[float, float] | None = None,
    shaper: bool = True,
    interpolation: str = "linear",
    execute: Execute | None = None,
    force: bool = True,
) -> BakeReport:
    """Write ops as a LUT of `size` entries along each axis, whole or not at all, and say how good it is.

    The suffix says the format. `domain` is the light that the LUT answers: SCENE where the format has a shaper, else
    0..1. A shaper is written where the domain ends above 1, unless `shaper` is off. Its finest step is a 65535th of
    the domain, so 16 or 64 serve shadows better than 65504. `size` 0 is 65 behind a shaper, else 33. `interpolation`,
    which no format says, is what the reader is taken to do: linear or tetrahedral. `execute` runs ops on RGBA float64
    (n, 4); without it the float64 reference does. Raises UnsupportedFile for another suffix; GradeError for an op that
    looks at neighbouring pixels, ops that give no number below 65504 for most colours, or what the format can't say;
    TargetExists for a file that is there, without `force`; WriteFailed where the file can't be written.
    """
    path = Path(path)
    fmt = LUT_FORMATS.get(path.suffix.lower())
    if fmt is None:
        raise UnsupportedFile(path, "is not the name of a LUT file", f"end it in {', '.join(LUT_FORMATS)}")
    domain = domain or (SCENE if fmt.shaper and shaper else UNIT)
    shaped = shaper and fmt.shaper and domain[1] > 1.0
    size = size or (SIZE_OF_SCENE if shaped else SIZE)
    _check(path.suffix, size, domain, fmt.shaper)
    job = _Job(_point_ops(ops), execute or _reference, domain, INTERPOLATIONS[interpolation])
    light, outside = _light(domain, shaped), _outside(domain)
    right, toe = job.run(light), 0.0
    held = float(_beyond(right).mean())
    if held > MOST_CLAMPED:
        raise GradeError(f"the grade gives no number below {LARGEST:g} for most colours", "bake another, or less light")
    if shaped:
        toe = min(TOES, key=lambda toe: _errors(job.baked(min(size, SIZE_OF_TRIAL), toe), light, right).mean())
    baked = fmt.stored(job.baked(size, toe))
    errors, beyond = _errors(baked, light, right), _errors(baked, outside, job.run(outside))
    write_text(path, fmt.text(path.stem, baked), force)
    entries = baked.shaper.curve.size if baked.shaper else 0
    within = (float(errors.max()), float(errors.mean()))
    return BakeReport(size, domain, entries, *within, float(beyond.max(initial=0.0)), baked.cut_off, held)


def _check(suffix: str, size: int, domain: tuple[float, float], shaper: bool) -> None:
    low, high = domain
    if not 2 <= size <= LARGEST_CUBE or not -np.inf < low < high < np.inf:
        raise GradeError(
            f"can't bake {size} entries over {low:g}..{high:g}", f"bake 2 to {LARGEST_CUBE}, over a range that rises"
        )
    if domain != UNIT and not shaper:
        raise GradeError(f"a {suffix} answers light of 0..1 only, not {low:g}..{high:g}", "write a .cube or .csp")


def _point_ops(ops: Iterable[Op]) -> list[ColorOp]:
    point_ops = []
    for op in ops:
        if not isinstance(op, ColorOp):
            raise GradeError(f"{op.title()} looks at neighbouring pixels, which a LUT can't", "leave it out")
        point_ops.append(op)
    return point_ops


def _reference(ops: Sequence[ColorOp], rgba: Array) -> Array:
    for op in ops:
        rgba = op.reference(rgba)
    return rgba


@dataclass(frozen=True)
class _Job:
    """What is baked, over which domain and for which interpolation."""

    ops: Sequence[ColorOp]
    execute: Execute
    domain: tuple[float, float]
    interpolation: str

    def run(self, rgba: Array) -> Array:
        return self.execute(self.ops, rgba)

    def baked(self, size: int, toe: float) -> Baked:
        """The cube, behind a shaper whose toe is a part `toe` of the domain's end, or none where that is 0."""
        low, high = ends = self.domain
        axis, shaper = np.linspace(low, high, size), None
        if toe:
            shaper, ends = _shaper(self.domain, toe), UNIT
            curve = shaper.curve.array[:, 0].astype(np.float64)
            axis = np.interp(np.linspace(0.0, 1.0, size), curve, np.linspace(low, high, len(curve)))
        grid = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
        cube = self._held(np.column_stack([grid, np.ones(len(grid))])).astype(np.float32).reshape(size, size, size, 3)
        return Baked(Lut3d(Table(cube), (ends[0],) * 3, (ends[1],) * 3, self.interpolation), shaper)

    def _held(self, rgba: Array) -> Array:
        """The graded RGB. What lies beyond LARGEST is graded anew, held after every op."""
        graded = self.run(rgba)
        if (beyond := _beyond(graded)).any():
            again = rgba[beyond]
            for op in self.ops:
                again = np.clip(np.nan_to_num(self.execute([op], again), nan=0.0), -LARGEST, LARGEST)
            graded[beyond] = again
        return graded[:, :3]


def _shaper(domain: tuple[float, float], toe: float) -> Lut1d:
    """log2(1 + |x| / (toe * high)) with the sign of x over low..high, scaled onto 0..1."""
    low, high = domain
    entries = int(np.clip(ENTRIES_IN_TOE / toe * (high - low) / high + 1.0, SHORTEST_SHAPER, LONGEST_SHAPER))
    x = np.linspace(low, high, entries) / high
    curve = np.copysign(np.log2(1.0 + np.abs(x) / toe), x)
    return Lut1d(Table((curve - curve[0]) / (curve[-1] - curve[0])), domain, "uniform")


def _light(domain: tuple[float, float], stops: bool) -> Array:
    """RGBA colours to measure the error on: greys and colours, even over the stops or over the domain."""
    low, high = domain
    rng = np.random.default_rng(2024)
    where = rng.random((SAMPLES, 3))
    where[: SAMPLES // 4] = where[: SAMPLES // 4, :1]
    rgb = DARKEST * (high / DARKEST) ** where if stops else low + (high - low) * where
    if stops and low < 0.0:
        rgb = np.where(rng.random((SAMPLES, 3)) < 0.25, low * where, rgb)
    return np.column_stack([rgb, np.ones(SAMPLES)])


def _outside(domain: tuple[float, float]) -> Array:
    """RGBA colours of which one channel or more lies below the domain or above it."""
    low, high = domain
    rng = np.random.default_rng(2025)
    where = rng.random((OUTSIDE, 3))
    below, above = low - 0.1 * where, high + (abs(high) * (BEYOND - 1.0)) * where
    out = np.where(rng.random((OUTSIDE, 3)) < 0.5, below, above)
    inside = low + (high - low) * where**2
    which = np.eye(3, dtype=bool)[rng.integers(0, 3, OUTSIDE)] | (rng.random((OUTSIDE, 3)) < 0.3)
    return np.column_stack([np.where(which, out, inside), np.ones(OUTSIDE)])


def _beyond(graded: Array) -> NDArray[np.bool_]:
    return np.asarray(~(np.abs(graded[:, :3]) <= LARGEST).all(axis=1))


def _errors(baked: Baked, light: Array, right: Array) -> Array:
    """Of the colours whose results are within LARGEST."""
    light, right = light[~_beyond(right)], right[~_beyond(right)]
    shaped = light if baked.shaper is None else baked.shaper.reference(light)
    ours, wanted = baked.cube.reference(shaped)[:, :3], right[:, :3]
    largest = np.maximum(np.abs(wanted).max(axis=1), 1.0)
    return np.asarray(np.abs(ours - wanted).max(axis=1) / largest)
