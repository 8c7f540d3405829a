"""Images of a wide range, and hypothesis strategies for ops, tables and chains, made from the ops' own fields."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import engine.ops
from engine.errors import GradeError
from engine.kernel.op import Choice, ColorOp, ImageOp, Op, Slider, Table, TableKind, color_ops

assert engine.ops.__all__  # importing the package is what fills the registry

NOTABLE: tuple[float, ...] = (
    -65504.0,
    -100.0,
    -1.0,
    -0.18,
    -1e-8,
    -1e-40,
    -0.0,
    0.0,
    1e-40,
    1e-8,
    1e-3,
    0.0031308,
    0.04045,
)
NOTABLE = (*NOTABLE, 0.18, 0.5, 0.99, 1.0, 1.01, 2.0, 16.0, 100.0, 65504.0)
NONFINITE = (np.nan, np.inf, -np.inf, 0.0, 0.18, 65504.0)
STEPS = 256
"""Positions of a slider that are tried; those of the tests, not of the control."""


def wide(dtype: Any = np.float32, channels: int = 4, seed: int = 5) -> NDArray[Any]:
    """An image with everything that breaks arithmetic: greys, pairs and triples of notable and of non-finite values,
    ramps through 0 and 1, noise within 0..1, over twelve stops, and of either sign. 37 columns: no block's multiple."""
    rng = np.random.default_rng(seed)
    greys = np.repeat(np.array(NOTABLE)[:, None], 3, axis=1)
    few = np.array(NOTABLE)[rng.integers(0, len(NOTABLE), (420, 3))]
    ramp = np.repeat(np.linspace(-0.25, 1.25, 301)[:, None], 3, axis=1) * (1.0, 0.7, 1.3)
    unit = rng.random((500, 3))
    stops = 2.0 ** rng.uniform(-9.0, 7.0, (300, 3))
    signed = rng.normal(0.0, 2.0, (200, 3))
    rgb = np.concatenate([greys, few, _triples(NONFINITE), ramp, unit, stops, signed])
    alpha = np.resize((0.0, 0.25, 0.5, 1.0, -1.0, 2.0, np.inf, 0.75, np.nan), len(rgb))
    pixels = np.column_stack([rgb, alpha])[:, :channels]
    rows = -(-len(pixels) // 37)
    with np.errstate(over="ignore"):
        return np.resize(pixels, (rows, 37, channels)).astype(dtype)


def plain(height: int = 53, width: int = 71, channels: int = 4, dtype: Any = np.float32, seed: int = 3) -> NDArray[Any]:
    """Ordinary scene light: finite noise of -0.1..4, alpha 0..1."""
    rng = np.random.default_rng(seed)
    pixels = rng.uniform(-0.1, 4.0, (height, width, channels))
    if channels == 4:
        pixels[..., 3] = rng.random((height, width))
    return pixels.astype(dtype)


def _triples(values: tuple[float, ...]) -> NDArray[np.float64]:
    return np.array(list(itertools.product(values, repeat=3)))


def rgba64(pixels: NDArray[Any]) -> NDArray[np.float64]:
    """What an op sees of an image: float64, with an alpha of 1 where there is none."""
    wide64 = pixels.astype(np.float64)
    if wide64.shape[-1] == 4:
        return wide64
    return np.concatenate([wide64, np.ones((*wide64.shape[:-1], 1))], axis=-1)


# --- strategies -------------------------------------------------------------------------------------------------


def sliders(kind: Slider) -> st.SearchStrategy[Any]:
    """The default, the ends and what lies between; never below what has a meaning."""
    low = kind.low if kind.minimum is None else max(kind.low, kind.minimum)
    one = st.integers(0, STEPS).map(lambda k: low + (kind.high - low) * k / STEPS)
    if not kind.size:
        return st.one_of(st.just(kind.default), one)
    several = st.tuples(*[one] * kind.size)
    equal = one.map(lambda x: (x,) * kind.size)
    return st.one_of(st.just(kind.default), several, several, equal)


@st.composite
def curves(draw: st.DrawFn, size: int | None = None) -> Table:
    """A curve of 2 to 65 entries (or `size`), 1 or 3 channels: rising, falling, or of any shape."""
    size = size or draw(st.one_of(st.sampled_from((2, 3, 65)), st.integers(2, 65)))
    channels = draw(st.sampled_from((1, 3)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = rng.random((size, channels))
    if draw(st.booleans()):
        values = np.cumsum(values, axis=0) / (0.5 * size) * draw(st.sampled_from((1.0, -1.0)))
    return Table(values * draw(st.sampled_from((1.0, 1.0, 20.0))) - draw(st.sampled_from((0.0, 0.25))))


@st.composite
def cubes(draw: st.DrawFn) -> Table:
    """A cube of 2 to 17 entries: a bent identity or of any shape."""
    size = draw(st.sampled_from((2, 3, 5, 17)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = rng.random((size, size, size, 3))
    if draw(st.booleans()):
        axis = np.linspace(0.0, 1.0, size) ** rng.uniform(0.5, 2.0)
        grid = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1)
        values = grid + 0.1 * (values - 0.5)
    return Table(values)


def bent_cube(size: int, rng: np.random.Generator) -> Table:
    """A cube that gives no colour twice: channels that mix a little, and a power."""
    grid = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, size)] * 3, indexing="ij"), axis=-1)
    mix = np.eye(3) + rng.uniform(0.0, 0.2, (3, 3))
    return Table(0.05 + 0.9 * (grid @ (mix / mix.sum(axis=1, keepdims=True)).T) ** rng.uniform(0.7, 1.4, 3))


def half_curve(channels: int = 3, seed: int = 0) -> Table:
    """A curve with an entry for each half-precision bit pattern; Inf and NaN give numbers."""
    x = np.arange(65536, dtype=np.uint16).view(np.float16).astype(np.float64)
    x = np.clip(np.nan_to_num(x, nan=0.5), -65504.0, 65504.0)
    gains = np.random.default_rng(seed).uniform(0.2, 1.5, channels)
    return Table(np.sign(x)[:, None] * np.abs(x)[:, None] ** 0.6 * gains)


HALF_CURVES = (half_curve(1, 1), half_curve(3, 2))


@st.composite
def control_points(draw: st.DrawFn) -> Table:
    """Four points (x, y, slope) that rise in x and y from near 0 to near 1; slopes of 0 stand for fitting ones."""
    steps = draw(st.lists(st.integers(1, 16), min_size=8, max_size=8))
    rising = np.cumsum(np.reshape(steps, (4, 2)), axis=0).astype(np.float64)
    return Table(np.column_stack([rising / (rising[-1] + 1.0), np.zeros(4)]))


def tables(kind: TableKind) -> st.SearchStrategy[Table]:
    if "points" in kind.help:
        return control_points()
    return curves() if kind.shape == "curve" else cubes()


def _half_domain(values: dict[str, Any]) -> None:
    if values["index"] == "half":
        values["curve"] = HALF_CURVES[values["curve"].channels // 2]
        if values.get("entries") == "4096":
            values["entries"] = "65536"


def _one_to_one(values: dict[str, Any]) -> None:
    cube = values["cube"]
    values["cube"] = bent_cube(min(cube.size, 5), np.random.default_rng(int(cube.name[:8], 16)))


def _diagonal(values: dict[str, Any]) -> None:
    if values["form"] == "diagonal":
        values["matrix"] = tuple(0.0 if i % 5 else x for i, x in enumerate(values["matrix"]))


def _straight_beside_master(values: dict[str, Any]) -> None:
    if values["curves"] == "master":
        values.update(dict.fromkeys(("red", "green", "blue"), Table([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]])))


PRIMARIES = (
    (0.64, 0.33, 0.30, 0.60, 0.15, 0.06, 0.3127, 0.3290),
    (0.68, 0.32, 0.265, 0.69, 0.15, 0.06, 0.3127, 0.3290),
    (0.708, 0.292, 0.170, 0.797, 0.131, 0.046, 0.3127, 0.3290),
    (0.7347, 0.2653, 0.0, 1.0, 0.0001, -0.077, 0.32168, 0.33767),
)
"""xy of red, green, blue and white of Rec.709, P3, Rec.2020 and AP0."""


def _real_primaries(values: dict[str, Any]) -> None:
    if "primaries" in values:
        values["primaries"] = PRIMARIES[int(sum(values["primaries"]) * 64) % len(PRIMARIES)]


def _positive_zones(values: dict[str, Any]) -> None:
    for name, numbers in values.items():
        saturated = (*numbers[:4], abs(numbers[4]))
        values[name] = (*saturated, numbers[5], abs(numbers[6]) + 0.1) if len(numbers) == 7 else saturated


def _few_pins(values: dict[str, Any]) -> None:
    """Up to four pins that lie apart, now and then in the last places: those on one colour pull it both ways."""
    drawn = {name: numbers for name, numbers in values.items() if name.startswith("pin_") and numbers[6]}
    values.update({name: (0.0,) * 8 for name in values if name.startswith("pin_")})
    for at, (_, numbers) in enumerate(list(drawn.items())[:4]):
        hue, saturation, lightness, *to, radius, strength = numbers
        source = 90.0 * at + hue * 0.6, 20.0 + saturation * 0.6, lightness * 0.1 - 5.0
        target = source[0] + to[0] - 50.0, source[1] * to[1] / 50.0, source[2] + to[2] * 0.04 - 2.0
        name = f"pin_{(1 + at) if len(drawn) % 4 else (16 - at)}"
        values[name] = (*source, *target, 10.0 + radius * 0.3, strength)


def _gentle_nodes(values: dict[str, Any]) -> None:
    """Shifts that hardly fold: neighbours that are far apart bend the spline between them steeply."""
    values.update({name: tuple(0.15 * x for x in numbers) for name, numbers in values.items()})


FITTED: dict[str, Callable[[dict[str, Any]], None]] = {
    "HdrWheels": _positive_zones,
    "Lut1d": _half_domain,
    "InverseLut1d": _half_domain,
    "InverseLut3d": _one_to_one,
    "Matrix": _diagonal,
    "GradingRgbCurve": _straight_beside_master,
    "ColorWarp": _few_pins,
    "HueLumaGrid": _gentle_nodes,
}
"""Brings together the fields that chance alone never does."""


@st.composite
def ops_of(draw: st.DrawFn, cls: type[Op], choices: dict[str, str] | None = None) -> Any:
    """An op of a class, with the given choices or any.

    Where fields contradict each other they go back to their defaults one by one, until they don't.
    """
    values: dict[str, Any] = {}
    for name, kind in cls.kinds().items():
        if isinstance(kind, Slider):
            values[name] = draw(sliders(kind))
        elif isinstance(kind, TableKind):
            values[name] = draw(tables(kind))
        else:
            values[name] = (choices or {}).get(name) or draw(st.sampled_from(kind.options))
    FITTED.get(cls.__name__, _real_primaries)(values)
    for name, default in [(n, k.default) for n, k in cls.kinds().items() if isinstance(k, Slider)]:
        try:
            return cls(**values)
        except GradeError:
            values[name] = default
    return cls(**values)


def structures() -> Iterator[tuple[type[ColorOp], dict[str, str]]]:
    """Every colour op with every combination of its choices, except those that contradict each other.

    Without those that read the place of pixels, which their own tests give them.
    """
    for cls in (each for each in color_ops() if not each.placed):
        options = {name: kind.options for name, kind in cls.kinds().items() if isinstance(kind, Choice)}
        for words in itertools.product(*options.values()):
            yield cls, dict(zip(options, words, strict=True))


OF_APPEARANCE: tuple[str, ...] = ("Aces2GamutCompress", "Aces2Jmh", "Aces2OutputTransform", "Aces2ToneCompress")
OF_APPEARANCE = (*OF_APPEARANCE, "GradingHueCurve", "RgbHsy")
"""Ops that reckon in hues: of ordinary light, or of the coordinates that it has, and of little else."""


IN_CHAINS = [cls for cls in color_ops() if cls.__name__ not in OF_APPEARANCE and not cls.placed]
"""Ops whose result another op may be given: the others' are hues and the like, or want such, or read the place."""


def any_color_op() -> st.SearchStrategy[ColorOp]:
    """An op of any class that takes any pixel."""
    return st.sampled_from(IN_CHAINS).flatmap(ops_of)


def chains(low: int = 1, high: int = 6) -> st.SearchStrategy[list[ColorOp]]:
    """One to six colour ops in any order."""
    return st.lists(any_color_op(), min_size=low, max_size=high)


@st.composite
def image_ops(draw: st.DrawFn, width: int, height: int) -> ImageOp:
    """A blur or a resize of a small image."""
    if draw(st.booleans()):
        return engine.ops.Blur(draw(st.sampled_from((0.4, 1.0, 2.5, 9.0))))
    filters = engine.ops.Resize.kinds()["filter"].options  # type: ignore[union-attr]
    side = st.integers(1, 2 * max(width, height))
    return engine.ops.Resize(draw(side), draw(side), draw(st.sampled_from(filters)))
