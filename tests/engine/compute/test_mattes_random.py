"""Random trees of mattes in random grades: whole, in tiles and streamed they give the same bits; JSON keeps them."""

from __future__ import annotations

import numpy as np
import pytest

from engine import Grade, MemoryOutput, MemorySource
from engine.compute.executor import TiledExecutor
from engine.compute.mattes import MatteInputs
from tests.engine.compute.test_tiles import assert_same_bits, in_tiles
from tests.engine.grade.test_grade import through_text
from tests.engine.matte_grades import HEIGHT, PLACE, WIDTH, matte_image, plane_source, random_grade
from tests.thorough import THOROUGH

SEEDS = range(200 if THOROUGH else 6)


@pytest.mark.parametrize("seed", SEEDS)
def test_json_keeps_any_grade(seed: int) -> None:
    for number in range(20):
        grade = random_grade(np.random.default_rng((seed, number)))
        again = Grade.from_json(through_text(grade.to_json()))
        assert again == grade
        assert again.structure == grade.structure


@pytest.mark.parametrize("seed", SEEDS)
def test_any_grade_gives_the_same_bits_in_any_pieces(seed: int, executor: TiledExecutor) -> None:
    rng = np.random.default_rng(seed)
    grade = random_grade(rng)
    if seed > 2 and executor.name != "cpu" and not THOROUGH:
        pytest.skip("fewer on devices whose kernels take long to compile")
    image = matte_image(*((np.float32, 4), (np.float16, 3))[seed % 2])
    frame = ((0, 0), (WIDTH, HEIGHT), (400, 300))[seed % 3]
    inputs = MatteInputs(PLACE, plane_source(grade), frame)
    whole = executor.execute_color(image, grade, inputs)
    for tile in rng.integers(5, 90, 2):
        tiled = in_tiles(executor, int(tile))
        assert_same_bits(tiled.execute_color(image, grade, inputs), whole)
        output = MemoryOutput(image.dtype)
        tiled.execute_color_streaming(MemorySource(image), output, grade, inputs=inputs)
        assert_same_bits(output.pixels, whole)
    output = MemoryOutput(image.dtype)
    in_tiles(executor, None, 4_000_000).execute_color_streaming(MemorySource(image), output, grade, inputs=inputs)
    assert_same_bits(output.pixels, whole)
