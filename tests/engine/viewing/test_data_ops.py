"""The ops that show data, on every backend, against their float64 reference and known values."""

from __future__ import annotations

import numpy as np
import pytest

from engine.compute.executor import TiledExecutor
from engine.kernel.op import REGISTRY
from engine.viewing.viewer_ops import DATA_COLOURS, CryptomatteColours, DataRange, IdColours
from tests.tolerance import assert_close

RANGES = (DataRange(-50.0, 200.0), DataRange(-50.0, 200.0, "middle"), DataRange(0.1, 250.0, "low", "false"))


def wide() -> np.ndarray:
    """Values of both signs and many sizes, NaN and Inf among them."""
    random = np.random.default_rng(3)
    pixels = (random.standard_normal((8, 64, 4)) * 10.0 ** random.uniform(-3, 4, (8, 64, 1))).astype(np.float32)
    pixels[0, 0], pixels[0, 1], pixels[0, 2], pixels[0, 3] = np.nan, np.inf, -np.inf, 0.0
    return pixels


@pytest.mark.parametrize("op", RANGES, ids=["low", "middle", "false"])
def test_ranges_are_exact(op: DataRange, executor: TiledExecutor, backend: str):
    pixels = wide()
    shown = executor.execute_color(pixels, [op])
    assert_close(shown[..., :3], op.reference(pixels.astype(np.float64))[..., :3], backend)
    assert shown[..., :3].min() >= 0.0 and shown[..., :3].max() <= 1.0


def test_ranges_map_their_ends(executor: TiledExecutor):
    pixels = np.repeat(np.array([-50.0, 0.0, 100.0, 200.0], np.float32)[None, :, None], 4, axis=2)
    assert np.allclose(executor.execute_color(pixels, [RANGES[0]])[0, :, 0], [0.0, 0.2, 0.6, 1.0], atol=1e-6)
    assert np.allclose(executor.execute_color(pixels, [RANGES[1]])[0, :, 0], [0.0, 0.5, 0.75, 1.0], atol=1e-6)
    coloured = executor.execute_color(pixels, [DataRange(-50.0, 200.0, "low", "false")])
    assert np.allclose(coloured[0, [0, -1], :3], [DATA_COLOURS[0], DATA_COLOURS[-1]], atol=1e-6)


def hashes(count: int) -> np.ndarray:
    """IDs as Cryptomatte stores them: the bits of a hash, without those that are no normal float."""
    bits = np.random.default_rng(5).integers(0, 2**32, 2 * count, dtype=np.uint64).astype(np.uint32)
    floats = bits.view(np.float32)
    with np.errstate(invalid="ignore"):
        return floats[np.isfinite(floats) & (np.abs(floats) > 2e-38)][:count]


def test_hashes_have_colours_of_their_own(executor: TiledExecutor):
    ids = hashes(1000)
    pixels = np.zeros((1, len(ids), 4), np.float32)
    pixels[0, :, 0], pixels[0, :, 1] = ids, 1.0
    shown = executor.execute_color(pixels, [CryptomatteColours()])
    apart = np.abs(shown - CryptomatteColours().reference(pixels.astype(np.float64))).max(axis=-1)
    assert (apart < 0.005).mean() > 0.99  # float32 keeps few digits of many turns
    assert len(np.unique(np.round(shown[0, :, :3], 4), axis=0)) > 900
    near = np.nextafter(ids, np.float32(np.inf))  # the next hash
    pixels[0, :, 0] = near
    other = executor.execute_color(pixels, [CryptomatteColours()])
    assert (np.abs(shown - other)[0, :, :3].max(axis=-1) > 0.02).mean() > 0.95


def test_coverages_weigh_the_colours(executor: TiledExecutor):
    first, second = hashes(2)
    pixels = np.array([[[first, 1.0, second, 0.0], [first, 0.5, second, 0.5], [0.0, 1.0, 0.0, 1.0]]], np.float32)
    shown = executor.execute_color(pixels, [CryptomatteColours()])[0, :, :3]
    alone = executor.execute_color(np.array([[[second, 1.0, 0.0, 0.0]]], np.float32), [CryptomatteColours()])[0, 0, :3]
    assert np.allclose(shown[1], 0.5 * (shown[0] + alone), atol=1e-4)
    assert (shown[2] == 0.0).all()


def test_plain_ids_are_read_as_they_are(executor: TiledExecutor):
    pixels = np.repeat(np.arange(200, dtype=np.float32)[None, :, None], 4, axis=2)
    shown = executor.execute_color(pixels, [IdColours("plain")])[0, :, :3]
    assert (shown[0] == 0.0).all()
    assert len(np.unique(np.round(shown, 4), axis=0)) == 200


def test_they_are_no_ops_of_a_grade():
    assert not {"DataRange", "IdColours", "CryptomatteColours"} & set(REGISTRY)
