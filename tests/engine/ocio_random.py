"""Transforms of OpenColorIO with random parameters: the CPU kernel, the float64 reference and OpenColorIO, compared.

Errors are those of the policy. What a float32 computation can't know is told by `ocio_configs.judge`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import PyOpenColorIO as ocio
from numpy.typing import NDArray

from engine.detect import create_executor
from engine.ocio import ops_from_processor
from tests.engine import ocio_corpus as corpus
from tests.engine.ocio_configs import judge

Array = NDArray[np.float64]
FORWARD, INVERSE = ocio.TRANSFORM_DIR_FORWARD, ocio.TRANSFORM_DIR_INVERSE
SETS = 200
CPU = create_executor("cpu")


def light(rng: np.random.Generator, count: int = 120) -> Array:
    """RGBA of scene light: in and out of gamut, of either sign, 1e-6 to 65504, grey and black."""
    magnitude = 10.0 ** rng.uniform(-6.0, np.log10(65504.0), (count, 3)) * rng.choice((-1.0, 1.0, 1.0, 1.0), (count, 3))
    grey = np.repeat(10.0 ** rng.uniform(-6.0, 4.0, (count // 4, 1)), 3, axis=1)
    rgb = np.concatenate([rng.uniform(-0.5, 1.5, (count, 3)), magnitude, grey, np.zeros((1, 3))])
    return np.column_stack([rgb, np.resize((0.0, 0.5, 1.0), len(rgb))]).astype(np.float32).astype(np.float64)


def within(low: tuple[float, ...], high: tuple[float, ...]) -> Callable[[np.random.Generator], Array]:
    """Pixels between `low` and `high`, as `light` gives them."""

    def picture(rng: np.random.Generator) -> Array:
        pixels = np.column_stack([rng.uniform(low, high, (250, 3)), np.resize((0.0, 0.5, 1.0), 250)])
        return pixels.astype(np.float32).astype(np.float64)

    return picture


def processor(transform: ocio.Transform) -> ocio.Processor:
    return ocio.Config.CreateRaw().getProcessor(transform)


def assert_same(transform: ocio.Transform, rgba: Array, approximate: float = 0.0) -> None:
    """Ours on the CPU is OpenColorIO's exact answer, but for `approximate`, by which its own approximations are off."""
    whole = processor(transform)
    ops = ops_from_processor(whole)
    ours = CPU.execute_color(rgba.astype(np.float32)[None], ops)[0].astype(np.float64)
    right, theirs = corpus.reference(ops, rgba), corpus.exact(whole, rgba)
    for name, answer in (("the CPU's", ours), ("OpenColorIO's", theirs)):
        allowed = approximate if name == "OpenColorIO's" else 0.0
        error, disagree = corpus.errors(answer, right)
        if error.max() <= allowed and not disagree.any():
            continue
        result = judge(ops, rgba, answer, right)
        assert result.outcome != "missed" or result.unexplained <= allowed, f"{name} {result} for {transform}"
