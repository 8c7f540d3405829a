"""Limits, strategies and rectangles: integers only."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core import geometry as tiling
from engine.core.geometry import GpuLimits, ProcessingStrategy, Rect, StrategyKind, tiles

GIB = 1024**3
sides = st.integers(1, 300)


def test_constants_are_those_of_the_contract() -> None:
    assert tiling.VRAM_SAFETY_MARGIN == 0.4
    assert tiling.VRAM_TILE_OVERHEAD == 3.0
    assert tiling.DEFAULT_VRAM_BYTES == 2 * GIB
    assert tiling.DEFAULT_MAX_TEXTURE_DIM == 16384
    assert tiling.STREAMING_THRESHOLD_BYTES == 8 * GIB
    assert tiling.MIN_TILE == 64


def test_limits_by_default_are_assumed_and_sixty_percent_usable() -> None:
    limits = GpuLimits()
    assert (limits.total_memory, limits.max_tile_dim, limits.detected) == (2 * GIB, 16384, False)
    assert limits.available_memory == int(2 * GIB * 0.6)


def test_limits_of_a_device_that_was_read() -> None:
    limits = GpuLimits.with_vram(10 * GIB)
    assert (limits.total_memory, limits.available_memory, limits.detected) == (10 * GIB, 6 * GIB, True)
    assert (limits.max_tile_dim, limits.max_buffer_bytes) == (16384, 10 * GIB)
    assert GpuLimits.with_vram(10 * GIB, 8192, 4 * GIB).max_buffer_bytes == 4 * GIB


@pytest.mark.parametrize(
    ("width", "height", "vram", "fits"),
    [
        (1000, 1000, 5 * 16_000_000, True),  # 16 MB three times over: 48 MB of 80 * 0.6
        (1000, 1001, 5 * 16_000_000, False),
        (16384, 1, GIB, True),
        (16385, 1, GIB, False),
        (1, 16385, GIB, False),
    ],
)
def test_an_image_fits_three_times_into_what_is_usable(width: int, height: int, vram: int, fits: bool) -> None:
    assert GpuLimits.with_vram(vram).fits(width, height, 4) is fits


def test_an_image_must_fit_a_buffer() -> None:
    limits = GpuLimits.with_vram(100 * GIB, max_buffer=16_000_000)
    assert limits.fits(1000, 1000, 4)
    assert not limits.fits(1000, 1001, 4)
    assert limits.fits(1000, 1333, 3)


@pytest.mark.parametrize(
    ("width", "height", "channels", "vram", "kind"),
    [
        (1920, 1080, 4, 2 * GIB, StrategyKind.SINGLE_PASS),
        (8192, 8192, 4, 2 * GIB, StrategyKind.TILED),
        (8192, 8192, 4, 16 * GIB, StrategyKind.SINGLE_PASS),
        (20000, 20000, 4, 100 * GIB, StrategyKind.TILED),  # wider than a texture
        (16384, 32768, 4, 1000 * GIB, StrategyKind.TILED),  # 8 GiB to the byte
        (16384, 32769, 4, 1000 * GIB, StrategyKind.STREAMING),
        (26754, 26754, 3, 1000 * GIB, StrategyKind.TILED),
        (26754, 26754, 4, 1000 * GIB, StrategyKind.STREAMING),
    ],
)
def test_strategy(width: int, height: int, channels: int, vram: int, kind: StrategyKind) -> None:
    limits = GpuLimits.with_vram(vram)
    strategy = ProcessingStrategy.recommend(width, height, channels, limits)
    assert strategy.kind is kind
    if kind is StrategyKind.SINGLE_PASS:
        assert (strategy.tile_size, strategy.num_tiles) == (0, 0)
    else:
        assert strategy.num_tiles == len(list(tiles(width, height, strategy.tile_size)))
        assert limits.fits(strategy.tile_size, strategy.tile_size, channels)


def test_a_halo_makes_tiles_smaller() -> None:
    limits = GpuLimits.with_vram(int(2048 * 2048 * 4 * 4 * 3 / 0.6) + 1)
    assert ProcessingStrategy.recommend(9000, 9000, 4, limits).tile_size == 2048
    assert ProcessingStrategy.recommend(9000, 9000, 4, limits, halo=1).tile_size == 1024


@given(
    st.integers(1, 20000), st.integers(1, 20000), st.sampled_from((3, 4)), st.integers(1, 8 * GIB), st.integers(0, 99)
)
def test_optimal_tile(width: int, height: int, channels: int, vram: int, halo: int) -> None:
    limits = GpuLimits.with_vram(vram)
    size = limits.optimal_tile_size(width, height, channels, halo)
    assert size >= 64
    assert size & (size - 1) == 0, "a power of two"
    assert size == 64 or limits.fits(size + 2 * halo, size + 2 * halo, channels)
    assert size == 64 or size < 2 * max(width, height), "no larger than it takes"
    assert size >= max(width, height) or not limits.fits(2 * size + 2 * halo, 2 * size + 2 * halo, channels)


@given(sides, sides, st.integers(1, 90), st.integers(0, 90))
def test_tiles_cover_an_image_exactly_once(width: int, height: int, tile_width: int, tile_height: int) -> None:
    seen = np.zeros((height, width), int)
    order = []
    for tile in tiles(width, height, tile_width, tile_height):
        assert 0 < tile.width <= tile_width
        assert 0 < tile.height <= (tile_height or tile_width)
        seen[tile.y : tile.bottom, tile.x : tile.right] += 1
        order.append((tile.y, tile.x))
    assert (seen == 1).all()
    assert order == sorted(order), "row by row"


def test_rect() -> None:
    rect = Rect(2, 3, 4, 5)
    assert (rect.right, rect.bottom, rect.pixels) == (6, 8, 20)
    assert rect.within(Rect(1, 1, 9, 9)) == (slice(2, 7), slice(1, 5))
    assert rect.clipped(5, 4) == Rect(2, 3, 3, 1)
    assert rect.clipped(2, 2).pixels == 0
