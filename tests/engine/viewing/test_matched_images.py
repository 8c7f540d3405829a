"""Matching of images in their colour spaces, and of areas of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.color.management import manage
from engine.compute.devices import create_executor
from engine.core.attribute_names import CHROMATICITIES
from engine.core.colorimetry import PRIMARIES, aces_from
from engine.core.geometry import Rect
from engine.errors import Cancelled, GradeError
from engine.grade import ColourSetup, Grade
from engine.matching.samples import CURVE
from engine.ops import ChannelMixer, Exposure, Matrix
from engine.viewing.levels import WholeLevels
from engine.viewing.matched_images import MatchSide, matched
from tests.engine.matching_pairs import generated
from tests.typed import expect

OTHER_CONFIG = "ocio://cg-config-v2.1.0_aces-v1.3_ocio-v2.3"


@pytest.fixture(scope="module")
def executor():
    return create_executor("cpu", threads=1)


def side(pixels, primaries="rec709", grade=None, **setup):
    metadata = {CHROMATICITIES: PRIMARIES[primaries]} if primaries else {}
    managed = manage(ColourSetup(**setup), f"{primaries}.exr", metadata)
    return MatchSide(WholeLevels(pixels.astype(np.float32)), managed, grade or Grade(), f"{primaries}.exr")


@pytest.fixture(scope="module")
def image():
    return generated(96, 64)


def gains(ops):
    (mixer,) = ops
    return np.array(expect(ChannelMixer, mixer).matrix).reshape(3, 3)


def test_the_same_colours_in_other_primaries_match_already(executor, image):
    other = side(image @ np.asarray(aces_from(PRIMARIES["rec709"])).T, "ap0")
    np.testing.assert_allclose(gains(matched(executor, side(image), other, "balance")), np.eye(3), atol=2e-3)
    (matrix,) = matched(executor, side(image), other, "linear")
    np.testing.assert_allclose(expect(Matrix, matrix).matrix[:11:5], 1.0, atol=2e-3)


def test_the_grades_of_both_count(executor, image):
    found = gains(matched(executor, side(image, grade=Grade([Exposure(1.0)])), side(image), "balance"))
    np.testing.assert_allclose(np.diag(found), 0.5, rtol=1e-3)
    found = gains(matched(executor, side(image), side(image, grade=Grade([Exposure(1.0)])), "balance"))
    np.testing.assert_allclose(np.diag(found), 2.0, rtol=1e-3)


def test_areas_count(executor, image):
    both = np.concatenate([image, image * 4.0], axis=1)
    left, right = (replace(side(both), area=Rect(x, 0, 96, 64)) for x in (0, 96))
    np.testing.assert_allclose(np.diag(gains(matched(executor, left, right, "balance"))), 4.0, rtol=1e-3)
    with pytest.raises(GradeError, match="the area is outside of rec709"):
        matched(executor, replace(left, area=Rect(500, 0, 9, 9)), right, "balance")


def test_where_the_working_space_is_scene_linear_the_op_stands_between_logarithms(executor, image):
    found = matched(executor, side(image, working="ACEScg"), side(image * 2.0), "linear")
    assert (found[0], found[-1]) == (CURVE, CURVE.inverse()) and len(found) == 3
    assert len(matched(executor, side(image), side(image * 2.0), "linear")) == 1


def test_images_that_can_not_be_compared_are_refused(executor, image):
    with pytest.raises(GradeError, match="is unknown; specify its input space"):
        matched(executor, side(image), side(image, ""), "linear")
    with pytest.raises(GradeError, match="has another OpenColorIO config than"):
        matched(executor, side(image), side(image, "ap0", config=OTHER_CONFIG), "linear")
    unknown = side(image, ""), side(image * 2.0, "")
    np.testing.assert_allclose(np.diag(gains(matched(executor, *unknown, "balance"))), 2.0, rtol=1e-3)


def test_it_can_be_stopped(executor, image):
    levels = side(image)

    class Never(WholeLevels):
        begun = False

    waiting = replace(levels, levels=Never(image.astype(np.float32)))
    with pytest.raises(Cancelled):
        matched(executor, waiting, levels, "balance", lambda: True)
