"""Qualifiers: hues, neutral colours, limits, samples of a 3D key, and colours of a stroke."""

from __future__ import annotations

import colorsys
from typing import Any

import numpy as np
import pytest

from engine.errors import GradeError
from engine.kernel.pixel import Pixel
from engine.mattes import HslQualifier, Key3d, MatteSource
from engine.mattes.encodings import encoded, encoded_number
from engine.mattes.qualifiers import MOST_SAMPLES, spread

RED, GREEN, BLUE = (1.0, 0.1, 0.1), (0.1, 1.0, 0.1), (0.1, 0.1, 1.0)


def covered(source: MatteSource, *colours: Any) -> Any:
    """The coverage of colours."""
    rgb = np.asarray(colours, np.float64)
    with np.errstate(all="ignore"):
        return source.exact().coverage(Pixel(rgb[..., 0], rgb[..., 1], rgb[..., 2], 1.0))


@pytest.mark.parametrize("encoding", ["log", "linear"])
def test_a_new_qualifier_covers_every_colour(encoding: str) -> None:
    rng = np.random.default_rng(1)
    rgb = np.concatenate([2.0 ** rng.uniform(-20.0, 15.0, (500, 3)), rng.normal(0.0, 10.0, (500, 3))])
    assert covered(HslQualifier(encoding=encoding), *rgb, (0.0, 0.0, 0.0), (np.inf, 0.0, 1.0)) == pytest.approx(1.0)


@pytest.mark.parametrize("encoding", ["log", "linear"])
def test_hues_are_chosen_and_wrap_around(encoding: str) -> None:
    for hue, chosen in ((0.0, 0), (120.0, 1), (240.0, 2), (359.9, 0)):
        got = covered(HslQualifier(encoding=encoding, hue=(hue, 40.0, 10.0)), RED, GREEN, BLUE)
        assert got.tolist() == np.eye(3)[chosen].tolist()
    near = np.array([colorsys.hsv_to_rgb(hue / 360.0 % 1.0, 0.8, 0.5) for hue in range(-60, 61)])
    got = covered(HslQualifier(encoding="linear", hue=(0.0, 60.0, 20.0)), *near)
    assert np.ptp(got) == 1.0
    assert got == pytest.approx(got[::-1])


@pytest.mark.parametrize("encoding", ["log", "linear"])
def test_neutral_colours_have_no_hue_and_fade_smoothly(encoding: str) -> None:
    qualifier = HslQualifier(encoding=encoding, hue=(0.0, 90.0, 20.0))
    amount = np.concatenate([[0.0, 1e-12], np.linspace(0.0, 0.5, 20001)])
    reddish = np.stack([0.18 * (1.0 + amount), np.full_like(amount, 0.18), np.full_like(amount, 0.18)], axis=1)
    got = covered(qualifier, *reddish)
    assert got[0] == 0.0
    assert got[1] < 1e-9
    assert got[-1] == 1.0
    assert np.abs(np.diff(got[2:])).max() < 0.01
    assert (np.diff(got[2:]) >= 0.0).all()
    assert covered(HslQualifier(encoding=encoding, hue=(90.0, 360.0, 0.0)), (0.2, 0.2, 0.2)) == 1.0


def test_luma_and_saturation_have_soft_ends() -> None:
    grey = np.repeat(np.array([0.01, 0.18, 1.0, 16.0])[:, None], 3, axis=1)
    lumas = [encoded_number(x, "log") for x in grey[:, 0]]
    for encoding in ("log", "linear"):
        middle = HslQualifier(encoding=encoding, luma=(0.35, 0.6, 0.1, 0.1))
        assert covered(middle, *grey).tolist() == [0.0, 1.0, 1.0, 0.0]
        half = HslQualifier(encoding=encoding, luma=(lumas[1] + 0.05, 1.5, 0.1, 0.1))
        assert covered(half, *grey).tolist() == pytest.approx([0.0, 0.5, 1.0, 1.0], abs=1e-6)
    vivid = HslQualifier(encoding="linear", saturation=(0.5, 1.0, 0.1, 0.1))
    assert covered(vivid, RED, (0.5, 0.45, 0.4)).tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("x", "wanted"), [(0.0, 0.0729055341958355), (0.18, 0.413588), (1.0, 0.554795), (65504.0, 1.467996)]
)
def test_the_curve_is_that_of_acescct(x: float, wanted: float) -> None:
    """Values of S-2016-001, table 1 and 4.4.1."""
    assert encoded_number(x, "log") == pytest.approx(wanted, abs=2e-6)
    assert encoded(np.array([x]), "log")[0] == pytest.approx(wanted, abs=2e-6)
    assert encoded_number(x, "linear") == x


def test_the_curve_is_continuous_and_keeps_nan() -> None:
    below, above = encoded(np.array([0.0078125, np.nextafter(0.0078125, 1.0)]), "log")
    assert above == pytest.approx(below, abs=1e-9)
    assert np.isnan(encoded(np.array([np.nan]), "log")[0])


def test_a_key_covers_its_samples_and_not_those_removed() -> None:
    key = Key3d(added=(RED, GREEN), removed=(GREEN,), tolerance=0.05, softness=0.05)
    assert covered(key, RED, GREEN, BLUE).tolist() == [1.0, 0.0, 0.0]
    assert covered(Key3d(removed=(GREEN,)), RED, GREEN).tolist() == [0.0, 0.0]
    assert covered(Key3d(), RED).tolist() == [0.0]


def test_a_key_reaches_farther_along_the_grey_axis() -> None:
    stop = 1.0 / 17.52
    key = Key3d(added=(RED,), tolerance=stop, softness=0.01, reach=3.0)
    brighter = np.array(RED) * 2.0**1.6  # 1.6 stops in each channel: sqrt(3) * 1.6 stops along the axis
    assert covered(key, brighter) == 1.0
    assert covered(key.replace(reach=1.0), brighter) == 0.0
    assert covered(key, (RED[0] * 4.0, RED[1] / 4.0, RED[2] / 4.0)) == 0.0


@pytest.mark.parametrize("count", [0, 1, 4, 5, 16, 17, 32])
def test_the_kernel_of_a_key_has_as_many_samples_as_it_needs(count: int) -> None:
    rng = np.random.default_rng(count)
    samples = tuple(map(tuple, rng.uniform(0.05, 1.0, (count, 3)).tolist()))
    key = Key3d(added=samples)
    most = {0: 0, 1: 4, 4: 4, 5: 8, 16: 16, 17: 32, 32: 32}[count]
    assert key.slots == f"{most}+0"
    assert key.structure == Key3d(added=(RED,) * count).structure
    if count:
        assert covered(key, *samples).tolist() == [1.0] * count
    with pytest.raises(GradeError, match=rf"Key3d\.removed has {33 - count} entries; {32 - count} is the most"):
        Key3d(added=samples, removed=(RED,) * (MOST_SAMPLES + 1 - count))


def test_colours_of_a_stroke_are_reduced_to_the_most_different_ones() -> None:
    rng = np.random.default_rng(2)
    clusters = np.array([RED, GREEN, BLUE, (0.2, 0.2, 0.2)])
    stroke = np.concatenate([c * 2.0 ** rng.normal(0.0, 0.02, (300, 3)) for c in clusters])
    stroke[7], stroke[8], stroke[9] = np.nan, np.inf, 1e9
    chosen = np.array(spread(stroke, 4))
    apart = np.log2(chosen[:, None] / clusters[None]).__abs__().max(axis=-1)
    assert sorted(apart.argmin(axis=1)) == [0, 1, 2, 3]
    assert len(spread(stroke, 32)) == 32
    assert spread([RED] * 10, 5) == (RED,)
    assert spread([], 5) == spread([[np.nan] * 3], 5) == spread([RED], 0) == ()
    Key3d(added=spread(stroke, 32))


def test_qualifiers_say_what_they_read() -> None:
    assert HslQualifier(input="entry").reads == Key3d(input="entry").reads == "entry"
    assert HslQualifier(denoise=3.0).scaled(2.0, 0.5).denoise == 3.0
    assert Key3d(denoise=3.0).scaled(4.0, 4.0).denoise == 12.0
