"""Curves of few pieces, where the processor compares with every knot, and of many, where it searches."""

from __future__ import annotations

import numpy as np
import pytest

from engine import ops
from engine.kernel.codegen import trace
from engine.kernel.dialects import print_numba
from engine.kernel.op import Table
from tests.engine.backends import executor_on
from tests.tolerance import assert_close


def curve(points: int) -> ops.GradingRgbCurve:
    x = np.linspace(-0.5, 1.5, points)
    master = Table(np.stack([x, x + 0.1 * np.sin(3.0 * x), np.zeros(points)], axis=1))
    straight = Table([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    return ops.GradingRgbCurve.of(straight, straight, straight, master)


@pytest.mark.parametrize("direction", ["forward", "reverse"])
@pytest.mark.parametrize(("points", "steps"), [(2, "4"), (8, "4"), (9, "8"), (12, "8")])
def test_a_curve_is_right_at_its_knots_and_between(points: int, steps: str, direction: str) -> None:
    op = curve(points).replace(direction=direction)
    assert op.steps == steps
    assert ("= t_pick(" in print_numba(trace([op]))) is (steps == "4")
    knots = op.knots.array[:, 0]
    knots = knots[abs(knots) < 1e9]
    near = [np.nextafter(knots, np.float32(end)) for end in (-np.inf, np.inf)]
    values = np.concatenate([knots, *near, np.linspace(-3.0, 4.0, 400), [np.inf, -np.inf, np.nan]])
    pixels = np.repeat(values.astype(np.float32), 4).reshape(1, -1, 4)
    assert_close(executor_on("cpu").execute_color(pixels, [op]), op.reference(pixels.astype(float)))
