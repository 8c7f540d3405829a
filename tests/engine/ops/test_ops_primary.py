"""Where a control begins: straight curves, and the white balance of something grey that was picked."""

from __future__ import annotations

import numpy as np
import pytest

from engine import ops
from engine.errors import GradeError
from engine.kernel.op import Table


@pytest.mark.parametrize("style", ["log", "linear"])
def test_straight_rgb_curves_are_left_out_and_would_change_nothing(style: str) -> None:
    op = ops.GradingRgbCurve.straight(style)
    assert op.is_identity()
    assert op.curves == "master"
    rgba = np.random.default_rng(1).uniform(-0.1, 4.0, (64, 4))
    assert op.reference(rgba) == pytest.approx(rgba, abs=1e-6)
    assert not op.replace(master=Table([(0.0, 0.1, 0.0), (1.0, 1.0, 0.0)])).is_identity()


LIGHTS = [(3200.0, 0.0), (6504.0, 0.0), (10000.0, 20.0), (2000.0, -30.0), (15000.0, 60.0), (4000.0, -100.0)]


@pytest.mark.parametrize(("kelvin", "tint"), LIGHTS)
def test_the_balance_of_a_picked_grey_is_that_of_the_light(kelvin: float, tint: float) -> None:
    light = ops.WhiteBalance(kelvin, tint, "reverse")
    seen = light.reference(np.array([[0.4, 0.4, 0.4, 1.0]]))[0]
    found = ops.WhiteBalance.neutralising(tuple(seen[:3]))
    assert (found.temperature, found.tint) == pytest.approx((kelvin, tint), abs=1e-2)
    assert np.ptp(found.reference(seen)[:3]) < 1e-6


@pytest.mark.parametrize(
    "colour", [(1.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.2, 0.1, 0.6), (-1.0, 0.2, 0.1), (np.nan, 1, 1)]
)
def test_what_is_no_grey_is_refused(colour: tuple[float, float, float]) -> None:
    with pytest.raises(GradeError, match="pick something"):
        ops.WhiteBalance.neutralising(colour)
