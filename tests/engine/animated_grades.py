"""Grades with keys, at random: curves that pass the values at which an op, a blend or a matte does nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import Grade, Group, Layer, ops
from engine.errors import GradeError
from engine.grade.curves import INTERPOLATIONS, Curve, Key, Keys
from engine.grade.keys import keys_of, numbers_of
from engine.kernel.fields import Slider
from engine.mattes import Leaf, Matte, Path
from engine.mattes.tree import nodes
from tests.engine.matte_grades import BOX, FAR, HERO, RAMP, RED, SKIN, SKIN_AFTER, SOFT, UP, branch

Rng = np.random.Generator
FRAMES = 12
"""Keys lie at frames 0 to FRAMES."""
VERTICES = tuple(
    (x, y, -20.0, 9.0, 20.0, -9.0) for x, y in ((60.0, 60.0), (280.0, 90.0), (240.0, 280.0), (80.0, 250.0))
)
ROTO = Leaf(Path(points=VERTICES, softness_in=12.0, softness_out=25.0))
OPS = (
    UP,
    RED,
    ops.Contrast(1.2),
    ops.Saturation(0.8),
    ops.WhiteBalance(6000.0),
    ops.GradingPrimary(),
    ops.Matrix((1.0, 0.1, 0.0, 0.0, 0.0, 0.9, 0.1, 0.0, 0.1, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)),
    ops.Blur(2.0),
)
RANGES = {"stops": 1.0, "temperature": 800.0, "tint": 10.0, "radius": 3.0}
"""How far the values of a slider lie from its default; 0.1 if not listed."""
LEAVES = (SOFT, BOX, RAMP, HERO, FAR, SKIN, SKIN_AFTER, ROTO)
NEUTRAL = {
    "mix": (0.0, 1.0),
    "opacity": (0.0, 1.0),
    "gain": (0.0, 1.0),
    "gamma": (1.0,),
    "feather": (0.0,),
    "grow": (0.0,),
}
WIDE = {"mix": (0.0, 1.0), "opacity": (0.0, 1.0), "gain": (0.5, 1.5), "gamma": (0.6, 1.6), "feather": (0.0, 9.0)}
MATTES = {"grow": (-4.0, 4.0), "denoise": (0.0, 9.0)}


def random_animated(rng: Rng) -> Grade:
    """Any grade of two to four entries with keys, valid at all frames."""
    while True:
        grade = Grade(_entry(rng) for _ in range(rng.integers(2, 5)))
        try:
            for frame in range(FRAMES + 1):
                grade.at(frame)
        except GradeError:
            continue
        if grade.is_animated:
            return grade


def _entry(rng: Rng, depth: int = 0) -> Any:
    entry: Any = OPS[rng.integers(len(OPS))]
    if rng.random() < 0.2 and depth < 2:
        entry = Group(tuple(_entry(rng, depth + 1) for _ in range(rng.integers(1, 3))))
    layer = Layer(entry, mix=float(rng.choice((1.0, 1.0, 0.6))), matte=_matte(rng) if rng.random() < 0.6 else None)
    paths = list(numbers_of(layer))
    some = rng.choice(paths, min(len(paths), int(rng.integers(0, 5))), replace=False)
    shape = [path for path in paths if path.count(".") <= 1]
    chosen = {*map(str, some), *(str(rng.choice(shape)) for _ in range(2))}
    try:
        return Layer(entry, mix=layer.mix, matte=layer.matte, keys=keys_of(layer) or Keys(_curves(rng, layer, chosen)))
    except GradeError:
        return layer


def _matte(rng: Rng) -> Matte:
    leaves: list[Any] = [LEAVES[number] for number in rng.choice(len(LEAVES), rng.integers(1, 4), replace=False)]
    root = leaves[0] if len(leaves) == 1 else branch(str(rng.choice(("union", "intersection", "subtraction"))), *leaves)
    soft: dict[str, Any] = {"feather": 3.0, "gamma": 0.8} if rng.random() < 0.3 else {}
    return Matte(root, **soft, inverted=bool(rng.random() < 0.2))


def _curves(rng: Rng, layer: Layer, paths: set[str]) -> dict[str, Curve]:
    return {path: _curve(rng, layer, path) for path in sorted(paths)}


def _curve(rng: Rng, layer: Layer, path: str) -> Curve:
    frames = sorted(rng.choice(FRAMES + 1, int(rng.integers(1, 5)), replace=False).tolist())
    return Curve(Key(frame, _value(rng, layer, path), str(rng.choice(INTERPOLATIONS))) for frame in frames)


def _value(rng: Rng, layer: Layer, path: str) -> float:
    """A value for the number at a path: that of an op that does nothing, or one near the present one."""
    name = path.rsplit(".", 1)[-1] if path.startswith("matte.") or path == "mix" else ""
    near = WIDE.get(name) or MATTES.get(name)
    if near is not None:
        return float(rng.choice((*NEUTRAL.get(name, (0.0,)), rng.uniform(*near), rng.uniform(*near))))
    present = numbers_of(layer)[path]
    if path.startswith("matte."):
        return present + float(rng.choice((0.0, rng.uniform(-9.0, 9.0)))) * (0.1 if _is_share(layer, path) else 1.0)
    field, _, component = path.partition(".")
    kind: Any = layer.entry.kinds()[field]  # type: ignore[union-attr]
    assert isinstance(kind, Slider)
    default = kind.default[int(component)] if component else kind.default
    value = default + float(rng.choice((0.0, 0.0, rng.uniform(-1.0, 1.0)))) * RANGES.get(field, 0.1)
    return max(value, kind.minimum if kind.minimum is not None else -1e9)


def _is_share(layer: Layer, path: str) -> bool:
    """Whether a number of a source is not in pixels or degrees."""
    assert layer.matte is not None
    number, name = path.split(".")[2:4]
    source = list(nodes(layer.matte.root))[int(number)].source  # type: ignore[union-attr]
    return name in source.kinds() and source.kinds()[name].unit not in ("px", "°")  # type: ignore[union-attr]
