"""Differences and the ways to show them, against NumPy on values that are known."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.colorimetry import LUMA
from engine.viewing.differences import HEAT, HEAT_STOPS, UNDEFINED, difference, heat_map, mark_undefined, signed

RANDOM = np.random.default_rng(8)
OURS, THEIRS = (RANDOM.uniform(-0.5, 2.0, (7, 9, 4)).astype(np.float32) for _ in range(2))


@pytest.mark.parametrize("channel", ["", "red", "green", "blue", "alpha", "luma"])
def test_a_difference_is_of_the_channel_that_is_shown(channel: str) -> None:
    rgb = np.float64(OURS) - THEIRS
    expected = {"": rgb[..., :3], "luma": (rgb[..., :3] @ np.array(LUMA))[..., None]}
    expected |= {name: rgb[..., n : n + 1] for n, name in enumerate(("red", "green", "blue", "alpha"))}
    found = difference(OURS, THEIRS, channel)
    assert found.dtype == np.float32 and np.allclose(found, expected[channel], atol=1e-6)


def test_an_image_without_alpha_is_opaque() -> None:
    assert np.allclose(difference(OURS[..., :3], THEIRS, "alpha")[..., 0], 1.0 - THEIRS[..., 3])


def test_equal_values_differ_by_nothing_and_nan_only_from_numbers() -> None:
    ours = np.array([[[np.nan, np.inf, -np.inf], [np.nan, np.inf, 1.0]]], np.float32)
    theirs = np.array([[[np.nan, np.inf, -np.inf], [1.0, -np.inf, 1.0]]], np.float32)
    found = difference(ours, theirs)
    assert found[0, 0].tolist() == [0.0, 0.0, 0.0]
    assert np.isnan(found[0, 1, 0]) and found[0, 1, 1:].tolist() == [np.inf, 0.0]


@pytest.mark.parametrize("gain", [0.0, 0.5, 8.0, 100.0])
def test_signed_differences_lie_around_mid_grey(gain: float) -> None:
    found = difference(OURS, THEIRS)
    expected = np.round(255.0 * np.clip(0.5 + 0.5 * gain * np.float64(found), 0.0, 1.0))
    seen = signed(found, gain)
    assert np.abs(seen[..., :3] - expected).max() <= (1 if gain else 0) and (seen[..., 3] == 255).all()
    assert (signed(np.zeros((2, 2, 3), np.float32), gain)[..., :3] == 128).all()


def test_signed_differences_of_one_channel_are_grey() -> None:
    seen = signed(difference(OURS, THEIRS, "green"), 2.0)
    assert (seen[..., 0] == seen[..., 1]).all() and (seen[..., 1] == seen[..., 2]).all()


@pytest.mark.parametrize("gain", [0.5, 8.0])
def test_a_heat_map_shows_the_largest_difference(gain: float) -> None:
    found = difference(OURS, THEIRS)
    size = np.minimum(gain * np.abs(np.float64(found)).max(axis=2), 1.0)
    places, colours = zip(*HEAT_STOPS, strict=True)
    expected = np.stack([255.0 * np.interp(size, places, [rgb[n] for rgb in colours]) for n in range(3)], -1)
    assert np.abs(heat_map(found, gain)[..., :3] - expected).max() <= 2.0


def test_only_equal_values_are_black_on_a_heat_map() -> None:
    sizes = np.array([0.0, 1e-30, 1e-3, 0.125, 9.0, np.inf], np.float32)
    found = np.repeat(sizes[None, :, None], 3, axis=2)
    seen = heat_map(found, 8.0)[0, :, :3]
    assert seen[0].tolist() == [0, 0, 0]
    assert seen[1].tolist() == HEAT[1].tolist() and seen[1:].max(axis=1).min() > 80
    assert (seen[3:] == HEAT[255]).all()


def test_what_is_no_number_is_marked_however_it_is_shown() -> None:
    found = np.zeros((1, 3, 3), np.float32)
    found[0, 1, 2] = np.nan
    plain = np.full((1, 3, 4), 255, np.uint8)
    for seen in (signed(found, 1.0), heat_map(found, 1.0), mark_undefined(plain, found)):
        marked = (seen[..., :3] == UNDEFINED).all(axis=2)
        assert marked.tolist() == [[False, True, False]]
    assert (plain == 255).all()  # what was given is left as it is
