"""The methods of colour matching against transforms that are known, and against another implementation."""

from __future__ import annotations

import numpy as np
import pytest

from engine.errors import GradeError
from engine.grade import Grade
from engine.grade.entries import Group, bare, layer_of
from engine.matching import METHODS, match, matched_group
from engine.matching.covariance import MOST_GAIN, NOISE, monge_kantorovich, optimal_map
from engine.matching.samples import CURVE, MOST_SAMPLES, encoded, usable
from engine.mattes.encodings import encoded_number
from engine.ops import ChannelMixer, GradingRgbCurve, Lut3d, Matrix
from tests.engine.matching_pairs import TRANSFORMS, after, applied, errors, generated, sample
from tests.thorough import cases
from tests.typed import expect


@pytest.fixture(scope="module")
def image():
    return sample(12)


@pytest.mark.parametrize(
    ("name", "method", "median", "most"),
    cases(
        [
            ("exposure +1", "balance", 0.01, 0.01),
            ("CDL offsets", "linear", 0.01, 0.05),
            ("matrix in log", "linear", 0.3, 1.0),
            ("crossed curves", "curves", 0.1, 0.5),
            ("CDL, saturation", "smooth", 0.5, 1.5),
        ],
        ("white balance 4500 K", "smooth", 0.6, 2.0),
        ("saturation 1.3", "smooth", 0.6, 1.6),
        ("contrast", "curves", 0.1, 0.6),
        ("CDL, crossed curves, matrix", "smooth", 1.5, 6.0),
    ),
)
def test_a_match_undoes_what_is_known(image, name, method, median, most):
    before, found = after(method, image, TRANSFORMS[name])
    assert np.median(before) > 2.0
    assert np.median(found) < median
    assert np.percentile(found, 95) < most


def test_a_reference_of_other_pixels_is_enough(image):
    columns = image.shape[1]
    before, found = after("smooth", image, TRANSFORMS["exposure, balance, saturation"], np.s_[:, columns // 5 :])
    assert np.median(found) < 0.3 * np.median(before)


def test_the_linear_map_is_that_of_another_implementation():
    linalg = pytest.importorskip("scipy.linalg", reason="SciPy is not installed")
    random = np.random.default_rng(3)
    for _ in range(5):
        one, other = (random.normal(0.4, 0.1, (400, 3)) @ random.uniform(0.0, 1.0, (3, 3)) for _ in range(2))
        covariances = [np.cov(each.T, bias=True) + NOISE**2 * np.eye(3) for each in (one, other)]
        root = linalg.sqrtm(covariances[0])
        back = np.linalg.inv(root)
        wanted = back @ linalg.sqrtm(root @ covariances[1] @ root) @ back
        np.testing.assert_allclose(optimal_map(*covariances), wanted, rtol=1e-7, atol=1e-9)
        found = monge_kantorovich(one, other)
        np.testing.assert_allclose(found.apply(one).mean(axis=0), other.mean(axis=0), atol=1e-9)
        stretch = np.linalg.eigvalsh(wanted)
        if stretch.min() > 1.0 / MOST_GAIN and stretch.max() < MOST_GAIN:
            np.testing.assert_allclose(found.matrix, wanted, rtol=1e-7, atol=1e-9)


def test_the_curve_is_that_of_qualifiers():
    values = np.array([[-0.1, 0.0, 0.005], [0.0078125, 0.18, 1.0], [16.0, 222.0, 65504.0]])
    wanted = [[encoded_number(value, "log") for value in row] for row in values]
    np.testing.assert_allclose(encoded(values), wanted, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_the_ops_are_ordinary_and_survive_a_saved_grade(image, method):
    ops = match(image, applied(TRANSFORMS["CDL slope, offset"], image), method)
    kinds = {"balance": ChannelMixer, "linear": Matrix, "curves": GradingRgbCurve, "smooth": Lut3d}
    middle = ops[len(ops) // 2]
    assert type(middle) is kinds[method]
    assert ops == (middle,) if METHODS[method].wants_linear else ops == (CURVE, middle, CURVE.inverse())
    grade = Grade([matched_group(ops, "hero", 0.5)])
    assert Grade.from_json(grade.to_json()) == grade
    assert layer_of(grade.entries[0]).mix == 0.5
    assert expect(Group, bare(grade.entries[0])).name == "Match to hero"


def test_logarithms_are_taken_as_they_are(image):
    logs = encoded(image.reshape(-1, 3))
    (op,) = match(logs, logs + 0.05, "linear", linear=False)
    np.testing.assert_allclose(expect(Matrix, op).offset[:3], 0.05, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "source",
    [np.full((9, 9, 3), 0.2), np.full((1, 1, 3), 0.5), np.zeros((4, 4, 3)), np.full((5, 5, 3), -3.0)],
    ids=["flat", "one pixel", "black", "negative"],
)
def test_degenerate_images_give_a_moderate_result(source, method):
    wanted = generated(40, 30)
    pairs = ((source, wanted), (wanted, source), (source, source))
    for one, other in cases(pairs[:1], *pairs[1:]) if method == "smooth" else pairs:
        ops = match(one, other, method)
        found = applied(ops, generated(24, 24))
        assert np.isfinite(found).all()
        if one is other:
            assert np.median(errors(found, generated(24, 24))) < 0.5


def test_pixels_that_are_not_finite_or_transparent_do_not_count():
    wanted = generated(40, 30)
    clean = match(wanted, wanted * 2.0, "linear")
    spoilt = np.concatenate([np.full((4, 40, 3), np.nan), wanted, np.full((2, 40, 3), np.inf)])
    assert match(spoilt, wanted * 2.0, "linear") == clean
    alpha = np.ones((36, 40, 1))
    alpha[:6] = 0.0
    held = np.concatenate([np.concatenate([np.ones((6, 40, 3)), wanted]), alpha], axis=-1)
    assert match(held, wanted * 2.0, "linear") == clean


def test_an_image_without_usable_pixels_is_refused():
    with pytest.raises(GradeError, match="the reference has no pixel with finite values there; choose another area"):
        match(generated(8, 8), np.full((8, 8, 3), np.nan), "curves")
    with pytest.raises(GradeError, match="'best' is not a valid method"):
        match(generated(8, 8), generated(8, 8), "best")


def test_the_number_of_pixels_is_bounded():
    many = np.broadcast_to(np.float32(0.2), (1100, 1000, 3))
    assert MOST_SAMPLES // 3 < len(usable(many, "it")) <= MOST_SAMPLES


def test_the_3d_lut_is_smooth_does_not_fold_and_is_constant_outside(image):
    wanted = applied(TRANSFORMS["CDL, crossed curves, matrix"], image)
    lut = expect(Lut3d, match(image, wanted, "smooth")[1])
    cube = lut.cube.array.astype(np.float64)
    steps = [np.diff(cube, axis=axis) for axis in range(3)]
    inner = [step[tuple(slice(0, 32) for _ in range(3))] for step in steps]
    assert np.einsum("...i,...i->...", inner[0], np.cross(inner[1], inner[2])).min() > 0.0
    assert max(np.abs(np.diff(step, axis=axis)).max() for axis, step in enumerate(steps)) < 0.03
    ends = lut.reference(np.array([[9.0, 0.4, 0.4, 1.0], [lut.high[0], 0.4, 0.4, 1.0]]))
    np.testing.assert_array_equal(ends[0], ends[1])


def test_curves_rise_and_stay_straight_beyond_their_ends(image):
    noisy = np.random.default_rng(1).permutation(image.reshape(-1, 3))[:2000] ** 2.0
    curves = expect(GradingRgbCurve, match(image, noisy, "curves")[1])
    x = np.linspace(-0.5, 1.5, 400)
    found = curves.reference(np.column_stack([x, x, x, np.ones_like(x)]))[:, :3]
    assert (np.diff(found, axis=0) > 0.0).all()
    assert curves.red.size <= 13
