"""Curves over the frames: their interpolation, their edits, and what they refuse."""

import json
import math
from itertools import pairwise

import numpy as np
import pytest

from engine.errors import GradeError
from engine.grade.curves import MOST_KEYS, Curve, Key, Keys
from tests.thorough import examples

RPN14 = (
    (7.99, 0.0), (8.09, 2.76429e-5), (8.19, 4.37498e-2), (8.7, 0.169183), (9.2, 0.469428),
    (10.0, 0.943740), (12.0, 0.998636), (15.0, 0.999919), (20.0, 0.999994),
)  # fmt: skip
"""The data of Fritsch and Carlson's second example, which other cubics overshoot."""


def curve(*keys, kind="smooth"):
    return Curve(Key(frame, value, kind) for frame, value in keys)


def test_values_are_constant_outside_the_keys_and_exact_at_them():
    keys = (3, 0.1), (10, 0.7), (11, -2.0)
    for kind in ("linear", "smooth", "hold"):
        found = curve(*keys, kind=kind)
        assert [found.at(frame) for frame, _ in keys] == [value for _, value in keys]
        assert found.at(-100) == 0.1 and found.at(12) == -2.0


def test_linear_and_held_parts():
    found = Curve([Key(0, 1.0, "linear"), Key(10, 2.0, "hold"), Key(20, 5.0)])
    assert [found.at(frame) for frame in (5, 9, 10, 19, 20)] == pytest.approx([1.5, 1.9, 2.0, 2.0, 5.0])


def test_a_smooth_part_between_flat_ends_is_the_cubic_of_hermite():
    found = curve((0, 0.0), (10, 1.0))
    assert [found.at(frame) for frame in (1, 5, 9)] == pytest.approx([0.028, 0.5, 0.972])  # 3 t^2 - 2 t^3


def test_slopes_are_three_point_differences():
    found = curve((0, 0.0), (10, 1.0), (30, 2.0))
    slope = (0.1 * 20 + 0.05 * 10) / 30  # the parabola's at frame 10
    assert found.at(5) == pytest.approx(0.5 - slope * 10 / 8)
    assert found.at(20) == pytest.approx(1.5 + slope * 20 / 8)


def test_slopes_lie_within_the_circle_of_radius_3():
    found = curve((0, 0.0), (1, 1.0), (11, 2.0), (21, 4.0))
    second, third = (1.0 * 10 + 0.1 * 1) / 11, 0.15
    away = math.hypot(second, third) / 0.1
    second, third = second * 3 / away, third * 3 / away
    assert found.at(6) == pytest.approx(1.5 + (second - third) * 10 / 8)
    assert found.at(0.5) == pytest.approx(0.5 - second / 8)


def test_a_smooth_part_continues_the_slope_of_a_linear_part():
    found = Curve([Key(0, 0.0, "linear"), Key(10, 1.0), Key(20, 3.0, "linear"), Key(30, 2.0)])
    assert found.at(15) == pytest.approx(2.0 + 0.1 * 10 / 8)  # flat at frame 20, where the values turn
    held = Curve([Key(0, 0.0, "hold"), Key(10, 1.0), Key(20, 3.0)])
    assert held.at(15) == pytest.approx(2.0)


def test_published_data_stay_monotone():
    found = curve(*((round(x * 100), y) for x, y in RPN14))
    values = [found.at(frame) for frame in np.arange(790, 2010, 0.5)]
    assert all(before <= after for before, after in pairwise(values))


def test_random_curves_never_leave_the_range_of_two_keys_and_are_smooth():
    random = np.random.default_rng(0)
    for _ in range(examples(20)):
        frames = np.sort(random.choice(200, 8, replace=False)).tolist()
        found = curve(*zip(frames, random.normal(0.0, 10.0 ** random.integers(-3, 4), 8).tolist(), strict=True))
        for key, after in pairwise(found.keys):
            values = [found.at(at) for at in np.linspace(key.frame, after.frame, 40)]
            steps = np.diff(values) * (1.0 if after.value >= key.value else -1.0)
            assert steps.min() >= -1e-12 * abs(after.value - key.value)
        mirrored = Curve(Key(-key.frame, key.value) for key in found.keys)
        step = 1e-4
        for key in found.keys:
            before, after = (found.at(key.frame) - found.at(key.frame - step)), (found.at(key.frame + step) - key.value)
            assert abs(after - before) / step < 1e-3 * (1.0 + max(abs(k.value) for k in found.keys))
        assert [found.at(at) for at in range(200)] == pytest.approx([mirrored.at(-at) for at in range(200)])


def test_edits_make_new_curves():
    found = curve((0, 0.0), (10, 1.0))
    assert found.with_key(Key(10, 2.0)).at(10) == 2.0 and len(found.with_key(Key(5, 0.0)).keys) == 3
    assert found.without(10) == curve((0, 0.0)) and curve((0, 0.0)).without(0) is None
    assert found.moved({10: 4}) == curve((0, 0.0), (4, 1.0))
    assert found.moved({0: 10}) == curve((10, 0.0))
    assert found.moved({0: 10, 10: 0}) == curve((10, 0.0), (0, 1.0))
    assert found.key_at(10) == Key(10, 1.0) and found.key_at(9) is None
    assert Curve.from_json(found.to_json()) == found


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "must have a key"),
        ([[1, 0.0, "smooth"], [1, 1.0, "smooth"]], "two keys at frame 1"),
        ([[1, math.nan, "smooth"]], "frame 1 must be a number, not nan"),
        ([[1, math.inf, "smooth"]], "frame 1 must be a number, not inf"),
        ([[1, "0", "smooth"]], "frame 1 must be a number"),
        ([[1, True, "smooth"]], "frame 1 must be a number"),
        ([[1.5, 0.0, "smooth"]], "must be a whole number, not 1.5"),
        ([[10**16, 0.0, "smooth"]], "must be a whole number"),
        ([[1, 0.0, "cubic"]], "one of linear, smooth, hold, not 'cubic'"),
        ([[1, 0.0]], "must be a list of [frame, value, interpolation]"),
        ({"1": 0.0}, "must be a list of [frame, value, interpolation]"),
        ([[1, 0.0, "hold"]] * (MOST_KEYS + 1), f"{MOST_KEYS} is the most"),
    ],
)
def test_invalid_keys_are_errors(data, says):
    with pytest.raises(GradeError) as caught:
        Keys.from_json({"stops": data})
    assert str(caught.value).startswith("keys of stops: ") and says in str(caught.value)


def test_long_curves_are_texts_that_steps_of_a_history_share():
    rows = [[frame, frame / 3.0, "hold" if frame % 2 else "linear"] for frame in range(-50, 250)]
    text = Curve.from_json(rows).to_json()
    assert isinstance(text, str) and json.loads(text) == rows
    found = Curve.from_json(text)
    assert found.rows == rows and Curve.from_json("".join(text)) is found
    assert Curve.from_json(rows[:100]).to_json() == rows[:100]
    assert Curve.from_json(json.dumps(rows[:3], indent=1)).rows == rows[:3]
    for damaged in ("", "{}", "[[1,0.5]]", "[" * 100000, '["1"]', "[[1,1e999,'hold']]", '[[1,NaN,"hold"]]', text[:-1]):
        with pytest.raises(GradeError):
            Curve.from_json(damaged)


def test_extreme_values_stay_finite():
    for kind in ("linear", "smooth"):
        found = curve((0, -1e300), (1, 1e300), (2, 5e-324), (3, 1e-300), (10**15, 1e300), kind=kind)
        assert all(math.isfinite(found.at(at)) for at in (0.25, 0.5, 1.5, 2.5, 2.9, 4, 10**14))
