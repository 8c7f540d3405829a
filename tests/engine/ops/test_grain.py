"""Grain: by a formula of its own, on every backend and in any pieces; its moments, its spectrum, and its frames."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import Grade, Group, Layer, MemoryOutput, MemorySource, ops
from engine.compute.executor import TiledExecutor
from engine.compute.mattes import MatteInputs
from engine.core.geometry import Place
from engine.kernel.codegen import trace
from engine.ops.grain import kernel, mean_deviation
from tests.engine.compute.test_tiles import assert_same_bits, in_tiles
from tests.engine.host_cuda import HostCuda
from tests.engine.images import plain, rgba64, wide
from tests.engine.kernel.test_codegen import needs_compiler
from tests.engine.kernel.test_random import pcg3d
from tests.tolerance import assert_close

Floats = NDArray[np.float64]
PLACES = [Place(), Place(column=15000, row=4000), Place(-127.3, 511.7, 3.7, 2.9, 40, 9)]
STRONG = ops.Grain(0.4, 2.3, 0.3, 0.6, 1.5, 1.0, 0.4, seed=7.0, frame=1001)


def noise_of(grain: ops.Grain, side: int = 256, place: Place | None = None) -> Floats:
    """The noise of a grain on grey, whose amount is small: what its pixels are, by the amount."""
    tiny = grain.replace(amount=1e-4, shadows=1.0, midtones=1.0, highlights=1.0)
    grey = np.full((side, side, 4), 0.18)
    graded = tiny.reference(grey, place or Place(column=11, row=-5))[..., :3]
    found: Floats = np.log2((graded + 0.18 / 64) / (0.18 + 0.18 / 64)) / 1e-4
    return found


def by_hand(grain: ops.Grain, x: float, y: float, rgb: Floats) -> list[float]:
    """One pixel, point of the lattice by point, with numbers from Python's integers."""
    numbers = tuple(grain.axes)
    dx, dy = x - numbers[2] - numbers[3], y - numbers[4] - numbers[5]
    cos, sin = math.cos(math.atan(0.5)) / grain.size, math.sin(math.atan(0.5)) / grain.size
    u, v = cos * dx + sin * dy, -sin * dx + cos * dy
    lattice = np.zeros(3)
    for i in range(math.floor(u) - 2, math.floor(u) + 4):
        for j in range(math.floor(v) - 2, math.floor(v) + 4):
            weight = kernel(np.array([u - i])) * kernel(np.array([v - j]))
            lattice += weight * np.array(pcg3d(i, j, grain.keys[0])) / math.sqrt(21845.0)
    white = np.array(pcg3d(math.floor(x), math.floor(y), grain.keys[1])) / math.sqrt(21845.0)
    both = lattice * math.sqrt(1.0 - grain.roughness) + white * math.sqrt(grain.roughness)
    both = both.mean() * math.sqrt(3.0 - 2.0 * grain.chroma) + (both - both.mean()) * math.sqrt(grain.chroma)
    result = list[float]()
    for value, n in zip(rgb, both, strict=True):
        exposure = max(value, 0.0) + 0.18 / 64
        stops = math.log2(exposure / 0.18) / 4.0
        ends = [(grain.shadows, -stops), (grain.highlights, stops)]
        amount = grain.midtones
        for end, share in ends:
            s = min(max(share, 0.0), 1.0)
            amount += (end - grain.midtones) * s * s * (3.0 - 2.0 * s)
        a = grain.amount * amount
        result.append(value + exposure * (2.0 ** (a * n - a * a * math.log(2.0) / 2.0) - 1.0))
    return result


def test_reference_by_a_formula_of_its_own() -> None:
    image, place = rgba64(plain(7, 9)), Place(3.0, -40.0, 1.0, 1.0, 100, 3)
    graded = STRONG.reference(image, place)
    for row, column in ((0, 0), (3, 8), (6, 4)):
        wanted = by_hand(STRONG, 103.5 + column, -36.5 + row, image[row, column, :3])
        assert np.allclose(graded[row, column, :3], wanted, rtol=0.0, atol=1e-11)
    assert (graded[..., 3] == image[..., 3]).all()


@pytest.mark.parametrize("place", PLACES)
def test_every_backend_and_any_pieces(place: Place, executor: TiledExecutor, backend: str) -> None:
    image, inputs = wide(), MatteInputs(place)
    image[~np.isfinite(image)] = 0.25
    image[np.abs(image) > 1e4] = 0.5
    whole = executor.execute_color(image, [STRONG], inputs)
    assert_close(whole, STRONG.reference(rgba64(image), place), backend)
    assert_same_bits(in_tiles(executor, 17).execute_color(image, [STRONG], inputs), whole)
    output = MemoryOutput(image.dtype)
    in_tiles(executor, 17).execute_color_streaming(MemorySource(image), output, [STRONG], inputs=inputs)
    assert_same_bits(output.pixels, whole)


def test_what_is_not_finite(executor: TiledExecutor) -> None:
    values = np.array([np.nan, np.inf, -np.inf, 0.0, -1.0, 1e30], np.float32)
    image = np.repeat(values[None, :, None], 4, axis=2)
    graded = executor.execute_color(image, [STRONG])[0, :, :3]
    assert np.isnan(graded[0]).all() and (graded[1] == np.inf).all() and (graded[2] == -np.inf).all()
    assert (np.abs(graded[3]) < 0.1).all() and (np.abs(graded[4] + 1.0) < 0.1).all() and np.isfinite(graded[5]).all()


@needs_compiler
def test_cuda_text_on_the_host(tmp_path: Path) -> None:
    image, host = plain(31, 47), HostCuda([[STRONG]], tmp_path)
    for place in PLACES:
        assert_close(host(0, [STRONG], image, place), STRONG.reference(rgba64(image), place), "cuda")


@pytest.mark.parametrize(("size", "roughness"), [(0.5, 0.0), (1.5, 0.3), (4.0, 0.0), (2.0, 1.0)])
def test_mean_and_variance(size: float, roughness: float) -> None:
    noise = noise_of(ops.Grain(size=size, roughness=roughness, chroma=1.0))
    grains = noise[..., 0].size / max(size, 1.0) ** 2 / 2.0
    assert abs(noise.mean()) < 4.0 / math.sqrt(3.0 * grains)
    assert abs(noise.var() - 1.0) < 6.0 / math.sqrt(3.0 * grains)


def test_variance_does_not_depend_on_the_phase() -> None:
    """The squares of the weights that a place gives the points of the lattice sum to 1."""
    phases = np.linspace(0.0, 1.0, 101)
    squares = sum(kernel(phases + step) ** 2 for step in range(-3, 4))
    assert np.allclose(squares, 1.0, rtol=0.0, atol=1e-12)


def test_spectrum() -> None:
    """The power by radial frequency, mean of three frames, is what the formula says, aliases included."""
    size, side = 4.0, 192
    window = np.hanning(side)[:, None] * np.hanning(side)
    power: Any = 0.0
    for frame in range(3):
        noise = noise_of(ops.Grain(size=size, roughness=0.0, chroma=1.0, frame=frame), side)
        transform = np.fft.fft2(noise * window[..., None], axes=(0, 1))
        power = power + (np.abs(transform) ** 2).mean(axis=-1) / (window**2).sum() / 3.0
    x, table = np.linspace(-2.0, 2.0, 801), np.linspace(0.0, 8.0, 400)
    spectrum = size * (kernel(x) * np.cos(2.0 * np.pi * table[:, None] * x)).mean(axis=1) ** 2 * 16.0
    f, formula = np.fft.fftfreq(side), np.zeros((side, side))
    for over in range(-1, 2):
        for down in range(-1, 2):
            fx, fy = f[None, :] + over, f[:, None] + down
            turned = (2.0 * fx + fy) / math.sqrt(5.0), (2.0 * fy - fx) / math.sqrt(5.0)
            formula += math.prod(np.interp(np.abs(each) * size, table, spectrum) for each in turned)
    rings = (np.hypot(f[None, :], f[:, None]) * size / 0.1).astype(int)
    for ring in range(1, 12):
        inside = rings == ring
        spread = 5.0 * 1.5 / math.sqrt(9.0 * inside.sum())  # a window makes neighbours alike
        assert power[inside].mean() == pytest.approx(formula[inside].mean(), rel=spread, abs=0.003)


def test_channels_are_as_alike_as_chroma_says() -> None:
    for chroma in (0.0, 0.3, 1.0):
        r, g, _ = np.moveaxis(noise_of(ops.Grain(size=1.0, chroma=chroma)), -1, 0)
        assert abs((r * g).mean() - (1.0 - chroma)) < 0.03


def test_exposure_stays(executor: TiledExecutor) -> None:
    """The mean of a strong grain on grey is the grey, in shadows, midtones and highlights."""
    grain = ops.Grain(0.3, 1.0, 0.5, 1.0, 1.0, 1.0, 1.0)
    for grey in (0.0, 0.002, 0.18, 6.0):
        image = np.full((256, 256, 4), grey, np.float32)
        graded = executor.execute_color(image, [grain])[..., :3]
        spread = 0.3 * math.log(2.0) * (grey + 0.18 / 64)
        assert graded.std() == pytest.approx(spread, rel=0.06)
        assert abs(graded.mean() - grey) < 0.01 * spread + 5.0 * spread / 256.0


@pytest.mark.parametrize("scale", [0.5, 0.2])
def test_views_are_as_grainy_as_the_mean_of_pixels(scale: float) -> None:
    pixels = round(1.0 / scale)
    for grain in (ops.Grain(size=1.5, roughness=0.2), ops.Grain(size=6.0, roughness=0.1)):
        side = 240
        exact = noise_of(grain, side).reshape(side // pixels, pixels, side // pixels, pixels, 3).mean(axis=(1, 3))
        view = noise_of(grain.at_scale(scale), side // pixels, Place(0.0, 0.0, pixels, pixels))
        assert view.std() == pytest.approx(exact.std(), rel=0.12)
    assert mean_deviation(1.5, 1.0) == pytest.approx(1.0)


def test_each_frame_has_another_grain() -> None:
    grade = Grade([ops.Exposure(0.1), Group((Layer(ops.Grain(0.2), mix=0.5),))])
    assert grade.is_temporal and not grade.is_animated
    one, two = grade.at(1), grade.at(2)
    assert one != two and one == grade.at(1) == two.at(1) and one.at(1) is one
    assert one.to_json() == two.to_json() == grade.to_json()
    assert one.structure == two.structure == grade.structure
    first, second = (noise_of(STRONG.at_frame(frame), 64) for frame in (1, 2))
    assert abs((first * second).mean()) < 0.1
    assert trace([STRONG]).instructions == trace([STRONG.at_frame(5)]).instructions
    assert Grade([ops.Exposure(1.0)]).at(7).frame == 0
    assert Grade.from_json(one.to_json()) == grade
    off = Grade([Layer(ops.Grain(0.2), enabled=False)])
    assert off.is_temporal and not off.at(3).effective


def test_no_amount_is_no_grain() -> None:
    image = rgba64(plain())
    none = ops.Grain(0.0)
    assert none.is_identity() and none.at_default()
    assert (none.reference(image) == image).all()
