"""What is done anew when a slider of one op among others moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from engine import create_executor, ops
from engine.compute.plan import DisplayPlans, PixelFormat
from engine.compute.steps import RGBA
from engine.kernel.arguments import Arguments
from engine.kernel.op import ColorOp, Op
from tests.engine.images import plain

CDL = ops.Cdl(slope=(1.1, 1.0, 0.9), saturation=1.2)
CUBE = ops.Lut3d(np.random.default_rng(3).random((5, 5, 5, 3)))


def run_of(stops: float) -> list[ColorOp]:
    return [ops.Exposure(stops), CDL, CUBE, ops.Exposure(0.25)]


def test_only_the_uniforms_of_the_op_that_has_changed_are_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    computed, compute = list[ColorOp](), Arguments.uniform_values

    def noted(self: Arguments, given: Sequence[ColorOp]) -> Any:
        computed.extend(given)
        return compute(self, given)

    monkeypatch.setattr(Arguments, "uniform_values", noted)
    executor, pixels, first = create_executor("cpu"), plain(24, 16), run_of(0.5)
    executor.execute_color(pixels, first)
    computed.clear()
    moved = [ops.Exposure(1.5), *first[1:]]
    found = executor.execute_color(pixels, moved)
    assert len(computed) == 1 and computed[0] is moved[0]
    assert np.array_equal(found, create_executor("cpu").execute_color(pixels, moved))


def test_the_same_op_at_two_places_is_itself_at_both() -> None:
    executor, pixels, twice = create_executor("cpu"), plain(24, 16), ops.Exposure(0.5)
    executor.execute_color(pixels, [CDL, twice])
    found = executor.execute_color(pixels, [twice, CDL, twice])
    assert np.array_equal(found, create_executor("cpu").execute_color(pixels, [twice, CDL, twice]))


def test_the_stages_of_colour_ops_are_kept_whatever_their_sliders_are() -> None:
    plans = DisplayPlans()
    known = plans.stages(run_of(0.5), RGBA)
    assert plans.stages(run_of(0.0), RGBA) is known
    other: list[Op] = [ops.Exposure(0.5), ops.Cdl(style="asc"), CUBE, ops.Exposure(0.25)]
    assert plans.stages(other, RGBA) is not known
    assert plans.stages(run_of(0.5), PixelFormat(np.dtype(np.float16), 3)) is not known


def test_a_filter_that_changes_nothing_any_more_leaves_its_stage() -> None:
    plans = DisplayPlans()
    blurred = plans.stages([ops.Exposure(0.5), ops.Blur(2.0)], RGBA)
    assert len(plans.stages([ops.Exposure(0.5), ops.Blur(0.0)], RGBA)) < len(blurred)
