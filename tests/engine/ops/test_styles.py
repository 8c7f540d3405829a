"""Ops in another style: what lies on the scale of a style goes with it."""

from __future__ import annotations

import numpy as np
import PyOpenColorIO as ocio
import pytest

from engine import ops
from engine.kernel.op import Op, Table
from engine.ocio.grading import grading_ops

STYLES = {"log": ocio.GRADING_LOG, "linear": ocio.GRADING_LIN, "video": ocio.GRADING_VIDEO}
NEW = [
    (ops.GradingTone(), ocio.GradingToneTransform),
    (ops.GradingPrimary(), ocio.GradingPrimaryTransform),
    (ops.GradingHueCurve.neutral(), ocio.GradingHueCurveTransform),
    (ops.GradingRgbCurve.straight(), ocio.GradingRGBCurveTransform),
]


@pytest.mark.parametrize(("new", "transform"), NEW, ids=[type(new).__name__ for new, _ in NEW])
def test_a_new_op_is_what_opencolorio_begins_with_in_every_style(new: Op, transform) -> None:
    for style, theirs in STYLES.items():
        if style == "video" and isinstance(new, ops.GradingRgbCurve):
            continue  # it has two
        op = new.in_style(style)
        fields = {name: getattr(op, name) for name in op.kinds() if name not in ("low", "high")}
        (right,) = grading_ops(transform(theirs))
        assert fields == {name: getattr(right, name) for name in fields}
        assert op.is_identity()
        assert op.in_style("log") == new


def test_ops_of_other_styles_change_that_alone() -> None:
    assert ops.RgbHsy().in_style("video") == ops.RgbHsy("video")


def test_ranges_of_tones_keep_their_part_of_the_scale() -> None:
    op = ops.GradingTone(blacks=(1.2, 1.0, 1.0, 1.0, 0.5, 0.25), shadows=(1.0, 1.0, 1.0, 0.9, 0.6, 0.0))
    there = op.in_style("linear")
    assert there.blacks == pytest.approx((1.2, 1.0, 1.0, 1.0, -5.5 + 0.5 * 13.0, 0.25 * 13.0))
    assert there.shadows == pytest.approx((1.0, 1.0, 1.0, 0.9, -5.5 + 0.6 * 13.0, -5.5))
    assert there.whites == (1.0, 1.0, 1.0, 1.0, 0.0, 8.0)
    assert there.in_style("log").blacks == pytest.approx(op.blacks)
    assert ops.GradingPrimary(pivot=0.1).in_style("linear").pivot == 0.1


@pytest.mark.parametrize("name", ["lum_lum", "lum_sat"])
def test_curves_over_light_keep_their_shape(name: str) -> None:
    points = Table([(0.0, 0.1, 0.8), (0.4, 0.7, 1.1), (1.0, 1.0, 0.4)])
    op = ops.GradingHueCurve.neutral().replace(**{name: points})
    there = op.in_style("linear")
    x = np.linspace(-0.2, 1.2, 29)
    y = op.sampled(name, x)
    assert there.sampled(name, 14.0 * x - 7.0) == pytest.approx(14.0 * y - 7.0 if name == "lum_lum" else y, abs=2e-5)
    assert there.in_style("video").lum_lum.array == pytest.approx(op.lum_lum.array, abs=1e-6)
    assert there.hue_sat == op.hue_sat
