"""Random numbers of the pixel language: the same integers on every backend, and as random as they have to be."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.compute.executor import TiledExecutor
from engine.core.geometry import Place
from engine.kernel.op import ColorOp, slider
from engine.kernel.pixel import MOST_RANDOM, RANDOM_DEVIATION, Pixel, Vec, random3
from tests.engine.host_cuda import HostCuda
from tests.engine.kernel.test_codegen import needs_compiler

KEY = 9876543.0
PLACES = np.array([0.0, -1.0, 7.0, 12345.0, -99999.0, 2.0**24 - 1.0, -(2.0**24)])


@dataclass(frozen=True)
class Numbers(ColorOp, abstract=True):
    """The random numbers of R and G as integers."""

    key: float = slider(KEY, 0.0, MOST_RANDOM)

    def pixel(self, px: Pixel) -> Vec:
        return random3(px.r, px.g, self.key)


def pcg3d(*numbers: float) -> list[int]:
    """The published function, on Python's integers; then the bytes of each number are summed."""
    x, y, z = ((int(number) % 2**32 * 1664525 + 1013904223) % 2**32 for number in numbers)
    for turn in range(2):
        x = (x + y * z) % 2**32
        y = (y + z * x) % 2**32
        z = (z + x * y) % 2**32
        if turn == 0:
            x, y, z = (n ^ n >> 16 for n in (x, y, z))
    return [sum(n.to_bytes(4, "little")) - 510 for n in (x, y, z)]


def image() -> np.ndarray:
    found = np.zeros((len(PLACES), len(PLACES), 4), np.float32)
    found[..., 0], found[..., 1] = PLACES[:, None], PLACES
    return found


def expected() -> np.ndarray:
    return np.array([[pcg3d(x, y, KEY) for y in PLACES] for x in PLACES], np.float64)


def test_the_same_integers_on_every_backend(executor: TiledExecutor) -> None:
    pixels, wanted = image(), expected()
    assert (Numbers().reference(pixels)[..., :3] == wanted).all()
    assert (executor.execute_color(pixels, [Numbers()])[..., :3] == wanted).all()
    beyond = np.array([[[np.nan, 1e9, 0.0, 1.0], [-(2.0**24), 2.0**24, 0.0, 1.0]]], np.float32)
    clamped = executor.execute_color(beyond, [Numbers()])
    assert (clamped[0, 0] == clamped[0, 1]).all()


@needs_compiler
def test_the_same_integers_as_cuda(tmp_path: Path) -> None:
    pixels = image()
    result = HostCuda([[Numbers()]], tmp_path)(0, [Numbers()], pixels, Place())
    assert (result[..., :3] == expected()).all()


def test_they_are_independent_and_nearly_normal() -> None:
    """Over neighbours, channels and keys: means, deviations, correlations within five times what chance gives."""
    side = 200
    x, y = np.arange(side, dtype=np.float64)[None, :], np.arange(side, dtype=np.float64)[:, None]
    planes = [np.asarray(plane) / RANDOM_DEVIATION for key in (1.0, 2.0) for plane in random3(x, y, key)]
    chance = 5.0 / side
    for number, plane in enumerate(planes):
        assert abs(plane.mean()) < chance
        assert abs(plane.var() - 1.0) < 1.5 * chance
        assert abs((plane**4).mean() - 2.7) < 5.0 * chance  # 3 - 1.2 / 4, of a sum of four uniform numbers
        for other in planes[:number]:
            assert abs((plane * other).mean()) < chance
        for step in (1, 2, side):
            assert abs((plane.ravel()[step:] * plane.ravel()[:-step]).mean()) < chance
