"""Chromatic aberration: by a formula of its own, at any place of the display window, in any pieces and at any scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import Grade, Layer, ops
from engine.compute.executor import TiledExecutor
from engine.compute.mattes import MatteInputs
from engine.core.geometry import Place
from tests.engine.compute.test_tiles import assert_same_bits, in_tiles, stream
from tests.engine.images import plain
from tests.tolerance import assert_close

Floats = NDArray[np.float64]
WINDOW = (300, 200)
OP = ops.ChromaticAberration(2.0, -3.0, (0.4, 0.7))


def cubic(values: Floats, at: Any) -> Floats:
    """Values along the first axis at positions of their own, in pixels, by Catmull and Rom's polynomial."""
    whole = np.floor(at).astype(int)
    t = (at - whole)[:, None]
    p0, p1, p2, p3 = (values[np.clip(whole + step, 0, len(values) - 1)] for step in (-1, 0, 1, 2))
    return 0.5 * (2 * p1 + (p2 - p0) * t + (2 * p0 - 5 * p1 + 4 * p2 - p3) * t**2 + (3 * p1 - p0 - 3 * p2 + p3) * t**3)


def magnified(channel: Floats, percent: float, place: Place) -> Floats:
    """A channel whose pixels come from places nearer to the centre, or farther from it."""
    for axis, (start, first, step, side) in enumerate(
        ((place.y, place.row, place.step_y, 0.7 * 200.0), (place.x, place.column, place.step_x, 0.4 * 300.0))
    ):
        there = start + (first + np.arange(channel.shape[axis]) + 0.5) * step
        source = side + (there - side) / (1.0 + percent / 100.0)
        channel = np.moveaxis(cubic(np.moveaxis(channel, axis, 0), (source - start) / step - first - 0.5), 0, axis)
    return channel


def by_formula(image: Floats, place: Place) -> Floats:
    result = image.copy()
    result[..., 0] = magnified(image[..., 0], OP.red, place)
    result[..., 2] = magnified(image[..., 2], OP.blue, place)
    return result


@pytest.mark.parametrize("place", [Place(column=20, row=150), Place(-4.0, 30.0, 3.0, 2.5)])
def test_by_a_formula_of_its_own(place: Place, executor: TiledExecutor, backend: str) -> None:
    image = plain(50, 60)
    inputs = MatteInputs(place, None, WINDOW)
    result = executor.execute_color(image, [OP], inputs)
    assert_close(result, by_formula(image.astype(np.float64), place), backend)
    assert_same_bits(in_tiles(executor, 17).execute_color(image, [OP], inputs), result)
    assert_same_bits(stream(in_tiles(executor, 13), image, [OP], inputs=inputs), result)


def test_it_is_the_same_in_mixes_and_after_a_resize(executor: TiledExecutor) -> None:
    """After an enlargement red moves by more pixels."""
    image = plain(40, 60)
    inputs = MatteInputs(frame=(60, 40))
    whole = executor.execute_color(image, [OP], inputs)
    half = executor.execute_color(image, Grade([Layer(OP, mix=0.5)]), inputs)
    assert np.abs(half - (whole + image) / 2.0).max() < 1e-6
    smooth = np.zeros((40, 60, 4), np.float32)
    smooth[..., :3] = (np.sin(np.arange(60) / 9.0) + np.cos(np.arange(40) / 7.0)[:, None])[..., None]
    enlarge = ops.Resize(240.0, 160.0, "catmull-rom")
    one, other = (executor.execute_color(smooth, run, inputs) for run in ([OP, enlarge], [enlarge, OP]))
    assert np.abs(one - other)[20:-20, 20:-20].max() < 5e-3  # beyond the edge the last pixel is repeated


def test_the_opposite_takes_fringes_away(executor: TiledExecutor) -> None:
    y, x = np.mgrid[:120, :160] / 20.0
    image = np.repeat((1.0 + np.sin(x * x / 3.0 + y))[..., None], 4, axis=2).astype(np.float32)
    fringed = executor.execute_color(image, [ops.ChromaticAberration(0.8, -0.6)])
    mended = executor.execute_color(fringed, [ops.ChromaticAberration(-0.8 / 1.008, 0.6 / 0.994)])
    apart, left = (np.abs(each - image)[4:-4, 4:-4, :3].max() for each in (fringed, mended))
    assert left < 0.02 * apart
    assert np.ptp(fringed[..., :3], axis=-1).max() > 0.1
    assert (fringed[..., (1, 3)] == image[..., (1, 3)]).all()


def test_a_view_shows_what_the_image_becomes(executor: TiledExecutor) -> None:
    """At half the size every displacement is half as many pixels, and so is the halo."""
    y, x = np.mgrid[:120, :160] / 30.0
    image = np.repeat((1.0 + np.sin(x * 2.0 + y))[..., None], 4, axis=2).astype(np.float32)
    op = ops.ChromaticAberration(4.0, -4.0)
    inputs = MatteInputs(Place(0.0, 0.0, 2.0, 2.0), None, (160, 120))
    full = executor.execute_color(image, [op], MatteInputs(frame=(160, 120)))
    view = executor.execute_color(image.reshape(60, 2, 80, 2, 4).mean(axis=(1, 3)), [op.at_scale(0.5)], inputs)
    away = np.abs(view - full.reshape(60, 2, 80, 2, 4).mean(axis=(1, 3)))
    assert away[4:-4, 4:-4].max() < 5e-3
    fitted = op.fitted(160, 120)
    assert fitted.at_scale(0.5).halo() < fitted.halo() < 10
    assert ops.ChromaticAberration().is_identity()
