"""Fits to the ColorChecker: published values, geometry, and least squares against another formulation."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import resources
from engine.core.colorimetry import PRIMARIES, aces_from
from engine.errors import GradeError
from engine.io import read_image
from engine.matching import KEEPS, PATCHES, ChartPlace, chart_place, fit_chart
from engine.matching.chart_fit import FLOOR
from engine.matching.chart_values import D50
from engine.matching.delta_e import delta_e, lab_of, xyz_of
from resources import scene
from tests.engine.sample_chart import published, sample_chart

TURNED = ((120.0, 40.0), (420.0, 90.0), (390.0, 330.0), (80.0, 250.0))


@pytest.fixture(scope="module")
def measured():
    return sample_chart().measured(read_image(resources.path("sample.exr")).pixels)


def test_the_published_values_and_differences_are_those_of_colour_science():
    with warnings.catch_warnings(action="ignore"):
        colour = pytest.importorskip("colour", reason="colour-science is not installed")
    known = colour.CCS_COLOURCHECKERS["ColorChecker24 - After November 2014"]
    xyz = np.array([colour.xyY_to_XYZ(each) for each in known.data.values()])
    theirs = colour.XYZ_to_Lab(xyz, known.illuminant)
    np.testing.assert_allclose([lab for _, lab in PATCHES], theirs, atol=0.011)
    random = np.random.default_rng(2)
    one, other = (random.uniform((0, -120, -120), (120, 120, 120), (5000, 3)) for _ in range(2))
    other[:1000] = one[:1000] + random.normal(0.0, 0.5, (1000, 3))
    one[0], other[1], one[2] = (50.0, 0.0, 0.0), (20.0, 0.0, 0.0), other[2]
    np.testing.assert_allclose(delta_e(one, other), colour.delta_E(one, other, method="CIE 2000"), atol=1e-9)
    np.testing.assert_allclose(lab_of(xyz, D50), colour.XYZ_to_Lab(xyz, colour.XYZ_to_xy(D50)), atol=1e-4)


def test_lab_is_inverted():
    lab = np.random.default_rng(4).uniform((1, -100, -100), (100, 100, 100), (500, 3))
    np.testing.assert_allclose(lab_of(xyz_of(lab, D50), D50), lab, atol=1e-9)


@pytest.mark.parametrize("keep", ["nothing", "exposure"])
def test_a_fit_is_the_least_squares_of_numpy(keep):
    random = np.random.default_rng(5)
    wanted = published()
    camera = np.array([[0.8, 0.15, 0.03], [0.06, 0.9, 0.1], [0.02, 0.2, 0.7]])
    known = wanted @ np.linalg.inv(camera).T * random.normal(1.0, 0.01, (24, 3))
    fit = fit_chart(known, keep=keep)
    assert fit.used.all()
    luminance = np.array([0.2225045, 0.7168786, 0.0606169])  # of Rec.709 adapted to D50: B. Lindbloom
    scale = 1.0
    if keep == "exposure":
        scale = np.exp(np.median(np.log(known[18:] @ luminance / (wanted[18:] @ luminance))))
    rows, values = [], []
    for source, target in zip(known, wanted, strict=True):
        weight = 1.0 / (target @ luminance + FLOOR)
        for channel in range(3):
            row = np.zeros(9)
            row[3 * channel : 3 * channel + 3] = source * weight
            rows.append(row)
            values.append(target[channel] * scale * weight)
    other = np.linalg.lstsq(np.array(rows), np.array(values), rcond=None)[0].reshape(3, 3)
    np.testing.assert_allclose(fit.matrix, other, atol=1e-3)
    assert fit.means[1] < 1.0 < fit.means[0]


def test_keeping_white_leaves_the_grey_patches():
    wanted, light = published(), np.array([1.4, 1.0, 0.6]) * 0.5
    camera = np.array([[0.85, 0.1, 0.05], [0.05, 0.9, 0.05], [0.0, 0.1, 0.9]])  # rows of 1 keep white
    fit = fit_chart((wanted @ np.linalg.inv(camera).T) * light, keep="white")
    seen = np.median(np.log((wanted @ np.linalg.inv(camera).T * light)[18:] / wanted[18:]), axis=0)
    np.testing.assert_allclose(fit.matrix @ np.exp(seen), np.exp(seen), rtol=1e-9)
    assert fit.means[1] < 0.5


def test_the_primaries_do_not_matter():
    wanted, own = published("ap1"), published()
    for keep in KEEPS:
        for values, primaries in ((wanted, "ap1"), (own, "rec709")):
            fit = fit_chart(values * 2.0, aces_from(PRIMARIES[primaries]), keep)
            assert fit.means[1] < 1e-6
    np.testing.assert_allclose(fit_chart(wanted, aces_from(PRIMARIES["ap1"]), "nothing").matrix, np.eye(3), atol=1e-6)


def test_the_chart_of_the_sample(measured):
    albedo = sample_chart().measured(read_image(resources.path("sample.exr"), layer="albedo").pixels)
    np.testing.assert_allclose(albedo[:23], scene.CHART[:23], atol=2e-3)
    fit = fit_chart(measured)
    assert fit.used.tolist() == [True] * 23 + [False]  # the grey ball hides the black patch
    assert fit.means[1] < 1.5 < 8.0 < fit.means[0]
    assert not fit.is_doubtful


def test_a_chart_that_is_turned_is_doubtful(measured):
    fit = fit_chart(sample_chart().turned().turned().measured(read_image(resources.path("sample.exr")).pixels))
    assert fit.is_doubtful
    assert sample_chart().turned().turned().turned().turned() == sample_chart()
    assert np.isfinite(measured).all()


def test_the_squares_lie_in_perspective():
    transform = pytest.importorskip("skimage.transform", reason="scikit-image is not installed")
    found = transform.ProjectiveTransform.from_estimate(np.array([(0, 0), (6, 0), (6, 4), (0, 4)]), np.array(TURNED))
    squares = ChartPlace(TURNED).squares()
    for number in (0, 5, 14, 23):
        x, y = number % 6 + 0.5, number // 6 + 0.5
        wanted = found(
            np.array([(x - 0.25, y - 0.25), (x + 0.25, y - 0.25), (x + 0.25, y + 0.25), (x - 0.25, y + 0.25)])
        )
        np.testing.assert_allclose(squares[number], wanted, atol=1e-6)


def test_patches_outside_the_image_or_not_finite_are_left_out():
    place, pixels = ChartPlace(TURNED), np.full((400, 500, 4), 0.25, np.float32)
    pixels[:, 300:] = np.nan
    measured = place.measured(pixels)
    assert 6 < np.isnan(measured[:, 0]).sum() < 16
    np.testing.assert_array_equal(place.measured(pixels[50:, 60:], (60, 50)), measured)
    with pytest.raises(GradeError, match="only 0 patches of the chart are in the image"):
        fit_chart(place.measured(pixels, (900, 900)))
    with pytest.raises(GradeError, match="the patches hardly differ; place the corners on the chart"):
        fit_chart(place.measured(np.full((400, 500, 3), 0.25)))


@pytest.mark.parametrize(
    ("numbers", "line"),
    [
        ((0, 0, 9, 0, 9, 9), "a chart needs four corners"),
        ((0, 0, 90, 90, 90, 0, 0, 90), "do not form a convex shape"),
        ((0, 0, 90, 0, 30, 20, 0, 90), "do not form a convex shape"),
        ((0, 0, 2, 0, 2, 2, 0, 2), "the chart is too small in the image"),
        ((0, 0, float("nan"), 0, 9, 9, 0, 9), "a chart needs four corners"),
    ],
)
def test_corners_that_are_not_a_chart_are_refused(numbers, line):
    with pytest.raises(GradeError, match=line):
        chart_place(numbers)


def test_what_a_fit_can_keep_is_checked(measured):
    with pytest.raises(GradeError, match="'grain' is not something that a fit can keep"):
        fit_chart(measured, keep="grain")
