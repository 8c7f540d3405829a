"""Examples of every source, made from its fields, and pixels for it that lie on its edges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any, cast

import numpy as np

from engine.kernel.op import Choice, Slider
from engine.mattes import SOURCES, MatteSource
from tests.engine.mattes.formulas import Scene

Rng = np.random.Generator
SPAN = 400
"""The part of the image, in pixels, around which windows are drawn."""


def _points(rng: Rng, origin: tuple[float, float]) -> Any:
    """A path of 0 to 6 vertices on half pixels, as far as float32 knows them, with handles or none."""
    count = int(rng.integers(0, 7))
    at = np.round(rng.uniform(0.0, SPAN, (count, 2)) * 2.0) / 2.0 + origin
    handles = np.round(rng.normal(0.0, SPAN / 8.0, (count, 4))) * rng.choice((0.0, 1.0))
    return tuple(tuple(row) for row in np.concatenate([at, handles], axis=1).tolist())


def _samples(rng: Rng, most: int) -> Any:
    count = int(rng.integers(0, most + 1))
    return tuple(tuple(row) for row in (2.0 ** rng.uniform(-8.0, 3.0, (count, 3))).tolist())


PLAIN: dict[str, Callable[[Rng], Any]] = {
    "added": lambda rng: _samples(rng, 12),
    "removed": lambda rng: _samples(rng, 5),
    "channel": lambda rng: str(rng.choice(("A", "Z", "id", "mask.ü"))),
    "channels": lambda rng: (("P.X", "P.Y", "P.Z"), ("N.R", "N.G", "N.B"))[rng.integers(2)],
    "part": lambda rng: str(rng.choice(("", "beauty"))),
    "layer": lambda rng: str(rng.choice(("CryptoObject", "diffuse"))),
    "names": lambda rng: ("hero*", "a [b] ?")[: rng.integers(3)],
    "ids": lambda rng: (7, 0xFFFFFFFF, 0)[: rng.integers(4)],
    "path": lambda rng: str(rng.choice(("", "mattes/sky.####.exr"))),
}
"""Values of fields that are neither sliders nor choices, by name."""
POSITIONS = ("center", "start", "end")
LENGTHS = ("size", "radius", "outer", "inner", "softness_in", "softness_out")


def _number(name: str, kind: Slider, rng: Rng) -> float:
    if kind.unit == "px" and name in LENGTHS:
        values = 0.0, 0.7, 3.3, *rng.uniform(1.0, SPAN, 3)
    elif name == "aspect":
        values = 1.0, *rng.uniform(0.3, 3.0, 3)
    else:
        low, high = kind.visible or (kind.low, kind.high)
        values = low, *rng.uniform(low, high, 5)
    value = float(rng.choice(values))
    return value if kind.minimum is None else max(value, kind.minimum)


def _slider(name: str, kind: Slider, rng: Rng, origin: tuple[float, float]) -> Any:
    if kind.unit == "px" and name in POSITIONS:
        return tuple(float(rng.uniform(0.0, SPAN) + o) for o in origin)
    numbers = tuple(_number(name, kind, rng) for _ in range(max(kind.size, 1)))
    return numbers if kind.size else numbers[0]


def plain_fields(cls: type[MatteSource]) -> tuple[str, ...]:
    """The names of the fields that are neither sliders nor choices."""
    return tuple(field.name for field in fields(cast(Any, cls)) if field.name not in cls.kinds())


def example(cls: type[MatteSource], rng: Rng, origin: tuple[float, float] = (0.0, 0.0), **given: Any) -> MatteSource:
    """A source with fields at random; a window lies around `origin`."""
    values: dict[str, Any] = {}
    for name, kind in cls.kinds().items():
        if isinstance(kind, Slider):
            values[name] = _slider(name, kind, rng, origin)
        elif isinstance(kind, Choice):
            values[name] = str(rng.choice(kind.options))
    for name in plain_fields(cls):
        values[name] = _points(rng, origin) if name == "points" else PLAIN[name](rng)
    if not any(values.get("direction", (1.0,))):
        values["direction"] = (0.0, 0.0, 1.0)
    return cls(**values | given)


def examples_of(cls: type[MatteSource], count: int, seed: int = 1, **where: Any) -> Iterator[MatteSource]:
    """Sources with fields at random."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield example(cls, rng, **where)


def scene(source: MatteSource, count: int = 3000, seed: int = 2, origin: tuple[float, float] = (0.0, 0.0)) -> Scene:
    """Pixels around a source: colours near its samples, planes near the ends of its ranges."""
    rng = np.random.default_rng(seed)
    x, y = (np.floor(rng.uniform(-0.1 * SPAN, 1.1 * SPAN, count)) + 0.5 + o for o in origin)
    rgb = 2.0 ** rng.uniform(-9.0, 5.0, (count, 3))
    rgb[: count // 3] = rgb[: count // 3, :1] * rng.uniform(0.9, 1.1, (count // 3, 3))
    rgb[count // 3 : count // 2] -= 0.05
    for number, sample in enumerate(getattr(source, "added", ())):
        rgb[number::20] = np.array(sample) * 2.0 ** rng.normal(0.0, 0.4, rgb[number::20].shape)
    return Scene(x, y, rgb.astype(np.float32).astype(np.float64), _planes(source, count, rng))


def _planes(source: MatteSource, count: int, rng: Rng) -> Any:
    """Numbers within and around what the sliders of a source hold."""
    center = np.resize(getattr(source, "center", 0.0), len(source.planes) or 1)
    names = "low", "high", "near", "far", "soft_low", "soft_high", "falloff_near", "size", "radius", "softness"
    reach = max([1.0, *(float(np.max(getattr(source, name, 0.0))) for name in names)])
    planes = rng.uniform(-1.5, 1.5, (count, len(center))) * reach + center
    planes[::7] = 0.0
    planes[::11] = np.resize([getattr(source, name, 1.0) for name in ("low", "high")], planes[::11].shape)
    return planes.astype(np.float32).astype(np.float64)


ALL = list(SOURCES.values())
"""Every source."""
