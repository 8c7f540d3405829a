"""Inverse 3D LUTs: against the forward LUT, and against OpenColorIO."""

from __future__ import annotations

import numpy as np
import PyOpenColorIO as ocio
import pytest

from engine.kernel.op import Table
from engine.ops import Lut3d
from tests.engine import ocio_corpus as corpus
from tests.engine.images import bent_cube
from tests.engine.ocio_cases import INVERSE
from tests.engine.ocio_random import CPU, processor
from tests.tolerance import ONE_OP, assert_close, policy_error

GREY = ((0.0,) * 3, (0.25,) * 3, (0.5,) * 3, (1.0,) * 3)


def pixels(rgb) -> np.ndarray:
    return np.column_stack([rgb, np.resize((0.0, 0.5, 1.0), len(rgb))])


def opencolorios(cube: Table, rgba) -> np.ndarray:
    transform = ocio.Lut3DTransform(cube.size)
    transform.setData(cube.array.ravel())
    transform.setDirection(INVERSE)
    return corpus.exact(processor(transform), rgba.astype(np.float64))


@pytest.mark.parametrize("size", [2, 3, 9, 17])
def test_the_inverse_undoes_the_cube_and_is_opencolorios(size: int) -> None:
    rng = np.random.default_rng(size)
    forward = Lut3d(bent_cube(size, rng), (-0.5, 0.0, 0.25), (1.5, 1.0, 0.75))
    nodes = rng.integers(0, size, (200, 3)) / (size - 1.0)  # on edges and corners many cells hold the answer
    places = np.concatenate([rng.random((200, 3)), nodes, GREY])
    x = pixels(places * np.subtract(forward.high, forward.low) + forward.low)
    colours = forward.reference(x).astype(np.float32)
    inverse = forward.inverse()
    assert_close(inverse.reference(colours.astype(np.float64)), x)
    assert_close(CPU.execute_color(colours[None], [inverse])[0], x)
    unit = inverse.replace(low=(0.0,) * 3, high=(1.0,) * 3)
    assert policy_error(opencolorios(forward.cube, colours), CPU.execute_color(colours[None], [unit])[0]).max() < ONE_OP


def test_what_the_cube_does_not_reach_is_held_at_its_faces() -> None:
    cube = Table(0.2 + 0.6 * np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 5)] * 3, indexing="ij"), axis=-1))
    rgba = pixels([(-9.0, 0.5, 0.5), (0.1, 0.1, 0.1), (np.inf, 0.5, 0.5), (0.9, 0.95, 0.3), (np.nan, 0.5, 0.5)])
    ours = CPU.execute_color(rgba.astype(np.float32)[None], [Lut3d(cube).inverse()])[0]
    assert policy_error(ours, opencolorios(cube, rgba)).max() < ONE_OP
    assert ours[1, :3].tolist() == [0.0, 0.0, 0.0]
    assert ours[[0, 2, 4], 0].tolist() == [0.0, 1.0, 0.0]


def test_a_cube_that_is_not_one_to_one_gives_an_input_that_fits() -> None:
    rng = np.random.default_rng(1)
    folded, random = (bent_cube(9, rng).array.copy() for _ in range(2))
    folded[5:] = folded[3::-1]
    random[...] = rng.random(random.shape)
    for cube in (folded, random):
        forward = Lut3d(Table(cube))
        colours = forward.reference(pixels(rng.random((300, 3))))
        found = CPU.execute_color(colours.astype(np.float32)[None], [forward.inverse()])[0]
        assert np.abs(forward.reference(found.astype(np.float64)) - colours).max() < 1e-5
    nowhere = CPU.execute_color(
        np.full((1, 1, 4), 0.3, np.float32), [Lut3d(Table(np.full((3, 3, 3, 3), 0.5))).inverse()]
    )
    assert nowhere[0, 0, :3].tolist() == [0.0, 0.0, 0.0]
