"""Zoom and pan: where the image lies, and which region of it is asked for."""

from __future__ import annotations

import pytest

from app.model.viewport import MAX_SCALE, Viewport


def test_fit_shows_the_whole_image_in_the_middle():
    fitted = Viewport(1000, 600, 4000, 2000).fit(20)
    assert fitted.scale == pytest.approx(0.24)
    placed = fitted.placement()
    assert placed is not None
    assert (placed.left, placed.width) == (20, 960)
    assert placed.top + placed.height / 2 == pytest.approx(300, abs=1)
    assert placed.region == pytest.approx((0, 0, 4000, 2000), abs=3)


def test_zoom_keeps_what_is_under_the_cursor():
    before = Viewport(1000, 600, 4000, 2000).fit()
    after = before.zoomed(2.0, 700, 333)
    assert after.source_at(700, 333) == pytest.approx(before.source_at(700, 333), abs=0.5)


def test_one_to_one_lies_on_whole_pixels():
    view = Viewport(1001, 601, 333, 777).fit(16).zoomed(1.0, 500.5, 300.2)
    placed = view.placement()
    assert placed is not None
    assert placed.region[0] == int(placed.region[0])
    assert placed.region[2:] == (placed.width, placed.height)


def test_zoomed_in_asks_for_what_is_seen_alone():
    placed = Viewport(100, 100, 4000, 2000, scale=10.0, left=-5000.0, top=-5000.0).placement()
    assert placed is not None
    assert placed.region == (500, 500, 10, 10)


def test_wide_pixels_are_shown_wide():
    fitted = Viewport(1000, 1000, 500, 500, aspect=2.0).fit()
    placed = fitted.placement()
    assert placed is not None
    assert (placed.width, placed.height) == (1000, 500)
    assert fitted.pixel_at(999, 500) == (499, 250)


def test_the_image_can_not_be_lost():
    far = Viewport(800, 600, 100, 100).fit().panned(1e6, -1e6)
    assert far.placement() is not None


def test_scale_has_limits():
    assert Viewport(800, 600, 100, 100).zoomed(1e9, 0, 0).scale == MAX_SCALE


def test_beside_the_image_is_no_pixel():
    view = Viewport(800, 600, 100, 100, left=100.0, top=100.0)
    assert view.pixel_at(99, 150) is None
    assert view.pixel_at(100, 100) == (0, 0)
    assert view.pixel_at(199.9, 199.9) == (99, 99)


def test_fitted_follows_the_window_and_zoomed_keeps_its_centre():
    fitted = Viewport(800, 600, 100, 100).fit().resized(400, 300)
    assert fitted.scale == 3.0
    zoomed = Viewport(800, 600, 100, 100).zoomed(4.0, 400, 300)
    assert zoomed.resized(1000, 600).source_at(500, 300) == pytest.approx(zoomed.source_at(400, 300), abs=0.5)


def test_fit_shows_a_display_window_that_is_larger():
    view = Viewport(1000, 600, 500, 300, display_window=(-100.0, 0.0, 800.0, 400.0)).fit()
    assert view.on_screen((-100.0, 0.0, 800.0, 400.0)) == pytest.approx((0, 50, 1000, 500), abs=1)
    placed = view.placement()
    assert placed is not None
    assert placed.width == pytest.approx(625, abs=1)
