"""OpenColorIO's grading transforms, forward and inverse, with random controls and curves."""

from __future__ import annotations

import numpy as np
import pytest

from engine.errors import GradeError
from engine.kernel.op import Op, Table, TableKind
from engine.ops import GradingHueCurve, GradingRgbCurve
from engine.ops.grading_rgb_curve import IDENTITY
from tests.engine.ocio_cases import FORWARD, GRADINGS, INVERSE, STYLES, grading
from tests.engine.ocio_random import assert_case
from tests.thorough import cases

SETS = 12


@pytest.mark.parametrize(
    ("style", "direction"),
    cases([*((style, FORWARD) for style in STYLES), ("log", INVERSE)], ("linear", INVERSE), ("video", INVERSE)),
)
@pytest.mark.parametrize("name", GRADINGS)
def test_a_grading_transform(name: str, style: str, direction) -> None:
    assert_case(grading(name, style), direction, SETS)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize(("op", "name"), [(GradingRgbCurve, "red"), (GradingHueCurve, "hue_hue")])
def test_points_of_curves_are_finite(op: type[Op], name: str, value: float) -> None:
    sound = Table(np.linspace(0.0, 1.0, 15).reshape(5, 3))
    points = sound.array.copy()
    points[1, 2] = value
    curves = {each: sound for each, kind in op.kinds().items() if isinstance(kind, TableKind)}
    with pytest.raises(GradeError, match=f"the {name} curve has points that are not finite"):
        op(**{**curves, name: Table(points)})


def test_a_curve_that_bends_into_a_straight_run_is_finite():
    x = np.array([0.14513937, 0.24513936, 0.2719327, 0.313313, 0.3446494, 0.38532028])
    y = np.array([-0.16820972, -0.11820971, -0.11553038, -0.11139235, -0.10825871, -0.10419162])
    curve = Table(np.column_stack([x, y, np.zeros(6)]))
    at = np.linspace(0.0, 0.5, 400)
    found = GradingRgbCurve(curve, IDENTITY, IDENTITY, IDENTITY).reference(np.column_stack([at, at, at, at]))[:, 0]
    assert (np.diff(found) > 0.0).all()
    np.testing.assert_allclose(np.interp(x, at, found), y, atol=1e-4)
