"""1D LUTs of OpenColorIO with hue adjust, and their inverses."""

from __future__ import annotations

import numpy as np
import PyOpenColorIO as ocio
import pytest

from engine.errors import GradeError
from engine.kernel.fields import MOST_ENTRIES
from engine.kernel.op import Table
from engine.ops import InverseLut1d, Lut1d
from tests.engine import ocio_corpus as corpus
from tests.engine.ocio_cases import FORWARD, INVERSE, light
from tests.engine.ocio_random import assert_same
from tests.thorough import cases
from tests.tolerance import assert_close

SHAPES = {
    "rising": lambda x, rng: np.sign(x) * np.abs(x) ** rng.uniform(0.4, 2.2, 3),
    "falling": lambda x, rng: 0.9 - 0.7 * np.sign(x) * np.abs(x) ** rng.uniform(0.4, 2.2, 3),
    "wavy": lambda x, rng: x + rng.uniform(0.0, 0.2) * np.sin(x * 20.0),
    "clipped": lambda x, rng: np.clip(x * rng.uniform(1.0, 2.0, 3) - 0.2, 0.0, 1.0),
}


def lut(shape: str, size: int, direction, hue, rng: np.random.Generator) -> ocio.Lut1DTransform:
    """`size` entries over 0..1, or one for each half number where `size` is 0."""
    transform = ocio.Lut1DTransform(size or 65536, not size)
    with np.errstate(invalid="ignore"):
        halves = np.arange(65536, dtype=np.uint16).view(np.float16).astype(np.float64)
        x = np.linspace(0.0, 1.0, size) if size else np.clip(np.nan_to_num(halves, nan=0.0), -65504.0, 65504.0)
        curve = SHAPES[shape](np.repeat(x[:, None], 3, axis=1), rng)
    transform.setData(curve.astype(np.float32).ravel())
    transform.setDirection(direction)
    transform.setHueAdjust(hue)
    return transform


@pytest.mark.parametrize("direction", [FORWARD, INVERSE], ids=["forward", "inverse"])
@pytest.mark.parametrize(
    ("shape", "hue"),
    cases(
        [*((shape, ocio.HUE_NONE) for shape in SHAPES), ("wavy", ocio.HUE_DW3)],
        *((shape, ocio.HUE_DW3) for shape in SHAPES if shape != "wavy"),
    ),
)
def test_a_lut_of_any_size(shape: str, direction, hue) -> None:
    rng = np.random.default_rng(12)
    sizes = [0, 5000, *rng.integers(2, 200, 25)]
    for size in sizes:
        assert_same(lut(shape, int(size), direction, hue, rng), light(rng, 60))


def test_the_inverse_undoes_a_rising_curve_and_the_inverse_of_the_inverse_is_it() -> None:
    x = np.linspace(0.0, 1.0, 100)
    forward = Lut1d(Table(np.column_stack([x**0.5, x**2.0, -x])))
    rgba = np.column_stack([np.random.default_rng(1).uniform(0.01, 1.0, (200, 3)), np.ones(200)])
    assert np.abs(corpus.reference([forward, forward.inverse()], rgba) - rgba).max() < 1e-6


def test_what_no_curve_can_be_is_refused() -> None:
    with pytest.raises(GradeError, match="65536 entries"):
        InverseLut1d(Table([0.0, 1.0]), (0.0, 1.0), "half")
    with pytest.raises(GradeError, match="larger than 4096"):
        InverseLut1d(Table(np.zeros(5000)))


def test_the_largest_curve_is_indexed_right(backend: str, executor) -> None:
    """Positions are float32: beyond 2 ** 23 entries they have no fraction, and kernels count entries in 23 bits."""
    curve = np.linspace(0.0, 1.0, MOST_ENTRIES, dtype=np.float32) ** 2
    op = Lut1d(Table(curve))
    x = np.append(np.random.default_rng(29).uniform(0.0, 1.0, 4093), [0.0, 0.5, 1.0]).astype(np.float32)
    pixels = np.repeat(x, 4).reshape(32, 128, 4)
    result = executor.execute_color(pixels, [op])
    assert_close(result[..., :3], pixels[..., :3].astype(np.float64) ** 2, backend)
    executor.primitives.release_cached()


def test_a_curve_of_more_entries_than_can_be_counted_is_refused() -> None:
    with pytest.raises(GradeError, match=r"Lut1d\.curve has 16777216 entries; 8388608 is the most"):
        Lut1d(Table(np.zeros(1 << 24, np.float32)))
    with pytest.raises(GradeError, match="8388609 entries; 8388608 is the most"):
        Lut1d(Table(np.zeros((1 << 23) + 1, np.float32)))
