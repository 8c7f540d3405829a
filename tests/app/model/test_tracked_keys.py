"""The curves of a tracked window, from its motion at each frame."""

from __future__ import annotations

import pytest

from app.model.track_options import TrackedWindow, TrackOptions
from app.model.tracked_keys import tracked_curves
from engine.grade.curves import Curve, Key
from engine.mattes import Ellipse, LinearGradient, Path, RadialGradient
from engine.tracking import Motion

ALL = TrackOptions()
FRAMES = [(4, Motion()), (5, Motion(dx=8.0, dy=-2.0, scale=2.0, rotation=90.0))]
ELLIPSE = Ellipse(center=(100.0, 50.0), size=(20.0, 10.0), rotation=350.0)
CORNERS = Path(points=((0.0, 0.0, 0, 0, 0, 0), (10.0, 0.0, 0, 0, 4.0, 0.0), (10.0, 10.0, 0, 0, 0, 0)))


def values(curves: dict[str, Curve], frame: int) -> dict[str, float]:
    return {path.removeprefix("matte.tree.2."): round(curve.at(frame), 9) for path, curve in curves.items()}


def test_the_curves_of_an_ellipse_have_a_linear_key_at_each_frame():
    curves = tracked_curves(TrackedWindow(ELLIPSE, 2), FRAMES, ALL, {})
    assert all(path.startswith("matte.tree.2.") for path in curves)
    assert all(
        [(key.frame, key.interpolation) for key in curve.keys] == [(4, "linear"), (5, "linear")]
        for curve in curves.values()
    )
    assert values(curves, 4) == {"center.0": 100.0, "center.1": 50.0, "size.0": 20.0, "size.1": 10.0, "rotation": 350.0}
    assert values(curves, 5) == {"center.0": 108.0, "center.1": 48.0, "size.0": 40.0, "size.1": 20.0, "rotation": 440.0}


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (TrackOptions(scale=False, rotation=False), {"center.0", "center.1"}),
        (TrackOptions(position=False, rotation=False), {"inner", "outer"}),
        (TrackOptions(position=False, scale=False), {"rotation"}),
    ],
)
def test_only_what_is_chosen_gets_keys(options, names):
    curves = tracked_curves(TrackedWindow(RadialGradient(), 2), FRAMES, options, {})
    assert set(values(curves, 4)) == names


def test_the_points_of_paths_and_linear_gradients_get_keys_but_not_handles_that_are_none():
    curves = tracked_curves(TrackedWindow(CORNERS, 2), FRAMES, TrackOptions(rotation=False), {})
    found = values(curves, 5)
    assert set(found) == {f"points.{n}.{axis}" for n in range(3) for axis in (0, 1)} | {"points.1.4"}
    assert found["points.1.4"] == 8.0
    assert found["points.1.0"] - found["points.0.0"] == pytest.approx(20.0)
    gradient = LinearGradient(start=(0.0, 0.0), end=(0.0, 10.0))
    assert values(tracked_curves(TrackedWindow(gradient, 2), FRAMES, ALL, {}), 5) == {
        "start.0": 18.0,
        "start.1": 3.0,
        "end.0": -2.0,
        "end.1": 3.0,
    }


def test_other_keys_stay_and_those_of_tracked_frames_are_replaced():
    known = Curve([Key(1, 7.0), Key(5, 8.0), Key(9, 9.0, "hold")])
    curves = tracked_curves(TrackedWindow(ELLIPSE, 2), FRAMES, ALL, {"matte.tree.2.center.0": known})
    keys = [(key.frame, key.value, key.interpolation) for key in curves["matte.tree.2.center.0"].keys]
    assert keys == [(1, 7.0, "smooth"), (4, 100.0, "linear"), (5, 108.0, "linear"), (9, 9.0, "hold")]


def test_a_matte_of_another_size_keeps_its_own_pixels():
    window = TrackedWindow(ELLIPSE, 2, fit=(2.0, 2.0))
    assert window.in_image == ELLIPSE.replace(center=(200.0, 100.0), size=(40.0, 20.0))
    assert values(tracked_curves(window, FRAMES, ALL, {}), 5) == {
        "center.0": 104.0,
        "center.1": 49.0,
        "size.0": 40.0,
        "size.1": 20.0,
        "rotation": 440.0,
    }
