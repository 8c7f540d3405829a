"""Baking of a grade into a 3D LUT file for other programs: .cube, .csp, .spi3d or .3dl.

For a domain up to 1, the 3D LUT stands alone. Beyond 1, it would spend its entries on the highlights, so a shaper comes
first: a 1D LUT of log2(1 + |x| / toe) with the sign of x, linear near 0 and logarithmic beyond. The file stores its
entries, spread evenly over the domain and interpolated linearly; the 3D LUT is computed for exactly this interpolation,
so that the shaper adds no error. `engine.luts.text_formats` writes the formats.

The input is clamped to the domain, so values outside it map to the faces of the 3D LUT. The output, and intermediate
values where needed, are clamped to the range of half precision: a grade in a logarithm gives larger values, and even
infinities, for some colours at the edge of a camera's gamut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.atomic import write_text
from engine.core.records import dataclass
from engine.errors import GradeError, UnsupportedFile
from engine.grade.masking import matted_name, reads_place
from engine.kernel.fields import LARGEST_CUBE
from engine.kernel.op import ColorOp, Op, Table
from engine.luts.text_formats import LUT_FORMATS, Baked
from engine.ops import Lut1d, Lut3d

Array = NDArray[np.float64]
Execute = Callable[[Sequence[ColorOp], Array], Array]

SCENE = (0.0, 64.0)
"""Default domain of formats with a shaper: scene-linear values up to 8.5 stops above mid grey."""
UNIT = (0.0, 1.0)
SHORTEST_SHAPER, LONGEST_SHAPER = 4096, 65536
ENTRIES_IN_TOE = 8
"""Minimum number of shaper entries in the toe, as far as the longest shaper allows."""
TOES = tuple(2.0**-stops for stops in range(2, 15, 2))
"""Candidate toes, as fractions of the domain's end; the one with the smallest mean error is used."""
LARGEST = 65504.0
"""The largest half-precision number."""
MOST_CLAMPED = 0.5
"""Largest share of colours whose results may be beyond LARGEST."""
MUCH = 0.05
"""A visible error."""
DARKEST = 0.002
"""Smallest scene-linear value that the error is measured on: 6.5 stops below mid grey."""
BEYOND = 4.0
"""The error outside the domain is measured up to this multiple of its end: two stops."""
SAMPLES, OUTSIDE = 20000, 4000
SIZE, SIZE_OF_SCENE, SIZE_OF_TRIAL = 33, 65, 17
"""Default entries per axis, without and with a shaper; and those of the 3D LUTs that select the toe."""
INTERPOLATIONS = {"linear": "trilinear", "tetrahedral": "tetrahedral"}
"""Interpolations of a reader -> those of Lut3d."""


@dataclass(frozen=True)
class BakeReport:
    """How well a baked LUT matches its grade.

    Errors are relative to the float64 reference, divided by max(1, the pixel's largest channel). `max_error` and
    `mean_error` are for colours within the domain, spread evenly over the stops (over the domain without a shaper),
    `outside_error` for colours with a channel below the domain or up to two stops above.
    """

    size: int
    domain: tuple[float, float]
    shaper: int
    """Entries of the shaper; 0 without one."""
    max_error: float
    mean_error: float
    outside_error: float
    cut_off: bool
    """Whether the integer format clamped results below 0 or above 1."""
    clamped_share: float = 0.0
    """Share, 0..1, of the colours in the domain whose results are beyond 65504 or not finite. They count no error."""

    @property
    def error(self) -> str:
        """The error within the domain, as text for the user."""
        return f"error {self.mean_error:.2g} on average, {self.max_error:.2g} at most"

    @property
    def text(self) -> str:
        """What was baked and its errors, as text for the user."""
        low, high = self.domain
        shaper = f" after a shaper of {self.shaper}" if self.shaper else ""
        cut = "; results outside 0..1 are clamped" if self.cut_off else ""
        clamped = (
            f"; {100 * self.clamped_share:.2g} % of the colours exceed 65504 and are clamped"
            if self.clamped_share
            else ""
        )
        return (
            f"{self.size} entries per axis{shaper}, for values of {low:g}..{high:g}; {self.error}, "
            f"outside that range up to {self.outside_error:.2g}{cut}{clamped}"
        )

    @property
    def doubtful(self) -> bool:
        """Whether the user should check the result."""
        return self.cut_off or self.clamped_share > 0.0 or self.max_error > MUCH


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
    """Write ops as a LUT of `size` entries per axis, whole or not at all, and report its errors.

    The suffix selects the format. `domain` is the input range of the LUT: by default SCENE if the format has a shaper,
    else 0..1. A shaper is written if the domain ends above 1, unless `shaper` is False. Its finest step is 1/65535 of
    the domain, so a domain up to 16 or 64 keeps shadows better than one up to 65504. `size` 0 means 65 with a shaper,
    else 33. `interpolation`, which no format states, is the one that the reader is assumed to use: linear or
    tetrahedral. `execute` runs ops on RGBA float64 (n, 4); by default the float64 reference does. Raises
    UnsupportedFile for another suffix; GradeError for an op that reads neighbouring pixels, ops without a result below
    65504 for most colours, or what the format can't store; TargetExists for an existing file without `force`;
    WriteFailed if the file can't be written.
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
    inside, outside = _inside(domain, shaped), _outside(domain)
    right, toe = job.run(inside), 0.0
    clamped = float(_beyond(right).mean())
    if clamped > MOST_CLAMPED:
        raise GradeError(
            f"the grade gives no number below {LARGEST:g} for most colours", "bake another, or a smaller domain"
        )
    if shaped:
        toe = min(TOES, key=lambda toe: _errors(job.baked(min(size, SIZE_OF_TRIAL), toe), inside, right).mean())
    baked = fmt.stored(job.baked(size, toe))
    errors, beyond = _errors(baked, inside, right), _errors(baked, outside, job.run(outside))
    write_text(path, fmt.text(path.stem, baked), force)
    entries = baked.shaper.curve.size if baked.shaper else 0
    within = (float(errors.max()), float(errors.mean()))
    return BakeReport(size, domain, entries, *within, float(beyond.max(initial=0.0)), baked.cut_off, clamped)


def _check(suffix: str, size: int, domain: tuple[float, float], shaper: bool) -> None:
    low, high = domain
    if not 2 <= size <= LARGEST_CUBE or not -np.inf < low < high < np.inf:
        raise GradeError(
            f"can't bake {size} entries over {low:g}..{high:g}", f"bake 2 to {LARGEST_CUBE}, over an ascending range"
        )
    if domain != UNIT and not shaper:
        raise GradeError(f"a {suffix} covers values of 0..1 only, not {low:g}..{high:g}", "write a .cube or .csp")


def _point_ops(ops: Iterable[Op]) -> list[ColorOp]:
    point_ops = []
    for op in ops:
        if name := matted_name(op):
            raise GradeError(f"{name} has a matte, which a LUT can't store", "export the image, or bypass the entry")
        if reads_place(op):
            what = f"{op.title()} depends on the place of a pixel, which a LUT can't store"
            raise GradeError(what, "export the image, or bypass it")
        if not isinstance(op, ColorOp):
            raise GradeError(f"{op.title()} reads neighbouring pixels, which a LUT can't", "leave it out")
        point_ops.append(op)
    return point_ops


def _reference(ops: Sequence[ColorOp], rgba: Array) -> Array:
    for op in ops:
        rgba = op.reference(rgba)
    return rgba


@dataclass(frozen=True)
class _Job:
    """The ops to bake, the domain and the interpolation."""

    ops: Sequence[ColorOp]
    execute: Execute
    domain: tuple[float, float]
    interpolation: str

    def run(self, rgba: Array) -> Array:
        return self.execute(self.ops, rgba)

    def baked(self, size: int, toe: float) -> Baked:
        """Return the 3D LUT, after a shaper with a toe of the fraction `toe` of the domain's end; no shaper if 0."""
        low, high = ends = self.domain
        axis, shaper = np.linspace(low, high, size), None
        if toe:
            shaper, ends = _shaper(self.domain, toe), UNIT
            curve = shaper.curve.array[:, 0].astype(np.float64)
            axis = np.interp(np.linspace(0.0, 1.0, size), curve, np.linspace(low, high, len(curve)))
        grid = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
        cube = (
            self._clamped(np.column_stack([grid, np.ones(len(grid))])).astype(np.float32).reshape(size, size, size, 3)
        )
        return Baked(Lut3d(Table(cube), (ends[0],) * 3, (ends[1],) * 3, self.interpolation), shaper)

    def _clamped(self, rgba: Array) -> Array:
        """Return the graded RGB. Colours with results beyond LARGEST are graded again, clamped after every op."""
        graded = self.run(rgba)
        if (beyond := _beyond(graded)).any():
            again = rgba[beyond]
            for op in self.ops:
                again = np.clip(np.nan_to_num(self.execute([op], again), nan=0.0), -LARGEST, LARGEST)
            graded[beyond] = again
        return graded[:, :3]


def _shaper(domain: tuple[float, float], toe: float) -> Lut1d:
    """Return log2(1 + |x| / (toe * high)) with the sign of x over low..high, scaled to 0..1."""
    low, high = domain
    entries = int(np.clip(ENTRIES_IN_TOE / toe * (high - low) / high + 1.0, SHORTEST_SHAPER, LONGEST_SHAPER))
    x = np.linspace(low, high, entries) / high
    curve = np.copysign(np.log2(1.0 + np.abs(x) / toe), x)
    return Lut1d(Table((curve - curve[0]) / (curve[-1] - curve[0])), domain, "uniform")


def _inside(domain: tuple[float, float], stops: bool) -> Array:
    """Return RGBA greys and colours to measure the error on, spread evenly over the stops or over the domain."""
    low, high = domain
    rng = np.random.default_rng(2024)
    where = rng.random((SAMPLES, 3))
    where[: SAMPLES // 4] = where[: SAMPLES // 4, :1]
    rgb = DARKEST * (high / DARKEST) ** where if stops else low + (high - low) * where
    if stops and low < 0.0:
        rgb = np.where(rng.random((SAMPLES, 3)) < 0.25, low * where, rgb)
    return np.column_stack([rgb, np.ones(SAMPLES)])


def _outside(domain: tuple[float, float]) -> Array:
    """Return RGBA colours with one or more channels below or above the domain."""
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


def _errors(baked: Baked, rgba: Array, right: Array) -> Array:
    """Return the errors of the colours whose results are within LARGEST."""
    rgba, right = rgba[~_beyond(right)], right[~_beyond(right)]
    shaped = rgba if baked.shaper is None else baked.shaper.reference(rgba)
    ours, wanted = baked.cube.reference(shaped)[:, :3], right[:, :3]
    largest = np.maximum(np.abs(wanted).max(axis=1), 1.0)
    return np.asarray(np.abs(ours - wanted).max(axis=1) / largest)
