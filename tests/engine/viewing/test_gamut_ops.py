"""The ops that tell colours by their chromaticity, against float64 sums, on every backend."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.color.management import manage
from engine.color.xyz import xyz_ops
from engine.compute.executor import TiledExecutor
from engine.core.colorimetry import LUMA, PRIMARIES, to_xyz
from engine.core.gamuts import EDGE, GAMUTS, from_xyz
from engine.grade.colour_settings import ColourSetup, Viewing
from engine.kernel.op import ColorOp
from engine.viewing.diagram import Diagram
from engine.viewing.gamut_ops import Chromaticity, GamutBands, outside_gamut
from tests.engine.host_cuda import HostCuda
from tests.engine.kernel.test_codegen import needs_compiler
from tests.thorough import cases
from tests.tolerance import assert_close

BROKEN = np.array([[[np.nan, 1, 1], [np.inf, 1, 1], [1, -np.inf, 1], [3e38, 3e38, 3e38]]], np.float32)


def colours() -> np.ndarray:
    """XYZ of saturated colours, negative ones, and black."""
    random = np.random.default_rng(8)
    rgb = random.normal(0.3, 0.5, (24, 24, 3)) * 10.0 ** random.uniform(-4, 3, (24, 24, 1))
    found = (rgb @ to_xyz(PRIMARIES["ap1"]).T).astype(np.float32)
    found[0, :3] = 0.0
    return found


@pytest.mark.parametrize("gamut", cases(["rec709", "ap0"], "p3d65", "rec2020", "ap1"))
def test_colours_outside_have_a_negative_component(executor: TiledExecutor, gamut: str) -> None:
    pixels = colours()
    rgb = pixels.astype(np.float64) @ from_xyz(PRIMARIES[gamut]).T
    expected, margin = rgb.min(-1) / np.maximum(np.abs(rgb).max(-1), 1e-30) + EDGE, 1e-5
    found = executor.execute_color(pixels, [outside_gamut(gamut)])
    sure = np.abs(expected) > margin
    assert (
        np.array_equal(found[sure, 0], (expected[sure] < 0.0).astype(np.float32)) and 0.2 < found[..., 0].mean() < 1.0
    )
    assert np.array_equal(found[..., 0], found[..., 1]) and np.array_equal(found[..., 0], found[..., 2])


def test_half_floats_of_a_primary_are_inside(executor: TiledExecutor) -> None:
    random = np.random.default_rng(1)
    primaries = np.eye(3)[random.integers(0, 3, (1, 300))] * random.uniform(0.1, 50.0, (1, 300, 1))
    wide = from_xyz(PRIMARIES["ap0"]) @ to_xyz(PRIMARIES["rec709"])
    stored = (primaries @ wide.T).astype(np.float16).astype(np.float64)
    xyz = (stored @ np.linalg.inv(from_xyz(PRIMARIES["ap0"])).T).astype(np.float32)
    assert not executor.execute_color(xyz, [outside_gamut("rec709")])[..., 0].any()


@pytest.mark.parametrize("diagram", ["xy", "uv"])
def test_chromaticities_lie_where_the_vectorscope_counts_them(
    executor: TiledExecutor, backend: str, diagram: str
) -> None:
    pixels, centre = colours(), (0.3, 0.4)
    pixels = pixels[pixels.min(-1) > 0.0][None]
    found = executor.execute_color(pixels, [Chromaticity(centre=centre, diagram=diagram)]).astype(np.float64)
    x, y, z = np.moveaxis(pixels.astype(np.float64), -1, 0)
    total = x + y + z if diagram == "xy" else x + 15 * y + 3 * z
    across, up = (x / total, y / total) if diagram == "xy" else (4 * x / total, 9 * y / total)
    blue, red = 1.8556 * (across - centre[0]), 1.5748 * (up - centre[1])
    expected = np.stack([red, -(LUMA[0] * red + LUMA[2] * blue) / LUMA[1], blue], -1)
    assert_close(found, expected, backend)


def test_what_has_no_chromaticity_is_not_counted(executor: TiledExecutor) -> None:
    black = np.array([[[0, 0, 0], [-1, -1, -1], [0.5, -1, 0.2]]], np.float32)
    for pixels in (BROKEN, black):
        assert not np.isfinite(executor.execute_color(pixels, [Chromaticity()]) @ LUMA).any()
    assert np.isnan(executor.execute_color(BROKEN[:, :3], [outside_gamut("ap0")])).all()
    assert executor.execute_color(black[:, :1], [outside_gamut("ap0")])[0, 0, 0] == 0.0


@needs_compiler
def test_cuda_text_on_the_host(tmp_path: Path) -> None:
    some = colours()
    some = some[some.min(axis=2) >= 0.0][None]  # sums near 0 have no sure chromaticity
    pixels = np.concatenate([some, np.ones_like(some[..., :1])], axis=2)
    runs: list[list[ColorOp]] = [[outside_gamut("rec709")], [Diagram().op], [Diagram("uv", "ACES").op]]
    host = HostCuda(runs, tmp_path)
    for number, run in enumerate(runs):
        assert_close(host(number, run, pixels), run[0].reference(pixels.astype(np.float64)), "cuda")


@pytest.mark.parametrize("gamut", GAMUTS)
def test_scopes_count_what_the_overlay_marks(gamut: str) -> None:
    managed = manage(ColourSetup(input="lin_rec709_scene", output="ACEScg"), "x.exr")
    random = np.random.default_rng(5)
    graded = np.concatenate([random.normal(0.3, 0.4, (40, 40, 3)), np.ones((40, 40, 1))], axis=2)
    counted = marked = graded
    for op in (*xyz_ops(managed, "graded", Viewing()), outside_gamut(gamut)):
        counted = op.reference(counted)
    for each in (*managed.to_gamut(gamut), GamutBands()):
        assert isinstance(each, ColorOp)
        marked = each.reference(marked)
    assert np.array_equal(counted[..., 0] > 0.0, marked[..., 0] > 0.0) and 0.0 < counted[..., 0].mean() < 1.0
