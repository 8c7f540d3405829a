"""Mip levels of exports: which are rebuilt, which kept, and which ops change alpha."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import OpenImageIO as oiio
import pytest

from engine.export.image import export_image
from engine.export.job import changes_alpha
from engine.grade.blending import Mix
from engine.grade.grade import Grade
from engine.io import describe
from engine.kernel.op import ColorOp
from engine.kernel.pixel import Vec, minimum
from engine.ops import Blur, Exposure, Matrix, Saturation
from tests.engine.export.test_export_options import STOP, options
from tests.engine.io.exr import colour, planes, same_bits


@pytest.fixture
def out(tmp_path):
    return tmp_path / "b.exr"


def levels_of(path: Path) -> list[np.ndarray]:
    file: Any = oiio.ImageInput.open(str(path))
    found: list[np.ndarray] = []
    while file.seek_subimage(0, len(found)):
        found.append(np.asarray(file.read_image(0, len(found), 0, file.spec().nchannels, "float")))
    return found


def textured(path: Path, channels: str, kind: str = "float") -> Path:
    """A mip-mapped image whose levels are not the mean of one another."""
    names = channels.split()
    spec = oiio.ImageSpec(45, 30, len(names), kind)
    spec.tile_width = spec.tile_height = 8
    spec.channelnames = names
    spec.attribute("textureformat", "Plain Texture")
    file: Any = oiio.ImageOutput.create(str(path))
    width, height, mode = 45, 30, "Create"
    for level in range(6):
        spec.width = spec.full_width = width
        spec.height = spec.full_height = height
        assert file.open(str(path), spec, mode), file.geterror()
        file.write_image(colour((height, width, len(names)), "float", level))
        width, height, mode = max(width // 2, 1), max(height // 2, 1), "AppendMIPLevel"
    file.close()
    return path


def box(plane: np.ndarray) -> np.ndarray:
    """The next level, each pixel the mean of what it covers."""
    for axis in (0, 1):
        side = plane.shape[axis]
        half = max(side // 2, 1)
        edges = np.arange(half + 1) * side / half
        total = np.concatenate([np.zeros_like(plane.take([0], axis)), plane.cumsum(axis)], axis)
        low, share = np.floor(edges).astype(int), edges % 1
        moved = np.moveaxis(total, axis, 0)
        upto = moved[low] + (moved[np.minimum(low + 1, side)] - moved[low]) * share[:, None]
        plane = np.moveaxis(np.diff(upto, axis=0) / (side / half), 0, axis)
    return plane


def test_levels_are_rebuilt_where_graded_and_kept_where_not(tmp_path, out):
    source = textured(tmp_path / "a.exr", "R G B A Z")
    export_image(source, out, STOP, options())
    before, after = levels_of(source), levels_of(out)
    assert 6 == len(before) == len(after) == describe(out).parts[0].levels
    graded = before[0][..., 1].astype(np.float64) * 2
    for was, now in zip(before, after, strict=True):
        np.testing.assert_allclose(now[..., 1], graded, rtol=1e-5)
        assert same_bits(np.ascontiguousarray(was[..., 3:]), np.ascontiguousarray(now[..., 3:]))
        graded = box(graded)
    assert planes(out)["Z"].shape == (30, 45)


def test_alpha_keeps_its_levels_without_other_channels(tmp_path, out):
    source = textured(tmp_path / "a.exr", "R G B A", "half")
    export_image(source, out, STOP, options())
    for was, now in zip(levels_of(source), levels_of(out), strict=True):
        assert np.array_equal(was[..., 3], now[..., 3])
    export_image(source, out, Grade(), options(compression="piz"))
    for was, now in zip(levels_of(source), levels_of(out), strict=True):
        assert np.array_equal(was, now)


def test_levels_that_can_not_be_kept(tmp_path, out):
    source = textured(tmp_path / "a.exr", "R G B Z")
    report = export_image(source, out, STOP, options(storage="scanline"))
    assert (describe(out).parts[0].levels, describe(out).parts[0].tile_size) == (1, None)
    assert any("scanline images have none" in note for note in report.notes)
    report = export_image(source, out, STOP, options(crop="4,4,10,10"))
    assert describe(out).parts[0].levels == 1
    assert any("only the full level" in note for note in report.notes)
    export_image(source, out, STOP, options(crop="4,4,10,10", only_graded=True))
    assert describe(out).parts[0].levels == 4
    assert levels_of(out)[3].shape == (1, 1, 3)


@dataclass(frozen=True)
class AlphaLimit(ColorOp, abstract=True):
    """Changes alpha, but only above 1000."""

    def pixel(self, px):
        return Vec((*px.rgb, minimum(px.a, 1000.0)))


def test_ops_that_change_alpha():
    assert not changes_alpha((Exposure(1.0), Saturation(0.5)))
    assert changes_alpha((Blur(2.0),))
    assert changes_alpha((Exposure(1.0), AlphaLimit()))
    assert changes_alpha((Mix((AlphaLimit(),), 0.5),))
    assert not changes_alpha((Mix((Exposure(1.0),), 0.5),))


def test_matrices_that_change_alpha():
    assert not changes_alpha((Matrix(tuple(np.diag((2.0, 1.0, 1.0, 1.0)).ravel())),))
    assert changes_alpha((Matrix(tuple(np.diag((1.0, 1.0, 1.0, 0.5)).ravel())),))
    assert changes_alpha((Matrix(tuple(np.diag((1.0, 1.0, 1.0, 0.5)).ravel()), form="diagonal"),))
    assert changes_alpha((Matrix(offset=(0.0, 0.0, 0.0, 1e-6)),))
