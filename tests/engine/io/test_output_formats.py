"""Files without a source, other formats, and the corpus written with a grade."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import OpenImageIO as oiio
import pytest

from engine.core.geometry import Rect
from engine.errors import UnsupportedFile, WriteFailed
from engine.io import describe, open_output, open_source, read_image
from tests.engine.io.exr import (
    PASSTHROUGH,
    attributes,
    colour,
    export,
    grade,
    planes,
    same_bits,
    samples,
    some_corpus_files,
)
from tests.engine.io.test_output import assert_graded, write


@pytest.mark.parametrize("kind", ["half", "float"])
def test_without_a_source(tmp_path: Path, kind: str) -> None:
    pixels = colour((50, 40, 4), kind)
    out = open_output(tmp_path / "b.exr", None)
    out.init(40, 50, 4)
    out.write_region(Rect(0, 0, 40, 25), pixels[:25])
    out.write_region(Rect(0, 25, 40, 25), pixels[25:])
    out.finish()
    assert same_bits(read_image(tmp_path / "b.exr").pixels, pixels)


@pytest.mark.parametrize(
    ("suffix", "tolerance", "dropped"),
    [(".tif", 0, False), (".png", 1 / 65535, False), (".dpx", 1 / 1023, False), (".jpg", 0.2, True)],
)
def test_other_formats(tmp_path: Path, suffix: str, tolerance: float, dropped: bool) -> None:
    channels = {"RGBA": np.linspace(0.05, 0.95, 40 * 30 * 4).reshape(40, 30, 4).astype(np.float32)}
    channels["RGBA"][..., 3] = 1
    source = write(tmp_path / "a.exr", channels | {"Z": samples((40, 30), "float")})
    notes = grade(source, tmp_path / f"b{suffix}", gain=1.0)
    seen = oiio.ImageBuf(str(tmp_path / f"b{suffix}"))
    assert seen.spec().nchannels == (3 if dropped else 4)
    assert np.abs(np.asarray(seen.get_pixels("float"))[..., :3] - channels["RGBA"][..., :3]).max() <= tolerance
    assert any("can't hold them: channels Z." in note for note in notes)
    assert any("alpha" in note for note in notes) == dropped
    again = grade(tmp_path / f"b{suffix}", tmp_path / "c.exr", gain=1.0)
    assert again == []
    assert (describe(tmp_path / "c.exr").parts[0].width, describe(tmp_path / "c.exr").parts[0].height) == (30, 40)


def test_half_stays_half_in_tiff(tmp_path: Path) -> None:
    pixels = colour((20, 30, 3))
    grade(write(tmp_path / "a.exr", {"RGB": pixels}), tmp_path / "b.tif", gain=1.0)
    assert same_bits(read_image(tmp_path / "b.tif").pixels.astype(np.float16), pixels)


def test_wrong_regions_are_refused(tmp_path: Path) -> None:
    out = open_output(tmp_path / "b.exr", None)
    with pytest.raises(WriteFailed, match="can't hold"):
        out.init(40, 50, 5)
    out.init(40, 50, 3)
    for rect, shape in ((Rect(0, 0, 40, 5), (5, 40, 4)), (Rect(0, 48, 40, 5), (5, 40, 3))):
        with pytest.raises(WriteFailed):
            out.write_region(rect, np.zeros(shape, np.float32))
    out.write_region(Rect(0, 0, 40, 5), np.zeros((5, 40, 3), np.float32))
    with pytest.raises(WriteFailed, match="did not receive all of its rows"):
        out.finish()
    out.abort()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", some_corpus_files())
def test_the_corpus_goes_through_with_everything_but_the_grade(path: Path, tmp_path: Path) -> None:
    info = describe(path)
    if open_source(path).part.is_deep:
        with pytest.raises(UnsupportedFile, match="deep"):
            grade(path, tmp_path / "b.exr")
        return
    source = open_source(path, options=PASSTHROUGH)
    out = open_output(tmp_path / "b.exr", source)
    export(source, out, gain=1.0, band=100)
    for part in info.parts:
        before, after = planes(path, part.index), planes(tmp_path / "b.exr", part.index)
        if part == source.part and not source.layer.is_colour:
            loss = 0.1 if part.compression == "b44" else 0
            expected = read_image(path).pixels[..., :3].astype(np.float64)
            error = np.abs(np.stack([after[c] for c in "RGB"], -1) - expected)
            assert np.quantile(error / np.maximum(expected, 0.1), 0.999) <= loss
            continue
        assert_graded(before, after, "")
        differing = {"preview"} if part == source.part else set()
        was, now = attributes(path, part.index), attributes(tmp_path / "b.exr", part.index)
        assert {k: v for k, v in was.items() if k not in differing} == {
            k: v for k, v in now.items() if k not in differing
        }
        assert ("preview" in was) == bool(out.notes)
