"""Denoising: by a formula of its own, on natural images against non-local means, and what its sliders do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import ops
from engine.compute.executor import TiledExecutor
from engine.ops.denoise import DEVIATIONS, OPPONENT
from tests.engine.images import plain
from tests.tolerance import assert_close

Floats = NDArray[np.float64]
DENOISE = ops.Denoise(1.1, 1.6, 0.3, (0.03, 0.05, 0.08), (0.1, 0.2, 0.0))


def averaged(values: Floats, weights: Any, step: int) -> Floats:
    ndimage = pytest.importorskip("scipy.ndimage")
    spread = np.zeros((len(weights) - 1) * step + 1)
    spread[::step] = np.array(weights) / np.sum(weights)
    for axis in (0, 1):
        values = ndimage.convolve1d(values, spread, axis=axis, mode="nearest")
    return values


def by_formula(image: Floats, op: ops.Denoise, finest: int = 0) -> Floats:
    """Along the published transforms, in float64; from the level `finest` on in a view of 1 / 2**finest the size."""
    dark, b = np.array(op.dark) / 2.0**finest, (np.array(op.shot) / 2.0**finest) ** 2
    matrix = np.array([[1, 1, 1], [1, 0, -1], [1, -2, 1]]) / np.sqrt([[3], [2], [6]])
    constant = 0.375 * b**2 + dark**2
    with np.errstate(divide="ignore", invalid="ignore"):
        root = 2.0 / b * (np.sqrt(b * np.maximum(image, 0.0) + constant) - np.sqrt(constant))
    straight = image / np.sqrt(constant)
    smooth = np.where((b > 0.0) & (image > 0.0), root, straight) @ matrix.T
    strength, kept = np.array([op.luma, op.chroma, op.chroma]) ** 2, np.zeros(image.shape)
    for level, deviation in enumerate((0.8907963, 0.20066385, 0.0855075, 0.04121745)[: 4 - finest]):
        coarse, apart = averaged(smooth, (1, 4, 6, 4, 1), 2**level), min(2**level, 2)
        detail, noise = smooth - coarse, deviation**2 * strength
        first = detail * np.maximum(1.0 - 1.44 * noise / averaged(detail**2, [1] * 5, apart), 0.0)
        power = averaged(first**2, [1] * 3, apart)
        share = power / (power + noise / 2.0)
        left = op.detail * (1.0, 0.5, 0.0, 0.0)[finest + level]
        share[..., 0] = share[..., 0] * (1.0 - left) + left
        kept, smooth = kept + share * detail, coarse
    y = (smooth + kept) @ matrix
    removed = (min(op.luma, 1.0) * (1.0 - op.detail) + 2.0 * min(op.chroma, 1.0)) / 3.0
    return y * np.sqrt(constant) + b / 4.0 * (np.maximum(y, 0.0) ** 2 + removed * np.clip((y + 1.0) / 2.0, 0.0, 1.0))


@pytest.fixture(scope="module")
def photo() -> Floats:
    data = pytest.importorskip("skimage.data")
    return np.asarray(data.astronaut()[100:228, 160:288] / 255.0)


@pytest.mark.parametrize("finest", [0, 1, 3])
def test_on_every_backend_by_a_formula_of_its_own(executor: TiledExecutor, backend: str, finest: int) -> None:
    image = plain(60, 70)
    image[..., :3] = np.abs(image[..., :3]) % 2.0 - 0.1
    wanted = np.array(image, np.float64)
    wanted[..., :3] = by_formula(wanted[..., :3], DENOISE, finest)
    assert_close(executor.execute_color(image, [DENOISE.at_scale(0.5**finest)]), wanted, backend, chain=True)


def test_the_transforms_are_what_the_docstring_says() -> None:
    assert np.allclose(np.array(OPPONENT) @ np.array(OPPONENT).T, np.eye(3))
    white = np.random.default_rng(0).normal(size=(256, 256))
    for level, deviation in enumerate(DEVIATIONS):
        coarse = averaged(white, (1, 4, 6, 4, 1), 2**level)
        assert (white - coarse)[32:-32, 32:-32].std() == pytest.approx(deviation, rel=0.06)
        white = coarse


@pytest.mark.parametrize("sigma", [0.02, 0.05, 0.1])
def test_at_least_as_good_as_non_local_means(sigma: float, photo: Floats) -> None:
    """By PSNR, with noise of a known deviation; the best of three settings of scikit-image's implementation."""
    restoration = pytest.importorskip("skimage.restoration")
    noisy = photo + np.random.default_rng(7).normal(0.0, sigma, photo.shape)

    def decibels(found: Floats) -> float:
        return float(-10.0 * np.log10(((found - photo) ** 2).mean()))

    how = {"patch_size": 5, "patch_distance": 6, "fast_mode": True, "channel_axis": -1, "sigma": sigma}
    others = [restoration.denoise_nl_means(noisy, h=share * sigma, **how) for share in (0.6, 0.8, 1.0)]
    ours = decibels(by_formula(noisy, ops.Denoise(1.0, 1.0, 0.0, (sigma,) * 3)))
    assert ours > max(map(decibels, others)) - 0.05
    assert ours > decibels(noisy) + 3.0


def test_photon_noise_is_reduced_at_all_intensities(executor: TiledExecutor) -> None:
    rng = np.random.default_rng(1)
    clean = np.repeat(np.linspace(0.0, 2.0, 96)[None, :, None], 96, axis=0) * (1.0, 0.7, 0.4)
    noisy = np.ones((96, 96, 4), np.float32)
    noisy[..., :3] = clean + rng.normal(size=clean.shape) * np.sqrt(0.01**2 + 0.1**2 * clean)
    found = executor.execute_color(noisy, [ops.Denoise(1.0, 1.0, 0.0, (0.01,) * 3, (0.1,) * 3)])[..., :3]
    before, after = (np.abs(image - clean).reshape(96, 6, 16, 3).mean(axis=(0, 2)) for image in (noisy[..., :3], found))
    assert (after < 0.35 * before).all()
    assert (
        np.abs(found.mean(axis=(0, 1)) - clean.mean(axis=(0, 1))).max() < 0.005
    )  # without the noise that is gone 0.0067


def test_strengths_are_of_luma_and_chroma_apart(executor: TiledExecutor) -> None:
    rng, grey = np.random.default_rng(1), np.ones((64, 64, 4), np.float32)
    grey[..., :3] = 0.5 + rng.normal(0.0, 0.05, (64, 64, 3))
    dark = (0.05,) * 3

    def spreads(op: ops.Denoise) -> Floats:
        found = executor.execute_color(grey, [op])[..., :3].astype(np.float64) @ np.array(OPPONENT).T
        return np.asarray(found.std(axis=(0, 1)) / 0.05)

    luma, chroma = spreads(ops.Denoise(1.0, 0.0, 0.0, dark)), spreads(ops.Denoise(0.0, 1.0, 0.0, dark))
    assert luma[0] < 0.2 and (luma[1:] > 0.9).all()
    assert chroma[0] > 0.9 and (chroma[1:] < 0.2).all()
    assert spreads(ops.Denoise(1.0, 1.0, 1.0, dark))[0] > 0.8


def test_views_expect_less_noise() -> None:
    """The pixels of a view are means of pixels."""
    assert DENOISE.at_scale(0.25).floors == pytest.approx(
        ops.Denoise(dark=(0.0075, 0.0125, 0.02), shot=(0.025, 0.05, 0.0)).floors
    )
    assert DENOISE.at_scale(2.0).floors == DENOISE.floors
    assert ops.Denoise().is_identity() and not DENOISE.at_scale(0.5).is_identity()


def test_views_have_the_levels_that_their_pixels_have(executor: TiledExecutor, photo: Floats) -> None:
    """They are as near to the means of what all levels of the image give as they would be with four levels."""
    noisy = (photo + np.random.default_rng(3).normal(0.0, 0.06, photo.shape)).astype(np.float32)
    op = ops.Denoise(1.0, 1.0, 0.3, (0.06,) * 3)

    def means(image: Any, size: int) -> Floats:
        side = len(image) // size
        return np.asarray(image.reshape(side, size, side, size, 3).mean(axis=(1, 3)))

    for size, finest in ((2, 1), (4, 2), (8, 3)):
        view, wanted = means(noisy, size).astype(np.float32), means(executor.execute_color(noisy, [op]), size)
        scaled = op.at_scale(1.0 / size)
        four = by_formula(view.astype(np.float64), op.replace(dark=(0.06 / size,) * 3))
        found = executor.execute_color(view, [scaled])
        assert scaled.finest == finest and scaled.halo() < op.halo()
        assert np.square(found - wanted).mean() < 1.05 * np.square(four - wanted).mean()
