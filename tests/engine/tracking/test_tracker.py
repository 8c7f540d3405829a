"""Windows tracked over generated motion: how near, and where they are lost."""

from __future__ import annotations

import cmath
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.mattes import Ellipse, LinearGradient, MatteSource, Path, RadialGradient, Rectangle
from engine.tracking import Freedom, Motion, Reason, Tracked, region_of, track
from tests.engine.moving_scenes import Scene, swinging, worst_errors
from tests.thorough import THOROUGH, cases
from tests.tolerance import TRACKED_DEGREES, TRACKED_PIXELS

ELLIPSE = Ellipse(center=(96.0, 64.0), size=(40.0, 28.0), rotation=30.0)
RECTANGLE = Rectangle(center=(240.0, 135.0), size=(80.0, 50.0), rotation=20.0)
CORNERS = Path(
    points=((200.0, 100.0, 0, 0, 0, 0), (300.0, 110.0, 10.0, 10.0, -10.0, -10.0), (260.0, 190.0, 0, 0, 0, 0))
)
RADIAL = RadialGradient(center=(200.0, 100.0), inner=10.0, outer=50.0)
SHORT = Scene(swinging(30.0), grain=0.1, blur=1.5, stops=2.0)
LONG = Scene(swinging(60.0), 480, 270, 101, grain=0.1, blur=2.0, stops=2.0)
Frames = Callable[[int], Any]


def tracked(
    scene: Scene, source: MatteSource, frames: Frames | None = None, backward: bool = False, count: int = 0
) -> list[Tracked]:
    numbers = range(scene.count - 1, -1, -1) if backward else range(count or scene.count)
    return list(track(frames or scene.frame, numbers, region_of(source, scene.width, scene.height)))


def assert_near(found: list[Tracked], scene: Scene, source: MatteSource) -> None:
    errors = worst_errors(found, scene, region_of(source, scene.width, scene.height))
    assert max(errors[:2]) < TRACKED_PIXELS and errors[2] < TRACKED_DEGREES, errors


def lost(found: list[Tracked]) -> tuple[int, Reason | None]:
    assert found[-1].motion is None and all(each.lost is None for each in found[:-1])
    return found[-1].frame, found[-1].lost


@pytest.mark.parametrize("backward", cases([False], True))
def test_a_window_follows_generated_motion_with_grain_blur_and_exposure_change(backward):
    found = tracked(SHORT, ELLIPSE, backward=backward)
    assert len(found) == SHORT.count and found[0].motion == Motion()
    assert_near(found, SHORT, ELLIPSE)


@pytest.mark.skipif(not THOROUGH, reason="100 frames are for TESSERA_THOROUGH=1")
@pytest.mark.parametrize(
    "source", [RECTANGLE, CORNERS, RADIAL, LinearGradient(start=(200.0, 100.0), end=(230.0, 160.0))]
)
@pytest.mark.parametrize("backward", [False, True])
def test_a_window_stays_within_half_a_pixel_over_100_frames(source, backward):
    found = tracked(LONG, source, backward=backward)
    assert len(found) == LONG.count
    assert_near(found, LONG, source)


@pytest.mark.parametrize("seed", cases([2], *range(3, 25)))
def test_pixels_that_are_not_finite_and_a_cut_between_two_shots(seed):
    scene = Scene(swinging(30.0), count=40, seed=seed, grain=0.05 * (seed % 3), stops=seed % 5 - 2.0)
    other = Scene(swinging(30.0), count=40, seed=seed + 100)

    def frames(number: int) -> Any:
        random, frame = np.random.default_rng(number), (scene if number < 6 else other).frame(number)
        frame[:, :6] = np.nan
        for value in (np.inf, -np.inf, np.nan, 1e30, -5.0):
            frame[random.integers(0, scene.height, 8), random.integers(0, scene.width, 8)] = value
        return frame

    found = tracked(scene, ELLIPSE, frames)
    assert lost(found) == (6, Reason.CUT)
    assert_near(found[:-1], scene, ELLIPSE)


def test_a_window_that_leaves_the_image_is_followed_by_new_features_until_little_is_left():
    scene = Scene(lambda share: (260.0 * share + 0.0j, 1.0 + 0.0j), count=12)
    found = tracked(scene, ELLIPSE)
    frame, reason = lost(found)
    assert reason is Reason.LEFT and frame > 4  # half of it is outside from there on
    assert_near(found[:-1], scene, ELLIPSE)


def test_a_window_that_grows_gets_new_features():
    scene = Scene(lambda share: (0.0j, cmath.rect(1.0 + 6.0 * share, share)), count=20)
    window = ELLIPSE.replace(size=(12.0, 9.0))
    found = tracked(scene, window)
    assert len(found) == scene.count
    assert_near(found, scene, window)


@pytest.mark.parametrize("center", [(-500.0, 64.0), (5000.0, 64.0), (96.0, -900.0), (96.0, 9000.0)])
def test_a_window_outside_the_image_is_lost_at_once(center):
    assert lost(tracked(SHORT, ELLIPSE.replace(center=center))) == (0, Reason.LEFT)


@pytest.mark.parametrize(("grain", "first"), [(0.0, 0), (0.05, 1)])
def test_a_flat_window_has_too_few_features(grain, first):
    def frames(number: int) -> Any:
        frame = Scene().frame(number)
        noise = np.random.default_rng(number).normal(size=frame.shape)
        frame[20:108, 40:152] = 0.18 * (1.0 + grain * noise[20:108, 40:152])
        return frame

    assert lost(tracked(Scene(), Ellipse(center=(96.0, 64.0), size=(38.0, 26.0)), frames)) == (first, Reason.FEATURES)


def test_a_window_that_is_hidden_is_lost_and_one_that_is_passed_is_not():
    scene, front = Scene(swinging(30.0), count=30), Scene(seed=9).frame(0)

    def hidden_from(left: Callable[[int], int], width: int) -> Frames:
        def frames(number: int) -> Any:
            frame, start = scene.frame(number), left(number)
            frame[:, max(start, 0) : max(start + width, 0)] = front[:, : max(start + width, 0)][:, max(start, 0) :]
            return frame

        return frames

    found = tracked(scene, ELLIPSE, hidden_from(lambda number: 150 - 14 * number, 400))
    frame, reason = lost(found)
    assert reason is Reason.MISMATCH and 2 < frame < 8
    assert_near(found[:-1], scene, ELLIPSE)
    passed = tracked(scene, ELLIPSE, hidden_from(lambda number: 140 - 16 * number, 20), count=7)
    assert len(passed) == 7
    assert_near(passed, scene, ELLIPSE)


def test_a_frame_of_another_size_is_said():
    found = tracked(SHORT, ELLIPSE, lambda number: SHORT.frame(number)[number:])
    assert lost(found) == (1, Reason.SIZE)


def test_only_what_is_free_is_tracked():
    scene = Scene(lambda share: (12.0 * share + 0.0j, cmath.rect(1.0 + 0.05 * share, 0.05 * share)), count=4)
    region = region_of(ELLIPSE, scene.width, scene.height)
    for freedom in (Freedom(scale=False), Freedom(rotation=False)):
        *_, last = track(scene.frame, range(3), region, freedom)
        assert last.motion is not None
        assert (abs(last.motion.scale - 1.0) > 0.01) == freedom.scale
        assert (abs(last.motion.rotation) > 0.5) == freedom.rotation
