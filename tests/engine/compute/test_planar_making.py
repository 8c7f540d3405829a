"""R'G'B' to the planes of frames: each layout, range, matrix and siting against float64, and back again."""

from __future__ import annotations

import gc
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import create_executor, ops
from engine.compute.backends.base import GpuPrimitives
from engine.compute.executor import TiledExecutor
from engine.compute.planar import PACKINGS, PlanarFormat, Rounding
from engine.core.geometry import Place
from engine.errors import HandleError
from engine.kernel.op import ColorOp
from tests.engine.compute.test_planar import SIZE, converted, formats
from tests.engine.compute.test_point_inputs import Coordinates
from tests.engine.host_planar import HostSamples
from tests.engine.kernel.test_codegen import needs_compiler
from tests.engine.planar_reference import codes_of, noise, planes_of, to_codes


def colours(size: tuple[int, int] = SIZE, seed: int = 7) -> NDArray[np.float32]:
    """R'G'B' and alpha within and beyond 0..1."""
    return np.random.default_rng(seed).uniform(-0.3, 1.3, (size[1], size[0], 4)).astype(np.float32)


def made(
    primitives: GpuPrimitives,
    pixels: NDArray[Any],
    format: PlanarFormat,
    chain: tuple[ColorOp, ...] = (),
    dither: int | None = None,
) -> tuple[NDArray[Any], ...]:
    frame = primitives.exec_to_planes(primitives.upload(pixels), format, chain, dither=dither)
    return primitives.download_planes(frame)


def assert_rounded(planes: Any, exact: list[NDArray[np.float64]], format: PlanarFormat) -> None:
    """Each code is the nearest one that is legal."""
    found, step = codes_of(planes, format), 1 << (format.depth - 8)
    legal = (0, format.largest) if format.full_range else (step, 255 * step - 1)
    for number, (codes, wanted) in enumerate(zip(found, exact, strict=True)):
        is_alpha = format.alpha and number == len(found) - 1
        limits = (0, format.largest) if is_alpha else legal
        error = np.abs(codes - np.clip(wanted, *limits)).max()
        assert error < 0.5 + 1e-6 * format.largest, (format, number, error)


def test_every_format(executor: TiledExecutor) -> None:
    pixels = colours()
    for format in formats():
        assert_rounded(made(executor.primitives, pixels, format), to_codes(pixels.astype(np.float64), format), format)


def test_the_grade_runs_before(executor: TiledExecutor) -> None:
    """On halves and floats, with and without alpha; ops may read the place of pixels."""
    format, chain = PlanarFormat(*SIZE, 10, alpha=True), (ops.Exposure(-1.0), ops.Saturation(0.5))
    for dtype, channels in itertools.product((np.float32, np.float16), (3, 4)):
        pixels = colours()[..., :channels].astype(dtype)
        exact = np.ones((*pixels.shape[:2], 4))
        exact[..., :channels] = pixels
        for op in chain:
            exact = op.reference(exact)
        assert_rounded(made(executor.primitives, pixels, format, chain), to_codes(exact, format), format)
    source, device = executor.primitives.upload(colours()), executor.primitives
    placed = (Coordinates(), ops.Exposure(-4.0))
    luma, _, _ = device.download_planes(device.exec_to_planes(source, PlanarFormat(*SIZE), placed, Place()))
    assert (np.diff(luma[0].astype(int)) > 0).all()
    with pytest.raises(HandleError, match="place of pixels"):
        device.exec_to_planes(source, PlanarFormat(*SIZE), placed)


def test_what_is_not_finite_becomes_legal(executor: TiledExecutor) -> None:
    pixels = colours((8, 4))
    pixels[0, :3, :3] = [[np.nan] * 3, [np.inf] * 3, [-np.inf] * 3]
    for format in (PlanarFormat(8, 4, 10), PlanarFormat(8, 4, full_range=True), PlanarFormat(8, 4, 12, "444")):
        low, high = format.legal_codes
        planes = made(executor.primitives, pixels, format)
        assert all(low <= plane.min() and plane.max() <= high for plane in planes)
        assert planes[0][0, :3].tolist() == [low, high, low]


@pytest.mark.parametrize("depth", [8, 10, 12])
def test_planes_come_back(depth: int, executor: TiledExecutor) -> None:
    """Through R'G'B' in floats: all of 4:4:4, of the others luma, and chroma that does not vary."""
    for chroma, packing in itertools.product(("444", "422", "420"), PACKINGS):
        format = PlanarFormat(64, 33, depth, chroma, packing)
        low, high = (limit << format.shift for limit in format.legal_codes)
        planes = [np.clip(plane, low, high) for plane in planes_of(format)]
        if chroma != "444":
            planes[1:] = [np.full_like(plane, plane.flat[0]) for plane in planes[1:]]
        pixels = converted(executor.primitives, planes, format)
        again = made(executor.primitives, pixels, format)
        assert all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(planes, again, strict=True))


def test_smooth_chroma_comes_back(executor: TiledExecutor) -> None:
    """Within a code and a half of 10 bits: a low-pass and an interpolation change what bends."""
    for siting in ("left", "center", "topleft"):
        format = PlanarFormat(128, 96, 10, siting=siting)
        planes = planes_of(format, smooth=True)
        again = made(executor.primitives, converted(executor.primitives, planes, format), format)
        errors = [np.abs(a.astype(int) - b.astype(int))[2:-2, 2:-2].max() for a, b in zip(planes, again, strict=True)]
        assert errors[0] <= 1 and max(errors[1:]) <= 3, (siting, errors)


def test_detail_finer_than_chroma_is_filtered(executor: TiledExecutor) -> None:
    """Columns of red and blue in turn become one colour, not one of the two."""
    pixels = np.zeros((8, 32, 4), np.float32)
    pixels[:, ::2, 0] = pixels[:, 1::2, 2] = 1.0
    for siting in ("left", "center", "topleft"):
        format = PlanarFormat(32, 8, siting=siting)
        _, cb, cr = made(executor.primitives, pixels, format)
        red, blue = (to_codes(np.array([[[*rgb, 1.0]]]), PlanarFormat(1, 1)) for rgb in ((1, 0, 0), (0, 0, 1)))
        for plane, ends in ((cb, (red[1], blue[1])), (cr, (red[2], blue[2]))):
            assert np.abs(plane[:, 1:-1] - np.mean(ends)).max() <= 0.51


@pytest.mark.parametrize("packing", PACKINGS)
def test_dither_adds_its_noise(packing: str, executor: TiledExecutor) -> None:
    """The same for the same number, another one for each plane."""
    format, pixels = PlanarFormat(*SIZE, 10, packing=packing, alpha=True), colours() * np.float32(0.5) + np.float32(0.2)
    for seed in (0, 1001):
        exact = to_codes(pixels.astype(np.float64), format)
        noisy = [codes + noise(codes.shape, channel, seed) for channel, codes in enumerate(exact)]
        assert_rounded(made(executor.primitives, pixels, format, dither=seed), noisy, format)


def test_dither_keeps_what_lies_between_codes(executor: TiledExecutor) -> None:
    """A ramp of three codes of 8 bits: without it steps, with it the mean of each part of the ramp."""
    format = PlanarFormat(256, 256, chroma="400")
    luma = np.linspace(100.0, 103.0, 256)
    pixels = np.repeat(((luma - 16.0) / 219.0).astype(np.float32)[None, :, None], 256, axis=0).repeat(3, axis=2)
    (steps,), (noisy,) = (made(executor.primitives, pixels, format, dither=dither) for dither in (None, 7))
    assert set(steps[0]) == {100, 101, 102, 103}
    means = [
        plane.reshape(256, 16, 16).mean(axis=(0, 2)) - luma.reshape(16, 16).mean(axis=1) for plane in (steps, noisy)
    ]
    assert np.abs(means[0]).max() > 0.35 and np.abs(means[1]).max() < 0.06
    assert np.ptp(noisy[:, 0].astype(int)) == 2, "no more than a code to each side"


@needs_compiler
def test_cuda_text_on_the_host(tmp_path: Path) -> None:
    """The kernel that rounds; memory around the plane does not change."""
    codes = colours((37, 3)).reshape(-1, 4) * np.float32(1100.0)
    codes[:3] = [[np.nan] * 4, [np.inf] * 4, [-np.inf] * 4]
    cases: list[Any] = [(np.uint16, 2, 1, 6, 4, 1019), (np.uint8, 1, 3, 0, 1, 254)]
    for dtype, step, channel, shift, low, high in cases:
        run, keys = HostSamples(dtype, tmp_path), [Rounding(low, high, True, 9).key(channel + n) for n in (0, 1)]
        for share in (0.0, 1.0):
            memory = np.full(len(codes) * step + 20, 77, dtype)
            run(codes, memory[10:-10], (step, channel, shift, *keys), (share, low, high))
            added = np.stack([noise((111, 1), channel + n, 9)[:, 0] for n in range(step)], axis=1) * share
            exact = codes[:, channel : channel + step].astype(np.float64) + added
            wanted = np.rint(np.clip(np.nan_to_num(exact, nan=low), low, high).astype(np.float32))
            assert np.array_equal(memory[10:-10].reshape(-1, step), wanted.astype(dtype) << dtype(shift))
            assert (memory[:10] == 77).all() and (memory[-10:] == 77).all()


def test_frames_that_are_made_are_counted(backend: str) -> None:
    device = create_executor(backend).primitives
    source, format = device.upload(colours()), PlanarFormat(*SIZE, alpha=True)
    frame = device.exec_to_planes(source, format)
    assert device.memory_stats().count == 2
    assert device.memory_stats().live == source.nbytes + frame.nbytes
    with pytest.raises(HandleError, match=r"\(11, 17, 4\) can't go into a frame of 18 x 11"):
        device.exec_to_planes(source, PlanarFormat(18, 11))
    del source, frame
    gc.collect()
    assert (device.memory_stats().count, device.memory_stats().live) == (0, 0)
