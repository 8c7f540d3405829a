"""The pixels of windows, and windows carried along by a motion."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from engine.kernel.pixel import Pixel
from engine.mattes import Ellipse, HslQualifier, LinearGradient, Path, RadialGradient, Rectangle
from engine.tracking import Motion, can_track, carried, pivot_of, region_of

MOTION = Motion(dx=7.0, dy=-5.0, scale=1.25, rotation=40.0)
WINDOWS = [
    Ellipse(center=(60.0, 50.0), size=(20.0, 12.0), rotation=10.0),
    Rectangle(center=(60.0, 50.0), size=(20.0, 12.0), rotation=-30.0, roundness=0.5),
    Path(points=((40.0, 40.0, -3.0, 4.0, 5.0, 2.0), (80.0, 42.0, 0, 0, 0, 0), (60.0, 70.0, 9.0, 0, -9.0, 0))),
    RadialGradient(center=(60.0, 50.0), inner=5.0, outer=25.0, aspect=0.5, rotation=15.0, falloff="linear"),
    LinearGradient(start=(50.0, 40.0), end=(70.0, 65.0), falloff="linear"),
]


def covered(source, at):
    pixel = Pixel(at.real * 0.0, 0.0, 0.0, 0.0, at.real, at.imag)
    with np.errstate(all="ignore"):
        return np.broadcast_to(source.exact().coverage(pixel), at.shape)


@pytest.mark.parametrize("source", WINDOWS, ids=lambda source: type(source).__name__)
def test_a_carried_window_covers_what_its_pixels_have_become(source):
    x, y = np.meshgrid(np.arange(20.0, 100.0, 3.0), np.arange(20.0, 90.0, 3.0))
    at, pivot = x + 1j * y, complex(*pivot_of(source))
    moved = pivot + complex(MOTION.dx, MOTION.dy) + cmath.rect(1.25, math.radians(40.0)) * (at - pivot)
    before, after = covered(source, at), covered(carried(source, MOTION, True, True, True), moved)
    inner = np.abs(before - 0.5) == 0.5 if "Gradient" not in type(source).__name__ else np.ones_like(before, bool)
    close = np.isclose(before, after, atol=1e-3)
    assert (close | ~inner).mean() > 0.985  # edges are a pixel wide before and after
    assert inner.any() and 0.02 < before.mean() < 0.98


def test_parts_of_a_motion_that_are_not_wanted_leave_the_window_alone():
    source = WINDOWS[0]
    assert carried(source, MOTION, True, False, False) == source.replace(center=(67.0, 45.0))
    assert carried(source, MOTION, False, True, False) == source.replace(size=(25.0, 15.0))
    assert carried(source, MOTION, False, False, True) == source.replace(rotation=50.0)
    assert carried(WINDOWS[2], Motion(), True, True, True) == WINDOWS[2]


@pytest.mark.parametrize("source", WINDOWS, ids=lambda source: type(source).__name__)
def test_the_region_of_a_window_are_its_pixels_in_the_frame(source):
    region = region_of(source, 128, 96)
    y, x = np.mgrid[0:96, 0:128] + 0.5
    whole = np.zeros((96, 128), bool)
    whole[region.rect.y : region.rect.bottom, region.rect.x : region.rect.right] = region.mask
    if isinstance(source, LinearGradient):
        assert abs(whole.sum() - math.pi * 25.0**2) < 60
    else:
        least = 1e-3 if isinstance(source, RadialGradient) else 0.5
        assert (whole == (covered(source, x + 1j * y) >= least)).all()
    assert region.pivot == pivot_of(source)


def test_a_large_window_that_crosses_the_edge_of_the_frame():
    region = region_of(Ellipse(center=(0.0, 500.0), size=(800.0, 400.0)), 1920, 1080)
    assert (region.rect.x, region.rect.right, region.mask.shape[1]) == (0, 801, 801)
    assert abs(region.mask.sum() / (math.pi * 800.0 * 400.0 / 2.0) - 1.0) < 0.01


def test_only_windows_can_be_tracked():
    assert all(can_track(source) for source in WINDOWS) and not can_track(HslQualifier())
